// Tests the decisions of access.h.
#include "core/intel/select/access.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

Location At(Operand offset, uint32_t alignment) {
  Location location;
  location.surface.bti = 3;
  location.offset = offset;
  location.alignment = alignment;
  return location;
}

const Operand kSomewhere = Use(lir::ValueId(1), Type::kUD);

// Returns "byte+bytes" of each piece.
std::string Cut(uint32_t bytes, uint32_t element, uint32_t alignment) {
  std::string text;
  for (const Piece& p : PiecesOf(At(kSomewhere, alignment), bytes, element, Direction::kRead, 16)) {
    text += " " + std::to_string(p.byte) + "+" + std::to_string(p.bytes);
  }
  return text;
}

TEST(Access, PiecesAreAsLongAsTheirAlignmentAllows) {
  EXPECT_EQ(Cut(12, 4, 4), " 0+12");
  EXPECT_EQ(Cut(20, 4, 4), " 0+16 16+4");
  EXPECT_EQ(Cut(6, 2, 4), " 0+4 4+2");
  EXPECT_EQ(Cut(6, 2, 2), " 0+2 2+2 4+2");
  EXPECT_EQ(Cut(5, 1, 16), " 0+4 4+1");
}

TEST(Access, MessagesOfPieces) {
  Location location = At(kSomewhere, 4);
  const auto message = [&](uint32_t bytes, Direction direction, int width) {
    return PiecesOf(location, bytes, std::min(bytes, 4u), direction, width)[0].message;
  };
  EXPECT_EQ(message(8, Direction::kRead, 8).message, isa::Message::kUntypedRead);
  EXPECT_EQ(message(8, Direction::kRead, 8).channels, 3);
  EXPECT_EQ(message(8, Direction::kRead, 8).bti, 3);
  EXPECT_EQ(message(4, Direction::kWrite, 32).lanes, 16);
  EXPECT_EQ(message(2, Direction::kWrite, 8).message, isa::Message::kByteScatteredWrite);
  EXPECT_EQ(message(2, Direction::kWrite, 8).element_bytes, 2);
  location.uniform = true;
  EXPECT_EQ(message(4, Direction::kRead, 32).lanes, 8);
  location.high = kSomewhere;
  EXPECT_EQ(message(4, Direction::kRead, 32).message, isa::Message::kA64UntypedRead);
  EXPECT_EQ(message(4, Direction::kRead, 32).bti, isa::kBtiStatelessNonCoherent);
  EXPECT_EQ(message(1, Direction::kRead, 32).message, isa::Message::kA64ScatteredRead);
}

mir::Module Parsed(const std::string& body) {
  absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nshared 256\n"
      "resource 0 ssbo 0.0.0\nresource 1 ubo 0.1.0\nbody {\n" +
      body + "return\n}\n");
  EXPECT_TRUE(m.ok()) << m.status();
  return *std::move(m);
}

TEST(Access, AlignmentIsDeclaredOrSeen) {
  const mir::Module m = Parsed(
      "%0:i32 = subgroup_invocation\n"
      "%1:i32 = shl %0, 3\n"
      "%2:i32 = load_ssbo[0, align 2] %0\n"
      "%3:i32 = load_ssbo[0, align 4] %1\n"
      "%4:i32 = load_ssbo[0, align 4] 36\n"
      "%5:i32 = load_ssbo[0, align 4] 64\n"
      "%6:i32 = ssbo_atomic[0, add] %1, %0\n");
  const std::vector<mir::InstId>& insts = m.region(m.body).insts;
  std::vector<uint32_t> alignments;
  for (size_t i = 2; i < 7; ++i) alignments.push_back(AlignmentOf(m, insts[i]));
  EXPECT_EQ(alignments, (std::vector<uint32_t>{2, 8, 4, 16, 4}));
}

// Atomic loads of one location keep their order, those of constant memory have none.
TEST(Access, OperationsOfReadsByLanes) {
  const mir::Module m = Parsed(
      "%0:i32 = load_ubo[1, align 4] 0\n"
      "%1:i32 = load_ssbo[0, align 4] 0\n"
      "%2:i32 = load_ssbo.volatile[0, align 4] 0\n"
      "%3:i32 = ssbo_atomic[0, load] 0\n"
      "%4:i32 = load_shared[align 4] 0\n");
  std::vector<uint16_t> ops;
  for (size_t i = 0; i < 5; ++i) ops.push_back(LaneReadOp(m, m.region(m.body).insts[i]));
  EXPECT_EQ(ops,
            (std::vector<uint16_t>{kSend, kMsgRead, kMsgVolatileRead, kMsgOrderedRead, kMsgRead}));
}

TEST(Access, BlocksAreUniformAlignedAndShort) {
  Location location = At(kSomewhere, 4);
  EXPECT_FALSE(IsBlock(location, 4));
  location.uniform = true;
  EXPECT_TRUE(IsBlock(location, 128));
  EXPECT_FALSE(IsBlock(location, 132));
  location.alignment = 2;
  EXPECT_FALSE(IsBlock(location, 4));
  location.offset = Imm(6, Type::kUD);
  EXPECT_TRUE(IsBlock(location, 4));
  location.high = kSomewhere;
  EXPECT_FALSE(IsBlock(location, 4));
}

// They begin at 16 bytes: a known offset is rounded down, and the bytes before it count.
TEST(Access, BlocksOfSharedMemory) {
  Location location = At(kSomewhere, 4);
  location.uniform = true;
  location.constant_cache = false;
  location.surface.bti = kSharedMemorySurface;
  EXPECT_FALSE(IsBlock(location, 4));
  location.alignment = 16;
  EXPECT_TRUE(IsBlock(location, 128));
  location.offset = Imm(28, Type::kUD);
  EXPECT_EQ(SkippedBytes(location), 12u);
  EXPECT_TRUE(IsBlock(location, 116));
  EXPECT_FALSE(IsBlock(location, 120));
  EXPECT_EQ(BlockMessage(location, 4).message, isa::Message::kBlockRead);
}

TEST(Access, MessagesOfBlocks) {
  Location location = At(kSomewhere, 4);
  EXPECT_EQ(BlockMessage(location, 4).message, isa::Message::kConstBlockReadUnaligned);
  EXPECT_EQ(BlockMessage(location, 4).owords, 2);
  EXPECT_EQ(BlockMessage(location, 33).owords, 4);
  EXPECT_EQ(BlockMessage(location, 65).owords, 8);
  location.constant_cache = false;
  EXPECT_EQ(BlockMessage(location, 4).message, isa::Message::kBlockReadUnaligned);
}

}  // namespace
}  // namespace kiln::intel
