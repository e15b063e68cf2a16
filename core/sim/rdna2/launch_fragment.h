// Waves of a draw's fragments: the quads that each one shades, and its registers at the start.
//
// A wave takes quads of one primitive. The hardware turns on the covered lanes; helper lanes have
// the same inputs and are off. Order of SGPRs: user data, prim_mask, provoking vertices if
// LOAD_PROVOKING_VTX, offset of scratch if SCRATCH_EN (Mesa 25.0.7, radv_shader_args.c,
// declare_shader_args and what it calls for fragments). Order of VGPRs: the bits of
// SPI_PS_INPUT_ADDR from the lowest on, each with its number of registers (the same file,
// declare_ps_input_vgprs); bits that are not in SPI_PS_INPUT_ENA have registers that nothing fills.
// Registers that are not filled keep undefined contents.
#ifndef KILN_CORE_SIM_RDNA2_LAUNCH_FRAGMENT_H_
#define KILN_CORE_SIM_RDNA2_LAUNCH_FRAGMENT_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/out/launch_record.h"
#include "core/sim/rdna2/fragment_wave.h"
#include "core/sim/rdna2/wave.h"
#include "core/sim/scene/fragment.h"

namespace kiln::sim::rdna2 {

// Refuses records whose inputs or formats the hardware does not have, and draws with another number
// of samples than the program was compiled for. InvalidArgument, Unimplemented.
absl::Status CheckFragmentRecord(const out::LaunchRecord& record,
                                 const scene::FragmentInputs& draw);

// Returns the VGPRs that a wave needs for the inputs that are filled.
uint32_t FragmentInputVgprs(const out::LaunchRecord& record);

// Returns the waves of one primitive's quads; `opposite` as for scene::GroupQuads.
std::vector<FragmentWave> FragmentWaves(const out::LaunchRecord& record, bool opposite,
                                        const scene::QuadRange& quads, scene::FragmentInputs& draw);

// Writes system SGPRs from number `sgpr` on, input VGPRs and exec into the registers of a wave,
// whose other registers are set.
void FillFragmentWave(const FragmentWave& of, int sgpr, WaveState& wave);

// Returns the value of PixelState for a primitive's fragments (out::SgprContent).
uint32_t PixelState(const out::LaunchRecord& record, const scene::FragmentInputs& draw,
                    const scene::Primitive& primitive);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_LAUNCH_FRAGMENT_H_
