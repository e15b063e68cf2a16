// Comparisons of depth, stencil and of samplers with a reference. Vulkan 1.3, "Depth Compare
// Operation".
#ifndef KILN_CORE_SIM_SCENE_COMPARE_H_
#define KILN_CORE_SIM_SCENE_COMPARE_H_

#include <cstdint>

namespace kiln::sim::scene {

enum class CompareFunction : uint8_t {
  kNever,
  kLess,
  kEqual,
  kLessEqual,
  kGreater,
  kNotEqual,
  kGreaterEqual,
  kAlways,
};

// Compares what is tested with what is stored, or what a texture holds.
template <typename T>
bool Passes(CompareFunction f, T tested, T stored) {
  switch (f) {
    case CompareFunction::kNever: return false;
    case CompareFunction::kLess: return tested < stored;
    case CompareFunction::kEqual: return tested == stored;
    case CompareFunction::kLessEqual: return tested <= stored;
    case CompareFunction::kGreater: return tested > stored;
    case CompareFunction::kNotEqual: return tested != stored;
    case CompareFunction::kGreaterEqual: return tested >= stored;
    case CompareFunction::kAlways: return true;
  }
  return false;
}

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_COMPARE_H_
