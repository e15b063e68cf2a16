// Tests the decisions of access.h.
#include "core/intel/select/access.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "core/intel/abi/abi.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

const Operand kSomewhere = Use(lir::ValueId(1), Type::kUD);

Location At(Operand offset, uint32_t alignment) {
  Location location;
  location.surface.bti = 3;
  location.offset = offset;
  location.alignment = alignment;
  return location;
}

// Returns "byte+bytes" of each message of a store.
std::string Cut(uint32_t bytes, uint32_t element, uint32_t alignment) {
  std::string text;
  for (const Piece& p : PlanStore(At(kSomewhere, alignment), bytes, element, 16)) {
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

TEST(Access, MessagesOfStores) {
  const isa::MessageFields dwords = PlanStore(At(kSomewhere, 4), 8, 4, 8)[0].message;
  EXPECT_EQ(dwords.message, isa::Message::kUntypedWrite);
  EXPECT_EQ(dwords.channels, 3);
  EXPECT_EQ(dwords.bti, 3);
  EXPECT_EQ(dwords.lanes, 8);
  const isa::MessageFields word = PlanStore(At(kSomewhere, 4), 2, 2, 32)[0].message;
  EXPECT_EQ(word.message, isa::Message::kByteScatteredWrite);
  EXPECT_EQ(word.element_bytes, 2);
  EXPECT_EQ(word.lanes, 16);
  Location address = At(kSomewhere, 4);
  address.high = kSomewhere;
  EXPECT_EQ(PlanStore(address, 4, 4, 8)[0].message.message, isa::Message::kA64UntypedWrite);
  EXPECT_EQ(PlanStore(address, 4, 4, 8)[0].message.bti, isa::kBtiStatelessNonCoherent);
}

// A compute program of 16 lanes with the load in question last.
class Load {
 public:
  explicit Load(const std::string& body)
      : m_(*mir::Parse("mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nshared 256\n"
                       "resource 0 ssbo 0.0.0\nresource 1 ubo 0.1.0\nbody {\n" +
                       body + "return\n}\n")) {
    width_.width = 16;
  }
  LoadPlan Plan(const Location& location) {
    Emission e(m_, abi_, width_);
    const std::vector<mir::InstId>& insts = m_.region(m_.body).insts;
    return PlanLoad(e, insts[insts.size() - 2], location);
  }

 private:
  mir::Module m_;
  Abi abi_;
  WidthAbi width_;
};

TEST(Access, LoadsByLanes) {
  Load load("%0:i32 = subgroup_invocation\n%1:i32, %2:i32 = load_ssbo[0, align 4] %0\n");
  const LoadPlan plan = load.Plan(At(kSomewhere, 4));
  EXPECT_FALSE(plan.block || plan.uniform);
  EXPECT_EQ(plan.element, 4u);
  EXPECT_EQ(plan.op, kMsgRead);
  ASSERT_EQ(plan.pieces.size(), 1u);
  EXPECT_EQ(plan.pieces[0].message.message, isa::Message::kUntypedRead);
  EXPECT_EQ(plan.pieces[0].message.lanes, 16);
}

// Atomic loads of one location keep their order, those of constant memory have none.
TEST(Access, OperationsOfReadsByLanes) {
  const auto op = [](const std::string& load) {
    return Load("%0:i32 = subgroup_invocation\n%1:i32 = " + load + " %0\n")
        .Plan(At(kSomewhere, 4))
        .op;
  };
  EXPECT_EQ(op("load_ubo[1, align 4]"), kSend);
  EXPECT_EQ(op("load_ssbo.volatile[0, align 4]"), kMsgVolatileRead);
  EXPECT_EQ(op("ssbo_atomic[0, load]"), kMsgOrderedRead);
  EXPECT_EQ(op("load_shared[align 4]"), kMsgRead);
}

constexpr char kUniformLoad[] = "%0:i32 = load_ubo[1, align 4] 0\n";

TEST(Access, BlocksAreUniformAndAligned) {
  Load load(kUniformLoad);
  const LoadPlan block = load.Plan(At(kSomewhere, 4));
  ASSERT_TRUE(block.block);
  EXPECT_EQ(block.op, kSend);
  EXPECT_EQ(block.block->message.message, isa::Message::kConstBlockReadUnaligned);
  EXPECT_FALSE(block.block->in_owords);
  const LoadPlan lanes = load.Plan(At(kSomewhere, 2));
  EXPECT_FALSE(lanes.block);
  EXPECT_TRUE(lanes.uniform);
  EXPECT_EQ(lanes.pieces[0].message.lanes, 8);
  EXPECT_TRUE(load.Plan(At(Imm(6, Type::kUD), 2)).block);
  Location address = At(kSomewhere, 4);
  address.high = kSomewhere;
  EXPECT_FALSE(load.Plan(address).block);
}

// They begin at 16 bytes: a known offset is rounded down, and the bytes in front count.
TEST(Access, BlocksOfSharedMemory) {
  Load load(kUniformLoad);
  Location location = At(kSomewhere, 4);
  location.surface.bti = kSharedMemorySurface;
  location.constant_cache = false;
  EXPECT_FALSE(load.Plan(location).block);
  location.alignment = 16;
  EXPECT_TRUE(load.Plan(location).block);
  location.offset = Imm(60, Type::kUD);
  const LoadPlan plan = load.Plan(location);
  ASSERT_TRUE(plan.block);
  EXPECT_EQ(plan.skip, 12u);
  EXPECT_EQ(plan.block->start.id, 48u);
  EXPECT_TRUE(plan.block->in_owords);
  EXPECT_EQ(plan.block->message.message, isa::Message::kBlockRead);
}

TEST(Access, BlocksHaveAtMost128Bytes) {
  std::string results = "%0:i32";
  for (int i = 1; i < 32; ++i) results += ", %" + std::to_string(i) + ":i32";
  EXPECT_TRUE(Load(results + " = load_ubo[1, align 4] 0\n").Plan(At(kSomewhere, 4)).block);
  results += ", %32:i32";
  EXPECT_FALSE(Load(results + " = load_ubo[1, align 4] 0\n").Plan(At(kSomewhere, 4)).block);
}

TEST(Access, SizesOfBlocks) {
  const Location location = At(kSomewhere, 4);
  EXPECT_EQ(BlockAt(location, kSomewhere, 4).message.owords, 2);
  EXPECT_EQ(BlockAt(location, kSomewhere, 33).message.owords, 4);
  EXPECT_EQ(BlockAt(location, kSomewhere, 65).message.owords, 8);
}

}  // namespace
}  // namespace kiln::intel
