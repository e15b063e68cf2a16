// flip_bits: flips single bits of good instructions; we must reject those that iga64 rejects.
//
//   flip_bits [--seed=N] [--count=N] [--list] [--mir=FILE]... [FILE.bin...]
//
// iga64 (Intel's assembler) is the independent judge: a mutant is bad if its disassembler refuses
// it, or its assembler, given the text, reports an error or a warning (its region rules).
// Instructions that are compacted in the program are flipped in their 8 bytes. We reject a mutant
// if it does not decode or core/intel/isa/verify finds a rule broken by the instruction. Branches
// are left out, as iga64 judges their distances within the file that all mutants share; so is the
// bit that selects the other form of an instruction (29, compaction). Prints the table of both
// verdicts and, by message, the mutants that only iga64 rejects; the exit status is 1 if they are
// more than 1 % of those that it rejects.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/isa/encode.h"
#include "core/intel/isa/program.h"
#include "core/intel/isa/verify.h"
#include "tests/isa/good_programs.h"
#include "tests/isa/iga.h"

namespace kiln::tests {
namespace {

namespace isa = intel::isa;
constexpr isa::Generation kGen = isa::Generation::kGen12;
constexpr size_t kBytes = 16;

// Follows each compacted instruction, so that every mutant's slot has 16 bytes.
constexpr std::array<uint8_t, 8> kFiller = {0x40, 0x00, 0x0a, 0x20, 0x00, 0x14, 0x00, 0x1e};

struct Mutant {
  std::array<uint8_t, kBytes> bytes;
  bool compacted = false;
  int bit = 0;
  std::string was, ours, iga;  // the faults found; empty: none
};

std::string Ours(const Mutant& m) {
  const auto decoded = isa::Decode(kGen, m.bytes);
  if (!decoded.ok()) return std::string(decoded.status().message());
  const auto broken = isa::BrokenBy(kGen, decoded->inst);
  if (!broken.ok()) return std::string(broken.status().message());
  return broken->empty() ? "" : std::string((*broken)[0]->name);
}

// Encodes the good bytes; returns false if the instruction cannot be encoded.
bool Encode(const isa::Instruction& inst, Mutant& m) {
  m.compacted = inst.compacted;
  if (!inst.compacted) {
    const auto bytes = isa::Encode(kGen, inst);
    if (bytes.ok()) m.bytes = *bytes;
    return bytes.ok();
  }
  const auto bytes = isa::EncodeCompacted(kGen, inst);
  if (!bytes.ok() || !*bytes) return false;
  std::copy_n((*bytes)->begin(), 8, m.bytes.begin());
  std::copy_n(kFiller.begin(), 8, m.bytes.begin() + 8);
  return true;
}

std::vector<Mutant> Flip(const std::vector<Program>& programs, int count, std::mt19937& rng) {
  std::vector<Mutant> mutants;
  while (static_cast<int>(mutants.size()) < count) {
    const Program& program = programs[rng() % programs.size()];
    const isa::Instruction& inst = program[rng() % program.size()].inst;
    Mutant m;
    if (isa::IsBranch(inst.op) || !Encode(inst, m)) continue;
    do {
      m.bit = static_cast<int>(rng() % (m.compacted ? 64 : 128));
    } while (m.bit == 29);
    m.bytes[static_cast<size_t>(m.bit / 8)] ^= static_cast<uint8_t>(1 << m.bit % 8);
    const auto decoded = isa::Decode(kGen, m.bytes);
    if (decoded.ok() && isa::IsBranch(decoded->inst.op)) continue;
    m.was = isa::Disassemble(kGen, inst);
    m.ours = Ours(m);
    mutants.push_back(m);
  }
  return mutants;
}

// Returns a message without the details of one instruction.
std::string Kind(std::string message) {
  for (char& c : message) {
    if (c >= '0' && c <= '9') c = '#';
  }
  return message;
}

// Stores the message of iga64's disassembler about each mutant; "" if there is none.
void JudgeDecoding(std::vector<Mutant>& mutants, const std::string& folder) {
  const std::string in = folder + "/flips.bin";
  std::ofstream out(in, std::ios::binary);
  for (const Mutant& m : mutants) out.write(reinterpret_cast<const char*>(m.bytes.data()), kBytes);
  out.close();
  std::istringstream lines(RunIga("-d " + in).error);
  for (std::string line; std::getline(lines, line);) {
    unsigned offset = 0;
    int length = 0;
    if (std::sscanf(line.c_str(), "byte offset 0x%x: error: %n", &offset, &length) != 1) continue;
    std::string& iga = mutants.at(offset / kBytes).iga;
    if (iga.empty()) iga = line.substr(static_cast<size_t>(length));
  }
}

// Does the same with the assembler, for the text of those that passed.
void JudgeText(std::vector<Mutant>& mutants, const std::string& folder) {
  const std::string bin = folder + "/good.bin", text = folder + "/good.asm";
  std::vector<Mutant*> good;
  std::ofstream out(bin, std::ios::binary);
  for (Mutant& m : mutants) {
    if (!m.iga.empty()) continue;
    good.push_back(&m);
    out.write(reinterpret_cast<const char*>(m.bytes.data()), kBytes);
  }
  out.close();
  RunIga("-d " + bin + " -o " + text);
  std::vector<Mutant*> by_line = {nullptr};
  std::ifstream lines(text);
  size_t next = 0;
  bool filler = false;  // is the next instruction one?
  for (std::string line; std::getline(lines, line);) {
    const bool instruction = line.find_first_not_of(' ') != std::string::npos &&
                             !absl::StartsWith(line, "//") && !absl::StartsWith(line, "L");
    if (!instruction || filler) {
      by_line.push_back(nullptr);
      filler = filler && !instruction;
      continue;
    }
    filler = next < good.size() && good[next]->compacted;
    by_line.push_back(next < good.size() ? good[next++] : nullptr);
  }
  if (next != good.size())
    std::printf("iga64 printed %zu of %zu instructions\n", next, good.size());
  std::istringstream messages(RunIga("-a -Xno-autocompact " + text + " -o " + bin).error);
  for (std::string line; std::getline(messages, line);) {
    unsigned at = 0, column = 0;
    int length = 0;
    if (std::sscanf(line.c_str(), "line %u.%u: %n", &at, &column, &length) != 2) continue;
    if (at >= by_line.size() || by_line[at] == nullptr || !by_line[at]->iga.empty()) continue;
    by_line[at]->iga = line.substr(static_cast<size_t>(length));
  }
}

int Report(const std::vector<Mutant>& mutants, bool list) {
  int both = 0, neither = 0, ours = 0, compacted = 0;
  std::map<std::string, int> missed, alone;
  for (const Mutant& m : mutants) {
    both += !m.iga.empty() && !m.ours.empty();
    neither += m.iga.empty() && m.ours.empty();
    compacted += m.compacted;
    ours += m.iga.empty() && !m.ours.empty();
    if (m.iga.empty() && !m.ours.empty()) ++alone[Kind(m.ours)];
    if (m.iga.empty() || !m.ours.empty()) continue;
    ++missed[Kind(m.iga)];
    if (!list) continue;
    const auto decoded = isa::Decode(kGen, m.bytes);
    std::printf("bit %d, %s\n  was %s\n  is  %s\n", m.bit, m.iga.c_str(), m.was.c_str(),
                isa::Disassemble(kGen, decoded->inst).c_str());
  }
  const int only_iga = static_cast<int>(mutants.size()) - both - neither - ours;
  std::printf(
      "%zu flips, %d in compacted forms: rejected by both %d, by iga64 only %d, by us only %d, by "
      "neither %d\n",
      mutants.size(), compacted, both, only_iga, ours, neither);
  for (const auto& [kind, count] : missed)
    std::printf("%6d  iga64 only: %s\n", count, kind.c_str());
  for (const auto& [kind, count] : alone) std::printf("%6d  us only: %s\n", count, kind.c_str());
  std::printf("of what iga64 rejects we reject %.2f %%\n",
              100.0 * both / std::max(both + only_iga, 1));
  return only_iga * 100 > both + only_iga;
}

// Reports the skip where count_results.py looks.
int Skip() {
  std::fprintf(stderr, "flip_bits: %s\n", kNoIga);
  const char* results = std::getenv("XML_OUTPUT_FILE");
  if (results == nullptr) return 2;
  std::ofstream(results)
      << "<testsuites><testsuite name=\"flip_bits\"><testcase name=\"flip_bits\">"
      << "<skipped message=\"" << kNoIga << "\"/></testcase></testsuite></testsuites>\n";
  return 0;
}

int Main(int argc, char** argv) {
  uint32_t seed = 1;
  int count = 5000;
  bool list = false;
  std::vector<std::string> mir, binaries;
  for (int i = 1; i < argc; ++i) {
    absl::string_view a = argv[i];
    if (absl::ConsumePrefix(&a, "--seed=")) {
      if (!absl::SimpleAtoi(a, &seed)) return 2;
    } else if (absl::ConsumePrefix(&a, "--count=")) {
      if (!absl::SimpleAtoi(a, &count)) return 2;
    } else if (absl::ConsumePrefix(&a, "--mir=")) {
      mir.emplace_back(a);
    } else if (a == "--list") {
      list = true;
    } else if (absl::StartsWith(a, "--")) {
      std::fprintf(stderr, "flip_bits: unknown flag %s\n", argv[i]);
      return 2;
    } else {
      binaries.emplace_back(a);
    }
  }
  if (!HaveIga()) {
    return Skip();
  }
  std::vector<Program> programs;
  if (!ReadPrograms(mir, binaries, &programs) || programs.empty()) return 2;
  std::mt19937 rng(seed);
  std::vector<Mutant> mutants = Flip(programs, count, rng);
  std::string folder = "/tmp/kiln_flips_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 2;
  JudgeDecoding(mutants, folder);
  JudgeText(mutants, folder);
  return Report(mutants, list);
}

}  // namespace
}  // namespace kiln::tests

int main(int argc, char** argv) { return kiln::tests::Main(argc, argv); }
