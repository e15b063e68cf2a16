// What memory is known to hold at a place of the program, for global value numbering.
//
// Entries say that an element of memory has a value. There are at most kMaxPlaces; the oldest is
// forgotten first. A copy is the state to come back to after a side of an if.
#ifndef KILN_CORE_MID_VALUES_KNOWN_MEMORY_H_
#define KILN_CORE_MID_VALUES_KNOWN_MEMORY_H_

#include <cstdint>
#include <vector>

#include "core/mid/analysis/alias.h"
#include "core/mir/mir.h"

namespace kiln::mid {

class KnownMemory {
 public:
  static constexpr size_t kMaxPlaces = 96;

  // The element `n` of what the access loads or stores has this value.
  void Learn(const Access& access, int n, mir::ValueId v);
  // The value of element `n` of what the access loads, of this type; invalid: not known.
  mir::ValueId Find(const mir::Module& module, const Access& access, int n, mir::Type type) const;

  // Forgets what a write to the access's place may have changed.
  void Overwrite(const Access& access);
  void Forget(MemorySet memories);
  void ForgetCoherent();
  // Keeps what `other`, which grew from the same state, still knows too.
  void Meet(const KnownMemory& other);
  // Forgets what was learnt after `state`, from which this one grew.
  void Restrict(const KnownMemory& state);

 private:
  struct Place {
    Access access;  // one element
    mir::ValueId value;
    uint64_t serial;  // ascending in the list
  };
  uint64_t Newest() const { return places_.empty() ? 0 : places_.back().serial; }

  std::vector<Place> places_;
  uint64_t next_serial_ = 1;
};

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_KNOWN_MEMORY_H_
