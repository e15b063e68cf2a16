// Flips single bits of well-formed instructions of gfx1030; decoder and verifier must judge the
// result as llvm-mc does.
//
// llvm-mc finds a mutant good if it disassembles it without complaint and assembles its own text to
// the same bytes (its disassembler alone lets many illegal operands and unused bits pass). We find
// it good if it decodes to its whole length and breaks no rule. A mutant that only llvm-mc accepts
// counts if our decoder refuses it: the verifier has rules beyond LLVM's. Known differences are
// told by kind, each with its reason.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/isa/encode.h"
#include "core/amd/isa/fields.h"
#include "core/amd/isa/verify.h"
#include "tests/isa/amd_generator.h"
#include "tests/isa/amd_text.h"
#include "tests/isa/llvm.h"

namespace kiln::tests {
namespace {

using namespace amd::isa;  // NOLINT: the vocabulary of this file

constexpr Form kForms[] = {Form::kPlain, Form::kVop3, Form::kDpp16, Form::kDpp8, Form::kSdwa};
constexpr int kFlipsOfEach = 4;  // of each opcode and form
constexpr double kAtMost = 0.01;

struct Mutant {
  std::vector<uint8_t> bytes;
  std::string was;
  bool decodes = false;
  std::string error;   // of the decoder
  std::string broken;  // a rule
  std::string text;    // ours
  Instruction inst;
};

std::vector<Mutant> MakeMutants(Wave wave) {
  std::vector<Mutant> mutants;
  AmdGenerator generator(wave == Wave::k64 ? 64 : 32, wave);
  for (int op = 0; op < kOpcodeCount; ++op) {
    for (Form form : kForms) {
      if (!HasForm(Info(op), form)) continue;
      for (int n = 0; n < kFlipsOfEach; ++n) {
        const Instruction inst = generator.Make(Info(op).op, form);
        const auto bytes = EncodeProgram({inst});
        if (!bytes.ok()) continue;
        Mutant m;
        m.was = Disassemble(inst, wave);
        m.bytes = *bytes;
        const size_t bit = generator.rng()() % (8 * m.bytes.size());
        m.bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
        mutants.push_back(std::move(m));
      }
    }
  }
  return mutants;
}

void JudgeOurselves(Mutant& m, Wave wave) {
  const auto decoded = Decode(m.bytes);
  if (!decoded.ok()) {
    m.error = std::string(decoded.status().message());
    return;
  }
  m.decodes = static_cast<size_t>(decoded->length) == m.bytes.size();
  m.inst = decoded->inst;
  if (!m.decodes) m.error = "another length";
  m.text = Disassemble(decoded->inst, wave);
  const auto broken = BrokenBy(decoded->inst, wave);
  if (!broken.empty()) m.broken = std::string(broken[0]->name);
}

class AmdFlipBits : public ::testing::TestWithParam<Wave> {};

TEST_P(AmdFlipBits, VerdictsAgree) {
  if (!HaveLlvmMc()) GTEST_SKIP() << kNoLlvmMc;
  const Wave wave = GetParam();
  const bool wave64 = wave == Wave::k64;
  std::vector<Mutant> mutants;
  std::vector<std::vector<uint8_t>> bytes;
  for (Mutant& m : MakeMutants(wave)) {
    JudgeOurselves(m, wave);
    // The reserved selection 7 of SDWA crashes llvm-mc.
    if (absl::StrContains(m.error, "_sel: reserved value 7")) continue;
    bytes.push_back(m.bytes);
    mutants.push_back(std::move(m));
  }
  const std::vector<Judged> read = LlvmDisassemble(bytes, wave64);
  std::vector<std::string> lines;
  for (const Judged& j : read) lines.push_back(j.error.empty() ? j.text : "s_nop 0");
  const std::vector<Judged> again = LlvmAssemble(lines, wave64);
  int both = 0, neither = 0, ours = 0, theirs = 0, stricter = 0, textless = 0;
  std::map<std::string, int> reported, stricter_rules;
  for (size_t i = 0; i < mutants.size(); ++i) {
    const Mutant& m = mutants[i];
    const bool they = read[i].error.empty() && !absl::StrContains(read[i].text, "/*") &&
                      again[i].bytes == m.bytes;
    const bool we = m.decodes && m.broken.empty();
    both += we && they;
    neither += !we && !they;
    if (we == they) continue;
    if (they && m.decodes) {
      ++stricter;  // the verifier knows more
      if (stricter_rules[m.broken]++ == 0) {
        std::printf("%s: %s\n", m.broken.c_str(), m.text.c_str());
      }
      continue;
    }
    if (we && !WithoutText(m.inst).empty()) {
      ++textless;
      continue;
    }
    (we ? ours : theirs) += 1;
    const std::string kind =
        we ? "ours: " + std::string(Info(m.inst.op).mnemonic) : "theirs: " + m.error;
    if (reported[kind]++ >= 2) continue;
    std::printf("only %s: %s (was %s); llvm-mc: %s %s\n", we ? "we accept" : "llvm-mc accepts",
                we ? m.text.c_str() : m.error.c_str(), m.was.c_str(), read[i].text.c_str(),
                read[i].error.empty() ? again[i].error.c_str() : read[i].error.c_str());
  }
  std::printf(
      "%zu mutants: both accept %d, both refuse %d, only we %d, only llvm-mc %d; the "
      "verifier refuses more %d, without text %d\n",
      mutants.size(), both, neither, ours, theirs, stricter, textless);
  for (const auto& [rule, n] : stricter_rules) std::printf("%5d %s\n", n, rule.c_str());
  EXPECT_LE(ours, kAtMost * neither);
  EXPECT_LE(theirs, kAtMost * both);
}

INSTANTIATE_TEST_SUITE_P(Waves, AmdFlipBits, ::testing::Values(Wave::k32, Wave::k64),
                         [](const auto& info) {
                           return info.param == Wave::k64 ? "Wave64" : "Wave32";
                         });

}  // namespace
}  // namespace kiln::tests
