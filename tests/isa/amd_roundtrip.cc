// amd_roundtrip: passes binaries of gfx1030 through decoder, encoder, text and verifier.
//
//   amd_roundtrip [--wave=32|64] [--text] [--list] FILE.bin...
//
// Each file is code alone. Decoded and encoded it must give the same bytes, and the verifier must
// have no finding. With --text llvm-mc assembles our listing, which must give the same bytes except
// where LLVM's syntax has no text for them (amd_text.h); these are counted by reason. Prints a line
// of JSON; exit status 1 on any failure.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/isa/encode.h"
#include "core/amd/isa/fields.h"
#include "core/amd/isa/verify.h"
#include "tests/isa/amd_text.h"
#include "tests/isa/llvm.h"

namespace kiln::tests {
namespace {

using namespace amd::isa;  // NOLINT: the vocabulary of this file

struct Flags {
  Wave wave = Wave::k64;
  bool text = false, list = false;
  std::vector<std::string> files;
};

struct Counts {
  int files = 0, undecoded = 0, changed = 0, instructions = 0, findings = 0;
  int text_same = 0, text_wrong = 0;
  std::map<std::string, int> rules, opcodes, without;
};

void JudgeText(const std::vector<PlacedInstruction>& program, const Flags& flags,
               const std::string& path, Counts& counts) {
  std::vector<std::string> lines;
  for (const PlacedInstruction& p : program) lines.push_back(Disassemble(p.inst, flags.wave));
  const auto judged = LlvmAssemble(lines, flags.wave == Wave::k64);
  for (size_t i = 0; i < program.size(); ++i) {
    const auto theirs = Decode(judged[i].bytes);
    // Equal instructions are equal bytes: the file's were made again from them.
    if (theirs.ok() && theirs->inst == program[i].inst) {
      ++counts.text_same;
    } else if (theirs.ok() && theirs->inst == WithoutUnused(program[i].inst)) {
      ++counts.without["bits that are not used"];
    } else if (const std::string why = WithoutText(program[i].inst);
               !why.empty() && WithoutUnused(program[i].inst) == program[i].inst) {
      ++counts.without[why];
    } else {
      ++counts.text_wrong;
      std::printf("%s: byte %u: %s: %s\n", path.c_str(), program[i].offset, lines[i].c_str(),
                  judged[i].error.empty() ? judged[i].text.c_str() : judged[i].error.c_str());
    }
  }
}

void Check(const std::string& path, const Flags& flags, Counts& counts) {
  std::ifstream in(path, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(in), {});
  const std::vector<uint8_t> bytes(content.begin(), content.end());
  ++counts.files;
  const auto program = DecodeProgram(bytes);
  if (!program.ok()) {
    ++counts.undecoded;
    std::printf("%s: %s\n", path.c_str(), std::string(program.status().message()).c_str());
    return;
  }
  std::vector<Instruction> plain;
  for (const PlacedInstruction& p : *program) {
    plain.push_back(p.inst);
    ++counts.opcodes[std::string(Info(p.inst.op).mnemonic)];
  }
  counts.instructions += static_cast<int>(plain.size());
  const auto again = EncodeProgram(plain);
  if (!again.ok() || *again != bytes) {
    ++counts.changed;
    std::printf("%s: other bytes\n", path.c_str());
  }
  for (const Finding& finding : Verify(*program, flags.wave)) {
    ++counts.findings;
    if (counts.rules[std::string(finding.rule)]++ < 5) {
      std::printf("%s: byte %u: %s\n", path.c_str(), finding.offset, finding.text.c_str());
    }
  }
  if (flags.text) JudgeText(*program, flags, path, counts);
}

int Run(const Flags& flags) {
  if (flags.files.empty()) {
    std::fprintf(stderr, "usage: amd_roundtrip [--wave=32|64] [--text] [--list] FILE.bin...\n");
    return 2;
  }
  if (flags.text && !HaveLlvmMc()) {
    std::fprintf(stderr, "amd_roundtrip: %s\n", kNoLlvmMc);
    return 2;
  }
  Counts c;
  for (const std::string& path : flags.files) Check(path, flags, c);
  for (const auto& [rule, n] : c.rules) std::printf("%6d findings: %s\n", n, rule.c_str());
  int textless = 0;
  for (const auto& [why, n] : c.without) {
    std::printf("%6d without text: %s\n", n, why.c_str());
    textless += n;
  }
  if (flags.list) {
    for (const auto& [op, n] : c.opcodes) std::printf("%8d %s\n", n, op.c_str());
  }
  std::printf(
      "{\"files\": %d, \"undecoded\": %d, \"changed\": %d, \"instructions\": %d, \"opcodes\": %zu, "
      "\"findings\": %d, \"text_same\": %d, \"without_text\": %d, \"text_wrong\": %d}\n",
      c.files, c.undecoded, c.changed, c.instructions, c.opcodes.size(), c.findings, c.text_same,
      textless, c.text_wrong);
  return c.undecoded + c.changed + c.findings + c.text_wrong != 0;
}

int Main(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const absl::string_view a = argv[i];
    if (a == "--wave=32" || a == "--wave=64") {
      flags.wave = a == "--wave=32" ? Wave::k32 : Wave::k64;
    } else if (a == "--text") {
      flags.text = true;
    } else if (a == "--list") {
      flags.list = true;
    } else if (absl::StartsWith(a, "--")) {
      std::fprintf(stderr, "amd_roundtrip: unknown flag %s\n", argv[i]);
      return 2;
    } else {
      flags.files.emplace_back(a);
    }
  }
  return Run(flags);
}

}  // namespace
}  // namespace kiln::tests

int main(int argc, char** argv) { return kiln::tests::Main(argc, argv); }
