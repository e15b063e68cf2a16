// Helpers for tests of fragment threads: a record, a draw of 8 x 8 pixels, render target writes.
#ifndef KILN_CORE_SIM_EU_FRAGMENT_TESTING_H_
#define KILN_CORE_SIM_EU_FRAGMENT_TESTING_H_

#include <string>
#include <vector>

#include "core/intel/isa/messages.h"
#include "core/sim/eu/testing.h"
#include "core/sim/scene/fragment.h"
#include "core/sim/scene/rasterise.h"

namespace kiln::sim::eu::testing {

inline constexpr uint32_t kSize = 8;  // pixels of a draw, width and height
inline constexpr int kColor = 112;    // first register of colours

// Payload: r0, positions, perspective barycentrics, then setup data of location 3. Colour outputs 0
// and 1 at the surfaces of their numbers.
out::LaunchRecord FragmentRecord(uint32_t width, uint32_t samples = 1);

// Render targets 0 and 1 with zeros, depth -1, stencil 0.
scene::FragmentInputs Draw(const std::vector<scene::Triangle>& triangles, uint32_t samples = 1);

// Covers the render target; location 3 component 1 is 10 at the left edge and 18 at the right one.
scene::Triangle Whole();

// Covers the first pixels of each row: helper lanes run for their quads.
scene::Triangle LeftColumn();

// Fields of a write to render target 0, the last one.
isa::MessageFields Fields(uint32_t lanes);

// sendc of colours from kColor on.
isa::Instruction Write(const isa::MessageFields& f, int first_channel = 0, bool ends = true);

// mov of all channels, to as many registers as the width has.
isa::Instruction Fill(int reg, int width, const isa::Operand& value);

// The four components from immediates 1 to 4.
void AppendColor(isa::Program& p, int width, int first = kColor);

absl::Status RunFragments(const isa::Program& program, const out::LaunchRecord& record,
                          scene::FragmentInputs& draw, const Options& options = {});

// Runs a program that writes colour (1, 2, 3, 4) with this message.
absl::Status RunWrite(const isa::Instruction& write, const out::LaunchRecord& record,
                      scene::FragmentInputs& draw);

void ExpectRefused(const absl::Status& s, const std::string& what);

// Component c of a pixel.
uint32_t ColorOf(const scene::FragmentInputs& draw, uint32_t x, uint32_t y, int c, int target = 0,
                 uint32_t sample = 0);

}  // namespace kiln::sim::eu::testing

#endif  // KILN_CORE_SIM_EU_FRAGMENT_TESTING_H_
