#include "core/amd/isa/decode.h"

#include <gtest/gtest.h>

#include <random>

#include "core/amd/isa/encode.h"
#include "core/amd/isa/examples.h"

namespace kiln::amd::isa {
namespace {

TEST(Decode, BitsThatNoFieldHasAreRefused) {
  struct Bad {
    const char* what;
    std::vector<uint8_t> bytes;
  };
  const Bad bads[] = {
      {"no format", {0x00, 0x00, 0x00, 0xfc}},
      {"no opcode", {0x00, 0x00, 0x00, 0x86}},
      {"the reserved segment of FLAT", {0x00, 0xc0, 0x30, 0xdc, 0x02, 0x00, 0x7d, 0x01}},
      {"a destination of s_setpc_b64", {0x04, 0x20, 0x81, 0xbe}},
      {"a reserved source", {0xd2, 0x03, 0x80, 0xbe}},
      {"bits of VOP3 that v_fma_f32 lacks", {0x00, 0x08, 0x4b, 0xd5, 0x00, 0x00, 0x00, 0x00}},
      {"v_cmpx with another destination than exec",
       {0x00, 0x00, 0x11, 0xd4, 0x00, 0x01, 0x02, 0x00}},
      {"SDWA of an opcode without", {0xf9, 0x02, 0x00, 0x7e + 0x00, 0x00, 0x06, 0x06, 0x40}},
      {"a selection of eight", {0xf9, 0x02, 0x02, 0x7e, 0x01, 0x07, 0x06, 0x00}},
      {"scratch with no address in FLAT", {0x00, 0x00, 0x30, 0xdc, 0x02, 0x00, 0x7f, 0x01}},
      {"an empty program's half", {0x00, 0x00}},
      {"a missing literal", {0xff, 0x02, 0x00, 0x7e}},
  };
  for (const Bad& bad : bads) EXPECT_FALSE(Decode(bad.bytes).ok()) << bad.what;
}

TEST(Decode, CutInstructionsAreRefused) {
  for (const Example& example : Examples()) {
    for (size_t n = 0; n < example.bytes.size(); n += 4) {
      const auto decoded = Decode(absl::MakeConstSpan(example.bytes.data(), n));
      EXPECT_FALSE(decoded.ok()) << example.text << " cut to " << n;
    }
  }
}

TEST(Decode, AnErrorOfAProgramNamesTheByte) {
  const std::vector<uint8_t> bytes = {0x00, 0x00, 0x80, 0xbf, 0x00, 0x00, 0x00, 0xfc};
  const auto program = DecodeProgram(bytes);
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.status().message().substr(0, 7), "byte 4:");
}

TEST(Decode, RandomDwordsThatDecodeEncodeToThemselves) {
  std::mt19937 rng(1030);
  int good = 0;
  for (int n = 0; n < 400000; ++n) {
    std::vector<uint8_t> bytes(20);
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(rng());
    const auto decoded = Decode(bytes);
    if (!decoded.ok()) continue;
    ++good;
    bytes.resize(static_cast<size_t>(decoded->length));
    const auto again = EncodeProgram({decoded->inst});
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(*again, bytes) << Info(decoded->inst.op).mnemonic;
  }
  EXPECT_GT(good, 10000);
}

}  // namespace
}  // namespace kiln::amd::isa
