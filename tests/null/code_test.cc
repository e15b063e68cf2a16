#include "tests/null/code.h"

#include "gtest/gtest.h"

namespace kiln::null {
namespace {

std::string Refusal(const std::vector<uint8_t>& code) {
  return std::string(Decode(code).status().message());
}

TEST(Code, IsDecodedAsEncoded) {
  const std::vector<Op> program = {Op::kIgnore, Op::kMark, Op::kEnd};
  EXPECT_EQ(*Decode(Encode(program)), program);
}

TEST(Code, OtherBytesAreNoProgram) {
  EXPECT_EQ(Refusal({}), "byte 0: no instruction");
  EXPECT_EQ(Refusal({1, 3, 0}), "byte 1: no instruction");
  EXPECT_EQ(Refusal({1, 2}), "byte 1: the end is not the last byte");
  EXPECT_EQ(Refusal({1, 0, 0}), "byte 1: the end is not the last byte");
}

}  // namespace
}  // namespace kiln::null
