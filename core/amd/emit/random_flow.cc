#include "core/amd/emit/random_flow.h"

#include <algorithm>
#include <utility>

#include "core/amd/lir/extra.h"
#include "core/amd/lir/ops.h"
#include "core/lir/build.h"
#include "core/lir/random_structure.h"

namespace kiln::amd::testing {
namespace {

using isa::Opcode;
using Kind = Statement::Kind;

constexpr uint32_t kMaxRounds = 4;  // of a loop, by lane 1 to 4
constexpr uint32_t kMultiplier = 0x9e3779b1;
constexpr uint32_t kBits = 10;  // ifs test bits 20 to 29 of v1

// ---- Statements.

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_{seed} {}

  std::vector<Statement> Body(int depth, bool in_loop) {
    std::vector<Statement> body;
    for (int k = 1 + random_.Below(4); k > 0; --k) {
      body.push_back(One(depth, in_loop));
      const Statement& last = body.back();
      if ((last.kind == Kind::kBreak || last.kind == Kind::kContinue) && !last.conditional) break;
    }
    return body;
  }

 private:
  Statement One(int depth, bool in_loop) {
    Statement s;
    s.a = static_cast<uint32_t>(random_.Below(1 << 20)) + 100;
    const int kind = random_.Below(100);
    s.inverse = random_.Chance(50);
    if (depth < 4 && kind < 30) return If(std::move(s), depth, in_loop);
    if (depth < 4 && kind < 38) {
      s.kind = Kind::kUniformIf;
      s.a %= 4;
      s.body = Body(depth + 1, in_loop);
      s.other = Body(depth + 1, in_loop);
      return s;
    }
    if (depth < 3 && kind < 55) return Loop(std::move(s), depth);
    if (in_loop && kind < 75) {
      s.kind = random_.Chance(60) ? Kind::kBreak : Kind::kContinue;
      s.a %= kBits;
      // At the top of a loop a jump of all lanes would end the body.
      s.conditional = depth == top_ || random_.Chance(30);
    }
    return s;
  }

  Statement If(Statement s, int depth, bool in_loop) {
    s.kind = Kind::kIf;
    s.a %= kBits;
    s.has_else = random_.Chance(50);
    if (in_loop && random_.Chance(30)) {
      // `if (c) break`.
      s.has_else = false;
      Statement leave;
      leave.kind = random_.Chance(60) ? Kind::kBreak : Kind::kContinue;
      s.body.push_back(leave);
      return s;
    }
    s.body = Body(depth + 1, in_loop);
    if (s.has_else && random_.Chance(80)) s.other = Body(depth + 1, in_loop);
    return s;
  }

  Statement Loop(Statement s, int depth) {
    s.kind = Kind::kLoop;
    const int outer = std::exchange(top_, depth + 1);
    s.body = Body(depth + 1, true);
    top_ = outer;
    s.has_else = random_.Chance(50);  // a continue block with code
    return s;
  }

  lir::testing::Random random_;
  int top_ = -1;  // depth of the innermost loop's body
};

// ---- What a lane computes.

enum class Exit { kNone, kBreak, kContinue };

struct Lane {
  uint32_t lane, uniform, v1;

  bool Tests(const Statement& s) const {
    return ((v1 >> (20 + s.a % kBits) & 1) != 0) != s.inverse;
  }
  void Mix(uint32_t constant) { v1 = (v1 + constant) * kMultiplier; }

  Exit Run(const std::vector<Statement>& body) {
    for (const Statement& s : body) {
      const Exit exit = Run(s);
      if (exit != Exit::kNone) return exit;
    }
    return Exit::kNone;
  }

  Exit Run(const Statement& s) {
    switch (s.kind) {
      case Kind::kArithmetic: Mix(s.a); return Exit::kNone;
      case Kind::kIf: return Run(Tests(s) ? s.body : s.other);
      case Kind::kUniformIf: return Run(uniform == s.a ? s.body : s.other);
      case Kind::kBreak: return !s.conditional || Tests(s) ? Exit::kBreak : Exit::kNone;
      case Kind::kContinue: return !s.conditional || Tests(s) ? Exit::kContinue : Exit::kNone;
      case Kind::kLoop:
        for (uint32_t round = 0; round < 1 + lane % kMaxRounds; ++round) {
          if (Run(s.body) == Exit::kBreak) break;
          if (s.has_else) Mix(s.a);
        }
        return Exit::kNone;
    }
    return Exit::kNone;
  }
};

// ---- As LIR.

class Writer {
 public:
  Writer(lir::Function& f, uint8_t width) : f_(f), b_(f) {
    f.dispatch_width = width;
    side_ = AddExtra(f, Extra());
    b_.SetBlock(b_.NewBlock());
  }

  void Run(const std::vector<Statement>& statements) {
    Vector(Opcode::kVMulLoU32, V(1), {V(0), S(3)});
    Body(statements, 0, -1);
    Mix(7);  // with the lanes that were on at the beginning
    Emit(kEnd, 0, {}, {});
  }

 private:
  struct OpenLoop {
    std::vector<lir::BlockId> breaks, continues;
  };

  lir::Operand Register(uint8_t file, uint32_t reg) {
    lir::Value v;
    v.file = file;
    if (file == kFileM || file == kFileScc) v.elem_bytes = 0;
    lir::Operand o = lir::ValueOperand(b_.NewValue(v), 0);
    o.reg = reg;
    return o;
  }
  lir::Operand V(uint32_t n) { return Register(kFileV, n); }
  lir::Operand S(uint32_t n) { return Register(kFileS, UnitOfSgpr(n)); }
  lir::Operand Imm(uint32_t bits) { return lir::ImmOperand(bits, 0); }
  lir::Operand Condition() { return Register(kFileM, toggle_ ? 0 : UnitOfSgpr(20)); }

  void Emit(uint16_t op, uint32_t aux, absl::Span<const lir::Operand> defs,
            absl::Span<const lir::Operand> uses, uint8_t flags = 0) {
    lir::InstFields fields;
    fields.width = f_.dispatch_width;
    fields.aux = aux;
    fields.flags = flags;
    b_.Emit(op, fields, defs, uses);
  }
  void Vector(Opcode op, lir::Operand def, std::initializer_list<lir::Operand> uses) {
    Emit(Op(op), side_, {&def, 1}, absl::MakeConstSpan(uses.begin(), uses.size()));
  }

  void Mix(uint32_t constant) {
    Vector(Opcode::kVAddNcU32, V(1), {Imm(constant), V(1)});
    Vector(Opcode::kVMulLoU32, V(1), {V(1), S(3)});
  }
  // Sets the condition to the bit of v1, and returns it; alternately in vcc and in another
  // register.
  lir::Operand Test(uint32_t a) {
    toggle_ = !toggle_;
    Vector(Opcode::kVAndB32, V(20), {Imm(1u << (20 + a % kBits)), V(1)});
    Vector(Opcode::kVCmpNeU32, Condition(), {Imm(0), V(20)});
    return Condition();
  }

  lir::BlockId Next() {
    const lir::BlockId next = b_.NewBlock();
    b_.SetBlock(next);
    return next;
  }
  lir::BlockId ContinueFrom(lir::BlockId from) {
    const lir::BlockId next = Next();
    b_.AddEdge(from, next);
    return next;
  }

  void Body(const std::vector<Statement>& body, uint32_t slot, int loop) {
    for (const Statement& s : body) One(s, slot, loop);
  }

  void One(const Statement& s, uint32_t slot, int loop) {
    switch (s.kind) {
      case Kind::kArithmetic: return Mix(s.a);
      case Kind::kIf: return If(s, slot, loop);
      case Kind::kUniformIf: return UniformIf(s, slot, loop);
      case Kind::kLoop: return Loop(s, slot);
      case Kind::kBreak:
      case Kind::kContinue: return Leave(s, loop);
    }
  }

  static uint8_t Inverse(const Statement& s) { return s.inverse ? lir::kPredicateInverse : 0; }

  void If(const Statement& s, uint32_t slot, int loop) {
    const lir::Operand condition = Test(s.a);
    const lir::BlockId head = b_.block();
    Emit(kMaskIf, slot, {}, {&condition, 1}, Inverse(s));
    ContinueFrom(head);
    Body(s.body, slot + 1, loop);
    EndSideAfter(s.body.back());
    lir::BlockId last = b_.block();
    if (s.has_else) {
      Emit(kMaskElse, slot, {}, {});
      const lir::BlockId then = last;
      Next();
      b_.AddEdge(head, b_.block());
      b_.AddPhysicalEdge(then, b_.block());
      Body(s.other, slot + 1, loop);
      if (!s.other.empty()) EndSideAfter(s.other.back());
      last = b_.block();
    }
    Emit(kMaskEndif, slot, {}, {});
    ContinueFrom(last);
  }

  // Behind a break the thread goes on in another block, though no lane does.
  void EndSideAfter(const Statement& last) {
    const bool leaves = last.kind == Kind::kBreak || last.kind == Kind::kContinue;
    if (!leaves || last.conditional) return;
    const lir::BlockId from = b_.block();
    Next();
    b_.AddPhysicalEdge(from, b_.block());
  }

  static bool LeavesForGood(const std::vector<Statement>& body) {
    const Statement& last = body.back();
    return (last.kind == Kind::kBreak || last.kind == Kind::kContinue) && !last.conditional;
  }

  // Writes a side of a uniform if. Returns the block from which its lanes go to the join: invalid
  // if they have left the loop.
  lir::BlockId UniformSide(const std::vector<Statement>& body, uint32_t slot, int loop) {
    Body(body, slot, loop);
    EndSideAfter(body.back());
    Emit(kJump, 0, {}, {});
    return LeavesForGood(body) ? lir::BlockId() : b_.block();
  }

  void UniformIf(const Statement& s, uint32_t slot, int loop) {
    const lir::Operand scc = Register(kFileScc, 0), uses[] = {S(2), Imm(s.a)};
    Emit(Op(Opcode::kSCmpEqU32), side_, {&scc, 1}, uses);
    const lir::BlockId head = b_.block();
    // The inverse jump has its successors exchanged.
    Emit(kSccIf, 0, {}, {&scc, 1}, Inverse(s));
    const std::vector<Statement>& first = s.inverse ? s.other : s.body;
    const std::vector<Statement>& second = s.inverse ? s.body : s.other;
    ContinueFrom(head);
    const lir::BlockId one = UniformSide(first, slot, loop);
    ContinueFrom(head);
    const lir::BlockId other = UniformSide(second, slot, loop);
    const lir::BlockId join = Next();
    if (one.valid()) b_.AddEdge(one, join);
    if (other.valid()) b_.AddEdge(other, join);
  }

  void Leave(const Statement& s, int loop) {
    const bool breaks = s.kind == Kind::kBreak;
    const uint16_t op = breaks ? kMaskBreak : kMaskContinue;
    const uint32_t slot = static_cast<uint32_t>(loop);
    if (s.conditional) {
      const lir::Operand condition = Test(s.a);
      const lir::BlockId head = b_.block();
      Emit(op, slot, {}, {&condition, 1}, Inverse(s));
      (breaks ? loops_.back().breaks : loops_.back().continues).push_back(head);
      ContinueFrom(head);
      return;
    }
    Emit(op, slot, {}, {});
    (breaks ? loops_.back().breaks : loops_.back().continues).push_back(b_.block());
  }

  // v21 + slot counts the rounds: a lane leaves when they are lane % 4 + 1.
  void Loop(const Statement& s, uint32_t slot) {
    const uint32_t counter = 21 + slot, limit = 10 + slot;
    Vector(Opcode::kVAndB32, V(limit), {Imm(kMaxRounds - 1), V(0)});
    Vector(Opcode::kVMovB32, V(counter), {Imm(0)});
    lir::BlockId before = b_.block();
    Emit(kMaskLoop, slot, {}, {});
    const lir::BlockId head = ContinueFrom(before);
    loops_.emplace_back();
    // All that have done their rounds leave.
    Vector(Opcode::kVCmpGtU32, Condition(), {V(counter), V(limit)});
    const lir::Operand condition = Condition();
    Emit(kMaskBreak, slot, {}, {&condition, 1});
    loops_.back().breaks.push_back(b_.block());
    ContinueFrom(b_.block());
    Vector(Opcode::kVAddNcU32, V(counter), {Imm(1), V(counter)});
    Body(s.body, slot + 2, static_cast<int>(slot));
    EndSideAfter(s.body.back());
    Latch(s, slot, head);
  }

  // Lanes that continue meet the others in a block before the mask_while, or at the mask_while
  // itself, as if they went to the head.
  void Latch(const Statement& s, uint32_t slot, lir::BlockId head) {
    const bool block = s.has_else || s.inverse;
    const lir::BlockId meet = block ? ContinueFrom(b_.block()) : head;
    if (s.has_else) Mix(s.a);
    Emit(kMaskWhile, slot, {}, {});
    b_.AddEdge(b_.block(), head);
    for (lir::BlockId from : loops_.back().continues) b_.AddEdge(from, meet);
    const lir::BlockId exit = Next();
    for (lir::BlockId from : loops_.back().breaks) b_.AddEdge(from, exit);
    loops_.pop_back();
  }

  lir::Function& f_;
  lir::Builder b_;
  uint32_t side_ = 0;
  bool toggle_ = false;
  std::vector<OpenLoop> loops_;
};

}  // namespace

uint32_t RandomFlow::Expected(uint32_t lane, uint32_t uniform) const {
  Lane state{lane, uniform, lane * kMultiplier};
  state.Run(statements);
  state.Mix(7);
  return state.v1;
}

RandomFlow MakeRandomFlow(uint64_t seed, uint8_t width) {
  RandomFlow flow;
  Maker maker(seed);
  for (int k = 0; k < 3; ++k) {
    for (Statement& s : maker.Body(0, false)) flow.statements.push_back(std::move(s));
  }
  Writer(flow.function, width).Run(flow.statements);
  return flow;
}

}  // namespace kiln::amd::testing
