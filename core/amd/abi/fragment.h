// Fragment programs: the registers in which their inputs arrive, their attributes, and their
// exports, as values of the registers that a driver writes (core/amd/ABI.md, "Fragments").
//
// In: the MIR module and the pipeline's state. Out: functions of both, the same at both wave sizes.
// Only inputs that are read take registers. Cost: linear.
//
// Sources: Mesa 25.0.7, radv_shader.c (radv_compute_spi_ps_input: order and rules of inputs),
// ac_shader_util.c (formats of exports), radv_shader_info.c and radv_pipeline_graphics.c
// (DB_SHADER_CONTROL, alpha to coverage and to one).
#ifndef KILN_CORE_AMD_ABI_FRAGMENT_H_
#define KILN_CORE_AMD_ABI_FRAGMENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/mir/mir.h"
#include "core/out/launch_record.h"
#include "core/target/fragment_attributes.h"
#include "core/target/pipeline_state.h"

namespace kiln::amd {

// Bits of SPI_PS_INPUT_ENA and SPI_PS_INPUT_ADDR: inputs in the order of their VGPRs.
enum class FragmentVgpr : uint8_t {
  kPerspectiveSample,
  kPerspectiveCentre,
  kPerspectiveCentroid,
  kPullModel,
  kLinearSample,
  kLinearCentre,
  kLinearCentroid,
  kLineStipple,
  kPositionX,
  kPositionY,
  kPositionZ,
  kPositionW,
  kFrontFace,
  kAncillary,
  kSampleCoverage,
  kPixelPosition,
};
inline constexpr int kFragmentVgprs = 16;
// Returns the number of VGPRs of an input.
uint32_t RegistersOf(FragmentVgpr input);

// Formats of exports (SPI_SHADER_COL_FORMAT, four bits for each target; SPI_SHADER_Z_FORMAT).
enum class ExportFormat : uint8_t {
  kNone,
  kR32,
  kGr32,
  kAr32,
  kFloat16,
  kUnorm16,
  kSnorm16,
  kUint16,
  kSint16,
  kAbgr32,
};

// An export of colours; the n-th goes to MRT n. A second source of blending is the second export.
struct ColourExport {
  uint32_t location = 0;
  uint8_t index = 0;
  ExportFormat format = ExportFormat::kAbgr32;
  uint8_t components = 15;  // that state lets through, red in bit 0
};
// Returns true for formats of 16 bits a component: two components in each dword of the export.
bool IsPacked(ExportFormat format);

// How much a program knows of lanes that help: those that cover no sample, or were killed.
enum class Helpers : uint8_t {
  kNone,     // no lane helps: killed lanes end
  kUnnoted,  // whole quads run, and nothing tells helpers from others
  kNoted,    // whole quads run; a mask in a register has the lanes that are no helpers
};

struct FragmentAbi {
  FragmentAttributes attributes;
  std::optional<uint32_t> viewport;  // which of them is the viewport's index
  std::vector<uint32_t> controls;    // SPI_PS_INPUT_CNTL of each attribute
  uint32_t inputs = 0;               // SPI_PS_INPUT_ENA and _ADDR
  uint32_t prim_mask = 0;            // SGPR
  bool barycentric = false;          // the weights of vertices are read
  uint32_t provoking_vertex = 0;  // SGPR of such programs: its number in the primitive of each quad
  std::vector<ColourExport> colours;
  uint32_t samples = 1;  // of a pixel
  bool several_samples = false;
  bool per_sample = false;  // a lane is a sample
  Helpers helpers = Helpers::kNone;
  bool kills = false;         // lanes may be killed on the way
  bool side_effects = false;  // stores, atomics
  out::DepthOutput depth = out::DepthOutput::kOff;
  bool writes_stencil = false;
  bool writes_sample_mask = false;
  bool dual_source = false;
  bool alpha_to_coverage = false;
  bool alpha_to_one = false;
  // Coverage follows from an alpha that is exported with depth, since colours have 1.
  bool alpha_in_depth = false;

  bool Has(FragmentVgpr input) const { return (inputs >> static_cast<int>(input) & 1) != 0; }
  // Returns the first VGPR of an input, which the program must have.
  uint32_t VgprOf(FragmentVgpr input) const;
  uint32_t input_vgprs() const;
  // Returns the barycentric coordinates by which an input that is not flat is interpolated at one
  // of the positions that inputs have, or that the shader asks for.
  FragmentVgpr BarycentricsAt(mir::Interpolation interpolation, mir::Auxiliary where) const;
  // Returns the coordinates of the pixel's centre that an interpolation at an offset or at a sample
  // moves: of weights with perspective the pull model.
  FragmentVgpr MovedFrom(const mir::Interface& input, mir::InterpolateAt at) const;

  ExportFormat DepthFormat() const;
  // Returns true if a last export must exist, to a target or to none.
  bool NeedsExport() const;
};

// Returns true if an operation takes values of other lanes of the quad where it stands. (An
// interpolation away from the centre does so at the start of the program.)
bool NeedsQuad(const mir::Inst& inst);

// Errors: ResourceExhausted (fragment_inputs) for too many attributes; Unimplemented
// (fragment_outputs) for a second source of blending with render targets other than 0.
absl::StatusOr<FragmentAbi> AssignFragment(const mir::Module& module, const FragmentState& state);

// Returns AMD's part and the common part of a fragment program's launch record.
void DescribeFragment(const mir::Module& module, const FragmentAbi& abi, out::LaunchRecord& record);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_ABI_FRAGMENT_H_
