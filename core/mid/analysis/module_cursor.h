// A module as instruction selection reads it: the instruction that it is at, and what it asks of
// values.
//
// Every back end's selection walks the tree of regions once, in program order. It makes code that
// names the instruction's place in SPIR-V, and refuses with that place; it asks whether a value is
// the same in all lanes, what defines it, and whether anything uses it.
#ifndef KILN_CORE_MID_ANALYSIS_MODULE_CURSOR_H_
#define KILN_CORE_MID_ANALYSIS_MODULE_CURSOR_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "core/base/cause.h"
#include "core/mid/analysis/divergence.h"
#include "core/mir/mir.h"
#include "core/mir/uses.h"

namespace kiln::mid {

class ModuleCursor {
 public:
  // `m` must outlive the object, and does not change. `use`: what uniform values are for.
  ModuleCursor(const mir::Module& m, UniformFor use) : m_(m), divergence_(m, use) {}
  ModuleCursor(const ModuleCursor&) = delete;

  const mir::Module& module() const { return m_; }
  const Divergence& divergence() const { return divergence_; }
  const mir::Uses& uses();  // of the module; computed when first needed

  // ---- the place
  // Sets the instruction for which code is made from here on.
  void Begin(mir::InstId id) {
    at_ = id;
    spirv_id_ = m_.inst(id).spirv_id;
  }
  // Sets the place alone, as of a terminator.
  void SetId(uint32_t spirv_id) { spirv_id_ = spirv_id; }
  mir::InstId at() const { return at_; }
  uint32_t spirv_id() const { return spirv_id_; }
  // Begins each instruction of a region up to the terminator and calls visit(InstId) for it. Stops
  // at the first error and returns that.
  template <class Visit>
  absl::Status VisitRegion(mir::RegionId region, Visit&& visit) {
    for (mir::InstId id : m_.region(region).insts) {
      if (mir::Info(m_.inst(id).op).Has('T')) break;
      Begin(id);
      if (absl::Status s = visit(id); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  // ---- values
  bool IsUniform(mir::ValueId v) const { return divergence_.Uniform(v); }
  bool IsBool(mir::ValueId v) const { return m_.value(v).type == mir::Type::kBool; }
  // Returns true for an instruction whose only result is a boolean.
  bool MakesBool(mir::InstId id) const {
    return m_.inst(id).num_results == 1 && IsBool(m_.result(id));
  }
  // Returns the instruction that defines the value, if it is an `op`.
  std::optional<mir::InstId> DefinedBy(mir::ValueId v, mir::Op op) const;
  bool Used(mir::ValueId v) { return !uses().Unused(v); }
  uint32_t UsedMask(mir::InstId id);  // a bit for each result that has uses

  // ---- errors
  // Returns the refusal of an operation that the target does not have, by its cause.
  static absl::Status Refuse(const mir::Inst& inst, KnownCause cause, std::string_view what);
  // Returns the internal error for MIR that earlier passes should not have left.
  static absl::Status Unexpected(const mir::Inst& inst, std::string_view why);
  // The same of the instruction that selection is at.
  absl::Status Refuse(KnownCause cause, std::string_view what) const {
    return Refuse(m_.inst(at_), cause, what);
  }
  absl::Status Unexpected(std::string_view why) const { return Unexpected(m_.inst(at_), why); }

 private:
  const mir::Module& m_;
  const Divergence divergence_;
  std::optional<mir::Uses> uses_;
  mir::InstId at_;
  uint32_t spirv_id_ = 0;
};

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ANALYSIS_MODULE_CURSOR_H_
