// The values that memory is known to hold at a point of the program, for global value numbering.
//
// Each entry maps an element of memory to a value. There are at most kMaxEntries entries; the
// oldest is dropped first. A copy is the state to restore after a side of an if.
#ifndef KILN_CORE_MID_VALUES_KNOWN_MEMORY_H_
#define KILN_CORE_MID_VALUES_KNOWN_MEMORY_H_

#include <cstdint>
#include <vector>

#include "core/mid/analysis/alias.h"
#include "core/mir/mir.h"

namespace kiln::mid {

class KnownMemory {
 public:
  static constexpr size_t kMaxEntries = 96;

  // Records the value of element `n` of the access.
  void Learn(const Access& access, int n, mir::ValueId v);
  // Returns the value of element `n` of the access as this type, or an invalid id if it is unknown.
  mir::ValueId Find(const mir::Module& module, const Access& access, int n, mir::Type type) const;

  // Forgets the elements that a write by this access may have changed.
  void Overwrite(const Access& access);
  void Forget(MemorySet memories);
  void ForgetCoherent();
  // Keeps the entries that `other`, which started from the same state, has too.
  void Meet(const KnownMemory& other);
  // Forgets entries recorded after `state`, from which this one started.
  void Restrict(const KnownMemory& state);

 private:
  struct Entry {
    Access access;  // one element
    mir::ValueId value;
    uint64_t serial;  // ascending in the list
  };
  uint64_t Newest() const { return entries_.empty() ? 0 : entries_.back().serial; }

  std::vector<Entry> entries_;
  uint64_t next_serial_ = 1;
};

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_KNOWN_MEMORY_H_
