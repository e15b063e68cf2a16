// The facts in which chips differ, as far as the back end asks for them.
#ifndef KILN_CORE_AMD_DEVICE_DEVICE_H_
#define KILN_CORE_AMD_DEVICE_DEVICE_H_

#include <string_view>

namespace kiln::amd {

struct Device {
  std::string_view name;
  // v_dot4_u32_u8, v_dot4_i32_i8, which Navi 10 lacks (Mesa 25.0.7, ac_gpu_info.c,
  // has_accelerated_dot_product).
  bool dot_products;
};

inline constexpr Device kGfx1030 = {.name = "gfx1030", .dot_products = true};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_DEVICE_DEVICE_H_
