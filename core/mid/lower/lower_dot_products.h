// Lowers dot products of four bytes (sdot4x8 and the like) to products of the bytes, for targets
// without an instruction for them (Features::dot4).
//
// The bytes are taken out by bitfield extracts; each product fits 17 bits and the sum of four 18,
// so that only the addition of the third source can wrap or saturate. Cost: linear.
#ifndef KILN_CORE_MID_LOWER_LOWER_DOT_PRODUCTS_H_
#define KILN_CORE_MID_LOWER_LOWER_DOT_PRODUCTS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

absl::StatusOr<bool> LowerDotProducts(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_LOWER_DOT_PRODUCTS_H_
