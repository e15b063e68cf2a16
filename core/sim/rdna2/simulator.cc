// See simulator.h.
#include "core/sim/rdna2/simulator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/out/ps_input_cntl.h"
#include "core/sim/rdna2/buffer.h"
#include "core/sim/rdna2/clause.h"
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
#include "core/sim/rdna2/memory_order.h"
#include "core/sim/rdna2/message.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/scalar.h"
#include "core/sim/rdna2/scalar_memory.h"
#include "core/sim/rdna2/scoreboard.h"
#include "core/sim/rdna2/smem.h"
#include "core/sim/rdna2/vector.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Encoding;
using isa::Opcode;

// Instructions that a wave runs before the next wave of the workgroup runs.
constexpr uint64_t kTurn = 20000;

// Maximum number of workgroups that run at the same time in memory mode. Enough to expose what two
// of them need; with more, any two would rarely overlap.
constexpr uint32_t kTogether = 4;

// Instructions between two readings of the clock.
constexpr uint64_t kClockInterval = 1 << 18;

class Simulator {
 public:
  // `launches`: memory for as many workgroups as may run at the same time.
  Simulator(const Program& program, const Options& options, scene::Dispatch& dispatch,
            absl::Span<const std::unique_ptr<LaunchState>> launches)
      : program_(program),
        options_(options),
        launches_(launches),
        limit_(dispatch.limit),
        executed_(program.ops.size()) {
    if (options.contract || options.memory_seed) scalar_.emplace(&program);
    if (!options.memory_seed) return;
    order_ = std::make_unique<MemoryOrder>(
        *options.memory_seed, dispatch, options.needs,
        [this](const Op& op, Context& context, WaveState& w) { return Execute(op, context, w); });
  }

  // Runs workgroups at the same time: one, or up to kTogether in memory mode.
  absl::Status RunGroups(absl::Span<const std::array<uint32_t, 3>> ids);
  // Returns how many of the remaining workgroups run together next.
  size_t DrawTogether(uint64_t left);
  // The same of draws: waves of one primitive, workgroups of vertices.
  absl::Status RunFragments(absl::Span<FragmentWave> fragments);
  absl::Status RunVertices(absl::Span<VertexGroup> vertices);
  scene::RunStats TakeStats();

 private:
  struct Group {
    std::array<uint32_t, 3> id;
    LaunchState* launch = nullptr;
    uint32_t first_in_order = 0;  // number of its first wave in MemoryOrder
    std::vector<WaveState> waves;
    std::vector<Scoreboard> scoreboards;
    std::optional<AccessLog> log;  // in contract mode
    // In a draw: the wave of fragments, or the vertices; not owned.
    FragmentWave* fragment = nullptr;
    VertexGroup* vertices = nullptr;

    bool Has(WaveStatus status) const {
      return std::any_of(waves.begin(), waves.end(),
                         [status](const WaveState& w) { return w.status == status; });
    }
  };

  void StartGroup(Group* group);
  absl::Status RunTurn(uint32_t index, uint64_t length);
  absl::Status RunWaves();
  absl::Status RunWavesAtRandom();
  absl::Status RunStarted();
  void Begin(Group* group, uint32_t waves);
  void StartOrder(Group* group);
  void StartFragments(FragmentWave& fragment, Group* group);
  void StartVertices(VertexGroup& vertices, Group* group);
  Context ContextOf(uint32_t index) const;
  absl::Status Step(uint32_t index, const Op& op);
  absl::Status Access(uint32_t index, const Op& op);
  absl::Status Execute(const Op& op, Context& context, WaveState& wave);
  absl::Status Sopp(const Op& op, const Context& context, WaveState& wave);
  absl::Status CheckLimits(const WaveState& wave);
  void NoteOutside(const Op& op, uint64_t accesses);

  const Program& program_;
  const Options& options_;
  absl::Span<const std::unique_ptr<LaunchState>> launches_;
  const scene::TimeLimit& limit_;
  scene::RunStats stats_;
  std::vector<uint8_t> executed_;                   // by instruction
  std::map<uint32_t, scene::OutOfBounds> outside_;  // by byte of the instruction
  uint64_t next_clock_ = kClockInterval;
  std::vector<Group> groups_;           // those running at the same time
  Group* group_ = nullptr;              // that of the running wave
  std::optional<ScalarMemory> scalar_;  // in contract and memory mode
  std::unique_ptr<MemoryOrder> order_;  // in memory mode
  bool stalled_ = false;                // the last instruction tried waits for accesses
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

// Returns what a wave of the running workgroup reaches.
Context Simulator::ContextOf(uint32_t index) const {
  Context context = group_->launch->ContextOf(index);
  context.fragment = group_->fragment;
  context.vertices = group_->vertices;
  return context;
}

// Executes an instruction that accesses memory, or leaves it in flight.
absl::Status Simulator::Access(uint32_t index, const Op& op) {
  WaveState& w = group_->waves[index];
  Context context = ContextOf(index);
  context.log = group_->log ? &*group_->log : nullptr;
  context.scalar = scalar_ ? &*scalar_ : nullptr;
  context.observer = options_.observer;
  if (absl::Status s = CheckGraphics(op, context, w); !s.ok()) return s;
  if (scalar_) scalar_->Begin(static_cast<uint32_t>(&op - program_.ops.data()));
  absl::Status status =
      order_ ? order_->Issue(group_->first_in_order + index, op, context) : Execute(op, context, w);
  if (context.outside != 0) NoteOutside(op, context.outside);
  if (status.ok() && scalar_) status = scalar_->status();
  return status.ok() && group_->log ? group_->log->status() : status;
}

absl::Status Simulator::Step(uint32_t index, const Op& op) {
  WaveState& w = group_->waves[index];
  Observer* const observer = options_.observer;
  if (observer != nullptr) observer->Step(index, w.phase, op.offset, w.Exec());
  const bool ends = op.Has(isa::opcode_flag::kEnd);
  if (order_ && (ends || op.info->unit == isa::Unit::kWait)) {
    const absl::StatusOr<bool> ready = order_->Wait(group_->first_in_order + index, op);
    if (!ready.ok()) return ready.status();
    stalled_ = !*ready;
    if (stalled_) return absl::OkStatus();
  }
  if (absl::Status s = FollowClause(op, w); !s.ok()) return s;
  uint32_t access = 0;
  if (group_->log && IsMemory(op)) access = group_->log->Begin(w.pc, index, w.phase);
  FragmentWave* const fragment = group_->fragment;
  if (fragment != nullptr) fragment->have_run |= w.Exec();
  if (options_.contract) {
    Scoreboard& scoreboard = group_->scoreboards[index];
    if (group_->vertices != nullptr && scoreboard.StoresInFlight()) {
      if (absl::Status s = CheckStoresBefore(op, *group_->vertices, w); !s.ok()) return s;
    }
    if (fragment != nullptr) {
      if (absl::Status s = CheckQuads(op, *fragment, w); !s.ok()) return s;
    }
    if (absl::Status s = scoreboard.Issue(w.pc, w, access); !s.ok()) return s;
  }
  const int lanes = std::popcount(w.Exec());
  const bool vector = op.info->encoding >= Encoding::kVop1;
  executed_[w.pc] |= !vector || lanes != 0 || op.Has(isa::opcode_flag::kAnyLane);
  if (op.info->encoding != Encoding::kSopp && op.info->unit != isa::Unit::kWait) {
    stats_.lane_operations += vector ? static_cast<uint64_t>(lanes) : 1;
  }
  if (IsMemory(op) || op.info->encoding == Encoding::kExp) ++stats_.messages;
  ++w.pc;
  if (IsMemory(op)) return Access(index, op);
  Context context = ContextOf(index);
  absl::Status status = CheckGraphics(op, context, w);
  return status.ok() ? Execute(op, context, w) : status;
}

absl::Status Simulator::RunTurn(uint32_t index, uint64_t length) {
  WaveState& w = group_->waves[index];
  const uint64_t end = w.instructions + length;
  while (w.status == WaveStatus::kRunning && w.instructions < end) {
    if (w.pc >= program_.ops.size()) {
      return absl::InvalidArgumentError("the program runs past its end");
    }
    ++w.instructions;
    ++stats_.instructions;
    absl::Status status = Step(index, program_.ops[w.pc]);
    if (status.ok() && order_) status = order_->Pass();
    if (!status.ok()) return status;
    if (std::exchange(stalled_, false)) break;  // comes back to this instruction
  }
  return CheckLimits(w);
}

// All waves that have not ended are at the barrier: those that ended count as arrived (RDNA 2 ISA
// guide, 12.5).
void PassBarrier(std::vector<WaveState>& waves) {
  for (WaveState& w : waves) {
    if (w.status != WaveStatus::kAtBarrier) continue;
    w.status = WaveStatus::kRunning;
    ++w.phase;
  }
}

absl::Status Simulator::RunWaves() {
  std::vector<WaveState>& waves = group_->waves;
  const auto count = static_cast<uint32_t>(waves.size());
  for (;;) {
    for (uint32_t turn = 0; turn < count; ++turn) {
      const uint32_t i = options_.opposite ? count - 1 - turn : turn;
      if (waves[i].status != WaveStatus::kRunning) continue;
      if (absl::Status s = RunTurn(i, kTurn); !s.ok()) return s;
    }
    if (group_->Has(WaveStatus::kRunning)) continue;
    if (!group_->Has(WaveStatus::kAtBarrier)) return absl::OkStatus();
    PassBarrier(waves);
  }
}

// Runs random waves of random workgroups for one to some tens of instructions each.
absl::Status Simulator::RunWavesAtRandom() {
  std::vector<std::pair<Group*, uint32_t>> running;
  for (;;) {
    running.clear();
    for (Group& group : groups_) {
      if (!group.Has(WaveStatus::kRunning)) PassBarrier(group.waves);
      for (uint32_t i = 0; i < group.waves.size(); ++i) {
        if (group.waves[i].status == WaveStatus::kRunning) running.emplace_back(&group, i);
      }
    }
    if (running.empty()) return order_->Finish();
    uint32_t index;
    std::tie(group_, index) = running[order_->Draw(static_cast<uint32_t>(running.size()))];
    absl::Status status = RunTurn(index, 1 + order_->Draw(1u << order_->Draw(7)));
    if (!status.ok()) return status;
  }
}

// Begins a workgroup: memory and what contract mode remembers, but not the waves' registers.
void Simulator::Begin(Group* group, uint32_t waves) {
  LaunchState& launch = *group->launch;
  launch.StartGroup();
  if (options_.observer != nullptr) options_.observer->Group();
  group->waves.resize(waves);
  group->scoreboards.clear();
  group->log.reset();
  if (options_.contract && waves > 1) group->log.emplace(&program_, !launch.wgp_mode());
  const Scoreboard::Options rules{.unsourced = options_.unsourced,
                                  .memory_ordered = launch.memory_ordered()};
  for (uint32_t i = 0; options_.contract && i < waves; ++i) {
    group->scoreboards.emplace_back(&program_, rules, group->log ? &*group->log : nullptr);
  }
  stats_.threads += waves;
}

// Tells memory mode of a workgroup that has begun.
void Simulator::StartOrder(Group* group) {
  if (!order_) return;
  std::vector<Context> contexts;
  for (uint32_t i = 0; i < group->waves.size(); ++i) {
    Context& context = contexts.emplace_back(group->launch->ContextOf(i));
    context.fragment = group->fragment;
    context.vertices = group->vertices;
  }
  group->first_in_order =
      order_->StartGroup(absl::MakeSpan(group->waves), contexts, group->launch->wgp_mode());
}

void Simulator::StartGroup(Group* group) {
  LaunchState& launch = *group->launch;
  const uint32_t count = launch.waves_per_group();
  Begin(group, count);
  for (uint32_t i = 0; i < count; ++i) launch.StartWave(i, group->id, group->waves[i]);
  StartOrder(group);
}

void Simulator::StartFragments(FragmentWave& fragment, Group* group) {
  LaunchState& launch = *group->launch;
  const scene::Primitive& shape = fragment.Shape();
  launch.draw_registers().view_index = shape.layer;
  launch.draw_registers().pixel_state = PixelState(*fragment.record, *fragment.draw, shape);
  Begin(group, 1);
  launch.StartRegisters(0, group->waves[0]);
  FillFragmentWave(fragment, launch.first_system_sgpr(), group->waves[0]);
  group->fragment = &fragment;
  StartOrder(group);
}

void Simulator::StartVertices(VertexGroup& vertices, Group* group) {
  LaunchState& launch = *group->launch;
  launch.draw_registers().view_index = vertices.view;
  Begin(group, vertices.Waves());
  for (uint32_t i = 0; i < group->waves.size(); ++i) {
    launch.StartRegisters(i, group->waves[i]);
    FillVertexWave(vertices, group->waves[i]);
  }
  group->vertices = &vertices;
  StartOrder(group);
}

// Runs the workgroups that have been started. After an error group_ is the one that it is of.
absl::Status Simulator::RunStarted() {
  group_ = &groups_.front();
  return order_ ? RunWavesAtRandom() : RunWaves();
}

absl::Status Simulator::RunFragments(absl::Span<FragmentWave> fragments) {
  groups_.resize(fragments.size());
  for (size_t i = 0; i < fragments.size(); ++i) {
    groups_[i].launch = launches_[i].get();
    StartFragments(fragments[i], &groups_[i]);
  }
  absl::Status status = RunStarted();
  for (size_t i = 0; i < groups_.size() && status.ok(); ++i) {
    group_ = &groups_[i];
    status = FinishFragments(*group_->fragment);
  }
  if (status.ok()) return status;
  const FragmentWave& at = *group_->fragment;
  const int lane = std::countr_zero(at.quads);
  const scene::Point corner = at.Corner(lane);
  return absl::Status(status.code(),
                      absl::StrFormat("%s (wave of fragments from pixel %d,%d of primitive %d)",
                                      status.message(), static_cast<int>(corner.x),
                                      static_cast<int>(corner.y), at.ShapeOf(lane).number));
}

absl::Status Simulator::RunVertices(absl::Span<VertexGroup> vertices) {
  groups_.resize(vertices.size());
  for (size_t i = 0; i < vertices.size(); ++i) {
    groups_[i].launch = launches_[i].get();
    StartVertices(vertices[i], &groups_[i]);
  }
  absl::Status status = RunStarted();
  for (size_t i = 0; i < groups_.size() && status.ok(); ++i) {
    group_ = &groups_[i];
    status = FinishVertices(*group_->vertices);
  }
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrFormat("%s (workgroup of vertices from run %d)", status.message(),
                                      group_->vertices->runs[0][0]));
}

size_t Simulator::DrawTogether(uint64_t left) {
  const auto most = static_cast<uint32_t>(std::min<uint64_t>(left, launches_.size()));
  return order_ && most > 1 ? 1 + order_->Draw(most) : 1;
}

absl::Status Simulator::RunGroups(absl::Span<const std::array<uint32_t, 3>> ids) {
  groups_.resize(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    groups_[i].id = ids[i];
    groups_[i].launch = launches_[i].get();
    StartGroup(&groups_[i]);
  }
  absl::Status status = RunStarted();
  if (status.ok()) return status;
  const std::array<uint32_t, 3>& id = group_->id;
  return absl::Status(status.code(), absl::StrCat(status.message(), " (workgroup ", id[0], ",",
                                                  id[1], ",", id[2], ")"));
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

// Checks that a fragment program can be drawn with the vertex program of the draw, if it is given.
absl::Status CheckVertexProgram(const out::LaunchRecord& record, const Options& options) {
  if (options.vertex_record == nullptr) return absl::OkStatus();
  if (!std::holds_alternative<out::AmdLaunch>(options.vertex_record->arch)) {
    return absl::InvalidArgumentError("the vertex program's launch record is not gfx1030's");
  }
  return out::CheckLinkedInputs(*options.vertex_record, record);
}

// Checks that the inputs of the stage are given, and none of other stages.
absl::Status CheckDispatch(const out::LaunchRecord& record, const Options& options,
                           const scene::Dispatch& dispatch) {
  if (dispatch.draw.has_value() != (record.stage == "fragment")) {
    return absl::InvalidArgumentError("a draw is for fragment programs, and they need one");
  }
  if (dispatch.vertices.has_value() != (record.stage == "vertex")) {
    return absl::InvalidArgumentError("vertices are for vertex programs, and they need them");
  }
  if (dispatch.draw) {
    if (absl::Status s = CheckVertexProgram(record, options); !s.ok()) return s;
    return CheckFragmentRecord(record, *dispatch.draw);
  }
  if (dispatch.vertices) return CheckVertexRecord(record, *dispatch.vertices);
  return scene::CheckWorkgroups(dispatch, record.compute.requires_zero_base);
}

// Checks what memory mode does not model: its counters fall in the order that MEM_ORDERED gives.
absl::Status CheckMemoryMode(const Options& options, const LaunchState& launch) {
  if (!launch.memory_ordered()) {
    return absl::UnimplementedError(
        "unsupported: memory mode of a program without MEM_ORDERED in rsrc1");
  }
  if (options.observer != nullptr) {
    return absl::InvalidArgumentError("an observer cannot follow a run in memory mode");
  }
  return absl::OkStatus();
}

// Checks that the program names no register that a wave does not have, writes none that it may not
// write, and has no source that is not modelled.
absl::Status CheckProgram(const Program& program, uint32_t vgprs) {
  for (const Op& op : program.ops) {
    if (isa::WritesTrapRegisters(op.uses)) {
      return OpError(absl::StatusCode::kInvalidArgument, op, program.wave,
                     "a write to a register of trap handlers");
    }
    if (isa::OverlapsSumsOfDifferences(op.inst, program.wave)) {
      return OpError(absl::StatusCode::kInvalidArgument, op, program.wave,
                     "a sum of differences over one of its sources");
    }
    if (isa::HasDlcOfStores(op.inst)) {
      return OpError(absl::StatusCode::kInvalidArgument, op, program.wave,
                     "a store or an atomic with dlc");
    }
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

// Returns how many workgroups may run at the same time in memory mode; 0 if none runs.
uint64_t MostTogether(const scene::Dispatch& dispatch) {
  if (dispatch.draw || dispatch.vertices) return kTogether;
  const std::array<uint32_t, 3>& n = dispatch.groups;
  return std::min<uint64_t>(uint64_t{n[0]} * n[1] * n[2], kTogether);
}

absl::Status RunWorkgroups(const Options& options, const scene::Dispatch& dispatch,
                           Simulator& simulator) {
  const std::array<uint32_t, 3>& n = dispatch.groups;
  const uint64_t total = uint64_t{n[0]} * n[1] * n[2];
  std::vector<std::array<uint32_t, 3>> ids;
  for (uint64_t turn = 0; turn < total; turn += ids.size()) {
    ids.resize(simulator.DrawTogether(total - turn));
    for (size_t k = 0; k < ids.size(); ++k) {
      const uint64_t i = options.opposite ? total - 1 - turn - k : turn + k;
      ids[k] = {dispatch.base[0] + static_cast<uint32_t>(i % n[0]),
                dispatch.base[1] + static_cast<uint32_t>(i / n[0] % n[1]),
                dispatch.base[2] + static_cast<uint32_t>(i / n[0] / n[1])};
    }
    if (absl::Status s = simulator.RunGroups(ids); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status RunDraw(const out::LaunchRecord& record, const Options& options,
                     scene::FragmentInputs& draw, Simulator& simulator) {
  for (size_t next = 0; next < draw.quads.size();) {
    const scene::QuadRange quads = options.waves_of_primitives
                                       ? scene::QuadsOfPrimitives(draw, next)
                                       : scene::QuadsOfPrimitive(draw, next);
    next = quads.end;
    if (absl::Status s = draw.limit.Spend(quads.end - quads.first); !s.ok()) return s;
    const std::vector<scene::QuadCoverage> rasterised = scene::PrepareQuads(
        quads.first, quads.end, {record.fragment.early_tests, record.fragment.post_depth_coverage},
        draw);
    std::vector<FragmentWave> waves = FragmentWaves(record, options.opposite, quads, draw);
    for (FragmentWave& wave : waves) {
      wave.rasterised = rasterised;
      wave.first_quad = quads.first;
      wave.vertex_record = options.vertex_record;
    }
    for (size_t first = 0, count = 0; first < waves.size(); first += count) {
      count = simulator.DrawTogether(waves.size() - first);
      absl::Status s = simulator.RunFragments(absl::MakeSpan(waves).subspan(first, count));
      if (!s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

void NotePrimitives(const VertexGroup& group, std::vector<DrawnPrimitive>& primitives) {
  constexpr uint32_t kNull = 1u << 31;
  for (size_t i = 0; i < group.primitives.size(); ++i) {
    DrawnPrimitive& p = primitives.emplace_back();
    p.runs = group.primitives[i].runs;
    p.exported = group.exported_at[i].exists && (group.exported_at[i].packed & kNull) == 0;
  }
}

absl::Status RunVertexDraw(const out::LaunchRecord& record, const Options& options,
                           scene::VertexInputs& draw, Simulator& simulator) {
  const bool culls = options.ngg_culling != 0;
  std::vector<VertexGroup> groups =
      VertexGroups(record, options.assembly, options.opposite, culls, draw);
  for (size_t first = 0, count = 0; first < groups.size(); first += count) {
    count = simulator.DrawTogether(groups.size() - first);
    absl::Status s = simulator.RunVertices(absl::MakeSpan(groups).subspan(first, count));
    if (!s.ok()) return s;
  }
  for (const VertexGroup& group : groups) {
    if (options.primitives != nullptr) NotePrimitives(group, *options.primitives);
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
  std::vector<std::unique_ptr<LaunchState>> launches;
  const uint64_t together = options.memory_seed ? MostTogether(dispatch) : 1;
  do {
    absl::StatusOr<std::unique_ptr<LaunchState>> launch =
        LaunchState::Create(code, record, options, dispatch);
    if (!launch.ok()) return launch.status();
    launches.push_back(*std::move(launch));
  } while (launches.size() < together);
  if (absl::Status s = CheckProgram(*program, launches[0]->vgprs()); !s.ok()) return s;
  if (options.memory_seed) {
    if (absl::Status s = CheckMemoryMode(options, *launches[0]); !s.ok()) return s;
  }
  for (const std::unique_ptr<LaunchState>& launch : launches) {
    launch->draw_registers().ngg_culling = options.ngg_culling;
    launch->draw_registers().ngg_viewport = options.ngg_viewport;
  }
  Simulator simulator(*program, options, dispatch, launches);
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
