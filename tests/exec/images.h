// Images and samplers for programs under test: made at random for the resources of a module, in the
// interpreter's form, and translated to the simulator's.
#ifndef KILN_TESTS_EXEC_IMAGES_H_
#define KILN_TESTS_EXEC_IMAGES_H_

#include <cstdint>
#include <random>
#include <string>

#include "core/mir/mir.h"
#include "core/oracle/interp.h"
#include "core/sim/scene/dispatch.h"

namespace kiln::exec {

// Adds one image for each descriptor (8 by 4 texels, 4 slices, 3 layers or 2 cubes, one at bindings
// that 8 divides, 2 levels; one level if it is written; multisampled ones 4, 8 or 16 samples, at
// most `max_samples`) and one sampler for each, all different.
void AddImages(const mir::Module& module, std::mt19937& rng, oracle::LaunchInputs& inputs,
               uint32_t max_samples = 16);

void Translate(const oracle::LaunchInputs& inputs, sim::scene::Dispatch& dispatch);

// Returns "" or the first texel that differs. Components of float formats may be `ulp` apart.
std::string ImageDifferences(const oracle::LaunchInputs& want, const sim::scene::Dispatch& got,
                             uint32_t ulp);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_IMAGES_H_
