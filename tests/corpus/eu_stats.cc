// eu_stats: counts Gen12 binaries of any compiler by Kiln's counting rules.
//
//   eu_stats FILE...        one JSON line per file, in order
//
// {"file", "instructions", "sync_instructions", "sends", "loops", "registers", "cycles",
// "busiest_cycles", "exit_cycles", "bytes"}, or {"file", "error"}; cycles of all kinds are null
// where the cost model does not know a message. busiest_cycles are those of the unit that bounds
// throughput. Exit status 1 if a file could not be read or decoded.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/intel/device/device.h"
#include "core/intel/perf/statistics.h"
#include "nlohmann/json.hpp"

namespace {

absl::StatusOr<nlohmann::ordered_json> Count(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return absl::NotFoundError("cannot be read");
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  const absl::StatusOr<kiln::intel::ProgramStatistics> s =
      kiln::intel::CountProgram(kiln::intel::Tgl(), bytes);
  if (!s.ok()) return s.status();
  return nlohmann::ordered_json{
      {"instructions", s->instructions},
      {"sync_instructions", s->sync_instructions},
      {"sends", s->sends},
      {"loops", s->loops},
      {"registers", s->registers},
      {"cycles", s->cycles ? nlohmann::ordered_json(*s->cycles) : nullptr},
      {"busiest_cycles", s->cycles ? nlohmann::ordered_json(s->busiest_cycles) : nullptr},
      {"exit_cycles", s->cycles ? nlohmann::ordered_json(s->exit_cycles) : nullptr},
      {"bytes", bytes.size()}};
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
