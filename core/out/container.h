// Containers: the forms in which machine code is returned. Which of them a target has: its row
// (core/target/backend.h).
#ifndef KILN_CORE_OUT_CONTAINER_H_
#define KILN_CORE_OUT_CONTAINER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kiln::out {

enum class Container : uint8_t {
  kRaw,     // instructions and the constant data behind them; every target has it
  kAmdHsa,  // a code object of ROCm with one kernel (amdhsa.h)
};

struct ContainerInfo {
  Container container;
  std::string_view name;    // in requests, keys and results
  std::string_view ending;  // of the names of files
};

inline constexpr ContainerInfo kContainers[] = {{Container::kRaw, "raw", ".bin"},
                                                {Container::kAmdHsa, "amdhsa", ".hsaco"}};

// Returns the row of a container.
constexpr const ContainerInfo& InfoOf(Container container) {
  return kContainers[static_cast<size_t>(container)];
}

// Returns the row of this name, of raw code for an empty one; null: there is none.
constexpr const ContainerInfo* FindContainer(std::string_view name) {
  if (name.empty()) return &InfoOf(Container::kRaw);
  for (const ContainerInfo& row : kContainers) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_CONTAINER_H_
