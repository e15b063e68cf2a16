// Tests branch targets and the forms of pseudo operations through the disassembler, and the passes
// that follow emission.
#include <string>

#include "core/base/cause.h"
#include "core/intel/emit/emit.h"
#include "core/intel/emit/passes.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/isa/messages.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/lir/parse.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

constexpr auto kGen = isa::Generation::kGen12;

std::string Text(const isa::Program& program) {
  std::string text;
  for (size_t i = 0; i < program.insts.size(); ++i) {
    const isa::Instruction& inst = program.insts[i];
    const isa::BranchTargets& t = program.targets[i];
    std::string line = isa::IsBranch(inst.op) ? std::string(isa::Info(inst.op).mnemonic)
                                              : isa::Disassemble(kGen, inst);
    if (inst.pred != isa::PredCtrl::kNone && isa::IsBranch(inst.op)) {
      line = (inst.pred_inverse ? "(~f) " : "(f) ") + line;
    }
    std::string squeezed;
    for (char c : line) {
      if (c != ' ' || (!squeezed.empty() && squeezed.back() != ' ')) squeezed += c;
    }
    while (!squeezed.empty() && squeezed.back() == ' ') squeezed.pop_back();
    text += std::to_string(i) + " " + squeezed;
    if (t.jip != isa::kNoTarget) text += " " + std::to_string(t.jip);
    if (t.uip != isa::kNoTarget) text += " " + std::to_string(t.uip);
    text += "\n";
  }
  return text;
}

constexpr char kHeader[] =
    "function tgl width 8\n"
    "value %0 G 4x1\nvalue %1 G 4x1\nvalue %2 F 0x1\nvalue %3 U 4x1\nvalue %4 U 4x8 whole\n"
    "value %5 G 4x1\n";

isa::Program Make(const std::string& body, const std::string& header = kHeader) {
  absl::StatusOr<lir::Function> f = lir::Parse(MachineOf(Tgl()), header + body);
  EXPECT_TRUE(f.ok()) << f.status();
  if (!f.ok()) return isa::Program(kGen);
  absl::StatusOr<isa::Program> p = Emit(Tgl(), *f);
  EXPECT_TRUE(p.ok()) << p.status();
  return p.ok() ? *p : isa::Program(kGen);
}

bool Yes(void*) { return true; }
bool No(void*) { return false; }

// ---- values of 8 bytes a lane ----

constexpr char kWide[] =
    "function tgl width 8\n"
    "value %0 G 8x1\nvalue %1 G 8x1\nvalue %2 U 4x8 whole\nvalue %3 U 4x16 whole\n";

TEST(Emit, QwordsAreCopiedWhole) {
  EXPECT_EQ(Text(Make("block b0 depth 0\n"
                      "  %1:ud@16 = mov.g %0:ud@32 {w8 nomask ra aux 16}\n",
                      kWide)),
            "0 (W) mov (16|M0) r2.0<1>:ud r4.0<8;8,1>:ud\n");
  // Under a mask, each half of a lane is moved under its own lane's mask bit.
  EXPECT_EQ(Text(Make("block b0 depth 0\n"
                      "  %1:ud@16 = mov.g %0:ud@32 {w8 ra aux 16}\n",
                      kWide)),
            "0 mov (8|M0) r2.0<2>:ud r4.0<8;4,2>:ud\n"
            "1 mov (8|M0) r2.1<2>:ud r4.1<8;4,2>:ud\n");
  EXPECT_EQ(Text(Make("block b0 depth 0\n"
                      "  %1:ud@16 = xor.g %1:ud@16 %0:ud@32 {w8 ra aux 16}\n",
                      kWide)),
            "0 xor (8|M0) r2.0<2>:ud r2.0<8;4,2>:ud r4.0<8;4,2>:ud\n"
            "1 xor (8|M0) r2.1<2>:ud r2.1<8;4,2>:ud r4.1<8;4,2>:ud\n");
}

// A distance of eight bytes exceeds the horizontal stride.
TEST(Emit, BytesOfQwords) {
  EXPECT_EQ(Text(Make("block b0 depth 0\n"
                      "  %3:ud@16 = mov %0:ub@32 {w8}\n",
                      kWide)),
            "0 mov (8|M0) r2.0<1>:ud r4.0<8;1,0>:ub\n");
}

TEST(Emit, QwordsOfMaskedLanesAreMergedWhole) {
  const std::string text =
      Text(Make("block b0 depth 0\n"
                "  %3x16:ud@48 = merge_spill %2x8:ud@0 %0:ud@32 #0x0:ud {w8}\n",
                kWide));
  EXPECT_NE(text.find("1 mov (8|M0) r6.0<2>:ud r4.0<8;4,2>:ud\n"
                      "2 mov (8|M0) r6.1<2>:ud r4.1<8;4,2>:ud\n"),
            text.npos)
      << text;
}

constexpr char kLoop[] =
    "block b0 depth 0\n"
    "  -> b1\n"
    "block b1 depth 1\n"
    "  %2:uw@0 = cmp %0:d@16 #0x5:d {w8 cmod 5}\n"
    "  if %2:uw@0 {w8 pred 1}\n"
    "  -> b2, b3\n"
    "block b2 depth 1\n"
    "  %1:ud@24 = mov %0:ud@16 {w8}\n"
    "  break {w8}\n"
    "  -> b4\n"
    "  ~> b5\n"
    "block b5 depth 1\n"
    "  endif {w8}\n"
    "  ~> b3\n"
    "block b3 depth 1\n"
    "  %0:d@16 = add %0:d@16 #0x1:d {w8}\n"
    "  while {w8}\n"
    "  -> b1\n"
    "  ~> b4\n"
    "block b4 depth 0\n"
    "  %5:ud@32 = mov %1:ud@24 {w8}\n";

// The text form numbers blocks by position.
std::string Loop() {
  std::string s = kLoop;
  const auto rename = [&s](const std::string& from, const std::string& to) {
    for (size_t at = s.find(from); at != std::string::npos; at = s.find(from, at + to.size())) {
      s.replace(at, from.size(), to);
    }
  };
  rename("b5", "bX");
  rename("b4", "b5");
  rename("b3", "b4");
  rename("bX", "b3");
  return s;
}

// LIR can have several discard jumps in one block. All continue after one halt in front of the exit
// block, and so does that halt itself; the mask of dead lanes is f1.0.
TEST(Emit, DiscardJumpsMeetAtTheExitBlock) {
  const absl::StatusOr<lir::Function> f =
      lir::Parse(MachineOf(Tgl()), std::string(kHeader) +
                                       "livein %4 at 0\n"
                                       "exit_block b1\n"
                                       "block b0 depth 0\n"
                                       "  %2:ud@0 = cmp %4:ud@0 #0x5:ud {w8 cmod 1}\n"
                                       "  discard_jump %2:ud@0 {w8 pred 1 id 7}\n"
                                       "  %0:ud@16 = mov #0x1:ud {w8}\n"
                                       "  discard_jump {w8 aux 1 id 8}\n"
                                       "  -> b1\n"
                                       "block b1 depth 0\n"
                                       "  %1:ud@24 = mov %4:ud@0 {w8 nomask}\n");
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_TRUE(lir::VerifyAllocated(MachineOf(Tgl()), *f).ok());
  const absl::StatusOr<isa::Program> p = Emit(Tgl(), *f);
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_EQ(Text(*p),
            "0 cmp (8|M0) (eq)f0.0 null<1>:ud r0.0<0;1,0>:ud 0x5:ud\n"
            "1 (f) halt 5 5\n"
            "2 mov (8|M0) r2.0<1>:ud 0x1:ud\n"
            "3 (f) halt 5 5\n"
            "4 halt 5 5\n"
            "5 (W) mov (8|M0) r3.0<1>:ud r0.0<0;1,0>:ud\n");
  EXPECT_EQ(p->insts[1].pred, isa::PredCtrl::kNormal);
  EXPECT_EQ(p->insts[3].pred, isa::PredCtrl::kAll4h);
  EXPECT_EQ(p->insts[3].flag_nr, 1);
}

// A halt in an if goes to the if's endif, and the outermost endif to the halt at which all lanes
// meet: a thread without lanes executes none of the code between. An if in front of all halts
// continues after its endif.
TEST(Emit, AThreadThatHaltedInIfsSkipsWhatFollows) {
  const absl::StatusOr<lir::Function> f = lir::Parse(MachineOf(Tgl()), std::string(kHeader) +
                                                                           R"(livein %4 at 0
exit_block b7
block b0 depth 0
  if %2:uw@0 {w8 pred 1}
  -> b1, b2
block b1 depth 0
  %0:ud@16 = mov #0x1:ud {w8}
  ~> b2
block b2 depth 0
  endif {w8}
  ~> b3
block b3 depth 0
  if %2:uw@0 {w8 pred 1}
  -> b4, b6
block b4 depth 0
  if %2:uw@0 {w8 pred 1}
  -> b5, b5
block b5 depth 0
  discard_jump %2:ud@0 {w8 pred 1 id 7}
  endif {w8}
  ~> b6
block b6 depth 0
  endif {w8}
  %0:ud@16 = mov #0x2:ud {w8}
  -> b7
block b7 depth 0
  %1:ud@24 = mov %4:ud@0 {w8 nomask}
)");
  ASSERT_TRUE(f.ok()) << f.status();
  const absl::StatusOr<isa::Program> p = Emit(Tgl(), *f);
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_EQ(Text(*p),
            "0 (f) if 2 2\n"
            "1 mov (8|M0) r2.0<1>:ud 0x1:ud\n"
            "2 endif 3\n"
            "3 (f) if 7 7\n"
            "4 (f) if 6 6\n"
            "5 (f) halt 6 10\n"
            "6 endif 7\n"
            "7 endif 9\n"
            "8 mov (8|M0) r2.0<1>:ud 0x2:ud\n"
            "9 halt 10 10\n"
            "10 (W) mov (8|M0) r3.0<1>:ud r0.0<0;1,0>:ud\n");
}

TEST(Emit, BreakInIfInLoop) {
  EXPECT_EQ(Text(Make(Loop())),
            "0 cmp (8|M0) (lt)f0.0 null<1>:d r2.0<8;8,1>:d 5:d\n"
            "1 (f) if 4 4\n"
            "2 mov (8|M0) r3.0<1>:ud r2.0<8;8,1>:ud\n"
            "3 break 4 6\n"
            "4 endif 6\n"
            "5 add (8|M0) r2.0<1>:d r2.0<8;8,1>:d 1:d\n"
            "6 while 0\n"
            "7 mov (8|M0) r4.0<1>:ud r3.0<8;8,1>:ud\n");
}

TEST(Peephole, SmallIfWithBreakIsPredicated) {
  isa::Program p = Make(Loop());
  EXPECT_EQ(PredicateSmallIfs(Tgl(), p, No, nullptr), 0);
  EXPECT_EQ(PredicateSmallIfs(Tgl(), p, Yes, nullptr), 1);
  EXPECT_EQ(Text(p),
            "0 cmp (8|M0) (lt)f0.0 null<1>:d r2.0<8;8,1>:d 5:d\n"
            "1 (f0.0) mov (8|M0) r3.0<1>:ud r2.0<8;8,1>:ud\n"
            "2 (f) break 4 4\n"
            "3 add (8|M0) r2.0<1>:d r2.0<8;8,1>:d 1:d\n"
            "4 while 0\n"
            "5 mov (8|M0) r4.0<1>:ud r3.0<8;8,1>:ud\n");
}

// Returns a program of an if with these sides.
isa::Program TwoSides(const std::string& then_side, const std::string& else_side) {
  return Make(
      "block b0 depth 0\n"
      "  if %2:uw@0 {w8 pred 1}\n"
      "  -> b1, b2\n"
      "block b1 depth 0\n" +
      then_side +
      "  else {w8}\n"
      "  -> b3\n"
      "  ~> b2\n"
      "block b2 depth 0\n" +
      else_side +
      "  endif {w8}\n"
      "  -> b3\n"
      "block b3 depth 0\n"
      "  %5:ud@32 = mov %0:ud@16 {w8}\n");
}

constexpr char kCount[] = "  %0:d@16 = add %0:d@16 #0x1:d {w8}\n";
constexpr char kMask[] = "  %1:ud@24 = and %1:ud@24 #0x2:ud {w8}\n";

TEST(Peephole, AnEmptySideNeedsNoElse) {
  isa::Program p = TwoSides(kCount, "");
  EXPECT_EQ(RemoveEmptySides(p, No, nullptr), 0);
  EXPECT_EQ(RemoveEmptySides(p, Yes, nullptr), 1);
  EXPECT_EQ(Text(p),
            "0 (f) if 2 2\n"
            "1 add (8|M0) r2.0<1>:d r2.0<8;8,1>:d 1:d\n"
            "2 endif 3\n"
            "3 mov (8|M0) r4.0<1>:ud r2.0<8;8,1>:ud\n");
  p = TwoSides("", kCount);
  EXPECT_EQ(RemoveEmptySides(p, Yes, nullptr), 1);
  EXPECT_EQ(Text(p),
            "0 (~f) if 2 2\n"
            "1 add (8|M0) r2.0<1>:d r2.0<8;8,1>:d 1:d\n"
            "2 endif 3\n"
            "3 mov (8|M0) r4.0<1>:ud r2.0<8;8,1>:ud\n");
  p = TwoSides(kCount, kMask);
  EXPECT_EQ(RemoveEmptySides(p, Yes, nullptr), 0);
}

TEST(Peephole, BothSidesOfASmallIfArePredicated) {
  isa::Program p = TwoSides(kCount, kMask);
  EXPECT_EQ(PredicateSmallIfs(Tgl(), p, Yes, nullptr), 1);
  EXPECT_EQ(Text(p),
            "0 (f0.0) add (8|M0) r2.0<1>:d r2.0<8;8,1>:d 1:d\n"
            "1 (~f0.0) and (8|M0) r3.0<1>:ud r3.0<8;8,1>:ud 0x2:ud\n"
            "2 mov (8|M0) r4.0<1>:ud r2.0<8;8,1>:ud\n");
  // Five instructions are too many.
  std::string three;
  for (int i = 0; i < 3; ++i) three += kCount;
  p = TwoSides(three, std::string(kMask) + kMask);
  EXPECT_EQ(PredicateSmallIfs(Tgl(), p, Yes, nullptr), 0);
}

// On this hardware, messages with a response and instructions that read through an address take no
// predicate.
TEST(Peephole, WhatMustNotBePredicatedStaysUnderItsIf) {
  isa::MessageFields read;
  read.message = isa::Message::kUntypedRead;
  read.channels = 1;
  isa::SetLengths(isa::Generation::kGen12, read);
  isa::MessageFields write = read;
  write.message = isa::Message::kUntypedWrite;
  isa::SetLengths(isa::Generation::kGen12, write);
  const auto predicated = [](const isa::MessageFields& fields, bool no_mask, bool indirect) {
    isa::Program p = TwoSides(kCount, "");
    RemoveEmptySides(p, Yes, nullptr);
    isa::Instruction& inst = p.insts[1];
    if (!indirect) {
      inst = *isa::MakeSend(isa::Generation::kGen12, fields);
      inst.src[0].file = isa::File::kGrf;
      inst.src[0].nr = 40;
      if (fields.rlen != 0) inst.dst.file = isa::File::kGrf;
    }
    inst.src[0].indirect = indirect;
    inst.no_mask = no_mask;
    return PredicateSmallIfs(Tgl(), p, Yes, nullptr) != 0;
  };
  EXPECT_FALSE(predicated(read, false, false));
  EXPECT_FALSE(predicated(read, true, false));
  EXPECT_TRUE(predicated(write, false, false));
  EXPECT_FALSE(predicated({}, false, true));
  EXPECT_TRUE(predicated({}, true, true));  // it stays without
}

// Four divisions of eight lanes occupy the math unit longer than two branches take.
TEST(Peephole, WhatTheModelTakesForLongStaysUnderItsIf) {
  std::string side;
  for (int i = 0; i < 4; ++i) side += kCount;
  for (const auto function : {isa::MathFunction::kSqrt, isa::MathFunction::kIntDivQuotient}) {
    isa::Program p = TwoSides(side, "");
    RemoveEmptySides(p, Yes, nullptr);
    for (int i = 1; i <= 4; ++i) {
      p.insts[static_cast<size_t>(i)].op = isa::Opcode::kMath;
      p.insts[static_cast<size_t>(i)].math = function;
      p.insts[static_cast<size_t>(i)].dst.nr = static_cast<uint8_t>(40 + i);
    }
    EXPECT_EQ(PredicateSmallIfs(Tgl(), p, Yes, nullptr), function == isa::MathFunction::kSqrt);
  }
}

TEST(Peephole, BreakBeforeWhileIsItsCondition) {
  isa::Program p = Make(
      "block b0 depth 0\n"
      "  -> b1\n"
      "block b1 depth 1\n"
      "  %0:d@16 = add %0:d@16 #0x1:d {w8}\n"
      "  %2:uw@1 = cmp %0:d@16 #0x5:d {w8 cmod 5}\n"
      "  if %2:uw@1 {w8 pred 1 inv}\n"
      "  -> b2, b4\n"
      "block b2 depth 1\n"
      "  break {w8}\n"
      "  -> b5\n"
      "  ~> b3\n"
      "block b3 depth 1\n"
      "  endif {w8}\n"
      "  ~> b4\n"
      "block b4 depth 1\n"
      "  while {w8}\n"
      "  -> b1\n"
      "  ~> b5\n"
      "block b5 depth 0\n"
      "  %5:ud@32 = mov %0:ud@16 {w8}\n");
  EXPECT_EQ(PredicateSmallIfs(Tgl(), p, Yes, nullptr), 1);
  EXPECT_EQ(PredicateWhiles(p, Yes, nullptr), 1);
  EXPECT_EQ(Text(p),
            "0 add (8|M0) r2.0<1>:d r2.0<8;8,1>:d 1:d\n"
            "1 cmp (8|M0) (lt)f0.1 null<1>:d r2.0<8;8,1>:d 5:d\n"
            "2 (f) while 0\n"
            "3 mov (8|M0) r4.0<1>:ud r2.0<8;8,1>:ud\n");
}

TEST(Emit, ControlBitsChangeFirst) {
  const absl::StatusOr<lir::Function> f =
      lir::Parse(MachineOf(Tgl()),
                 std::string(kHeader) + "block b0 depth 0\n  %5:ud@32 = mov %0:ud@16 {w8}\n");
  ASSERT_TRUE(f.ok());
  const absl::StatusOr<isa::Program> p = Emit(Tgl(), *f, {.set = 0x80, .clear = 0x400});
  ASSERT_TRUE(p.ok());
  EXPECT_EQ(Text(*p),
            "0 (W) and (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0xFFFFFBFF:ud\n"
            "1 (W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x80:ud\n"
            "2 mov (8|M0) r4.0<1>:ud r2.0<8;8,1>:ud\n");
}

// The index is added to the descriptor; the handle is combined with the extended one, which holds
// the shared function and the length of the second payload.
TEST(Emit, DescriptorsInAddressRegisters) {
  const auto message = [&](const std::string& index, const std::string& side) {
    return Text(Make("block b0 depth 0\n  msg.write %0:ud@16 %1:ud@24 " + index +
                     "%3:ud@33 {w8 [untyped_read bti 252 lanes 16 channels 1 " + side + "]}\n"));
  };
  EXPECT_EQ(message("", "bindless"),
            "0 (W) or (1|M0) a0.1<1>:ud r4.1<0;1,0>:ud 0x4C:ud\n"
            "1 send.dc1 (8|M0) null r2 r3 a0.1 0x02005EFC\n");
  EXPECT_EQ(message("%3:ud@32 ", "indirect bindless"),
            "0 (W) add (1|M0) a0.0<1>:ud r4.0<0;1,0>:ud 0x2005EFC:ud\n"
            "1 (W) or (1|M0) a0.1<1>:ud r4.1<0;1,0>:ud 0x4C:ud\n"
            "2 send.dc1 (8|M0) null r2 r3 a0.1 a0.0\n");
}

TEST(Emit, ElseAndNestedIf) {
  isa::Program p = Make(
      "block b0 depth 0\n"
      "  if %2:uw@0 {w8 pred 1}\n"
      "  -> b1, b2\n"
      "block b1 depth 0\n"
      "  else {w8}\n"
      "  -> b5\n"
      "  ~> b2\n"
      "block b2 depth 0\n"
      "  if %2:uw@2 {w8 pred 1}\n"
      "  -> b3, b4\n"
      "block b3 depth 0\n"
      "  endif {w8}\n"
      "  -> b4\n"
      "block b4 depth 0\n"
      "  endif {w8}\n"
      "  -> b5\n"
      "block b5 depth 0\n"
      "  %5:ud@32 = mov %0:ud@16 {w8}\n");
  EXPECT_EQ(Text(p),
            "0 (f) if 2 4\n"
            "1 else 4 4\n"
            "2 (f) if 3 3\n"
            "3 endif 4\n"
            "4 endif 5\n"
            "5 mov (8|M0) r4.0<1>:ud r2.0<8;8,1>:ud\n");
}

TEST(Emit, ScalarsVectorsAndWords) {
  isa::Program p = Make(
      "block b0 depth 0\n"
      "  %3:ud@9 = mov %4.3:ud@27 {nomask}\n"
      "  %0:f@16 = mad %3:f@9 %1:f@24 %5:f@32 {w8}\n"
      "  %0:d@16 %1:d@24 = mul32 %5:d@32 #0x12345:d {w8}\n"
      "  %0:f@16 = mov %1:hf@24 {w8}\n");
  EXPECT_EQ(Text(p),
            "0 (W) mov (1|M0) r1.1<1>:ud r3.3<0;1,0>:ud\n"
            "1 mad (8|M0) r2.0<1>:f r1.1<0;0>:f r3.0<8;1>:f r4.0<1>:f\n"
            "2 mul (8|M0) r2.0<1>:d r4.0<8;8,1>:d 0x2345:uw\n"
            "3 mul (8|M0) r3.0<1>:d r4.0<8;8,1>:d 0x1:uw\n"
            "4 add (8|M0) r2.1<2>:uw r2.1<16;8,2>:uw r3.0<16;8,2>:uw\n"
            "5 mov (8|M0) r2.0<1>:f r3.0<16;8,2>:hf\n");
}

// A packed half result of single sources, and math on halves, take 8 lanes at a time; halves in
// every second word take 16.
TEST(Emit, PackedAndStridedHalves) {
  isa::Program p = Make(
      "block b0 depth 0\n"
      "  %0:hf@16 = mov %1:f@32 {w16}\n"
      "  %2:hf@48 = mov %1:f@32 {w16}\n"
      "  %0:hf@16 = add %0:hf@16 %2:hf@48 {w16}\n"
      "  %0:hf@16 = math %0:hf@16 {w16 aux 4}\n"
      "  %2:ud@48 = pack %1:f@32 %0:uw@16 {w16}\n"
      "  %3:hf@9 = mov %3:f@10 {nomask}\n",
      "function tgl width 16\n"
      "value %0 G 2x1\nvalue %1 G 4x1\nvalue %2 G 4x1\nvalue %3 U 4x1\n");
  EXPECT_EQ(Text(p),
            "0 mov (8|M0) r2.0<1>:hf r4.0<8;8,1>:f\n"
            "1 mov (8|M8) r2.8<1>:hf r5.0<8;8,1>:f\n"
            "2 mov (16|M0) r6.0<2>:hf r4.0<8;8,1>:f\n"
            "3 add (16|M0) r2.0<1>:hf r2.0<8;8,1>:hf r6.0<16;8,2>:hf\n"
            "4 math.sqt (8|M0) r2.0<1>:hf r2.0<8;8,1>:hf\n"
            "5 math.sqt (8|M8) r2.8<1>:hf r2.8<8;8,1>:hf\n"
            "6 mov (16|M0) r6.0<2>:hf r4.0<8;8,1>:f\n"
            "7 mov (16|M0) r6.1<2>:uw r2.0<8;8,1>:uw\n"
            "8 (W) mov (1|M0) r1.2<2>:hf r1.2<0;1,0>:f\n");
}

TEST(Emit, EightPackedLanesTakeHalfARegister) {
  isa::Program p = Make(
      "block b0 depth 0\n"
      "  %0:w@20 = add %0:w@16 %1:w@32 {w8}\n"
      "  %0:hf@20 = mad %0:hf@16 %0:hf@20 %1:hf@32 {w8}\n",
      "function tgl width 8\nvalue %0 G 2x1\nvalue %1 G 4x1\n");
  EXPECT_EQ(Text(p),
            "0 add (8|M0) r2.8<1>:w r2.0<8;8,1>:w r4.0<16;8,2>:w\n"
            "1 mad (8|M0) r2.8<1>:hf r2.0<8;1>:hf r2.8<8;1>:hf r4.0<2>:hf\n");
}

}  // namespace
}  // namespace kiln::intel
