// rdna_stats: counts gfx1030 binaries of any compiler by Kiln's counting rules.
//
//   rdna_stats FILE...        one JSON line per file, in order
//
// {"file", "wave", "instructions", "bytes", "vgprs", "waves", "latency", "inverse_throughput",
// "opcodes"}, or {"file", "error"}. "wave" is the size that the program shows; one that shows none
// counts as wave64 if its name ends in .wave64.bin. "vgprs" are those allocated, "waves" those of a
// SIMD by registers alone, "opcodes" the number of instructions by mnemonic. Exit status 1 if a
// file could not be read or decoded.
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
      {"opcodes", opcodes}};
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
