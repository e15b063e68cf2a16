// See simulator.h.
#include "core/sim/eu/simulator.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/intel/isa/opcodes.h"
#include "core/sim/eu/alu.h"
#include "core/sim/eu/control_flow.h"
#include "core/sim/eu/dataport.h"
#include "core/sim/eu/fragment_launch.h"
#include "core/sim/eu/graphics_rules.h"
#include "core/sim/eu/interpolator.h"
#include "core/sim/eu/launch.h"
#include "core/sim/eu/memory_order.h"
#include "core/sim/eu/outside_reads.h"
#include "core/sim/eu/program.h"
#include "core/sim/eu/scoreboard.h"
#include "core/sim/eu/swsb.h"
#include "core/sim/eu/target_write.h"
#include "core/sim/eu/urb_write.h"
#include "core/sim/eu/vertex_launch.h"
#include "core/sim/eu/vertex_rules.h"
#include "core/sim/scene/fragment_output.h"

namespace kiln::sim::eu {
namespace {

using isa::Format;
using isa::Opcode;

// Instructions that a thread runs before the next thread of the workgroup runs.
constexpr uint64_t kTurn = 20000;

// Maximum number of workgroups that run at the same time in memory mode. Enough to expose a missing
// fence between two of them; with more, any two would rarely overlap.
constexpr uint32_t kTogether = 4;

// Instructions between two readings of the clock.
constexpr uint64_t kClockInterval = 1 << 18;

// A unit of work with shared memory of its own: a workgroup, or a thread of a draw.
struct Work {
  std::array<uint32_t, 3> group = {0, 0, 0};
  const FragmentThread* fragment = nullptr;
  const VertexThread* vertex = nullptr;

  bool IsThread() const { return fragment != nullptr || vertex != nullptr; }
};

class Simulator {
 public:
  Simulator(const Program& program, const out::LaunchRecord& record, const Options& options,
            const scene::TimeLimit& limit, LaunchState& launch)
      : program_(program),
        record_(record),
        options_(options),
        launch_(launch),
        limit_(limit),
        executed_(program.ops.size()) {
    if (options.memory_seed) {
      order_ = std::make_unique<MemoryOrder>(
          *options.memory_seed,
          [this](const Op& op, const Message& message, const MemoryView& memory, const Thread& sent,
                 uint64_t accesses) { NoteOutside(op, message, memory, sent, accesses); });
    }
  }

  // Runs workgroups at the same time: one, or up to kTogether in memory mode.
  absl::Status RunGroups(absl::Span<const Work> work);
  // Returns how many of the remaining workgroups run together next.
  size_t DrawTogether(uint64_t left);
  RunStats TakeStats();

 private:
  struct Group {
    Work work;
    uint32_t slot = 0;            // of its memory (LaunchState)
    uint32_t first_in_order = 0;  // number of its first thread in MemoryOrder
    std::vector<Thread> threads;
    std::vector<Scoreboard> scoreboards;
    std::vector<std::vector<uint32_t>> paths;  // by thread, if they are recorded
    uint32_t arrived = 0;                      // at the barrier
    uint32_t phase = 0;                        // barriers passed
  };

  void StartGroup(const Work& work, uint32_t slot, Group* group);
  absl::Status RunTurn(uint32_t index, uint64_t length);
  absl::Status RunThreads();
  absl::Status RunThreadsAtRandom();
  absl::Status Step(uint32_t index, const Op& op);
  absl::Status Send(uint32_t index, const Op& op, const Message& message);
  absl::StatusOr<Message> MessageOf(const Op& op, const Thread& thread) const;
  absl::Status Sync(const Op& op, Thread& thread);
  void SignalBarrier(Thread& thread);
  void UpdateSpecial(const Op& op, Thread& thread) const;
  absl::Status CheckLimits(const Thread& thread);
  void NoteOutside(const Op& op, const Message& message, const MemoryView& memory,
                   const Thread& sent, uint64_t accesses);
  void NoteOutsideReads(const Op& op, const Message* message, Thread& thread);

  const Program& program_;
  const out::LaunchRecord& record_;
  const Options& options_;
  LaunchState& launch_;
  const scene::TimeLimit& limit_;  // with what came before the simulation
  RunStats stats_;
  std::vector<uint8_t> executed_;            // by instruction
  std::map<uint32_t, OutOfBounds> outside_;  // by byte of the instruction
  uint64_t next_clock_ = kClockInterval;
  std::vector<Group> groups_;           // those running at the same time
  Group* group_ = nullptr;              // that of the running thread
  std::unique_ptr<MemoryOrder> order_;  // in memory mode
  bool stalled_ = false;                // the last instruction tried waits for messages
};

RunStats Simulator::TakeStats() {
  for (size_t i = 0; i < executed_.size(); ++i) {
    if (executed_[i]) stats_.executed.push_back(program_.ops[i].offset);
  }
  for (auto& [offset, outside] : outside_) stats_.out_of_bounds.push_back(std::move(outside));
  return std::move(stats_);
}

// Records accesses out of bounds, except those of a thread without active lanes, whose results are
// not used. `sent`: the thread when it sent the message.
void Simulator::NoteOutside(const Op& op, const Message& message, const MemoryView& memory,
                            const Thread& sent, uint64_t accesses) {
  if (sent.active == 0 && options_.fusion) return;
  OutOfBounds& outside = outside_[op.offset];
  outside.offset = op.offset;
  if (outside.accesses == 0) outside.where = memory.SurfaceText(message);
  outside.accesses += accesses;
}

// Records the dwords from beyond the end of a buffer that an instruction uses.
void Simulator::NoteOutsideReads(const Op& op, const Message* message, Thread& t) {
  if (t.active == 0 && options_.fusion) return;
  const uint32_t enabled = (op.inst.no_mask ? ~0u : t.active) & op.lanes & PredicateMask(op, t);
  for (const OutsideDword& used : TakeOutsideReads(op, message, enabled, t)) {
    OutOfBounds& outside = outside_[used.op];
    outside.offset = used.op;
    if (outside.accesses == 0) outside.where = used.where;
    ++outside.accesses;
  }
}

// Returns a description of the innermost loop that an instruction is in.
std::string LoopAt(const Program& program, uint32_t pc) {
  for (uint32_t i = pc; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (op.inst.op != Opcode::kWhile || op.jip > pc) continue;
    return absl::StrFormat(", in the loop from 0x%x to 0x%x", program.ops[op.jip].offset,
                           op.offset);
  }
  return "";
}

absl::Status Simulator::CheckLimits(const Thread& thread) {
  auto exceeded = [&](const std::string& what) {
    if (thread.pc >= program_.ops.size()) return absl::DeadlineExceededError(what);
    absl::Status at = OpError(absl::StatusCode::kDeadlineExceeded, program_.ops[thread.pc], what);
    return absl::DeadlineExceededError(absl::StrCat(at.message(), LoopAt(program_, thread.pc)));
  };
  if (stats_.instructions > options_.max_instructions) {
    return exceeded(
        absl::StrFormat("more than %d instructions executed", options_.max_instructions));
  }
  if (stats_.instructions < next_clock_) return absl::OkStatus();
  next_clock_ = stats_.instructions + kClockInterval;
  absl::Status in_time = limit_.Check();
  return in_time.ok() ? in_time : exceeded(std::string(in_time.message()));
}

void Simulator::SignalBarrier(Thread& thread) {
  thread.barrier_signalled = true;
  thread.barrier_phase = group_->phase;
  if (++group_->arrived < group_->threads.size()) return;
  group_->arrived = 0;
  ++group_->phase;
  for (Thread& t : group_->threads) {
    if (t.state == ThreadState::kAtBarrier) t.state = ThreadState::kRunning;
  }
}

absl::Status Simulator::Sync(const Op& op, Thread& thread) {
  if (op.inst.sync == isa::SyncFunction::kHost) {
    return OpError(absl::StatusCode::kUnimplemented, op, "sync.host");
  }
  const bool ghost = options_.fusion && thread.active == 0;
  if (op.inst.sync == isa::SyncFunction::kBar && !ghost) {
    if (!thread.barrier_signalled) {
      return OpError(absl::StatusCode::kFailedPrecondition, op, "wait for an unsignalled barrier");
    }
    if (thread.barrier_phase == group_->phase) {
      thread.state = ThreadState::kAtBarrier;  // comes back to this instruction
      return absl::OkStatus();
    }
    thread.barrier_signalled = false;
  }
  ++thread.pc;
  return absl::OkStatus();
}

absl::StatusOr<Message> Simulator::MessageOf(const Op& op, const Thread& thread) const {
  if (op.has_message) return op.message;
  const isa::SendFields& send = op.inst.send;
  const uint32_t desc = send.desc_is_register ? thread.Read32(kAddressOffset) : send.desc;
  const uint32_t ex_desc = send.ex_desc_is_register
                               ? thread.Read32(kAddressOffset + 4 * (send.ex_desc_address & 7))
                               : send.ex_desc;
  // The value added at run time may change only the index, not other fields of the constant part.
  if (send.desc_is_register && send.desc != 0 &&
      !isa::DifferInIndexOnly(send.sfid, desc, send.desc)) {
    return OpError(absl::StatusCode::kInvalidArgument, op,
                   "an index that changes other fields of the descriptor");
  }
  // The unit that receives the message reads its number from the register too.
  if (send.ex_desc_is_register && (ex_desc & 0xf) != static_cast<uint32_t>(send.sfid)) {
    return OpError(absl::StatusCode::kInvalidArgument, op,
                   "the extended descriptor names another shared function");
  }
  absl::StatusOr<Message> message = DecodeMessage(send.sfid, send.eot, desc, ex_desc);
  if (!message.ok()) return OpError(message.status().code(), op, message.status().message());
  return message;
}

// Returns the channels for which a message is sent.
uint32_t EnabledChannels(const Op& op, const Thread& t) {
  return (op.inst.no_mask ? ~0u : t.active) & op.lanes & PredicateMask(op, t);
}

bool IsBlock(const Message& m) {
  return m.kind == MessageKind::kBlockRead || m.kind == MessageKind::kBlockWrite ||
         m.kind == MessageKind::kScratchRead || m.kind == MessageKind::kScratchWrite;
}

int RegisterOf(const isa::Operand& operand) {
  return operand.file == isa::File::kGrf ? operand.nr : -1;
}

// Checks messages other than render target writes: a fragment thread must end with a render target
// write, and may change memory only for lanes that the primitive covers (the hardware runs the
// other lanes of a quad as helper lanes).
absl::Status CheckFragmentMessage(const Op& op, const Message& m, uint32_t channels,
                                  const Thread& t) {
  if (m.kind == MessageKind::kEnd) {
    return OpError(absl::StatusCode::kInvalidArgument, op,
                   "a fragment thread that ends without a render target write");
  }
  if (m.kind == MessageKind::kBarrier) {
    return OpError(absl::StatusCode::kInvalidArgument, op, "a barrier in a fragment thread");
  }
  const bool scratch = m.surface == kSurfaceStateless || m.surface == kSurfaceStatelessCoherent;
  if (!HasSideEffects(m) || (scratch && !m.a64) || IsBlock(m)) return absl::OkStatus();
  // Without that state the hardware need not run the program if tests fail or nothing else is
  // written (genX_pipeline.c, emit_3dstate_wm; genX_gfx_state.c, update_ps_extra_has_uav).
  if (!t.fragment->record->fragment.has_side_effects) {
    return OpError(absl::StatusCode::kInvalidArgument, op,
                   "memory is changed, state says that nothing is");
  }
  if ((channels & ~t.fragment->Covered()) == 0) return absl::OkStatus();
  return OpError(absl::StatusCode::kInvalidArgument, op, "memory is changed for helper lanes");
}

absl::Status Simulator::Send(uint32_t index, const Op& op, const Message& message) {
  Thread& t = group_->threads[index];
  const uint32_t channels = EnabledChannels(op, t);
  ++t.pc;
  const MessageRegisters registers{RegisterOf(op.inst.dst), RegisterOf(op.inst.src[0]),
                                   RegisterOf(op.inst.src[1]), op.offset};
  if (t.vertex != nullptr && message.kind != MessageKind::kUrbWrite) {
    absl::Status status = CheckVertexMessage(op, message, channels, t);
    if (!status.ok()) return status;
  }
  if (message.kind == MessageKind::kUrbWrite && (channels != 0 || message.ends)) {
    ++stats_.messages;
    if (t.active == 0 && options_.fusion) {
      return OpError(absl::StatusCode::kFailedPrecondition, op,
                     "contract: message with side effects while all channels are off");
    }
    absl::Status status = ExecuteUrbWrite(op, message, registers, channels, t);
    return status.ok() ? status : OpError(status.code(), op, status.message());
  }
  if (message.kind == MessageKind::kTargetWrite) {
    ++stats_.messages;
    absl::Status status = ExecuteTargetWrite(op, message, registers, channels, t);
    return status.ok() ? status : OpError(status.code(), op, status.message());
  }
  if (channels == 0) return absl::OkStatus();
  ++stats_.messages;
  if (message.kind == MessageKind::kInterpolate) {
    absl::Status status = ExecuteInterpolator(op, message, registers, channels, t);
    return status.ok() ? status : OpError(status.code(), op, status.message());
  }
  if (t.fragment != nullptr) {
    absl::Status status = CheckFragmentMessage(op, message, channels, t);
    if (!status.ok()) return status;
  }
  // SPIR-V has control barriers in workgroup-uniform control flow only, and fused threads belong to
  // one workgroup: a thread never really reaches a barrier only because its sibling does.
  if (t.active == 0 && message.kind == MessageKind::kBarrier && options_.fusion) {
    return absl::OkStatus();
  }
  // The errata do not apply to blocks of the thread's own scratch memory, addressed by r0 and the
  // descriptor alone (Mesa's workaround for Wa_1407528679 runs before its register allocator adds
  // them); wrong overwrites show in the results.
  if (t.active == 0 && HasSideEffects(message) && message.kind != MessageKind::kEnd &&
      !IsOwnScratch(message) && options_.fusion) {
    return OpError(absl::StatusCode::kFailedPrecondition, op,
                   "contract: message with side effects while all channels are off");
  }
  if (message.kind == MessageKind::kEnd) {
    if (op.inst.src[0].nr < 112) {
      return OpError(absl::StatusCode::kInvalidArgument, op, "end of thread below r112");
    }
    t.state = ThreadState::kEnded;
    return absl::OkStatus();
  }
  if (message.kind == MessageKind::kBarrier) {
    if (!record_.compute.uses_barrier) {
      return OpError(absl::StatusCode::kInvalidArgument, op,
                     "a barrier, for which the record does not ask");
    }
    SignalBarrier(t);
    return absl::OkStatus();
  }
  // Reads of a thread without active lanes are not used; its handles come from memory at any index,
  // where 0 is a null surface (core/intel/ABI.md).
  if (t.active == 0 && options_.fusion && message.surface == kSurfaceBindless &&
      message.handle == 0) {
    return absl::OkStatus();
  }
  if (registers.src0 < 0 || (message.ex_mlen > 0 && registers.src1 < 0)) {
    return OpError(absl::StatusCode::kInvalidArgument, op, "message payload is not a register");
  }
  if (IsTyped(message) && (op.inst.channel_offset & 8) != (message.high_slots ? 8 : 0)) {
    return OpError(absl::StatusCode::kInvalidArgument, op,
                   "the slot group is not that of the instruction's channels");
  }
  if (IsBlock(message) && op.inst.exec_size < 16 &&
      std::max<int>(message.rlen, message.mlen + message.ex_mlen - 1) > 1) {
    return OpError(absl::StatusCode::kInvalidArgument, op,
                   "a block of several registers for fewer than 16 channels");
  }
  const uint32_t lanes = channels >> op.inst.channel_offset;
  if (order_ && MemoryOrder::Keeps(message)) {
    return order_->Issue(group_->first_in_order + index, op, message, registers, lanes);
  }
  const uint64_t before = launch_.outside();
  const MemoryView& memory = launch_.memory(group_->slot);
  absl::Status status = ExecuteMessage(message, registers, lanes, memory, t);
  const uint64_t outside = launch_.outside() - before;
  if (outside != 0) NoteOutside(op, message, memory, t, outside);
  if (!status.ok()) return OpError(status.code(), op, status.message());
  return status;
}

void Simulator::UpdateSpecial(const Op& op, Thread& thread) const {
  // Channels with which a thread of a draw did not start may be on in ce0 (Mesa 25.0.7,
  // brw_builder.cpp and its live channel code also use sr0.3).
  const bool of_draw = thread.fragment != nullptr || thread.vertex != nullptr;
  const bool others = of_draw && !options_.opposite;
  thread.Write32(kMaskOffset, thread.active | (others ? ~thread.dispatch : 0));
  thread.Write32(kIpOffset, op.offset);
  thread.Write32(kTimestampOffset, static_cast<uint32_t>(thread.instructions));
  thread.Write32(kTimestampOffset + 4, static_cast<uint32_t>(thread.instructions >> 32));
}

absl::Status Simulator::Step(uint32_t index, const Op& op) {
  Thread& t = group_->threads[index];
  const Format format = isa::Info(op.inst.op).format;
  Message message;
  bool unsent = false;
  if (format == Format::kSend) {
    absl::StatusOr<Message> decoded = MessageOf(op, t);
    unsent = !decoded.ok() && EnabledChannels(op, t) == 0;  // it need not be decodable
    if (!decoded.ok() && !unsent) return decoded.status();
    if (!unsent) message = *decoded;
  }
  // A masked instruction without channels performs no wait (wa-1407528679).
  if (order_ && (op.inst.no_mask || t.active != 0)) {
    const absl::StatusOr<bool> ready =
        order_->Wait(group_->first_in_order + index, TokenWaitsOf(op).dst);
    if (!ready.ok()) return ready.status();
    stalled_ = !*ready;
    if (stalled_) return absl::OkStatus();
  }
  if (!t.outside.empty()) {
    NoteOutsideReads(op, format == Format::kSend && !unsent ? &message : nullptr, t);
  }
  if (options_.contract) {
    const bool sends = format == Format::kSend && !unsent;
    absl::Status status = group_->scoreboards[index].Issue(t.pc, t, sends ? &message : nullptr);
    if (!status.ok()) return status;
  }
  if (unsent) {
    ++t.pc;
    return absl::OkStatus();
  }
  switch (format) {
    case Format::kSend: return Send(index, op, message);
    case Format::kSync: return Sync(op, t);
    case Format::kNullary:
      if (op.inst.op == Opcode::kIllegal) {
        return OpError(absl::StatusCode::kInvalidArgument, op, "illegal instruction");
      }
      ++t.pc;
      return absl::OkStatus();
    default: break;
  }
  if (isa::IsBranch(op.inst.op)) return ExecuteBranch(program_, op, options_.fusion, t);
  stats_.lane_operations += op.inst.exec_size;
  if (op.reads_special) UpdateSpecial(op, t);
  ++t.pc;
  absl::Status status = ExecuteAlu(op, t);
  // A NoMask instruction of a block that only the sibling needs may compute with an address that
  // this thread never set; its result is not used.
  if (options_.fusion && t.active == 0 && absl::IsOutOfRange(status)) return absl::OkStatus();
  return status;
}

absl::Status Simulator::RunTurn(uint32_t index, uint64_t length) {
  Thread& t = group_->threads[index];
  const uint64_t end = t.instructions + length;
  while (t.state == ThreadState::kRunning && t.instructions < end) {
    if (t.pc >= program_.ops.size()) {
      return absl::InvalidArgumentError("the program runs past its end");
    }
    const Op& op = program_.ops[t.pc];
    if (op.join_target && t.waiting != 0) WakeChannels(t);
    ++t.instructions;
    ++stats_.instructions;
    executed_[t.pc] |= op.inst.no_mask || t.active != 0;
    if (options_.paths) {
      group_->paths[index].push_back(op.offset | (op.inst.no_mask || t.active != 0 ? 0 : 1));
    }
    absl::Status status = Step(index, op);
    if (status.ok() && order_) status = order_->Pass();
    if (!status.ok()) return status;
    if (stalled_) break;  // comes back to this instruction
  }
  return CheckLimits(t);
}

constexpr absl::string_view kDeadlock = "deadlock: threads wait at a barrier that others left";

absl::Status Simulator::RunThreads() {
  std::vector<Thread>& threads = group_->threads;
  const auto count = static_cast<uint32_t>(threads.size());
  for (;;) {
    bool progress = false, ended = true;
    for (uint32_t turn = 0; turn < count; ++turn) {
      const uint32_t i = options_.opposite ? count - 1 - turn : turn;
      if (threads[i].state != ThreadState::kRunning) continue;
      progress = true;
      absl::Status status = RunTurn(i, kTurn);
      if (!status.ok()) return status;
    }
    for (const Thread& t : threads) ended &= t.state == ThreadState::kEnded;
    if (ended) return absl::OkStatus();
    if (!progress) return absl::FailedPreconditionError(kDeadlock);
  }
}

// Runs random threads of random workgroups for one to some tens of instructions each.
absl::Status Simulator::RunThreadsAtRandom() {
  std::vector<std::pair<Group*, uint32_t>> running;
  for (;;) {
    running.clear();
    Group* left = nullptr;  // a workgroup that has not ended
    for (Group& group : groups_) {
      for (uint32_t i = 0; i < group.threads.size(); ++i) {
        if (group.threads[i].state == ThreadState::kRunning) running.emplace_back(&group, i);
        if (group.threads[i].state != ThreadState::kEnded) left = &group;
      }
    }
    if (left == nullptr) return order_->Finish();
    if (running.empty()) {
      group_ = left;
      return absl::FailedPreconditionError(kDeadlock);
    }
    uint32_t index;
    std::tie(group_, index) = running[order_->Draw(static_cast<uint32_t>(running.size()))];
    absl::Status status = RunTurn(index, 1 + order_->Draw(1u << order_->Draw(7)));
    if (!status.ok()) return status;
  }
}

void Simulator::StartGroup(const Work& work, uint32_t slot, Group* group) {
  launch_.StartGroup(slot, options_.zero_memory);
  const uint32_t count = work.IsThread() ? 1 : out::IntelOf(record_).compute.threads_per_group;
  group->work = work;
  group->slot = slot;
  group->threads.resize(count);
  group->scoreboards.clear();
  group->arrived = group->phase = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (work.fragment != nullptr) {
      launch_.StartFragment(*work.fragment, group->threads[i]);
    } else if (work.vertex != nullptr) {
      launch_.StartVertices(*work.vertex, group->threads[i]);
    } else {
      launch_.StartThread(i, work.group, group->threads[i]);
    }
    if (options_.contract) group->scoreboards.emplace_back(&program_, options_.unsourced);
  }
  stats_.threads += count;
  group->paths.assign(options_.paths ? count : 0, {});
  if (!order_) return;
  group->first_in_order = order_->StartGroup(absl::MakeSpan(group->threads), &launch_.memory(slot));
}

size_t Simulator::DrawTogether(uint64_t left) {
  const auto most = static_cast<uint32_t>(std::min<uint64_t>(left, kTogether));
  return order_ && most > 1 ? 1 + order_->Draw(most) : 1;
}

// For errors.
std::string NameOf(const Work& work) {
  if (work.fragment != nullptr) {
    const scene::Quad& quad = work.fragment->draw->quads[work.fragment->subspans.front().quad];
    return absl::StrFormat(" (fragment thread from pixel %d,%d of primitive %d)", quad.x, quad.y,
                           quad.primitive);
  }
  if (work.vertex != nullptr) {
    const uint32_t count = work.vertex->draw->count, first = work.vertex->first;
    return absl::StrFormat(" (vertex thread from vertex %d of instance %d)", first % count,
                           first / count);
  }
  return absl::StrFormat(" (workgroup %d,%d,%d)", work.group[0], work.group[1], work.group[2]);
}

absl::Status Simulator::RunGroups(absl::Span<const Work> work) {
  groups_.resize(work.size());
  for (uint32_t i = 0; i < work.size(); ++i) StartGroup(work[i], i, &groups_[i]);
  group_ = &groups_.front();
  absl::Status status = order_ ? RunThreadsAtRandom() : RunThreads();
  for (Group& group : groups_) {
    for (std::vector<uint32_t>& path : group.paths) stats_.paths.insert(std::move(path));
  }
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(status.message(), NameOf(group_->work)));
}

absl::Status CheckRecord(const out::LaunchRecord& record) {
  if (!std::holds_alternative<out::IntelLaunch>(record.arch)) {
    return absl::InvalidArgumentError("launch record: is not of a program of this architecture");
  }
  const uint32_t width = record.dispatch_width;
  if (width != 8 && width != 16 && width != 32) {
    return absl::InvalidArgumentError(absl::StrFormat("dispatch width %d", width));
  }
  // Limits of the hardware, which also bound what a run may allocate.
  if (record.shared_bytes > 65536 || record.scratch_bytes_per_thread > 2 * 1024 * 1024) {
    return absl::InvalidArgumentError("more shared memory or scratch than the hardware has");
  }
  if (record.stage == "fragment") return CheckFragmentRecord(record);
  if (record.stage == "vertex") return CheckVertexRecord(record);
  const uint32_t threads = out::IntelOf(record).compute.threads_per_group;
  if (threads < 1 || threads > 1024) {
    return absl::InvalidArgumentError("threads per group");
  }
  return absl::OkStatus();
}

}  // namespace

// Number of groups or fragment threads that may run at the same time: each has memory of its own.
static uint32_t SlotsFor(const Options& options, const scene::Dispatch& dispatch) {
  if (!options.memory_seed) return 1;
  if (dispatch.draw || dispatch.vertices) return kTogether;
  uint64_t groups = 1;
  for (uint32_t n : dispatch.groups) groups = std::min<uint64_t>(groups * n, kTogether);
  return std::max<uint32_t>(1, static_cast<uint32_t>(groups));
}

static absl::Status RunWorkgroups(const Options& options, const scene::Dispatch& dispatch,
                                  Simulator& simulator) {
  const std::array<uint32_t, 3>& n = dispatch.groups;
  const uint64_t total = uint64_t{n[0]} * n[1] * n[2];
  std::vector<Work> together;
  for (uint64_t turn = 0; turn < total; turn += together.size()) {
    together.resize(simulator.DrawTogether(total - turn));
    for (size_t k = 0; k < together.size(); ++k) {
      const uint64_t i = options.opposite ? total - 1 - turn - k : turn + k;
      together[k].group = {static_cast<uint32_t>(i % n[0]), static_cast<uint32_t>(i / n[0] % n[1]),
                           static_cast<uint32_t>(i / n[0] / n[1])};
    }
    if (absl::Status status = simulator.RunGroups(together); !status.ok()) return status;
  }
  return absl::OkStatus();
}

static absl::Status RunPrimitive(absl::Span<const FragmentThread> threads, Simulator& simulator) {
  std::vector<Work> together;
  for (size_t first = 0; first < threads.size(); first += together.size()) {
    together.resize(simulator.DrawTogether(threads.size() - first));
    for (size_t k = 0; k < together.size(); ++k) together[k].fragment = &threads[first + k];
    if (absl::Status status = simulator.RunGroups(together); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Runs only threads of one primitive together: later ones wait where they cover the same pixels.
static absl::Status RunFragments(const out::LaunchRecord& record, const Options& options,
                                 scene::FragmentInputs& draw, Simulator& simulator) {
  for (size_t next = 0; next < draw.quads.size();) {
    const scene::QuadRange quads = scene::QuadsOfPrimitive(draw, next);
    next = quads.end;
    if (absl::Status status = draw.limit.Spend(quads.end - quads.first); !status.ok())
      return status;
    const std::vector<scene::QuadCoverage> rasterised = scene::PrepareQuads(
        quads.first, quads.end, {record.fragment.early_tests, record.fragment.post_depth_coverage},
        draw);
    std::vector<FragmentThread> threads = FragmentThreads(record, options.opposite, quads, draw);
    for (FragmentThread& t : threads) {
      t.rasterised = rasterised;
      t.first_quad = quads.first;
    }
    if (absl::Status status = RunPrimitive(threads, simulator); !status.ok()) return status;
  }
  return absl::OkStatus();
}

static absl::Status RunVertices(absl::Span<const VertexThread> threads, Simulator& simulator) {
  std::vector<Work> together;
  for (size_t first = 0; first < threads.size(); first += together.size()) {
    together.resize(simulator.DrawTogether(threads.size() - first));
    for (size_t k = 0; k < together.size(); ++k) together[k].vertex = &threads[first + k];
    if (absl::Status status = simulator.RunGroups(together); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Runs the threads of a draw.
static absl::Status RunDraw(const Program& program, const out::LaunchRecord& record,
                            const Options& options, scene::Dispatch& dispatch,
                            Simulator& simulator) {
  if (record.stage == "vertex") {
    if (absl::Status status = CheckVertexProgram(program); !status.ok()) return status;
    return RunVertices(VertexThreads(record, options.opposite, *dispatch.vertices), simulator);
  }
  const bool packed = out::IntelOf(record).fragment.vector_mask && !record.fragment.per_sample;
  if (absl::Status s = CheckGraphicsProgram(program, record.dispatch_width, packed); !s.ok()) {
    return s;
  }
  return RunFragments(record, options, *dispatch.draw, simulator);
}

// Checks that the inputs of the stage are given, and none of other stages.
static absl::Status CheckInputs(const out::LaunchRecord& record, const scene::Dispatch& dispatch) {
  if (dispatch.draw.has_value() != (record.stage == "fragment")) {
    return absl::InvalidArgumentError("a draw is for fragment programs, and they need one");
  }
  if (dispatch.vertices.has_value() != (record.stage == "vertex")) {
    return absl::InvalidArgumentError("vertices are for vertex programs, and they need them");
  }
  if (dispatch.draw) {
    if (absl::Status s = CheckSamples(record, *dispatch.draw); !s.ok()) return s;
    return scene::CheckDraw(*dispatch.draw);
  }
  if (dispatch.vertices) return CheckVertexInputs(record, *dispatch.vertices);
  return scene::CheckWorkgroups(dispatch, record.compute.requires_zero_base);
}

absl::StatusOr<RunStats> Run(absl::Span<const uint8_t> code, const out::LaunchRecord& record,
                             const Options& options, scene::Dispatch& dispatch) {
  absl::Status status = CheckRecord(record);
  if (!status.ok()) return status;
  status = CheckInputs(record, dispatch);
  if (!status.ok()) return status;
  absl::StatusOr<std::unique_ptr<LaunchState>> launch =
      LaunchState::Create(record, options.opposite, SlotsFor(options, dispatch), dispatch);
  if (!launch.ok()) return launch.status();
  absl::StatusOr<std::vector<uint8_t>> relocated = (*launch)->Relocate(code);
  if (!relocated.ok()) return relocated.status();
  absl::StatusOr<Program> program = Load(*relocated);
  if (!program.ok()) return program.status();
  if (record.entry != 0) return absl::UnimplementedError("entry point is not at the start");
  Simulator simulator(*program, record, options, dispatch.limit, **launch);
  const bool draws = dispatch.draw.has_value() || dispatch.vertices.has_value();
  status = draws ? RunDraw(*program, record, options, dispatch, simulator)
                 : RunWorkgroups(options, dispatch, simulator);
  if (!status.ok()) return status;
  return simulator.TakeStats();
}

}  // namespace kiln::sim::eu
