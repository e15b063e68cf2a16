#include "core/lir/selection_builder.h"

#include <string>

#include "core/lir/print.h"
#include "core/lir/testing_scalar.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::lir {
namespace {

using testing::kSConstOp;
using testing::kSEndOp;
using testing::kSJumpOp;
using testing::ScalarTestMachine;

// Returns the text of the blocks, having verified the function.
std::string Blocks(const Function& f) {
  const absl::Status ok = Verify(ScalarTestMachine(), f);
  EXPECT_TRUE(ok.ok()) << ok;
  const std::string text = Print(ScalarTestMachine(), f);
  const size_t blocks = text.find("block b0");
  return blocks == std::string::npos ? text : text.substr(blocks);
}

class SelectionBuilderTest : public ::testing::Test {
 protected:
  SelectionBuilderTest() {
    f_.dispatch_width = 32;
    b_.Enter(b_.NewBlock());
  }

  // Emits a constant, by which the test knows the place of the code.
  void Constant(uint32_t bits) {
    Value v;
    v.file = testing::kFileS;
    const Operand def = ValueOperand(b_.NewValue(v), 0);
    b_.Emit(kSConstOp, {}, {def}, {ImmOperand(bits, 0)});
  }
  void End(uint16_t op) { b_.Emit(op, {}, {}, {}); }

  Function f_;
  SelectionBuilder b_{f_};
};

TEST_F(SelectionBuilderTest, BlocksAreInTheOrderInWhichTheyWereEntered) {
  End(kSJumpOp);
  const BlockId last = b_.NewBlock();
  const BlockId middle = b_.NewBlock();
  b_.AddEdge(b_.block(), middle);
  b_.Enter(middle);
  Constant(1);
  End(kSJumpOp);
  b_.AddEdge(middle, last);
  b_.Enter(last);
  Constant(2);
  End(kSEndOp);
  b_.Finish();
  EXPECT_EQ(Blocks(f_),
            "block b0 depth 0\n"
            "  s_jump\n"
            "  -> b1\n"
            "block b1 depth 0\n"
            "  %0:b32 = s_const #0x1:b32\n"
            "  s_jump\n"
            "  -> b2\n"
            "block b2 depth 0\n"
            "  %1:b32 = s_const #0x2:b32\n"
            "  s_end\n");
}

TEST_F(SelectionBuilderTest, ThePrologueIsInFrontInTheOrderOfItsInstructions) {
  Constant(1);
  {
    const SelectionBuilder::Prologue outer(b_);
    Constant(2);
    { const SelectionBuilder::Prologue inner(b_); }
    Constant(3);
  }
  Constant(4);
  End(kSEndOp);
  b_.Finish();
  EXPECT_EQ(Blocks(f_),
            "block b0 depth 0\n"
            "  %1:b32 = s_const #0x2:b32\n"
            "  %2:b32 = s_const #0x3:b32\n"
            "  %0:b32 = s_const #0x1:b32\n"
            "  %3:b32 = s_const #0x4:b32\n"
            "  s_end\n");
}

TEST_F(SelectionBuilderTest, AnIfHasTheEdgesOfItsHead) {
  const SelectionBuilder::IfBlocks both = b_.NewIf(true);
  EXPECT_EQ(both.other(), both.else_block);
  ASSERT_EQ(f_.blocks[0].succs.size(), 2);
  EXPECT_EQ(f_.blocks[0].succs[0].to, both.then_block);
  EXPECT_EQ(f_.blocks[0].succs[1].to, both.else_block);
  b_.Enter(both.then_block);
  const SelectionBuilder::IfBlocks one = b_.NewIf(false);
  EXPECT_FALSE(one.else_block.valid());
  EXPECT_EQ(one.other(), one.join);
  ASSERT_EQ(f_.block(both.then_block).succs.size(), 2);
  EXPECT_EQ(f_.block(both.then_block).succs[1].to, one.join);
}

TEST_F(SelectionBuilderTest, BlocksHaveTheDepthOfTheLoopsThatAreOpen) {
  const BlockId exit = b_.NewBlock();
  b_.BeginLoop();
  const BlockId header = b_.NewBlock();
  b_.Enter(header);
  b_.EnterTail();
  EXPECT_EQ(f_.block(exit).loop_depth, 0);
  EXPECT_EQ(f_.block(header).loop_depth, 1);
  EXPECT_EQ(f_.block(b_.block()).loop_depth, 1);
  EXPECT_TRUE(f_.block(header).succs.empty());
  ASSERT_EQ(f_.block(header).physical_succs.size(), 1);  // of the thread alone
  EXPECT_EQ(f_.block(header).physical_succs[0], b_.block());
  b_.EndLoop();
  EXPECT_EQ(f_.block(b_.NewBlock()).loop_depth, 0);
}

}  // namespace
}  // namespace kiln::lir
