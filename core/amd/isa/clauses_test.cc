#include "core/amd/isa/clauses.h"

#include <gtest/gtest.h>

namespace kiln::amd::isa {
namespace {

Instruction Of(Opcode op) {
  Instruction inst;
  inst.op = op;
  return inst;
}

Instruction Returning(Opcode op) {
  Instruction inst = Of(op);
  inst.glc = true;
  return inst;
}

TEST(Clauses, KindsOfInstructions) {
  const struct {
    Opcode op;
    ClauseKind kind;
  } kCases[] = {
      {Opcode::kSLoadDword, ClauseKind::kScalar},
      {Opcode::kSBufferLoadDwordx16, ClauseKind::kScalar},
      {Opcode::kSMemtime, ClauseKind::kNone},
      {Opcode::kSDcacheInv, ClauseKind::kNone},
      {Opcode::kBufferLoadDword, ClauseKind::kVectorLoad},
      {Opcode::kTbufferLoadFormatX, ClauseKind::kVectorLoad},
      {Opcode::kImageSample, ClauseKind::kVectorLoad},
      {Opcode::kImageLoad, ClauseKind::kVectorLoad},
      {Opcode::kGlobalLoadDword, ClauseKind::kVectorLoad},
      {Opcode::kGlobalLoadDwordAddtid, ClauseKind::kVectorLoad},
      {Opcode::kScratchLoadDword, ClauseKind::kVectorLoad},
      {Opcode::kBufferGl0Inv, ClauseKind::kNone},
      {Opcode::kBufferStoreDword, ClauseKind::kVectorStore},
      {Opcode::kImageStore, ClauseKind::kVectorStore},
      {Opcode::kGlobalStoreDword, ClauseKind::kVectorStore},
      {Opcode::kScratchStoreDword, ClauseKind::kVectorStore},
      {Opcode::kFlatLoadDword, ClauseKind::kFlat},
      {Opcode::kFlatStoreDword, ClauseKind::kFlat},
      {Opcode::kDsReadB32, ClauseKind::kLds},
      {Opcode::kDsWriteB32, ClauseKind::kLds},
      {Opcode::kVMovB32, ClauseKind::kNone},
      {Opcode::kSMovB32, ClauseKind::kNone},
      {Opcode::kSNop, ClauseKind::kNone},
      {Opcode::kSWaitcnt, ClauseKind::kNone},
      {Opcode::kSClause, ClauseKind::kNone},
      {Opcode::kSBranch, ClauseKind::kNone},
      {Opcode::kExp, ClauseKind::kNone},
  };
  for (const auto& c : kCases) EXPECT_EQ(ClauseKindOf(Of(c.op)), c.kind) << Info(c.op).mnemonic;
}

TEST(Clauses, AtomicsAreLoadsIfTheyReturn) {
  for (Opcode op : {Opcode::kBufferAtomicAdd, Opcode::kImageAtomicAdd, Opcode::kGlobalAtomicAdd}) {
    EXPECT_EQ(ClauseKindOf(Of(op)), ClauseKind::kVectorStore) << Info(op).mnemonic;
    EXPECT_EQ(ClauseKindOf(Returning(op)), ClauseKind::kVectorLoad) << Info(op).mnemonic;
  }
}

TEST(Clauses, LengthIsOneMoreThanTheImmediate) {
  Instruction clause = Of(Opcode::kSClause);
  clause.simm = 1;
  EXPECT_EQ(ClauseLength(clause), 2);
  clause.simm = 62;
  EXPECT_EQ(ClauseLength(clause), kMaxClauseLength);
}

Instruction With(Opcode op, int slot, int sgpr) {
  Instruction inst = Of(op);
  inst.src[static_cast<size_t>(slot)] = Sgpr(sgpr);
  return inst;
}

TEST(Clauses, DescriptorsDecideWhichAccessesAreNear) {
  const Instruction buffer = With(Opcode::kBufferLoadDword, 1, 8);
  EXPECT_TRUE(AccessNearby(buffer, With(Opcode::kBufferLoadDwordx4, 1, 8)));
  EXPECT_FALSE(AccessNearby(buffer, With(Opcode::kBufferLoadDword, 1, 12)));
  EXPECT_FALSE(AccessNearby(buffer, With(Opcode::kBufferStoreDword, 1, 8)));
  EXPECT_FALSE(AccessNearby(buffer, With(Opcode::kTbufferLoadFormatX, 1, 8)));
  EXPECT_FALSE(AccessNearby(buffer, With(Opcode::kImageLoad, 1, 8)));
  EXPECT_TRUE(AccessNearby(With(Opcode::kImageLoad, 1, 8), With(Opcode::kImageSample, 1, 8)));
  EXPECT_FALSE(AccessNearby(With(Opcode::kImageSample, 1, 8), With(Opcode::kImageSample, 1, 16)));
  const Instruction scalar = With(Opcode::kSBufferLoadDword, 0, 8);
  EXPECT_TRUE(AccessNearby(scalar, With(Opcode::kSBufferLoadDwordx2, 0, 8)));
  EXPECT_FALSE(AccessNearby(scalar, With(Opcode::kSBufferLoadDword, 0, 12)));
  EXPECT_FALSE(AccessNearby(scalar, With(Opcode::kSLoadDword, 0, 8)));
}

TEST(Clauses, AddressesMayAllBeNear) {
  EXPECT_TRUE(AccessNearby(With(Opcode::kSLoadDword, 0, 2), With(Opcode::kSLoadDwordx4, 0, 4)));
  EXPECT_TRUE(
      AccessNearby(With(Opcode::kGlobalLoadDword, 2, 2), With(Opcode::kGlobalLoadUbyte, 2, 4)));
  EXPECT_FALSE(AccessNearby(Of(Opcode::kGlobalLoadDword), Of(Opcode::kGlobalStoreDword)));
  EXPECT_FALSE(AccessNearby(Of(Opcode::kGlobalLoadDword), Of(Opcode::kScratchLoadDword)));
  EXPECT_FALSE(AccessNearby(Of(Opcode::kGlobalLoadDword), Of(Opcode::kGlobalAtomicAdd)));
  EXPECT_TRUE(AccessNearby(Of(Opcode::kGlobalLoadDword), Returning(Opcode::kGlobalAtomicAdd)));
}

}  // namespace
}  // namespace kiln::amd::isa
