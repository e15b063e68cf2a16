// rdna_stats: counts gfx1030 binaries of any compiler by Kiln's counting rules.
//
//   rdna_stats FILE...        one JSON line per file, in order
//
// {"file", "wave", "instructions", "bytes", "vgprs", "waves", "latency", "inverse_throughput",
// "opcodes", "exports"}, or {"file", "error"}. "wave" is the size that the program shows; one that
// shows none counts as wave64 if its name ends in .wave64.bin. "vgprs" are those allocated, "waves"
// those of a SIMD by registers alone, "opcodes" the number of instructions by mnemonic, "exports"
// the components that go to each target of exports but null, for example {"pos0": "xyzw"}. Exit
// status 1 if a file could not be read or decoded.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/amd/isa/opcodes.h"
#include "core/amd/isa/wave_limits.h"
#include "core/amd/perf/program.h"
#include "core/amd/perf/statistics.h"
#include "nlohmann/json.hpp"

namespace {

using kiln::amd::isa::Wave;

Wave WaveOf(std::string_view file, absl::Span<const kiln::amd::isa::PlacedInstruction> program) {
  constexpr std::string_view kEnd = ".wave64.bin";
  const bool named = file.size() > kEnd.size() && file.substr(file.size() - kEnd.size()) == kEnd;
  return named ? Wave::k64 : kiln::amd::WaveShownBy(program);
}

// Registers are allocated in 16 for 32 lanes, in 8 for 64.
int64_t Allocated(int64_t vgprs, Wave wave) {
  const int64_t granule = wave == Wave::k64 ? 8 : 16;
  return (std::max<int64_t>(vgprs, 1) + granule - 1) / granule * granule;
}

std::string TargetOfExports(int target) {
  constexpr int kDepth = 8, kPositions = 12, kPrimitives = 20, kParameters = 32;
  if (target >= kParameters) return "param" + std::to_string(target - kParameters);
  if (target == kPrimitives) return "prim";
  if (target >= kPositions) return "pos" + std::to_string(target - kPositions);
  return target == kDepth ? "mrtz" : "mrt" + std::to_string(target);
}

// Returns, by target, the components that some export has; "xy" in compressed ones are 16-bit
// pairs.
std::map<std::string, std::string> Exports(
    absl::Span<const kiln::amd::isa::PlacedInstruction> program) {
  constexpr int kNull = 9;
  std::map<int, int> enabled, forms;
  for (const auto& [at, length, inst] : program) {
    if (inst.op != kiln::amd::isa::Opcode::kExp || inst.target == kNull) continue;
    enabled[inst.target] |= inst.enable;
    forms[inst.target] |= inst.compressed ? 2 : 1;
  }
  std::map<std::string, std::string> exports;
  for (const auto& [target, mask] : enabled) {
    std::string& components = exports[TargetOfExports(target)];
    for (int c = 0; c < 4; ++c) {
      if ((mask >> c & 1) != 0) components += "xyzw"[c];
    }
    if (forms[target] != 1) components += forms[target] == 2 ? " of 16 bits" : " mixed";
  }
  return exports;
}

absl::StatusOr<nlohmann::ordered_json> Count(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return absl::NotFoundError("cannot be read");
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  const auto program = kiln::amd::DecodeCode(bytes);
  if (!program.ok()) return program.status();
  const Wave wave = WaveOf(file, *program);
  const kiln::amd::ProgramStatistics s = kiln::amd::CountProgram(*program, wave);
  const int waves = kiln::amd::isa::WavesByRegisters(static_cast<int>(s.vgprs), wave);
  std::map<std::string, int64_t> opcodes;
  for (const auto& placed : *program) {
    ++opcodes[std::string(kiln::amd::isa::Info(placed.inst.op).mnemonic)];
  }
  return nlohmann::ordered_json{
      {"wave", wave == Wave::k64 ? 64 : 32},
      {"instructions", s.instructions},
      {"bytes", s.bytes},
      {"vgprs", Allocated(s.vgprs, wave)},
      {"waves", waves},
      {"latency", s.estimate.cycles},
      {"inverse_throughput", kiln::amd::InverseThroughput(s.estimate, wave, waves)},
      {"opcodes", opcodes},
      {"exports", Exports(*program)}};
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): then it may end
  int status = 0;
  for (int i = 1; i < argc; ++i) {
    nlohmann::ordered_json line{{"file", argv[i]}};
    const absl::StatusOr<nlohmann::ordered_json> counted = Count(argv[i]);
    if (counted.ok()) {
      line.update(*counted);
    } else {
      line["error"] = std::string(counted.status().message());
      status = 1;
    }
    std::printf("%s\n", line.dump().c_str());
  }
  return status;
}
