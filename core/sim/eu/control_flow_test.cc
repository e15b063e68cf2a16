// Execution masks of every shape: runs random structured programs (if, else, loops, break,
// continue, nested) on random lane masks, and compares with a scalar interpretation of each lane.
#include "core/sim/eu/control_flow.h"

#include <memory>
#include <random>
#include <set>
#include <vector>

#include "core/sim/eu/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::CondMod;
using isa::Opcode;
using isa::PredCtrl;
using isa::Type;

constexpr int kValue = 10, kLimit = 12, kCounters = 20, kIds = 30, kAddress = 32;

// A statement. Conditions compare bits of the value: they differ by lane and are easy to interpret.
struct Node {
  enum Kind { kUpdate, kIf, kLoop, kBreak, kCont } kind = kUpdate;
  uint32_t constant = 0;  // update: value = value * 3 + constant; conditions: bit tested
  std::vector<Node> body;
  std::vector<Node> other;  // else
  bool has_else = false;
};

class Generator {
 public:
  explicit Generator(uint32_t seed) : rng_(seed) {}

  std::vector<Node> Block(int depth, bool in_loop, int loops) {
    std::vector<Node> nodes;
    const int count = 1 + static_cast<int>(rng_() % 4);
    for (int i = 0; i < count; ++i) {
      Node n;
      n.constant = rng_() % 7;
      const uint32_t pick = rng_() % 10;
      if (depth > 0 && pick < 3) {
        n.kind = Node::kIf;
        n.body = Block(depth - 1, in_loop, loops);
        n.has_else = rng_() % 2;
        if (n.has_else) n.other = Block(depth - 1, in_loop, loops);
      } else if (depth > 0 && loops < 3 && pick < 5) {
        n.kind = Node::kLoop;
        n.body = Block(depth - 1, true, loops + 1);
      } else if (in_loop && pick < 7) {
        n.kind = rng_() % 2 ? Node::kBreak : Node::kCont;
      }
      nodes.push_back(n);
    }
    return nodes;
  }

 private:
  std::mt19937 rng_;
};

// Emits code. Waits are conservative: every instruction carries distance 1.
class Emitter {
 public:
  explicit Emitter(int width) : width_(width) {}

  isa::Program Finish(const std::vector<Node>& nodes) {
    Block(nodes, 0);
    AppendStore(program, kValue, kAddress, width_);
    program.Append(EndOfThread());
    return std::move(program);
  }

  void Add(isa::Instruction i) {
    i.swsb = 1;
    program.Append(i);
  }

  isa::Program program{isa::Generation::kGen12};

 private:
  // f0.0 = bit `constant` of the value is set.
  void Test(uint32_t constant) {
    isa::Instruction test = Make(Opcode::kAnd, width_, Null(Type::kUD), Grf(kValue, Type::kUD),
                                 Imm(Type::kUD, 1u << constant));
    test.cmod = CondMod::kNz;
    Add(test);
  }

  int32_t Branch(Opcode op, bool predicated) {
    isa::Instruction i;
    i.op = op;
    i.exec_size = static_cast<uint8_t>(width_);
    if (predicated) i.pred = PredCtrl::kNormal;
    return program.Append(i);
  }

  void Block(const std::vector<Node>& nodes, int loops) {
    for (const Node& n : nodes) Statement(n, loops);
  }

  void Statement(const Node& n, int loops) {
    switch (n.kind) {
      case Node::kUpdate:
        Add(Make(Opcode::kMul, width_, Dst(kValue, Type::kD), Grf(kValue, Type::kD),
                 Imm(Type::kW, 3)));
        Add(Make(Opcode::kAdd, width_, Dst(kValue, Type::kD), Grf(kValue, Type::kD),
                 Imm(Type::kD, n.constant)));
        break;
      case Node::kIf: If(n, loops); break;
      case Node::kLoop: Loop(n, loops); break;
      case Node::kBreak:
      case Node::kCont: {
        Test(n.constant);
        const int32_t at = Branch(n.kind == Node::kBreak ? Opcode::kBreak : Opcode::kCont, true);
        pending_.push_back(at);     // JIP: end of the innermost block
        loop_exits_.push_back(at);  // UIP: the while
        break;
      }
    }
  }

  // Sets the JIP of pending branches to the end of the innermost block.
  void EndBlock(size_t from, int32_t target) {
    for (size_t i = from; i < pending_.size(); ++i) program.targets[pending_[i]].jip = target;
    pending_.resize(from);
  }

  void If(const Node& n, int loops) {
    Test(n.constant);
    const int32_t start = Branch(Opcode::kIf, true);
    const size_t pending = pending_.size();
    Block(n.body, loops);
    int32_t other = -1;
    if (n.has_else) {
      EndBlock(pending, program.Next());
      other = Branch(Opcode::kElse, false);
      Block(n.other, loops);
    }
    EndBlock(pending, program.Next());
    const int32_t end = Branch(Opcode::kEndif, false);
    program.targets[end].jip = end + 1;
    program.targets[start] = {n.has_else ? other + 1 : end, end};
    if (n.has_else) program.targets[other] = {end, end};
  }

  // Each lane runs at most 4 iterations, counted in a register of its own.
  void Loop(const Node& n, int loops) {
    const int counter = kCounters + 2 * loops;
    Add(Make(Opcode::kMov, width_, Dst(counter, Type::kD), Imm(Type::kD, 0)));
    const int32_t head = program.Next();
    Add(Make(Opcode::kAdd, width_, Dst(counter, Type::kD), Grf(counter, Type::kD),
             Imm(Type::kD, 1)));
    isa::Instruction done =
        Make(Opcode::kCmp, width_, Null(Type::kD), Grf(counter, Type::kD), Imm(Type::kD, 4));
    done.cmod = CondMod::kG;
    Add(done);
    const size_t pending = pending_.size(), exits = loop_exits_.size();
    const int32_t leave = Branch(Opcode::kBreak, true);
    pending_.push_back(leave);
    loop_exits_.push_back(leave);
    Block(n.body, loops + 1);
    EndBlock(pending, program.Next());
    const int32_t end = Branch(Opcode::kWhile, false);
    program.targets[end].jip = head;
    for (size_t i = exits; i < loop_exits_.size(); ++i) program.targets[loop_exits_[i]].uip = end;
    loop_exits_.resize(exits);
  }

  int width_;
  std::vector<int32_t> pending_;
  std::vector<int32_t> loop_exits_;
};

enum class Flow { kNext, kBreak, kCont };

// One lane, interpreted.
Flow Interpret(const std::vector<Node>& nodes, uint32_t& value) {
  for (const Node& n : nodes) {
    const bool bit = value >> n.constant & 1;
    switch (n.kind) {
      case Node::kUpdate: value = value * 3 + n.constant; break;
      case Node::kIf: {
        const Flow f = Interpret(bit ? n.body : n.other, value);
        if (f != Flow::kNext) return f;
        break;
      }
      case Node::kLoop:
        for (int i = 0; i < 4; ++i) {
          if (Interpret(n.body, value) == Flow::kBreak) break;
        }
        break;
      case Node::kBreak:
        if (bit) return Flow::kBreak;
        break;
      case Node::kCont:
        if (bit) return Flow::kCont;
        break;
    }
  }
  return Flow::kNext;
}

void CheckSeed(uint32_t seed, int width, bool fusion) {
  std::mt19937 rng(seed);
  const std::vector<Node> nodes = Generator(seed).Block(4, false, 0);
  Emitter emitter(width);
  AppendLaneIds(emitter.program, kIds, width);
  const uint32_t start = rng() | 1, step = rng() | 1;
  isa::Instruction mul =
      Make(Opcode::kMul, width, Dst(kValue, Type::kUD), Grf(kIds, Type::kUD), Imm(Type::kUD, step));
  emitter.Add(mul);
  emitter.Add(Make(Opcode::kAdd, width, Dst(kValue, Type::kUD), Grf(kValue, Type::kUD),
                   Imm(Type::kUD, start)));
  const isa::Program program = emitter.Finish(nodes);
  out::LaunchRecord record = Record(width);
  const auto drawn = rng();
  const uint32_t lanes = out::IntelOf(record).compute.last_thread_mask &= drawn | rng();
  Options options;
  options.fusion = fusion;
  options.max_instructions = 1000000;
  const std::vector<uint32_t> before(width, 0xabcdef);
  const absl::StatusOr<std::vector<uint32_t>> after = RunProgram(program, record, options, before);
  ASSERT_TRUE(after.ok()) << after.status() << " seed " << seed;
  for (int lane = 0; lane < width; ++lane) {
    uint32_t want = before[lane];
    if (lanes >> lane & 1) {
      want = static_cast<uint32_t>(lane) * step + start;
      Interpret(nodes, want);
    }
    ASSERT_EQ((*after)[lane], want) << "lane " << lane << " seed " << seed << " width " << width;
  }
}

TEST(ControlFlow, RandomStructuredPrograms) {
  for (uint32_t seed = 1; seed <= 1500; ++seed) CheckSeed(seed, seed % 2 ? 16 : 8, false);
}

TEST(ControlFlow, FusionModeGivesTheSameResults) {
  for (uint32_t seed = 1; seed <= 500; ++seed) CheckSeed(seed, seed % 2 ? 16 : 8, true);
}

// A jump over code, a subroutine called by some channels, and halt.
TEST(ControlFlow, JumpCallReturnHalt) {
  const int width = 8;
  isa::Program p(isa::Generation::kGen12);
  Emitter e(width);
  const auto add = [&](int value) {
    e.Add(Make(Opcode::kAdd, width, Dst(kValue, Type::kD), Grf(kValue, Type::kD),
               Imm(Type::kD, value)));
  };
  const auto branch = [&](Opcode op, bool predicated) {
    isa::Instruction i;
    i.op = op;
    i.exec_size = width;
    if (predicated) i.pred = PredCtrl::kNormal;
    return e.program.Append(i);
  };
  AppendLaneIds(e.program, kIds, width);
  e.Add(Make(Opcode::kMov, width, Dst(kValue, Type::kD), Grf(kIds, Type::kD)));
  isa::Instruction jump;
  jump.op = Opcode::kJmpi;
  jump.exec_size = 1;
  jump.no_mask = true;
  const int32_t over = e.program.Append(jump);
  add(1000);
  e.program.targets[over].jip = e.program.Next();
  // Lanes below 4 call a subroutine that adds 100.
  isa::Instruction below =
      Make(Opcode::kCmp, width, Null(Type::kD), Grf(kIds, Type::kD), Imm(Type::kD, 4));
  below.cmod = CondMod::kL;
  e.Add(below);
  isa::Instruction call;
  call.op = Opcode::kCall;
  call.exec_size = width;
  call.pred = PredCtrl::kNormal;
  call.dst = Dst(40, Type::kUD);
  const int32_t called = e.program.Append(call);
  add(10);
  // Lanes above 5 halt here.
  isa::Instruction above =
      Make(Opcode::kCmp, width, Null(Type::kD), Grf(kIds, Type::kD), Imm(Type::kD, 5));
  above.cmod = CondMod::kG;
  e.Add(above);
  const int32_t halt = branch(Opcode::kHalt, true);
  add(1);
  const int32_t target = branch(Opcode::kHalt, false);
  e.program.targets[halt] = {target, target};
  e.program.targets[target] = {target + 1, target + 1};
  AppendStore(e.program, kValue, kAddress, width);
  e.program.Append(EndOfThread());
  e.program.targets[called].jip = e.program.Next();
  add(100);
  isa::Instruction ret;
  ret.op = Opcode::kRet;
  ret.exec_size = width;
  ret.src[0] = Scalar(40, Type::kUD);
  ret.swsb = 1;
  e.program.Append(ret);
  const auto after = RunProgram(e.program, Record(width), Options{}, std::vector<uint32_t>(8, 0));
  ASSERT_TRUE(after.ok()) << after.status();
  for (uint32_t lane = 0; lane < 8; ++lane) {
    EXPECT_EQ((*after)[lane], lane + 10 + (lane < 4 ? 100 : 0) + (lane > 5 ? 0 : 1)) << lane;
  }
}

// goto parks channels at UIP; join activates them again.
TEST(ControlFlow, GotoAndJoin) {
  Emitter e(8);
  AppendLaneIds(e.program, kIds, 8);
  e.Add(Make(Opcode::kMov, 8, Dst(kValue, Type::kD), Grf(kIds, Type::kD)));
  isa::Instruction below =
      Make(Opcode::kCmp, 8, Null(Type::kD), Grf(kIds, Type::kD), Imm(Type::kD, 3));
  below.cmod = CondMod::kL;
  e.Add(below);
  isa::Instruction branch;
  branch.op = Opcode::kGoto;
  branch.exec_size = 8;
  branch.pred = PredCtrl::kNormal;
  const int32_t start = e.program.Append(branch);
  e.Add(Make(Opcode::kAdd, 8, Dst(kValue, Type::kD), Grf(kValue, Type::kD), Imm(Type::kD, 100)));
  branch.op = Opcode::kJoin;
  branch.pred = PredCtrl::kNone;
  const int32_t join = e.program.Append(branch);
  e.program.targets[start] = {join, join};
  e.program.targets[join].jip = join + 1;
  AppendStore(e.program, kValue, kAddress, 8);
  e.program.Append(EndOfThread());
  const auto after = RunProgram(e.program, Record(8), Options{}, std::vector<uint32_t>(8, 0));
  ASSERT_TRUE(after.ok()) << after.status();
  for (uint32_t lane = 0; lane < 8; ++lane) {
    EXPECT_EQ((*after)[lane], lane < 3 ? lane : lane + 100);
  }
}

// Instructions have 16 bytes: cmp, if, mov, endif, end of thread.
TEST(ControlFlow, PathsTellTheWayAndWhereAllChannelsWereOff) {
  isa::Program p(isa::Generation::kGen12);
  isa::Instruction none =
      Make(Opcode::kCmp, 8, Null(Type::kUD), Grf(20, Type::kUD), Grf(20, Type::kUD));
  none.cmod = CondMod::kNz;
  p.Append(none);
  isa::Instruction branch;
  branch.op = Opcode::kIf;
  branch.exec_size = 8;
  branch.pred = PredCtrl::kNormal;
  const int32_t start = p.Append(branch);
  p.Append(Make(Opcode::kMov, 8, Dst(10, Type::kUD), Imm(Type::kUD, 1)));
  branch.op = Opcode::kEndif;
  branch.pred = PredCtrl::kNone;
  const int32_t end = p.Append(branch);
  p.targets[start] = {end, end};
  p.targets[end].jip = end + 1;
  p.Append(EndOfThread());
  const auto code = isa::Finalise(p);
  ASSERT_TRUE(code.ok()) << code.status();
  Options options;
  options.paths = true;
  for (bool fusion : {false, true}) {
    options.fusion = fusion;
    scene::Dispatch dispatch;
    dispatch.buffers.resize(1);
    dispatch.groups = {3, 1, 1};  // all of which take the same path
    const auto stats = eu::Run(*code, Record(8), options, dispatch);
    ASSERT_TRUE(stats.ok()) << stats.status();
    const std::vector<uint32_t> skipped = {0, 16, 48, 64}, through = {0, 16, 33, 48, 64};
    EXPECT_EQ(stats->paths, std::set<std::vector<uint32_t>>{fusion ? through : skipped});
  }
}

TEST(ControlFlow, EndlessLoopIsAnError) {
  Emitter e(8);
  isa::Instruction i;
  i.op = Opcode::kWhile;
  i.exec_size = 8;
  const int32_t at = e.program.Append(i);
  e.program.targets[at].jip = at;
  e.program.Append(EndOfThread());
  Options options;
  options.max_instructions = 100000;
  EXPECT_EQ(RunProgram(e.program, Record(8), options, {0}).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace kiln::sim::eu::testing
