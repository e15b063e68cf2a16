// eu_waits: audits the waits of Gen12 binaries of any compiler.
//
//   eu_waits [--certain [--fusion] | --never-skipped] [--explain] FILE...   one JSON line per file,
//   in order
//
// {"file", "instructions", "syncs", "missing", "redundant_syncs"}, or {"file", "error"}. --explain
// adds the missing waits, as text, and the redundant syncs. Exit status 1 if a file cannot be read
// or decoded, or a wait is missing. --never-skipped assumes that waits of masked instructions in
// control flow are always performed (waits/audit.h). --certain lists the states that two lanes of a
// thread can reach, as `kiln analyze` does; with --fusion also those that need a block entered with
// all channels off.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/intel/isa/decode.h"
#include "core/intel/isa/program.h"
#include "core/intel/waits/audit.h"
#include "nlohmann/json.hpp"

namespace {

using Json = nlohmann::ordered_json;
namespace isa = kiln::intel::isa;
namespace waits = kiln::intel::waits;

absl::StatusOr<isa::Program> Read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return absl::NotFoundError("cannot be read");
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  const auto placed = isa::DecodeProgram(isa::Generation::kGen12, bytes);
  if (!placed.ok()) return placed.status();
  return isa::ToProgram(isa::Generation::kGen12, *placed);
}

struct Mode {
  bool certain = false;
  waits::Fusion fusion = waits::Fusion::kOff;             // if certain
  waits::Skipping skipping = waits::Skipping::kPossible;  // if not
};

absl::StatusOr<Json> Audit(const std::string& file, const Mode& mode, bool explain) {
  const absl::StatusOr<isa::Program> program = Read(file);
  if (!program.ok()) return program.status();
  const auto missing = mode.certain ? waits::FindCertainMissingWaits(*program, mode.fusion)
                                    : waits::FindMissingWaits(*program, mode.skipping);
  if (!missing.ok()) return missing.status();
  const auto redundant = waits::FindRedundantSyncs(*program, mode.skipping);
  if (!redundant.ok()) return redundant.status();
  int64_t syncs = 0;
  for (const isa::Instruction& inst : program->insts) syncs += inst.op == isa::Opcode::kSync;
  Json line = {{"instructions", program->insts.size()},
               {"syncs", syncs},
               {"missing", missing->size()},
               {"redundant_syncs", redundant->size()}};
  if (!explain) return line;
  for (const waits::MissingWait& m : *missing) {
    line["what"].push_back(waits::Describe(*program, m));
  }
  line["redundant"] = *redundant;
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  Mode mode;
  bool explain = false;
  int first = 1;
  for (; first < argc && argv[first][0] == '-'; ++first) {
    if (std::strcmp(argv[first], "--explain") == 0) {
      explain = true;
    } else if (std::strcmp(argv[first], "--never-skipped") == 0) {
      mode.skipping = waits::Skipping::kNever;
    } else if (std::strcmp(argv[first], "--certain") == 0) {
      mode.certain = true;
    } else if (std::strcmp(argv[first], "--fusion") == 0) {
      mode.fusion = waits::Fusion::kOn;
    } else {
      std::fprintf(stderr, "eu_waits: unknown flag %s\n", argv[first]);
      return 2;
    }
  }
  int status = 0;
  for (int i = first; i < argc; ++i) {
    Json line{{"file", argv[i]}};
    const absl::StatusOr<Json> audited = Audit(argv[i], mode, explain);
    if (audited.ok()) {
      line.update(*audited);
      if (line["missing"] != 0) status = 1;
    } else {
      line["error"] = std::string(audited.status().message());
      status = 1;
    }
    std::printf("%s\n", line.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  }
  return status;
}
