// See graphics_rules.h.
#include "core/sim/rdna2/graphics_rules.h"

#include "absl/strings/str_cat.h"
#include "core/sim/rdna2/resource/image_address.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Encoding;

// SPI_VS_OUT_CONFIG, NO_PC_EXPORT: no parameters (Mesa, amd/registers/gfx103.json).
constexpr uint32_t kNoParameters = 1 << 7;

// Numbers of DPP controls below this are permutations of quads.
constexpr uint32_t kQuadPermutations = 256;

// Returns true for what writes memory that others see: not LDS, not scratch.
bool ChangesMemory(const Op& op) {
  const Encoding e = op.info->encoding;
  const bool shared =
      isa::IsBuffer(e) || e == Encoding::kMimg || e == Encoding::kFlat || e == Encoding::kGlobal;
  return shared && (op.Has(isa::opcode_flag::kStore) || op.Has(isa::opcode_flag::kAtomic));
}

absl::Status CheckFragment(const Op& op, const FragmentWave& of, const WaveState& wave) {
  const auto refuse = [&](absl::StatusCode code, absl::string_view what) {
    return OpError(code, op, wave.size, absl::StrCat("a fragment program: ", what));
  };
  if (op.inst.op == isa::Opcode::kSBarrier) {
    return refuse(absl::StatusCode::kInvalidArgument, "a barrier");
  }
  if (!ChangesMemory(op)) return absl::OkStatus();
  if (!of.record->fragment.has_side_effects) {
    return refuse(absl::StatusCode::kInvalidArgument,
                  "writes memory, which the record does not announce");
  }
  if ((wave.Exec() & ~of.covered) != 0) {
    return refuse(absl::StatusCode::kFailedPrecondition, "a helper lane writes memory");
  }
  return absl::OkStatus();
}

// Returns the lanes whose values an operation of quads takes; none of other instructions.
uint64_t LanesThatQuadsRead(const Op& op, const WaveState& wave) {
  const uint64_t exec = wave.Exec();
  const bool permutes =
      op.inst.form == isa::Form::kDpp16 && op.inst.dpp.control < kQuadPermutations;
  uint64_t read = 0;
  for (int lane = 0; permutes && !op.inst.dpp.fetch_inactive && lane < wave.lanes(); ++lane) {
    const int from = lane / 4 * 4 + (op.inst.dpp.control >> 2 * (lane % 4) & 3);
    read |= (exec >> lane & 1) << from;
  }
  if (op.info->encoding != Encoding::kMimg) return read;
  const absl::StatusOr<ImageOpcode> image = ImageOpcodeOf(op.inst.op);
  if (!image.ok() || !image->NeedsQuad()) return read;
  for (int lane = 0; lane < wave.lanes(); ++lane) {
    if ((exec >> lane & 1) != 0) read |= uint64_t{0xf} << lane / 4 * 4;
  }
  return read;
}

}  // namespace

absl::Status CheckGraphics(const Op& op, const Context& context, const WaveState& wave) {
  if (context.fragment != nullptr) return CheckFragment(op, *context.fragment, wave);
  return absl::OkStatus();
}

absl::Status CheckQuads(const Op& op, const FragmentWave& of, const WaveState& wave) {
  const uint64_t off = LanesThatQuadsRead(op, wave) & ~wave.Exec() & ~of.have_run;
  for (int quad = 0; quad < wave.lanes(); quad += scene::kQuadPixels) {
    const uint64_t lanes = uint64_t{0xf} << quad;
    if ((off & lanes) == 0 || (of.covered & lanes & ~wave.Exec()) != 0) continue;
    return OpError(absl::StatusCode::kFailedPrecondition, op, wave.size,
                   "contract: an operation of quads reads a helper lane that has never run");
  }
  return absl::OkStatus();
}

absl::Status CheckStoresBefore(const Op& op, const VertexGroup& group, const WaveState& wave) {
  const uint32_t config = out::AmdOf(*group.record).vertex.spi_vs_out_config;
  const uint32_t t = op.inst.target;
  const bool last_position = op.info->encoding == Encoding::kExp && op.inst.done &&
                             t >= kPositionTarget && t < kPositionTarget + kPositions;
  if (!last_position || (config & kNoParameters) == 0) return absl::OkStatus();
  return OpError(
      absl::StatusCode::kFailedPrecondition, op, wave.size,
      "contract: exports the last position without a wait for vscnt of the stores before");
}

}  // namespace kiln::sim::rdna2
