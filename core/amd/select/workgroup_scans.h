// Selection of scans of the workgroup, in one of the forms of scan_form.h. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_WORKGROUP_SCANS_H_
#define KILN_CORE_AMD_SELECT_WORKGROUP_SCANS_H_

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "core/amd/select/barriers.h"
#include "core/amd/select/emission.h"
#include "core/amd/select/scan_form.h"

namespace kiln::amd {

class WorkgroupScans : public Room {
 public:
  WorkgroupScans(Emission& e, Barriers& barriers, const ScanForms& forms)
      : Room(e), barriers_(barriers), forms_(forms), shared_bytes_(e.module().shared_bytes) {}

  void Visit(mir::InstId id);

  // The bytes of LDS of the module and its scans so far. Each scan has its own.
  uint32_t shared_bytes() const { return shared_bytes_; }

 private:
  // The scan at hand. Operands are scalars.
  struct Scan {
    ScanForm form = ScanForm::kByteDot;
    ScanShape shape;
    Operand wave;                            // its number
    Operand present;                         // waves that take part
    absl::InlinedVector<Operand, 2> counts;  // of this wave, by stream
    uint32_t place = 0;                      // in LDS, bytes
  };
  struct Sums {
    Operand before, total;  // scalars
  };

  Scan ScanOf(mir::InstId id);
  void Store(const Scan& scan);
  absl::InlinedVector<Operand, 2> LoadDwords(const Scan& scan, const Operand& lane);
  absl::InlinedVector<Operand, 4> LoadBytes(const Scan& scan);
  Sums AddScalars(const Scan& scan, const Operand& counts, const Operand& lane);
  Operand AddLanesBelow(const Scan& scan, Operand counts);
  absl::InlinedVector<Operand, 2> Selections(const Scan& scan, const Operand& shift);
  Operand AddBytes(const Scan& scan, absl::Span<const Operand> dwords,
                   absl::Span<const Operand> selections, const Operand& shift);
  Sums ReadSums(const Scan& scan, size_t stream, const Operand& inclusive);

  Barriers& barriers_;
  const ScanForms forms_;
  uint32_t shared_bytes_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_WORKGROUP_SCANS_H_
