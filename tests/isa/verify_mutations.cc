// verify_mutations: counts the rule-breaking mutants of good binaries that the EU verifier catches.
//
//   verify_mutations [--seed=N] [--each=N] [--list-missed] [--at-least=PERCENT] [--mir=FILE]...
//                    [FILE.bin...]
//
// Good programs are those of --mir (compiled here, every width) and Gen12 machine code in files.
// Each kind of mutations.h is applied at N random locations (200) over all programs. A mutant is
// caught if it does not decode, or if core/intel/isa/verify finds something in it; mutants that the
// encoding cannot express (encoded and decoded again they are something else) are not counted.
// Prints a line per kind and the total; the exit status is 1 if a good program has findings, if a
// kind applies nowhere (--mir: the given programs must serve all kinds), or if fewer than PERCENT
// (99) of all mutants are caught.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/isa/encode.h"
#include "core/intel/isa/verify.h"
#include "tests/isa/good_programs.h"
#include "tests/isa/mutations.h"

namespace kiln::tests {
namespace {

namespace isa = intel::isa;
constexpr isa::Generation kGen = isa::Generation::kGen12;

struct Flags {
  uint32_t seed = 1;
  int each = 200;
  int at_least = 99;
  bool list_missed = false;
  std::vector<std::string> mir, binaries;
};

enum class Verdict { kInexpressible, kDecoder, kVerifier, kMissed };

Verdict Judge(const Program& mutant, size_t at) {
  const auto bytes = isa::Encode(kGen, mutant[at].inst);
  if (!bytes.ok()) return Verdict::kInexpressible;
  const auto again = isa::Decode(kGen, *bytes);
  if (!again.ok()) return Verdict::kDecoder;
  isa::Instruction expected = mutant[at].inst;
  expected.compacted = again->inst.compacted;
  if (again->inst != expected) return Verdict::kInexpressible;
  return isa::Verify(kGen, mutant)->empty() ? Verdict::kMissed : Verdict::kVerifier;
}

struct Count {
  int mutants = 0, decoder = 0, verifier = 0, missed = 0;
};

// Returns every instruction of every program, in random order.
std::vector<std::pair<uint32_t, uint32_t>> Locations(const std::vector<Program>& programs,
                                                     std::mt19937& rng) {
  std::vector<std::pair<uint32_t, uint32_t>> locations;
  for (uint32_t p = 0; p < programs.size(); ++p) {
    for (uint32_t i = 0; i < programs[p].size(); ++i) locations.emplace_back(p, i);
  }
  for (size_t n = locations.size(); n > 1; --n) std::swap(locations[n - 1], locations[rng() % n]);
  return locations;
}

Count Measure(const Mutation& mutation, std::vector<Program>& programs, const Flags& flags) {
  Count count;
  std::mt19937 rng(flags.seed);
  for (const auto& [p, at] : Locations(programs, rng)) {
    if (count.mutants == flags.each) break;
    Program& program = programs[p];
    const isa::PlacedInstruction was = program[at];
    const bool applies = mutation.apply(program, at, rng);
    const Verdict verdict = applies ? Judge(program, at) : Verdict::kInexpressible;
    count.mutants += verdict != Verdict::kInexpressible;
    count.decoder += verdict == Verdict::kDecoder;
    count.verifier += verdict == Verdict::kVerifier;
    count.missed += verdict == Verdict::kMissed;
    if (verdict == Verdict::kMissed && flags.list_missed) {
      std::printf("    missed: %s\n       was: %s\n",
                  isa::Disassemble(kGen, program[at].inst).c_str(),
                  isa::Disassemble(kGen, was.inst).c_str());
    }
    program[at] = was;
  }
  return count;
}

int Run(const Flags& flags) {
  std::vector<Program> programs;
  if (!ReadPrograms(flags.mir, flags.binaries, &programs)) return 1;
  if (programs.empty()) return 2;
  std::printf("%-40s %8s %8s %8s %8s\n", "mutation", "mutants", "decoder", "verifier", "missed");
  Count all;
  int nowhere = 0;
  for (const Mutation& mutation : Mutations()) {
    const Count c = Measure(mutation, programs, flags);
    std::printf("%-40s %8d %8d %8d %8d\n", mutation.name, c.mutants, c.decoder, c.verifier,
                c.missed);
    nowhere += c.mutants == 0;
    all.mutants += c.mutants;
    all.decoder += c.decoder;
    all.verifier += c.verifier;
    all.missed += c.missed;
  }
  std::printf("%-40s %8d %8d %8d %8d\n", "all", all.mutants, all.decoder, all.verifier, all.missed);
  std::printf("%zu programs, %d kinds apply nowhere, caught %.2f %%\n", programs.size(), nowhere,
              100.0 * (all.mutants - all.missed) / std::max(all.mutants, 1));
  return all.missed * 100 > all.mutants * (100 - flags.at_least) || nowhere != 0;
}

int Main(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    absl::string_view a = argv[i];
    if (absl::ConsumePrefix(&a, "--seed=")) {
      if (!absl::SimpleAtoi(a, &flags.seed)) return 2;
    } else if (absl::ConsumePrefix(&a, "--each=")) {
      if (!absl::SimpleAtoi(a, &flags.each)) return 2;
    } else if (absl::ConsumePrefix(&a, "--at-least=")) {
      if (!absl::SimpleAtoi(a, &flags.at_least)) return 2;
    } else if (a == "--list-missed") {
      flags.list_missed = true;
    } else if (absl::ConsumePrefix(&a, "--mir=")) {
      flags.mir.emplace_back(a);
    } else if (absl::StartsWith(a, "--")) {
      std::fprintf(stderr, "verify_mutations: unknown flag %s\n", argv[i]);
      return 2;
    } else {
      flags.binaries.emplace_back(a);
    }
  }
  return Run(flags);
}

}  // namespace
}  // namespace kiln::tests

int main(int argc, char** argv) { return kiln::tests::Main(argc, argv); }
