// See simulator.h.
#include "core/sim/rdna2/simulator.h"

#include <array>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/sim/rdna2/buffer.h"
#include "core/sim/rdna2/control_flow.h"
#include "core/sim/rdna2/export.h"
#include "core/sim/rdna2/export_fragment.h"
#include "core/sim/rdna2/export_vertex.h"
#include "core/sim/rdna2/flat.h"
#include "core/sim/rdna2/graphics_rules.h"
#include "core/sim/rdna2/image.h"
#include "core/sim/rdna2/interpolation.h"
#include "core/sim/rdna2/launch.h"
#include "core/sim/rdna2/launch_fragment.h"
#include "core/sim/rdna2/launch_vertex.h"
#include "core/sim/rdna2/lds.h"
#include "core/sim/rdna2/message.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/scalar.h"
#include "core/sim/rdna2/scoreboard.h"
#include "core/sim/rdna2/smem.h"
#include "core/sim/rdna2/vector.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Encoding;
using isa::Opcode;

// Instructions that a wave runs before the next wave of the workgroup runs.
constexpr uint64_t kTurn = 20000;

// Instructions between two readings of the clock.
constexpr uint64_t kClockInterval = 1 << 18;

class Simulator {
 public:
  Simulator(const Program& program, const Options& options, const scene::TimeLimit& limit,
            LaunchState& launch)
      : program_(program),
        options_(options),
        launch_(launch),
        limit_(limit),
        executed_(program.ops.size()) {}

  absl::Status RunGroup(const std::array<uint32_t, 3>& group);
  absl::Status RunFragments(FragmentWave& fragment);
  absl::Status RunVertices(VertexGroup& group);
  scene::RunStats TakeStats();

 private:
  absl::Status RunTurn(uint32_t index);
  absl::Status RunWaves();
  void Begin(uint32_t waves);
  absl::Status Step(uint32_t index, const Op& op);
  absl::Status Execute(const Op& op, Context& context, WaveState& wave);
  absl::Status Sopp(const Op& op, const Context& context, WaveState& wave);
  absl::Status CheckLimits(const WaveState& wave);
  void NoteOutside(const Op& op, uint64_t accesses);

  const Program& program_;
  const Options& options_;
  LaunchState& launch_;
  const scene::TimeLimit& limit_;
  scene::RunStats stats_;
  std::vector<uint8_t> executed_;                   // by instruction
  std::map<uint32_t, scene::OutOfBounds> outside_;  // by byte of the instruction
  uint64_t next_clock_ = kClockInterval;
  std::vector<WaveState> waves_;
  std::vector<Scoreboard> scoreboards_;
  std::optional<AccessLog> log_;      // of the running workgroup, in contract mode
  FragmentWave* fragment_ = nullptr;  // that runs, in a draw
  VertexGroup* vertices_ = nullptr;
};

scene::RunStats Simulator::TakeStats() {
  for (size_t i = 0; i < executed_.size(); ++i) {
    if (executed_[i]) stats_.executed.push_back(program_.ops[i].offset);
  }
  for (auto& [offset, outside] : outside_) stats_.out_of_bounds.push_back(std::move(outside));
  return std::move(stats_);
}

void Simulator::NoteOutside(const Op& op, uint64_t accesses) {
  scene::OutOfBounds& outside = outside_[op.offset];
  outside.offset = op.offset;
  if (outside.accesses == 0) {
    outside.where = op.info->encoding == Encoding::kDs ? "LDS" : "the descriptor's memory";
  }
  outside.accesses += accesses;
}

absl::Status Simulator::CheckLimits(const WaveState& wave) {
  const auto exceeded = [&](absl::string_view what) {
    if (wave.pc >= program_.ops.size()) return absl::DeadlineExceededError(what);
    return OpError(absl::StatusCode::kDeadlineExceeded, program_.ops[wave.pc], program_.wave, what);
  };
  if (stats_.instructions > options_.max_instructions) {
    return exceeded(
        absl::StrFormat("more than %d instructions executed", options_.max_instructions));
  }
  if (stats_.instructions < next_clock_) return absl::OkStatus();
  next_clock_ = stats_.instructions + kClockInterval;
  const absl::Status in_time = limit_.Check();
  return in_time.ok() ? in_time : exceeded(in_time.message());
}

absl::Status Simulator::Sopp(const Op& op, const Context& context, WaveState& wave) {
  switch (op.inst.op) {
    case Opcode::kSEndpgm: wave.status = WaveStatus::kEnded; return absl::OkStatus();
    case Opcode::kSBarrier: wave.status = WaveStatus::kAtBarrier; return absl::OkStatus();
    case Opcode::kSTrap:
      return OpError(absl::StatusCode::kFailedPrecondition, op, program_.wave, "a trap");
    case Opcode::kSCodeEnd:
      return OpError(absl::StatusCode::kInvalidArgument, op, program_.wave,
                     "the program runs past its end");
    case Opcode::kSSendmsg:
    case Opcode::kSSendmsghalt: return ExecuteMessage(op, context, wave);
    default: return ExecuteControlFlow(op, program_, 0, wave);
  }
}

absl::Status Simulator::Execute(const Op& op, Context& context, WaveState& wave) {
  switch (op.info->encoding) {
    case Encoding::kSopp: return Sopp(op, context, wave);
    case Encoding::kSop1:
    case Encoding::kSop2:
    case Encoding::kSopk:
    case Encoding::kSopc:
      if (!IsControlFlow(op)) return ExecuteScalar(op, wave);
      return ExecuteControlFlow(op, program_, context.code_address, wave);
    case Encoding::kSmem: return ExecuteSmem(op, context, wave);
    case Encoding::kDs: return ExecuteDs(op, context, wave);
    case Encoding::kMubuf:
    case Encoding::kMtbuf: return ExecuteBuffer(op, context, wave);
    case Encoding::kMimg: return ExecuteImage(op, context, wave);
    case Encoding::kFlat:
    case Encoding::kGlobal:
    case Encoding::kScratch: return ExecuteFlat(op, context, wave);
    case Encoding::kVintrp: return ExecuteInterpolation(op, context, wave);
    case Encoding::kExp: return ExecuteExport(op, context, wave);
    default:
      if (op.info->unit == isa::Unit::kInterpolate) return ExecuteInterpolation(op, context, wave);
      return ExecuteVector(op, wave);
  }
}

bool IsMemory(const Op& op) {
  const Encoding e = op.info->encoding;
  return e == Encoding::kSmem || (e >= Encoding::kDs && e != Encoding::kExp);
}

absl::Status Simulator::Step(uint32_t index, const Op& op) {
  WaveState& w = waves_[index];
  uint32_t access = 0;
  if (log_ && IsMemory(op)) access = log_->Begin(w.pc, index, w.phase);
  if (options_.contract) {
    if (vertices_ != nullptr && scoreboards_[index].StoresInFlight()) {
      if (absl::Status s = CheckStoresBefore(op, *vertices_, w); !s.ok()) return s;
    }
    if (fragment_ != nullptr) {
      if (absl::Status s = CheckQuads(op, *fragment_, w); !s.ok()) return s;
    }
    if (absl::Status s = scoreboards_[index].Issue(w.pc, w, access); !s.ok()) return s;
  }
  const int lanes = std::popcount(w.Exec());
  const bool vector = op.info->encoding >= Encoding::kVop1;
  executed_[w.pc] |= !vector || lanes != 0 || op.Has(isa::opcode_flag::kAnyLane);
  if (op.info->encoding != Encoding::kSopp && op.info->unit != isa::Unit::kWait) {
    stats_.lane_operations += vector ? static_cast<uint64_t>(lanes) : 1;
  }
  if (IsMemory(op) || op.info->encoding == Encoding::kExp) ++stats_.messages;
  ++w.pc;
  Context context = launch_.ContextOf(index);
  context.log = log_ ? &*log_ : nullptr;
  context.fragment = fragment_;
  context.vertices = vertices_;
  absl::Status status = CheckGraphics(op, context, w);
  if (status.ok()) status = Execute(op, context, w);
  if (context.outside != 0) NoteOutside(op, context.outside);
  return status.ok() && log_ ? log_->status() : status;
}

absl::Status Simulator::RunTurn(uint32_t index) {
  WaveState& w = waves_[index];
  const uint64_t end = w.instructions + kTurn;
  while (w.status == WaveStatus::kRunning && w.instructions < end) {
    if (w.pc >= program_.ops.size()) {
      return absl::InvalidArgumentError("the program runs past its end");
    }
    ++w.instructions;
    ++stats_.instructions;
    if (absl::Status s = Step(index, program_.ops[w.pc]); !s.ok()) return s;
  }
  return CheckLimits(w);
}

absl::Status Simulator::RunWaves() {
  const auto count = static_cast<uint32_t>(waves_.size());
  for (;;) {
    bool running = false, waiting = false;
    for (uint32_t turn = 0; turn < count; ++turn) {
      const uint32_t i = options_.opposite ? count - 1 - turn : turn;
      if (waves_[i].status != WaveStatus::kRunning) continue;
      if (absl::Status s = RunTurn(i); !s.ok()) return s;
    }
    for (const WaveState& w : waves_) {
      running |= w.status == WaveStatus::kRunning;
      waiting |= w.status == WaveStatus::kAtBarrier;
    }
    if (running) continue;
    if (!waiting) return absl::OkStatus();
    // All that have not ended are there: those that ended count as arrived (RDNA 2 ISA
    // guide, 12.5).
    for (WaveState& w : waves_) {
      if (w.status != WaveStatus::kAtBarrier) continue;
      w.status = WaveStatus::kRunning;
      ++w.phase;
    }
  }
}

// Begins a workgroup: memory and what contract mode remembers, but not the waves' registers.
void Simulator::Begin(uint32_t waves) {
  launch_.StartGroup();
  waves_.resize(waves);
  scoreboards_.clear();
  log_.reset();
  if (options_.contract && waves > 1) log_.emplace(&program_, !launch_.wgp_mode());
  for (uint32_t i = 0; options_.contract && i < waves; ++i) {
    scoreboards_.emplace_back(&program_, options_.unsourced, log_ ? &*log_ : nullptr);
  }
  stats_.threads += waves;
}

absl::Status Simulator::RunFragments(FragmentWave& fragment) {
  const scene::Primitive& shape = fragment.Shape();
  launch_.draw_registers().view_index = shape.layer;
  launch_.draw_registers().pixel_state = PixelState(*fragment.record, *fragment.draw, shape);
  Begin(1);
  launch_.StartRegisters(0, waves_[0]);
  FillFragmentWave(fragment, launch_.first_system_sgpr(), waves_[0]);
  fragment_ = &fragment;
  absl::Status status = RunWaves();
  if (status.ok()) status = FinishFragments(fragment);
  if (status.ok()) return status;
  const scene::Point corner = fragment.Corner(std::countr_zero(fragment.quads));
  return absl::Status(
      status.code(),
      absl::StrFormat("%s (wave of fragments from pixel %d,%d of primitive %d)", status.message(),
                      static_cast<int>(corner.x), static_cast<int>(corner.y), shape.number));
}

absl::Status Simulator::RunVertices(VertexGroup& group) {
  Begin(group.Waves());
  for (uint32_t i = 0; i < waves_.size(); ++i) {
    launch_.StartRegisters(i, waves_[i]);
    FillVertexWave(group, waves_[i]);
  }
  vertices_ = &group;
  absl::Status status = RunWaves();
  if (status.ok()) status = FinishVertices(group);
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrFormat("%s (workgroup of vertices from run %d)",
                                                     status.message(), group.first));
}

absl::Status Simulator::RunGroup(const std::array<uint32_t, 3>& group) {
  Begin(launch_.waves_per_group());
  for (uint32_t i = 0; i < waves_.size(); ++i) launch_.StartWave(i, group, waves_[i]);
  absl::Status status = RunWaves();
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(status.message(), " (workgroup ", group[0], ",",
                                                  group[1], ",", group[2], ")"));
}

absl::Status CheckRecord(const out::LaunchRecord& record) {
  if (!std::holds_alternative<out::AmdLaunch>(record.arch)) {
    return absl::InvalidArgumentError("launch record: is not of a program of this architecture");
  }
  if (record.stage != "compute" && record.stage != "fragment" && record.stage != "vertex") {
    return absl::UnimplementedError(absl::StrCat("unsupported stage: ", record.stage));
  }
  if (record.dispatch_width != 32 && record.dispatch_width != 64) {
    return absl::InvalidArgumentError(absl::StrFormat("dispatch width %d", record.dispatch_width));
  }
  if (record.entry != 0) return absl::UnimplementedError("entry point is not at the start");
  if (record.stage == "fragment" && record.shared_bytes != 0) {
    return absl::InvalidArgumentError("launch record: fragments have no shared memory");
  }
  uint64_t lanes = 1;
  for (uint32_t n : record.compute.local_size) {
    if (n == 0 || n > 1024) return absl::InvalidArgumentError("local size");
    lanes *= n;
  }
  if (lanes > 1024) return absl::InvalidArgumentError("local size");
  // Limits of the hardware, which also bound what a run may allocate.
  if (record.shared_bytes > 65536 || record.scratch_bytes_per_thread > 8 * 1024 * 1024) {
    return absl::InvalidArgumentError("more LDS or scratch than the hardware has");
  }
  return absl::OkStatus();
}

// Checks that the inputs of the stage are given, and none of other stages.
absl::Status CheckDispatch(const out::LaunchRecord& record, const Options& options,
                           const scene::Dispatch& dispatch) {
  if (options.memory_seed) return absl::UnimplementedError("unsupported: memory mode");
  if (dispatch.draw.has_value() != (record.stage == "fragment")) {
    return absl::InvalidArgumentError("a draw is for fragment programs, and they need one");
  }
  if (dispatch.vertices.has_value() != (record.stage == "vertex")) {
    return absl::InvalidArgumentError("vertices are for vertex programs, and they need them");
  }
  if (dispatch.draw) return CheckFragmentRecord(record, *dispatch.draw);
  if (dispatch.vertices) return CheckVertexRecord(record, *dispatch.vertices);
  for (size_t i = 0; i < 3; ++i) {
    if (uint64_t{dispatch.base[i]} + dispatch.groups[i] > scene::kMaxWorkgroups) {
      return absl::InvalidArgumentError("dispatch: too many workgroups in a dimension");
    }
  }
  return absl::OkStatus();
}

// Checks that the program names no register that a wave does not have, and no source that is not
// modelled.
absl::Status CheckProgram(const Program& program, uint32_t vgprs) {
  for (const Op& op : program.ops) {
    for (const isa::OperandUse& use : op.uses) {
      const uint32_t code = use.operand.code;
      if (use.operand.is_vgpr() && code - 256 + use.dwords > vgprs) {
        return OpError(absl::StatusCode::kInvalidArgument, op, program.wave,
                       absl::StrFormat("a register beyond the %d of the wave", vgprs));
      }
      if (use.operand.is_scalar_register() && code + use.dwords > 128) {
        return OpError(absl::StatusCode::kInvalidArgument, op, program.wave,
                       "a tuple of scalar registers past the last one");
      }
      if ((code >= isa::kSharedBase && code <= isa::kPopsExitingWaveId) ||
          code == isa::kLdsDirect) {
        return NotModelled(op, program.wave, "source operand");
      }
    }
  }
  return absl::OkStatus();
}

absl::Status RunWorkgroups(const Options& options, const scene::Dispatch& dispatch,
                           Simulator& simulator) {
  const std::array<uint32_t, 3>& n = dispatch.groups;
  const uint64_t total = uint64_t{n[0]} * n[1] * n[2];
  for (uint64_t turn = 0; turn < total; ++turn) {
    const uint64_t i = options.opposite ? total - 1 - turn : turn;
    const std::array<uint32_t, 3> group = {
        dispatch.base[0] + static_cast<uint32_t>(i % n[0]),
        dispatch.base[1] + static_cast<uint32_t>(i / n[0] % n[1]),
        dispatch.base[2] + static_cast<uint32_t>(i / n[0] / n[1])};
    if (absl::Status s = simulator.RunGroup(group); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status RunDraw(const out::LaunchRecord& record, const Options& options,
                     scene::FragmentInputs& draw, Simulator& simulator) {
  for (size_t next = 0; next < draw.quads.size();) {
    const scene::QuadRange quads = scene::QuadsOfPrimitive(draw, next);
    next = quads.end;
    if (absl::Status s = draw.limit.Spend(quads.end - quads.first); !s.ok()) return s;
    const std::vector<scene::QuadCoverage> rasterised = scene::PrepareQuads(
        quads.first, quads.end, {record.fragment.early_tests, record.fragment.post_depth_coverage},
        draw);
    for (FragmentWave& wave : FragmentWaves(record, options.opposite, quads, draw)) {
      wave.rasterised = rasterised;
      wave.first_quad = quads.first;
      if (absl::Status s = simulator.RunFragments(wave); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

absl::Status RunVertexDraw(const out::LaunchRecord& record, const Options& options,
                           scene::VertexInputs& draw, Simulator& simulator) {
  const bool culls = options.ngg_culling != 0;
  for (VertexGroup& group : VertexGroups(record, options.opposite, culls, draw)) {
    if (absl::Status s = simulator.RunVertices(group); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<scene::RunStats> Run(absl::Span<const uint8_t> code, const out::LaunchRecord& record,
                                    const Options& options, scene::Dispatch& dispatch) {
  if (absl::Status s = CheckRecord(record); !s.ok()) return s;
  if (absl::Status s = CheckDispatch(record, options, dispatch); !s.ok()) return s;
  const out::AmdLaunch& amd = out::AmdOf(record);
  if (amd.instruction_bytes > code.size()) {
    return absl::InvalidArgumentError("launch record: more instructions than the file has");
  }
  const isa::Wave wave = record.dispatch_width == 64 ? isa::Wave::k64 : isa::Wave::k32;
  absl::StatusOr<Program> program = Load(code.subspan(0, amd.instruction_bytes), wave);
  if (!program.ok()) return program.status();
  absl::StatusOr<std::unique_ptr<LaunchState>> launch =
      LaunchState::Create(code, record, options, dispatch);
  if (!launch.ok()) return launch.status();
  if (absl::Status s = CheckProgram(*program, (*launch)->vgprs()); !s.ok()) return s;
  (*launch)->draw_registers().ngg_culling = options.ngg_culling;
  (*launch)->draw_registers().ngg_viewport = {8, 8, 8, 8};
  Simulator simulator(*program, options, dispatch.limit, **launch);
  absl::Status status;
  if (dispatch.draw) {
    status = RunDraw(record, options, *dispatch.draw, simulator);
  } else if (dispatch.vertices) {
    status = RunVertexDraw(record, options, *dispatch.vertices, simulator);
  } else {
    status = RunWorkgroups(options, dispatch, simulator);
  }
  if (!status.ok()) return status;
  return simulator.TakeStats();
}

}  // namespace kiln::sim::rdna2
