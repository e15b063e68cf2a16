// Selection of descriptors: the four or eight dwords in S that an access names. Internal to this
// folder.
#ifndef KILN_CORE_AMD_SELECT_DESCRIPTORS_H_
#define KILN_CORE_AMD_SELECT_DESCRIPTORS_H_

#include "absl/container/btree_map.h"
#include "core/amd/select/launch.h"

namespace kiln::amd {

class Descriptors : public Room {
 public:
  Descriptors(Emission& e, Launch& launch) : Room(e), launch_(launch) {}

  // Returns the descriptor, `dwords` of S, `offset` bytes behind the start of the resource's. With
  // `index` (a number of MIR, or invalid) that of an element of an array; it must be uniform.
  Operand Load(uint32_t resource, mir::ValueId index, uint32_t offset, int dwords);
  // Returns the V# of a buffer or texel buffer that the instruction at hand names; `next` is the
  // position of the first source after the index.
  Operand Buffer(mir::InstId id, int* next);

 private:
  // Descriptors are loaded where the program starts while they are few.
  static constexpr uint32_t kMaxEarlyDwords = 40;

  Launch& launch_;
  struct Key {
    uint32_t resource, offset;
    int dwords;
    friend bool operator<(const Key& a, const Key& b) {
      if (a.resource != b.resource) return a.resource < b.resource;
      return a.offset != b.offset ? a.offset < b.offset : a.dwords < b.dwords;
    }
  };
  absl::btree_map<Key, Operand> early_;
  uint32_t early_dwords_ = 0;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_DESCRIPTORS_H_
