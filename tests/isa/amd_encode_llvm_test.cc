// Every opcode, form, operand kind and modifier of gfx1030 against llvm-mc, in both wave sizes.
//
// For each instruction: llvm-mc assembles our text to the bytes that our encoder gives; it
// disassembles these bytes and assembles its own text of them to the same bytes; and our decoder
// gives the instruction back. An error common to our text and encoder is missed only if LLVM
// shares it.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/amd/isa/decode.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/isa/encode.h"
#include "tests/isa/amd_generator.h"
#include "tests/isa/amd_text.h"
#include "tests/isa/llvm.h"

namespace kiln::amd::isa {
namespace {

using tests::AmdGenerator;
using tests::Judged;

constexpr Form kForms[] = {Form::kPlain, Form::kVop3, Form::kDpp16, Form::kDpp8, Form::kSdwa};
constexpr int kEach = 12;    // instructions of each opcode and form in each wave size
constexpr int kImages = 60;  // of image opcodes, which have more to vary
constexpr int kReported = 100;

std::vector<uint8_t> BytesOf(const Encoded& encoded) {
  std::vector<uint8_t> bytes;
  for (uint32_t dword : encoded.dwords()) {
    for (int b = 0; b < 4; ++b) bytes.push_back(static_cast<uint8_t>(dword >> (8 * b)));
  }
  return bytes;
}

std::string Hex(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (uint8_t b : bytes) {
    char two[4];
    std::snprintf(two, sizeof(two), "%02x", b);
    text += two;
  }
  return text;
}

struct Case {
  Instruction inst;
  std::string text;
  std::vector<uint8_t> bytes;
};

std::vector<Case> MakeCases(Wave wave) {
  std::vector<Case> cases;
  AmdGenerator generator(wave == Wave::k64 ? 2030 : 1030, wave);
  for (int op = 0; op < kOpcodeCount; ++op) {
    const OpcodeInfo& info = Info(op);
    for (Form form : kForms) {
      if (!HasForm(info, form)) continue;
      for (int i = 0; i < (info.encoding == Encoding::kMimg ? kImages : kEach); ++i) {
        Case c;
        c.inst = generator.Make(info.op, form);
        c.text = Disassemble(c.inst, wave);
        const auto encoded = Encode(c.inst);
        if (!encoded.ok()) {
          ADD_FAILURE() << c.text << ": " << encoded.status().message();
          continue;
        }
        c.bytes = BytesOf(*encoded);
        const auto decoded = Decode(c.bytes);
        if (!decoded.ok()) {
          ADD_FAILURE() << c.text << ": " << decoded.status().message();
          continue;
        }
        EXPECT_TRUE(decoded->inst == c.inst)
            << c.text << " became " << Disassemble(decoded->inst, wave);
        EXPECT_EQ(static_cast<size_t>(decoded->length), c.bytes.size());
        if (tests::WithoutText(c.inst).empty()) cases.push_back(std::move(c));
      }
    }
  }
  return cases;
}

class AmdEncodeLlvm : public ::testing::TestWithParam<Wave> {};

TEST_P(AmdEncodeLlvm, TextAndBytesAgree) {
  if (!tests::HaveLlvmMc()) GTEST_SKIP() << tests::kNoLlvmMc;
  const bool wave64 = GetParam() == Wave::k64;
  const std::vector<Case> cases = MakeCases(GetParam());
  std::vector<std::string> lines;
  std::vector<std::vector<uint8_t>> bytes;
  for (const Case& c : cases) {
    lines.push_back(c.text);
    bytes.push_back(c.bytes);
  }
  const std::vector<Judged> there = tests::LlvmAssemble(lines, wave64);
  const std::vector<Judged> back = tests::LlvmDisassemble(bytes, wave64);
  std::vector<int> judged(kOpcodeCount);
  for (const Case& c : cases) ++judged[static_cast<size_t>(c.inst.op)];
  for (int op = 0; op < kOpcodeCount; ++op) EXPECT_GT(judged[op], 0) << Info(op).mnemonic;
  std::map<std::string, int> opcodes_wrong;
  int reported = 0, wrong = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    std::string fault;
    if (!there[i].error.empty()) {
      fault = "refused: " + there[i].error;
    } else if (there[i].bytes != cases[i].bytes) {
      fault = "llvm-mc assembles " + Hex(there[i].bytes);
    } else if (!back[i].error.empty()) {
      fault = "not disassembled: " + back[i].error;
    } else if (back[i].bytes != cases[i].bytes) {
      fault = "read as " + back[i].text + " = " + Hex(back[i].bytes);
    }
    if (fault.empty()) continue;
    ++wrong;
    const std::string name(Info(cases[i].inst.op).mnemonic);
    if (opcodes_wrong[name]++ > 0 || reported++ > kReported) continue;
    std::printf("%s = %s: %s\n", cases[i].text.c_str(), Hex(cases[i].bytes).c_str(), fault.c_str());
  }
  EXPECT_EQ(wrong, 0) << "of " << cases.size() << " instructions, " << opcodes_wrong.size()
                      << " opcodes";
  std::printf("%zu instructions of %d opcodes judged both ways\n", cases.size(), kOpcodeCount);
}

INSTANTIATE_TEST_SUITE_P(Waves, AmdEncodeLlvm, ::testing::Values(Wave::k32, Wave::k64),
                         [](const auto& info) {
                           return info.param == Wave::k64 ? "Wave64" : "Wave32";
                         });

}  // namespace
}  // namespace kiln::amd::isa
