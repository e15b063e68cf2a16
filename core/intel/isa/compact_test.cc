// Tests that compaction is the inverse of expansion. iga64 (tests/isa) and Mesa's binaries
// (tests/isa/eu_roundtrip) judge expansion itself.
#include "core/intel/isa/compact.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "core/intel/isa/encode.h"
#include "core/intel/isa/opcodes.h"

namespace kiln::intel::isa {
namespace {

constexpr Generation kGen = Generation::kGen12;

std::optional<uint64_t> Compacted(const Word128& full) {
  const auto word = Compact(kGen, full);
  EXPECT_TRUE(word.ok()) << word.status();
  return word.ok() ? *word : std::nullopt;
}

// Any word that expands has a compacted form that expands to the same; it is the word itself unless
// two rows of a table are equal for an immediate.
TEST(Compact, InvertsExpansion) {
  std::mt19937_64 rng(1);
  const Opcode kOps[] = {Opcode::kMov, Opcode::kAdd, Opcode::kCmp,  Opcode::kMath,
                         Opcode::kMad, Opcode::kBfe, Opcode::kSync, Opcode::kCsel};
  int same = 0, expanded = 0;
  for (int i = 0; i < 20000; ++i) {
    const Opcode op = kOps[rng() % 8];
    const auto code = static_cast<uint64_t>(Info(op).code[Index(kGen)]);
    const uint64_t word = (rng() & ~uint64_t{0x7f}) | code | 1u << 29;
    const auto full = Expand(kGen, word);
    if (!full.ok()) continue;  // an immediate of 8 bytes
    ++expanded;
    const std::optional<uint64_t> again = Compacted(*full);
    ASSERT_TRUE(again.has_value()) << std::hex << word;
    ASSERT_EQ(*Expand(kGen, *again), *full) << std::hex << word << " " << *again;
    same += *again == word;
  }
  EXPECT_GT(expanded, 19000);
  EXPECT_GT(same, expanded / 2);
}

// A full word with one more bit is another instruction: it has another compacted form, or none.
TEST(Compact, LosesNoBit) {
  std::mt19937_64 rng(2);
  int without = 0;
  for (const uint64_t word : {0x1e001400200a0040u, 0x80001400e00a0040u, 0x1e281400200a005bu,
                              0x00110001e8003401u, 0x3f810000a0050061u}) {
    const Word128 full = *Expand(kGen, word);
    for (int bit = 0; bit < 128; ++bit) {
      Word128 changed = full;
      (bit < 64 ? changed.lo : changed.hi) ^= uint64_t{1} << (bit & 63);
      const std::optional<uint64_t> other = Compacted(changed);
      without += !other.has_value();
      if (!other) continue;
      EXPECT_NE(*other, word) << bit;
      EXPECT_EQ(*Expand(kGen, *other), changed) << bit;
    }
  }
  EXPECT_GT(without, 200);
}

Instruction AddOf(Type type, uint64_t imm) {
  Instruction inst;
  inst.op = Opcode::kAdd;
  inst.exec_size = 16;
  inst.dst.file = inst.src[0].file = File::kGrf;
  inst.dst.type = inst.src[0].type = type;
  inst.dst.nr = 10;
  inst.src[0].nr = 20;
  inst.dst.region.hstride = 1;
  inst.src[0].region = {8, 8, 1};
  inst.src[1].file = File::kImm;
  inst.src[1].type = type;
  inst.src[1].imm = imm;
  return inst;
}

bool IsCompactable(const Instruction& inst) {
  return Compacted(FromBytes(*Encode(kGen, inst))).has_value();
}

// An immediate has 12 bits: the upper ones of floats, the lower ones of integers, sign-extended if
// the type is signed.
TEST(Compact, ImmediatesByType) {
  EXPECT_TRUE(IsCompactable(AddOf(Type::kF, 0xbf800000)));
  EXPECT_TRUE(IsCompactable(AddOf(Type::kF, 0x3fa00000)));
  EXPECT_FALSE(IsCompactable(AddOf(Type::kF, 0x3fa80000)));
  EXPECT_FALSE(IsCompactable(AddOf(Type::kF, 1)));
  EXPECT_TRUE(IsCompactable(AddOf(Type::kUD, 0xfff)));
  EXPECT_FALSE(IsCompactable(AddOf(Type::kUD, 0x1000)));
  EXPECT_TRUE(IsCompactable(AddOf(Type::kD, 0x7ff)));
  EXPECT_FALSE(IsCompactable(AddOf(Type::kD, 0x800)));
  EXPECT_TRUE(IsCompactable(AddOf(Type::kD, 0xfffff800)));
  EXPECT_FALSE(IsCompactable(AddOf(Type::kD, 0xfffff7ff)));
  Instruction word = AddOf(Type::kD, 0);
  word.src[1].type = Type::kW;
  word.src[1].imm = 0xf800;
  EXPECT_TRUE(IsCompactable(word));
  word.src[1].imm = 0xf7ff;
  EXPECT_FALSE(IsCompactable(word));
}

}  // namespace
}  // namespace kiln::intel::isa
