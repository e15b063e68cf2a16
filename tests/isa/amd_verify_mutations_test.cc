// Counts the mutants of well-formed instructions of gfx1030 that encoder and verifier catch, by
// kind; at least 99 in 100 of each, and no well-formed instruction has a finding.
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "core/amd/isa/decode.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/isa/encode.h"
#include "core/amd/isa/operands.h"
#include "core/amd/isa/verify.h"
#include "tests/isa/amd_generator.h"
#include "tests/isa/amd_mutations.h"

namespace kiln::tests {
namespace {

using namespace amd::isa;  // NOLINT: the vocabulary of this file

constexpr Form kForms[] = {Form::kPlain, Form::kVop3, Form::kDpp16, Form::kDpp8, Form::kSdwa};
constexpr int kMutants = 400;  // of a kind
constexpr int kTries = 400000;
constexpr double kAtLeast = 0.99;

// Instructions that wait, send, delay or branch have arbitrary immediates in the generator.
bool HasFreeImmediate(const Instruction& inst) {
  const Encoding e = Info(inst.op).encoding;
  return e == Encoding::kSopp || e == Encoding::kSopk;
}

std::vector<Instruction> GoodInstructions(Wave wave) {
  std::vector<Instruction> good;
  AmdGenerator generator(7, wave);
  for (int op = 0; op < kOpcodeCount; ++op) {
    for (Form form : kForms) {
      if (!HasForm(Info(op), form)) continue;
      for (int n = 0; n < (Info(op).op == Opcode::kExp ? 60 : 12); ++n) {
        good.push_back(generator.Make(Info(op).op, form));
        if (HasDlcOfStores(good.back())) good.back().dlc = false;
      }
    }
  }
  return good;
}

class AmdVerifyMutations : public ::testing::TestWithParam<Wave> {};

TEST_P(AmdVerifyMutations, GoodInstructionsHaveNoFindings) {
  int count = 0;
  for (const Instruction& inst : GoodInstructions(GetParam())) {
    if (HasFreeImmediate(inst)) continue;
    ++count;
    const auto broken = BrokenBy(inst, GetParam());
    for (const Rule* rule : broken) {
      // The generator does not keep masks apart from the scalars beside them.
      if (rule->name == "lane masks in wave64") continue;
      ADD_FAILURE() << rule->name << ": " << Disassemble(inst, GetParam());
    }
  }
  std::printf("%d well-formed instructions\n", count);
}

TEST_P(AmdVerifyMutations, MutantsAreCaught) {
  const Wave wave = GetParam();
  const std::vector<Instruction> good = GoodInstructions(wave);
  std::mt19937 rng(11);
  int all = 0, all_missed = 0;
  for (const AmdMutation& mutation : AmdMutations()) {
    int mutants = 0, encoder = 0, verifier = 0, missed = 0;
    for (int n = 0; n < kTries && mutants < kMutants; ++n) {
      Instruction inst = good[rng() % good.size()];
      if (!mutation.apply(inst, wave, rng)) continue;
      ++mutants;
      if (!Encode(inst).ok()) {
        ++encoder;
      } else if (!BrokenBy(inst, wave).empty()) {
        ++verifier;
      } else {
        if (missed++ < 3) std::printf("    missed: %s\n", Disassemble(inst, wave).c_str());
      }
    }
    std::printf("%-50s %5d mutants, encoder %5d, verifier %5d, missed %5d\n", mutation.name,
                mutants, encoder, verifier, missed);
    const bool only64 = std::string(mutation.name).find("over its scalar") != std::string::npos;
    EXPECT_TRUE(mutants > 10 || (only64 && wave == Wave::k32))
        << mutation.name << " hardly applies";
    EXPECT_LE(missed, (1 - kAtLeast) * mutants) << mutation.name;
    all += mutants;
    all_missed += missed;
  }
  std::printf("%d mutants of %zu kinds, %.2f %% caught\n", all, AmdMutations().size(),
              100.0 * (all - all_missed) / all);
}

std::vector<Instruction> GoodProgram(AmdGenerator& generator, std::mt19937& rng) {
  std::vector<Instruction> program;
  while (program.size() < 12) {
    const Opcode op = static_cast<Opcode>(rng() % kOpcodeCount);
    const Instruction inst = generator.Make(op, Form::kPlain);
    const Unit unit = Info(op).unit;
    const bool flow = unit == Unit::kBranch || Info(op).Has(opcode_flag::kEnd);
    if (flow || HasFreeImmediate(inst) || !BrokenBy(inst, Wave::k32).empty()) continue;
    program.push_back(inst);
  }
  Instruction end;
  end.op = Opcode::kSEndpgm;
  program.push_back(end);
  return program;
}

TEST(AmdVerifyProgramMutations, ProgramMutantsAreCaught) {
  AmdGenerator generator(13, Wave::k32);
  std::mt19937 rng(17);
  const auto findings = [](const std::vector<Instruction>& program) {
    const auto bytes = EncodeProgram(program);
    if (!bytes.ok()) {
      ADD_FAILURE() << bytes.status();
      return size_t{0};
    }
    return Verify(*DecodeProgram(*bytes), Wave::k32).size();
  };
  for (const AmdProgramMutation& mutation : AmdProgramMutations()) {
    int mutants = 0, missed = 0;
    for (int n = 0; n < 200; ++n) {
      std::vector<Instruction> program = GoodProgram(generator, rng);
      // By chance a permlane may follow a v_cmpx.
      if (findings(program) != 0) continue;
      if (!mutation.apply(program, rng)) continue;
      ++mutants;
      missed += findings(program) == 0;
    }
    std::printf("%-50s %5d mutants, missed %5d\n", mutation.name, mutants, missed);
    EXPECT_GT(mutants, 100) << mutation.name;
    EXPECT_LE(missed, (1 - kAtLeast) * mutants) << mutation.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Waves, AmdVerifyMutations, ::testing::Values(Wave::k32, Wave::k64),
                         [](const auto& info) {
                           return info.param == Wave::k64 ? "Wave64" : "Wave32";
                         });

}  // namespace
}  // namespace kiln::tests
