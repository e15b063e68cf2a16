// The waits and cache bits that a run in memory mode needed, for tests that remove one alone.
#ifndef KILN_CORE_SIM_RDNA2_NEEDS_H_
#define KILN_CORE_SIM_RDNA2_NEEDS_H_

#include <cstdint>
#include <set>
#include <utility>

namespace kiln::sim::rdna2 {

enum class Need : uint8_t {
  kVmcnt,  // of a wait: something was in flight that it is for
  kLgkmcnt,
  kVscnt,    // and another CU read what it wrote
  kLoad,     // of a load: it read bytes that another CU had changed
  kFarLoad,  // or a CU of another array
  kStore,    // of a store of whole lines: another CU read its bytes
};

// "vmcnt", ..., "load", "far load", "store".
inline const char* NameOf(Need need) {
  constexpr const char* kNames[] = {"vmcnt", "lgkmcnt", "vscnt", "load", "far load", "store"};
  return kNames[static_cast<int>(need)];
}

// Bytes of instructions with what they needed.
using Needs = std::set<std::pair<uint32_t, Need>>;

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_NEEDS_H_
