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
#include "core/sim/rdna2/flat.h"
#include "core/sim/rdna2/image.h"
#include "core/sim/rdna2/launch.h"
#include "core/sim/rdna2/lds.h"
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
  scene::RunStats TakeStats();

 private:
  absl::Status RunTurn(uint32_t index);
  absl::Status RunWaves();
  absl::Status Step(uint32_t index, const Op& op);
  absl::Status Execute(const Op& op, Context& context, WaveState& wave);
  absl::Status Sopp(const Op& op, WaveState& wave);
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
  std::optional<AccessLog> log_;  // of the running workgroup, in contract mode
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

absl::Status Simulator::Sopp(const Op& op, WaveState& wave) {
  switch (op.inst.op) {
    case Opcode::kSEndpgm: wave.status = WaveStatus::kEnded; return absl::OkStatus();
    case Opcode::kSBarrier: wave.status = WaveStatus::kAtBarrier; return absl::OkStatus();
    case Opcode::kSTrap:
      return OpError(absl::StatusCode::kFailedPrecondition, op, program_.wave, "a trap");
    case Opcode::kSCodeEnd:
      return OpError(absl::StatusCode::kInvalidArgument, op, program_.wave,
                     "the program runs past its end");
    default: return ExecuteControlFlow(op, program_, 0, wave);
  }
}

absl::Status Simulator::Execute(const Op& op, Context& context, WaveState& wave) {
  switch (op.info->encoding) {
    case Encoding::kSopp:
      if (op.info->unit == isa::Unit::kMessage) return NotModelled(op, program_.wave, "message");
      return Sopp(op, wave);
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
    case Encoding::kVintrp: return NotModelled(op, program_.wave, "interpolation");
    case Encoding::kExp: return NotModelled(op, program_.wave, "export");
    default: return ExecuteVector(op, wave);
  }
}

bool IsMemory(const Op& op) {
  return op.info->encoding == Encoding::kSmem || op.info->encoding >= Encoding::kDs;
}

absl::Status Simulator::Step(uint32_t index, const Op& op) {
  WaveState& w = waves_[index];
  uint32_t access = 0;
  if (log_ && IsMemory(op)) access = log_->Begin(w.pc, index, w.phase);
  if (options_.contract) {
    if (absl::Status s = scoreboards_[index].Issue(w.pc, w, access); !s.ok()) return s;
  }
  const int lanes = std::popcount(w.Exec());
  const bool vector = op.info->encoding >= Encoding::kVop1;
  executed_[w.pc] |= !vector || lanes != 0 || op.Has(isa::opcode_flag::kAnyLane);
  if (op.info->encoding != Encoding::kSopp && op.info->unit != isa::Unit::kWait) {
    stats_.lane_operations += vector ? static_cast<uint64_t>(lanes) : 1;
  }
  if (IsMemory(op)) ++stats_.messages;
  ++w.pc;
  Context context = launch_.ContextOf(index);
  context.log = log_ ? &*log_ : nullptr;
  absl::Status status = Execute(op, context, w);
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

absl::Status Simulator::RunGroup(const std::array<uint32_t, 3>& group) {
  launch_.StartGroup();
  waves_.resize(launch_.waves_per_group());
  scoreboards_.clear();
  log_.reset();
  if (options_.contract && waves_.size() > 1) log_.emplace(&program_, !launch_.wgp_mode());
  for (uint32_t i = 0; i < waves_.size(); ++i) {
    launch_.StartWave(i, group, waves_[i]);
    if (options_.contract)
      scoreboards_.emplace_back(&program_, options_.unsourced, log_ ? &*log_ : nullptr);
  }
  stats_.threads += waves_.size();
  absl::Status status = RunWaves();
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(status.message(), " (workgroup ", group[0], ",",
                                                  group[1], ",", group[2], ")"));
}

absl::Status CheckRecord(const out::LaunchRecord& record) {
  if (!std::holds_alternative<out::AmdLaunch>(record.arch)) {
    return absl::InvalidArgumentError("launch record: is not of a program of this architecture");
  }
  if (record.stage != "compute") {
    return absl::UnimplementedError(absl::StrCat("unsupported stage: ", record.stage));
  }
  if (record.dispatch_width != 32 && record.dispatch_width != 64) {
    return absl::InvalidArgumentError(absl::StrFormat("dispatch width %d", record.dispatch_width));
  }
  if (record.entry != 0) return absl::UnimplementedError("entry point is not at the start");
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

absl::Status CheckDispatch(const Options& options, const out::LaunchRecord& record,
                           const scene::Dispatch& dispatch) {
  if (options.memory_seed) return absl::UnimplementedError("unsupported: memory mode");
  if (dispatch.draw || dispatch.vertices) {
    return absl::InvalidArgumentError("a draw is for fragment and vertex programs");
  }
  return scene::CheckWorkgroups(dispatch, record.compute.requires_zero_base);
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

}  // namespace

absl::StatusOr<scene::RunStats> Run(absl::Span<const uint8_t> code, const out::LaunchRecord& record,
                                    const Options& options, scene::Dispatch& dispatch) {
  if (absl::Status s = CheckRecord(record); !s.ok()) return s;
  if (absl::Status s = CheckDispatch(options, record, dispatch); !s.ok()) return s;
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
  Simulator simulator(*program, options, dispatch.limit, **launch);
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
  return simulator.TakeStats();
}

}  // namespace kiln::sim::rdna2
