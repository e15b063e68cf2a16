// Codes of modules: base64 and varints, right and wrong.
#include "client/capture/module_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;

std::string Payload(const std::string& fields, const std::string& binary = "") {
  return absl::StrCat(R"({"version":6,"shaderModules":{"00000000000000ab":{)", fields, "}}}",
                      std::string(1, '\0'), binary);
}

std::string ErrorOf(const std::string& payload) {
  const auto code = ModuleCode(payload, 0xab);
  return code.ok() ? "read" : std::string(code.status().message());
}

TEST(ModuleCode, ReadsVarints) {
  const std::string words = {'\x03', '\x04', '\x80', '\x01', '\xff',
                             '\xff', '\xff', '\xff', '\x0f'};
  const auto code =
      ModuleCode(Payload(R"("varintOffset":1,"varintSize":8,"codeSize":12)", words), 0xab);
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(*code, std::string({4, 0, 0, 0, '\x80', 0, 0, 0, '\xff', '\xff', '\xff', '\xff'}));
}

TEST(ModuleCode, ReadsBase64) {
  const auto code = ModuleCode(Payload(R"("codeSize":4,"code":"AwIjBw==")"), 0xab);
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(*code, "\x03\x02\x23\x07");
}

TEST(ModuleCode, NamesWhatIsWrong) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("not a JSON object"));
  EXPECT_THAT(ErrorOf(Payload(R"("codeSize":4)")), HasSubstr("no code"));
  EXPECT_THAT(ErrorOf(Payload(R"("codeSize":4,"code":"A*A=")")), HasSubstr("not base64"));
  EXPECT_THAT(ErrorOf(Payload(R"("codeSize":8,"code":"AwIjBw==")")), HasSubstr("length"));
  EXPECT_THAT(ErrorOf(Payload(R"("codeSize":3,"code":"AwIj")")), HasSubstr("number of words"));
  EXPECT_THAT(ErrorOf(Payload(R"("codeSize":-4)")), HasSubstr("\"codeSize\""));
  EXPECT_THAT(ErrorOf(Payload(R"("codeSize":4,"varintOffset":0,"varintSize":2)", "\x01")),
              HasSubstr("outside"));
  EXPECT_THAT(ErrorOf(Payload(R"("codeSize":4,"varintOffset":2,"varintSize":18446744073709551615)",
                              "\x01\x02\x03")),
              HasSubstr("outside"));
  EXPECT_THAT(ErrorOf(Payload(R"("codeSize":8,"varintOffset":0,"varintSize":1)", "\x01")),
              HasSubstr("cut short"));
  EXPECT_THAT(ErrorOf(Payload(R"("codeSize":4,"varintOffset":0,"varintSize":2)", "\x01\x02")),
              HasSubstr("bytes follow"));
}

TEST(DecodeVarints, AWordHas32Bits) {
  EXPECT_THAT(DecodeVarints("\xff\xff\xff\xff\x1f", 1).status().message(), HasSubstr("32 bits"));
  EXPECT_THAT(DecodeVarints("\xff\xff\xff\xff\xff\x01", 1).status().message(),
              HasSubstr("32 bits"));
  EXPECT_THAT(DecodeVarints("\xff", 1).status().message(), HasSubstr("cut short"));
}

TEST(DecodeVarints, TakesNoMemoryForWordsThatAreNotThere) {
  EXPECT_FALSE(DecodeVarints("\x01", uint64_t{1} << 62).ok());
}

}  // namespace
}  // namespace kiln::client
