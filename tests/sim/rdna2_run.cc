// rdna2_run: executes a gfx1030 binary with its launch record on the data of a job.
//
// Arguments, jobs and results: run_job.h. Own options:
// --trace=FILE (not with --memory-seed) writes what the run did, a line for each event, numbers in
// hexadecimal:
//   g                           a workgroup begins
//   s WAVE PHASE OFFSET EXEC    a wave that has passed PHASE barriers executes an instruction
//   a SPACE ADDRESS BYTES USE   which accesses memory: l LDS, m memory, i an image; r, w, a atomic
// --needs (with --memory-seed) adds "needs", [byte of an instruction, what it needed]
// (core/sim/rdna2/needs.h).
// --waves-of-primitives: fragments of several primitives share waves (core/sim/rdna2/simulator.h).
// --ngg-culling=N: the primitives that a vertex program is told to leave out
// (core/sim/rdna2/simulator.h).
// --assembly={"topology": "list", "strip" or "fan", "reuse", "join": true, "restarts": [places]}:
// how a vertex draw makes primitives (core/sim/rdna2/input_assembly.h); without it a triangle of
// every three vertices of a workgroup.
// --clip-positions=FILE: {"sets": ["hex", ...], "undefined": "01..."}: positions of every run
// (dwords x, y, z, w). A primitive may be left out if it covers no sample in one of the sets, or if
// one of its corners is marked with a 1 as undefined; with "outside": ["01...", ...], a string for
// each distance to clip or to cull by, also if all its corners are marked in one of them.
// vertex_options.h: what these add to the results.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/sim/rdna2/simulator.h"
#include "tests/sim/run_job.h"
#include "tests/sim/vertex_options.h"

namespace kiln::tests {
namespace {

class Tracer : public sim::rdna2::Observer {
 public:
  explicit Tracer(const std::string& path) : file_(std::fopen(path.c_str(), "w"), std::fclose) {}

  bool is_open() const { return file_ != nullptr; }

  void Group() override { std::fputs("g\n", file_.get()); }
  void Step(uint32_t wave, uint32_t phase, uint32_t offset, uint64_t exec) override {
    std::fprintf(file_.get(), "s %x %x %x %llx\n", wave, phase, offset,
                 static_cast<unsigned long long>(exec));
  }
  void Access(sim::rdna2::Space space, uint64_t address, uint32_t bytes,
              sim::rdna2::Use use) override {
    std::fprintf(file_.get(), "a %c %llx %x %c\n", "lmi"[static_cast<size_t>(space)],
                 static_cast<unsigned long long>(address), bytes, "rwa"[static_cast<size_t>(use)]);
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

int Main(int argc, char** argv) {
  bool tells_needs = false;
  Machine machine;
  machine.name = "rdna2_run";
  std::string trace;
  bool together = false;
  VertexOptions vertex_options;
  machine.reset = [&] {
    tells_needs = false;
    trace.clear();
    together = false;
    vertex_options = VertexOptions();
  };
  machine.take_option = [&](absl::string_view option) {
    tells_needs |= option == "--needs";
    together |= option == "--waves-of-primitives";
    if (option == "--needs" || option == "--waves-of-primitives") return true;
    if (vertex_options.Take(option)) return true;
    if (!absl::ConsumePrefix(&option, "--trace=")) return false;
    trace = std::string(option);
    return true;
  };
  machine.run = [&](absl::Span<const uint8_t> code, const out::LaunchRecord& record,
                    const sim::scene::RunOptions& options, sim::scene::Dispatch& dispatch,
                    nlohmann::json& results) -> absl::StatusOr<sim::scene::RunStats> {
    sim::rdna2::Options own;
    static_cast<sim::scene::RunOptions&>(own) = options;
    own.waves_of_primitives = together;
    vertex_options.Set(own);
    std::unique_ptr<Tracer> tracer;
    if (!trace.empty()) {
      tracer = std::make_unique<Tracer>(trace);
      if (!tracer->is_open()) return absl::NotFoundError(absl::StrCat("cannot write ", trace));
      own.observer = tracer.get();
    }
    sim::rdna2::Needs needs;
    if (tells_needs) own.needs = &needs;
    absl::StatusOr<sim::scene::RunStats> stats = sim::rdna2::Run(code, record, own, dispatch);
    if (stats.ok() && dispatch.vertices) {
      const absl::Status judged = vertex_options.Judge(*dispatch.vertices, results);
      if (!judged.ok()) return judged;
    }
    if (!tells_needs) return stats;
    results["needs"] = nlohmann::json::array();
    for (const auto& [offset, need] : needs) {
      results["needs"].push_back({offset, sim::rdna2::NameOf(need)});
    }
    return stats;
  };
  return RunJobs(machine, argc, argv);
}

}  // namespace
}  // namespace kiln::tests

int main(int argc, char** argv) { return kiln::tests::Main(argc, argv); }
