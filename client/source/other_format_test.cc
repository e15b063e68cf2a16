// Files of other languages, by contents and by name.
#include "client/source/other_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::client {
namespace {

using testing::HasSubstr;

TEST(OtherFormat, ByName) {
  EXPECT_EQ(DescribeOtherFormat("a/blur.hlsl", "float4 main() {}"), "");
  EXPECT_THAT(DescribeOtherFormat("x.wgsl", "@compute"), HasSubstr("is WGSL"));
  EXPECT_THAT(DescribeOtherFormat("x.foz", "cut"), HasSubstr("is a Fossilize capture"));
  EXPECT_THAT(DescribeOtherFormat("x.spvasm", "OpCapability Shader"), HasSubstr("spirv-as"));
  EXPECT_EQ(DescribeOtherFormat("x.comp", "#version 450"), "");
  EXPECT_EQ(DescribeOtherFormat("hlsl", ""), "");
  EXPECT_EQ(DescribeOtherFormat("-", ""), "");
}

TEST(OtherFormat, ContentsSayItFirst) {
  EXPECT_THAT(DescribeOtherFormat("capture.comp",
                                  "\x81"
                                  "FOSSILIZEDB..."),
              HasSubstr("Fossilize"));
  EXPECT_THAT(DescribeOtherFormat("x.hlsl", "DXBC...."), HasSubstr("DirectX container"));
  EXPECT_THAT(DescribeOtherFormat("x.comp",
                                  "\x7f"
                                  "ELF..."),
              HasSubstr("`kiln disasm`"));
  EXPECT_THAT(DescribeOtherFormat("stdin", "; SPIR-V\n; Version: 1.6"), HasSubstr("spirv-as"));
}

}  // namespace
}  // namespace kiln::client
