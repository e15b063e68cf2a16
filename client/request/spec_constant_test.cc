// Specialisation constants: every type, ranges, refused values.
#include "client/request/spec_constant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::client {
namespace {

using kiln::v1::SpecConstant;
using testing::HasSubstr;

SpecConstant Parse(absl::string_view text) {
  auto c = ParseSpecConstant(text);
  EXPECT_TRUE(c.ok()) << c.status();
  return c.ok() ? *c : SpecConstant();
}

std::string ErrorOf(absl::string_view text) {
  auto c = ParseSpecConstant(text);
  return c.ok() ? "no error" : std::string(c.status().message());
}

TEST(SpecConstant, EveryType) {
  EXPECT_EQ(Parse("3=bool:true").bool_value(), true);
  EXPECT_EQ(Parse("3=bool:0").value_case(), SpecConstant::kBoolValue);
  EXPECT_EQ(Parse("4=int:-7").int_value(), -7);
  EXPECT_EQ(Parse("4=int:-2147483648").int_value(), INT32_MIN);
  EXPECT_EQ(Parse("4=int:0xffffffff").int_value(), -1);
  EXPECT_EQ(Parse("4=uint:4294967295").uint_value(), UINT32_MAX);
  EXPECT_EQ(Parse("4=int64:-9223372036854775808").int64_value(), INT64_MIN);
  EXPECT_EQ(Parse("4=uint64:0xffffffffffffffff").uint64_value(), UINT64_MAX);
  EXPECT_EQ(Parse("5=float:1.5").float_value(), 1.5f);
  EXPECT_EQ(Parse("5=double:-2e300").double_value(), -2e300);
  EXPECT_EQ(Parse("5=bits:0x3c00").bits(), 0x3c00u);
  EXPECT_EQ(Parse("5=bits:0x3c00").id(), 5u);
}

TEST(SpecConstant, WithoutType) {
  EXPECT_EQ(Parse("1=8").int_value(), 8);
  EXPECT_EQ(Parse("1=true").bool_value(), true);
  EXPECT_EQ(Parse("1=0.25").float_value(), 0.25f);
  // A whole number beyond int is a uint before it is a float.
  EXPECT_EQ(Parse("1=-2147483648").int_value(), INT32_MIN);
  EXPECT_EQ(Parse("1=2147483648").uint_value(), 0x80000000u);
  EXPECT_EQ(Parse("1=0x7fffffff").int_value(), INT32_MAX);
  EXPECT_EQ(Parse("1=0xffffffff").uint_value(), UINT32_MAX);
  EXPECT_EQ(Parse("1=4294967296").float_value(), 0x1p32f);
}

TEST(SpecConstant, Refused) {
  EXPECT_THAT(ErrorOf("3"), HasSubstr("there is no '='"));
  EXPECT_THAT(ErrorOf("x=int:1"), HasSubstr("the id is not a whole number"));
  EXPECT_THAT(ErrorOf("-1=int:1"), HasSubstr("the id is not a whole number"));
  EXPECT_THAT(ErrorOf("1=uint:-1"), HasSubstr("'-1' is not of type uint"));
  EXPECT_THAT(ErrorOf("1=int:2147483648"), HasSubstr("is not of type int"));
  EXPECT_THAT(ErrorOf("1=uint:4294967296"), HasSubstr("is not of type uint"));
  EXPECT_THAT(ErrorOf("1=float:abc"), HasSubstr("is not of type float"));
  EXPECT_THAT(ErrorOf("1=half:1"), HasSubstr("there is no type 'half'"));
  EXPECT_THAT(ErrorOf("1="), HasSubstr("is not a value"));
  EXPECT_THAT(ErrorOf("1=int:"), HasSubstr("ID=TYPE:VALUE"));
}

TEST(SpecConstant, TextsReadBackAsTheSame) {
  for (const char* text : {"1=bool:true", "2=bool:false", "3=int:-5", "4=uint:4294967295",
                           "5=int64:-9223372036854775808", "6=uint64:18446744073709551615",
                           "7=float:0.1", "8=float:inf", "9=double:1e-300", "10=bits:0xff"}) {
    EXPECT_EQ(SpecConstantText(Parse(text)), text);
  }
  EXPECT_EQ(SpecConstantText(Parse("1=0x10")), "1=int:16");
}

TEST(SpecConstant, DuplicateIds) {
  EXPECT_TRUE(ParseSpecConstants({"1=2", "2=2"}).ok());
  auto c = ParseSpecConstants({"1=2", "1=3"});
  ASSERT_FALSE(c.ok());
  EXPECT_THAT(std::string(c.status().message()),
              HasSubstr("--spec=1=3: constant 1 is given twice"));
}

}  // namespace
}  // namespace kiln::client
