// Litmus programs on tgl: outcomes that Vulkan's memory model forbids never occur, but do occur if
// any one needed fence, or wait for or before one, is removed.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/messages.h"
#include "core/intel/isa/program.h"
#include "gtest/gtest.h"
#include "tests/exec/litmus.h"

namespace kiln::exec {
namespace {

namespace isa = ::kiln::intel::isa;
constexpr auto kGen = isa::Generation::kGen12;

bool IsFence(const isa::Instruction& i) {
  if (!isa::IsSend(i.op) || i.send.desc_is_register) return false;
  const auto fields = isa::ParseDescriptor(kGen, i.send.sfid, i.send.desc, i.send.ex_desc);
  return fields.ok() && fields->message == isa::Message::kMemoryFence;
}

// A program without one fence, or without one wait beside a fence: a sync's, or that of setting a
// token again. It waits for everything after each PAUSE, as the removed instruction may have done.
struct Mutant {
  std::string text;
  bool fence = false;  // the fence or the wait for it is removed
  std::vector<uint8_t> code;
};

isa::Instruction Sync(isa::SyncFunction function) {
  isa::Instruction sync;
  sync.op = isa::Opcode::kSync;
  sync.sync = function;
  sync.no_mask = true;
  sync.src[0].file = isa::File::kArf;
  return sync;
}

// Returns the bytes of a changed program, with a wait for everything after each loop.
std::vector<uint8_t> Finished(isa::Program program) {
  std::vector<isa::Insertion> waits;
  for (int32_t i = 0; i < program.Next(); ++i) {
    if (program.insts[i].op != isa::Opcode::kWhile) continue;
    waits.push_back({i + 1, Sync(isa::SyncFunction::kAllWr)});
  }
  isa::Insert(program, waits);
  const auto bytes = isa::Finalise(program);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : std::vector<uint8_t>();
}

// Returns true if a message before `fence` that answers sets the token that the fence sets: then
// setting it waits.
bool WaitsByToken(const isa::Program& program, size_t fence) {
  for (size_t i = 0; i < fence; ++i) {
    const isa::Instruction& inst = program.insts[i];
    const bool answers = isa::IsSend(inst.op) && !IsFence(inst) && inst.dst.file == isa::File::kGrf;
    if (answers && (inst.swsb & 0xf) == (program.insts[fence].swsb & 0xf)) return true;
  }
  return false;
}

// Returns true for a sync that waits for the arrival of answers, not for the reading of payloads.
bool WaitsForAnswers(const isa::Instruction& i) {
  const bool token = (i.swsb & 0xf0) == 0x20 || (i.swsb & 0x80) != 0;
  return i.op == isa::Opcode::kSync && (token || i.sync == isa::SyncFunction::kAllWr);
}

std::vector<Mutant> Mutants(const Variant& v) {
  const auto placed = isa::DecodeProgram(kGen, v.code);
  EXPECT_TRUE(placed.ok());
  const auto program = isa::ToProgram(kGen, *placed);
  EXPECT_TRUE(program.ok());
  std::vector<Mutant> mutants;
  const auto add = [&](const char* what, bool fence, size_t at, const isa::Program& changed) {
    mutants.push_back({absl::StrCat(what, " at ", (*placed)[at].offset), fence, Finished(changed)});
  };
  for (size_t i = 0; i < program->insts.size(); ++i) {
    const isa::Instruction& inst = program->insts[i];
    const bool before = i + 1 < program->insts.size() && IsFence(program->insts[i + 1]);
    const bool after_fence = i > 0 && IsFence(program->insts[i - 1]);
    isa::Program without = *program;
    without.insts[i] = Sync(isa::SyncFunction::kNop);
    if (IsFence(inst)) add("fence", true, i, without);
    if (WaitsForAnswers(inst) && before) add("wait before the fence", false, i, without);
    if (WaitsForAnswers(inst) && after_fence) add("wait for the fence", true, i, without);
    if (!IsFence(inst) || !WaitsByToken(*program, i)) continue;
    isa::Program other_token = *program;
    other_token.insts[i].swsb |= 0xf;
    other_token.insts[i + 1].swsb |= 0xf;
    add("token", false, i, other_token);
  }
  return mutants;
}

class Litmus : public testing::TestWithParam<LitmusProgram> {};

TEST_P(Litmus, EachFenceAndWaitIsNeeded) {
  const LitmusProgram& program = GetParam();
  for (const Between between : program.places) {
    for (const int width : {8, 16, 32}) {
      const auto v = CompileLitmus(Target::kTgl, program, between, width);
      ASSERT_TRUE(v.ok()) << v.status();
      SCOPED_TRACE(absl::StrCat(v->name, " ", NameOf(between)));
      EXPECT_FALSE(IsSeen(Target::kTgl, *v, program, between, true));
      const std::vector<Mutant> mutants = Mutants(*v);
      EXPECT_EQ(mutants.empty(), program.needed == Needed::kNothing);
      for (const Mutant& m : mutants) {
        // With 32 lanes the loaded values are copied before PAUSE, as they may be, so that the copy
        // waits for them.
        if (width == 32 && !m.fence) continue;
        const bool spare = program.needed == (m.fence ? Needed::kWaits : Needed::kFences);
        Variant changed = *v;
        changed.code = m.code;
        EXPECT_EQ(IsSeen(Target::kTgl, changed, program, between, false), !spare) << m.text;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Litmus, testing::ValuesIn(LitmusPrograms()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kiln::exec
