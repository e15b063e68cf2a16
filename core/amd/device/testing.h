// A chip that lacks what gfx1030 has, for tests of the code that is made without it.
#ifndef KILN_CORE_AMD_DEVICE_TESTING_H_
#define KILN_CORE_AMD_DEVICE_TESTING_H_

#include "core/amd/device/device.h"

namespace kiln::amd {

inline constexpr Device kWithoutDotProducts = {.name = "gfx1030", .dot_products = false};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_DEVICE_TESTING_H_
