// Images and samplers for tests: something that fits every resource of a module.
#ifndef KILN_CORE_ORACLE_EXAMPLE_IMAGES_H_
#define KILN_CORE_ORACLE_EXAMPLE_IMAGES_H_

#include <cstdint>

#include "core/mir/mir.h"
#include "core/oracle/interp.h"

namespace kiln::oracle {

// Binds to each image resource an image of `edge` texels in every direction, with two levels where
// it can have them, and to each sampler one that is linear where no integers are sampled. Integers
// are small, other texels are made of pseudo-random bits that are never infinite.
void BindExampleImages(const mir::Module& module, uint32_t edge, LaunchInputs* inputs);

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_EXAMPLE_IMAGES_H_
