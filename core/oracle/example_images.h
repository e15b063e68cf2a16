// Images and samplers for tests that fit every resource of a module.
#ifndef KILN_CORE_ORACLE_EXAMPLE_IMAGES_H_
#define KILN_CORE_ORACLE_EXAMPLE_IMAGES_H_

#include <cstdint>

#include "core/mir/mir.h"
#include "core/oracle/interp.h"

namespace kiln::oracle {

// Binds to each image resource an image of `edge` texels in every direction, with two levels where
// it can have them. Binds to each sampler resource a sampler, linear unless integers are sampled.
// Integer texels are small; others are pseudo-random bits that are never infinite.
void BindExampleImages(const mir::Module& module, uint32_t edge, LaunchInputs* inputs);

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_EXAMPLE_IMAGES_H_
