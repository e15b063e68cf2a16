// mir_run: imports a compute, fragment or vertex module and interprets it on the data of a job.
//
//   mir_run [--optimise] [--opposite] [--races] [--shuffle=SEED] [--perturb=SEED]
//           [--undefined=SEED] [--flush] [--max-steps=N] [--print] [--loose=SPIRV_ID:ULPS]...
//           [--subgroup-size=N] [--dispatch-base] [--angles-in-turns] [--helpers-if-needed]
//           JOB.json...
//   mir_run --list FILE      lines of "[option...] JOB.json...", tabs between the words; each is
//                            answered before the next is read
//
// The job format is that of `run-peer exec` (tests/peer/README.md): `shader`, `entry`, `spec`,
// `push`, `resources` and `dispatch`, `draw` (draw.h; colours and depth are returned too) or
// `vertices` (vertices.h; their outputs are "vertices"). Prints one JSON line a job:
//   {"ok": true, "instructions": N, "lane_steps": N, "races": N, ...,
//    "outputs": [{"set", "binding", "index", "hex", "raced"}]}
//   {"ok": false, "stage": "import|verify|passes|run|job", "cause": "...", "error": "..."}
// --optimise runs the target-independent passes first. --opposite, --races, --shuffle, --perturb
// and --undefined are described in core/oracle/interp.h; "raced" are [begin, end] of the bytes of a
// buffer that InterpStatistics::raced has, if any; with --races and --undefined the
// interpreter also knows operands for which an instruction's result is undefined
// (ImportOptions::mark_undefined). With --loose random rounding also moves all components of that
// SPIR-V instruction's result by up to ULPS units in the last place. --print writes the MIR to
// stderr. Subgroups have 8 lanes, as lavapipe's, unless --subgroup-size says otherwise.
// --angles-in-turns is that of interp.h. With --helpers-if-needed pixels that a primitive does not
// cover run only in modules that need whole quads: Vulkan 1.3, "Helper Invocations", asks for no
// others, and operations between lanes show whether they exist.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/run/job_data.h"
#include "client/run/job_sampler.h"
#include "core/base/cause.h"
#include "core/front/check/refusal.h"
#include "core/front/import.h"
#include "core/mid/control/convert_if_to_select.h"
#include "core/mid/control/remove_dead_control_flow.h"
#include "core/mid/lower/lower_division.h"
#include "core/mid/lower/lower_nonuniform.h"
#include "core/mid/testing/testing.h"
#include "core/mid/values/merge_equal_values.h"
#include "core/mid/values/remove_dead_code.h"
#include "core/mid/values/simplify.h"
#include "core/mir/build.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "nlohmann/json.hpp"
#include "tests/diff/draw.h"
#include "tests/diff/spirv_results.h"
#include "tests/diff/vertices.h"

namespace kiln {
namespace {

using nlohmann::json;

struct Flags {
  bool optimise = false;
  bool print = false;
  bool dispatch_base = false;
  bool helpers_if_needed = false;
  std::map<uint32_t, uint32_t> loose;  // SPIR-V id -> units in the last place
  oracle::LaunchInputs inputs;         // the switches of the interpreter
  oracle::InterpLimits limits;
};

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  if (!f) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  return std::string(std::istreambuf_iterator<char>(f), {});
}

std::vector<uint8_t> Bytes(const std::string& s) { return {s.begin(), s.end()}; }

// ---- Images and samplers ----

// A texel buffer has no width: its bytes say how many texels there are.
absl::StatusOr<oracle::BoundImage> ReadImage(const json& r, const std::string& bytes) {
  using mir::ImageDim;
  oracle::BoundImage image;
  image.set = r.value("set", 0u);
  image.binding = r["binding"].get<uint32_t>();
  image.element = r.value("index", 0u);
  const std::string format = r["format"].get<std::string>();
  const auto known = oracle::FormatByName(format);
  if (!known.has_value()) return absl::UnimplementedError(absl::StrCat("format ", format));
  image.format = *known;
  const auto texel_bytes = static_cast<size_t>(oracle::FormatOf(image.format).Bytes());
  const bool buffer = !r.contains("width");
  const std::string dim = r.value("dim", std::string(buffer ? "buffer" : "2d"));
  absl::string_view name = dim;
  image.arrayed = absl::ConsumeSuffix(&name, "_array");
  static const std::map<std::string, ImageDim> kDims = {{"1d", ImageDim::k1D},
                                                        {"2d", ImageDim::k2D},
                                                        {"3d", ImageDim::k3D},
                                                        {"cube", ImageDim::kCube},
                                                        {"buffer", ImageDim::kBuffer}};
  const auto at = kDims.find(std::string(name));
  if (at == kDims.end()) return absl::UnimplementedError(absl::StrCat("dimension ", dim));
  image.dim = at->second;
  image.width = buffer ? static_cast<uint32_t>(bytes.size() / texel_bytes) : r.value("width", 1u);
  image.height = r.value("height", 1u);
  image.depth = r.value("depth", 1u);
  image.layers = r.value("layers", image.dim == ImageDim::kCube ? 6u : 1u);
  image.levels = r.value("levels", 1u);
  image.samples = r.value("samples", 1u);
  image.bytes = Bytes(bytes);
  image.bytes.resize(image.Texels() * texel_bytes);
  return image;
}

absl::StatusOr<oracle::BoundSampler> ReadSampler(const json& r) {
  oracle::BoundSampler s;
  s.set = r.value("set", 0u);
  s.binding = r["binding"].get<uint32_t>();
  s.element = r.value("index", 0u);
  if (absl::Status status = client::run::TakeSampler(r, &s); !status.ok()) return status;
  return s;
}

// Adds a resource with a filter, a format or both as a sampler, an image, or both.
absl::Status AddImage(const json& r, const std::string& bytes, oracle::LaunchInputs* inputs) {
  if (r.contains("format")) {
    absl::StatusOr<oracle::BoundImage> image = ReadImage(r, bytes);
    if (!image.ok()) return image.status();
    inputs->images.push_back(*std::move(image));
  }
  if (!r.contains("filter")) return absl::OkStatus();
  const absl::StatusOr<oracle::BoundSampler> sampler = ReadSampler(r);
  if (!sampler.ok()) return sampler.status();
  inputs->samplers.push_back(*sampler);
  return absl::OkStatus();
}

// Buffers with a name have an address, by which others may refer to them. With random undefined
// results they lie elsewhere, which shows results that depend on where buffers lie.
client::run::Addresses AddressesOf(const json& resources, uint32_t seed) {
  constexpr uint64_t kFirst = uint64_t{5} << 32, kStep = uint64_t{1} << 32;
  constexpr uint64_t kMove = uint64_t{1} << 16;
  client::run::Addresses addresses;
  for (const json& r : resources) {
    if (r.contains("name")) {
      addresses.emplace(r["name"].get<std::string>(),
                        kFirst + kStep * addresses.size() + kMove * seed);
    }
  }
  return addresses;
}

// `names`: names of the buffers that are reached by address only, by their index among the buffers.
absl::Status FillInputs(const json& job, const std::string& folder, oracle::LaunchInputs* inputs,
                        std::map<size_t, std::string>* names) {
  if (!job.contains("dispatch") && !job.contains("draw") && !job.contains("vertices")) {
    return absl::UnimplementedError("neither dispatch nor draw nor vertices");
  }
  for (int i = 0; i < 3 && job.contains("dispatch"); ++i) {
    inputs->groups[i] = job["dispatch"][i].get<uint32_t>();
  }
  const json resources = job.value("resources", json::array());
  const client::run::Addresses addresses = AddressesOf(resources, inputs->undefined_seed);
  if (job.contains("push")) {
    absl::StatusOr<std::string> bytes = client::run::DataBytes(job["push"], folder, addresses);
    if (!bytes.ok()) return bytes.status();
    inputs->push_constants = Bytes(*bytes);
  }
  constexpr uint32_t kNoSet = 0xffffffffu;
  for (const json& r : resources) {
    std::string bytes;
    if (r.contains("data")) {
      absl::StatusOr<std::string> data = client::run::DataBytes(r["data"], folder, addresses);
      if (!data.ok()) return data.status();
      bytes = *std::move(data);
    }
    if (bytes.size() < r.value("size", size_t{0})) bytes.resize(r["size"].get<size_t>());
    if (r.contains("format") || r.contains("filter")) {
      if (absl::Status s = AddImage(r, bytes, inputs); !s.ok()) return s;
      continue;
    }
    const std::string name = r.value("name", std::string());
    if (!r.contains("binding")) names->emplace(inputs->buffers.size(), name);
    inputs->buffers.push_back({r.contains("binding") ? r.value("set", 0u) : kNoSet,
                               r.value("binding", 0u), r.value("index", 0u), Bytes(bytes),
                               name.empty() ? 0 : addresses.at(name)});
  }
  return absl::OkStatus();
}

// ---- Running ----

json Failure(const char* stage, const absl::Status& status) {
  std::string cause = front::RefusalCause(status);
  if (cause.empty()) cause = CauseOf(status);
  return {
      {"ok", false}, {"stage", stage}, {"cause", cause}, {"error", std::string(status.message())}};
}

absl::Status Optimise(mir::Module& module) {
  using Function = absl::StatusOr<bool> (*)(mir::Module&, PassContext&);
  constexpr Function kRound[] = {mid::Simplify, mid::MergeEqualValues, mid::ConvertIfToSelect,
                                 mid::RemoveDeadControlFlow, mid::RemoveDeadCode};
  std::vector<Function> passes;
  for (int round = 0; round < 3; ++round) {
    passes.insert(passes.end(), std::begin(kRound), std::end(kRound));
    if (round == 0) passes.push_back(mid::LowerDivision);
  }
  passes.push_back(mid::For<mid::LowerNonuniform>);
  for (Function pass : passes) {
    PassContext context = PassContext::ForTest();
    absl::StatusOr<bool> changed = pass(module, context);
    if (!changed.ok()) return changed.status();
    if (absl::Status s = mir::Verify(module); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::StatusOr<front::ImportOptions> OptionsOf(const json& job, const Flags& flags) {
  front::ImportOptions options;
  const json specialised = job.value("spec", json::object());
  for (const auto& [id, value] : specialised.items()) {
    front::SpecConstant constant;
    if (!absl::SimpleAtoi(id, &constant.spec_id) || !value.is_object() || !value.contains("u32")) {
      return absl::UnimplementedError("spec: only {ID: {\"u32\": N}}");
    }
    constant.bits = value.at("u32").get<uint32_t>();
    options.spec_constants.push_back(constant);
  }
  options.entry = job.value("entry", std::string());
  options.dispatch_base = flags.dispatch_base;
  options.mark_undefined = flags.inputs.undefined_seed != 0 || flags.inputs.detect_races;
  return options;
}

void SetLoose(const mir::Module& module, const std::map<uint32_t, uint32_t>& loose,
              oracle::LaunchInputs* inputs) {
  if (loose.empty()) return;
  inputs->loose_ulps.resize(module.insts.size());
  for (const auto& [spirv_id, ulps] : loose) {
    for (mir::InstId id : diff::ResultsOf(module, spirv_id)) inputs->loose_ulps[id.index] = ulps;
  }
}

// Results of a run of any stage besides the resources.
struct Ran {
  oracle::InterpStatistics statistics;
  json results = json::object();
};

// Runs the module on the job's part for its stage.
absl::StatusOr<Ran> RunStage(const mir::Module& module, const json& job, const Flags& flags,
                             oracle::LaunchInputs& inputs) {
  Ran ran;
  switch (module.stage) {
    case mir::Stage::kCompute: {
      const absl::StatusOr<oracle::InterpStatistics> run =
          oracle::Interpret(module, inputs, flags.limits);
      if (!run.ok()) return run.status();
      ran.statistics = *run;
      break;
    }
    case mir::Stage::kFragment: {
      const absl::StatusOr<diff::Drawn> run = diff::Draw(
          module, job["draw"], inputs, flags.limits,
          flags.helpers_if_needed ? diff::HelperPixels::kRunIfNeeded : diff::HelperPixels::kRun);
      if (!run.ok()) return run.status();
      ran.statistics = run->statistics;
      ran.results = {{"colors", run->colors}, {"depth", run->depth}};
      if (!run->stencil.is_null()) ran.results["stencil"] = run->stencil;
      break;
    }
    case mir::Stage::kVertex: {
      const absl::StatusOr<diff::RanVertices> run =
          diff::RunVertices(module, job["vertices"], inputs, flags.limits);
      if (!run.ok()) return run.status();
      ran.statistics = run->statistics;
      ran.results = {{"vertices", run->outputs}};
      break;
    }
  }
  return ran;
}

// Returns the key of a job that holds a stage's work.
const char* WorkOf(mir::Stage stage) {
  switch (stage) {
    case mir::Stage::kCompute: return "dispatch";
    case mir::Stage::kFragment: return "draw";
    case mir::Stage::kVertex: break;
  }
  return "vertices";
}

json RunJob(const std::string& path, const Flags& flags) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return Failure("job", text.status());
  const json job = json::parse(*text, nullptr, false);
  if (job.is_discarded()) return Failure("job", absl::InvalidArgumentError("not JSON"));
  absl::StatusOr<front::ImportOptions> options = OptionsOf(job, flags);
  if (!options.ok()) return Failure("job", options.status());
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  std::string shader = job.at("shader").get<std::string>();
  if (shader[0] != '/') shader = folder + shader;

  const absl::StatusOr<std::string> bytes = ReadFile(shader);
  if (!bytes.ok()) return Failure("job", bytes.status());
  std::vector<uint32_t> words(bytes->size() / 4);
  std::memcpy(words.data(), bytes->data(), words.size() * 4);
  absl::StatusOr<mir::Module> module = front::ImportSpirv(words, *options);
  if (!module.ok()) return Failure("import", module.status());
  if (absl::Status s = mir::Verify(*module); !s.ok()) return Failure("verify", s);
  if (flags.optimise) {
    if (absl::Status s = Optimise(*module); !s.ok()) return Failure("passes", s);
  }
  if (flags.print) std::fputs(mir::Print(*module).c_str(), stderr);

  oracle::LaunchInputs inputs = flags.inputs;
  inputs.prefers_defined = options->mark_undefined;
  SetLoose(*module, flags.loose, &inputs);
  std::map<size_t, std::string> names;
  if (absl::Status s = FillInputs(job, folder, &inputs, &names); !s.ok()) return Failure("job", s);
  if (!job.contains(WorkOf(module->stage))) {
    return Failure("job",
                   absl::UnimplementedError(absl::StrCat("a job without ", WorkOf(module->stage))));
  }
  const absl::StatusOr<Ran> ran = RunStage(*module, job, flags, inputs);
  if (!ran.ok()) return Failure("run", ran.status());
  const oracle::InterpStatistics* run = &ran->statistics;
  json result = {{"ok", true},
                 {"instructions", mir::CountInstructions(*module)},
                 {"lane_steps", run->lane_steps},
                 {"outside_accesses", run->outside_accesses},
                 {"outside_local_accesses", run->outside_local_accesses},
                 {"outside_addresses", run->outside_addresses},
                 {"misaligned_accesses", run->misaligned_accesses},
                 {"undefined_results", run->undefined_results},
                 {"outside_descriptors", run->outside_descriptors},
                 {"split_barriers", run->split_barriers},
                 {"races", run->races},
                 {"race_spirv_id", run->first_race_spirv_id},
                 {"outputs", json::array()}};
  result.update(ran->results);
  const auto add = [&result](const auto& b) {
    result["outputs"].push_back(
        {{"set", b.set},
         {"binding", b.binding},
         {"index", b.element},
         {"hex", absl::BytesToHexString(absl::string_view(
                     reinterpret_cast<const char*>(b.bytes.data()), b.bytes.size()))}});
  };
  for (size_t i = 0; i < inputs.buffers.size(); ++i) {
    add(inputs.buffers[i]);
    json& output = result["outputs"].back();
    const auto name = names.find(i);
    if (name != names.end()) output = {{"name", name->second}, {"hex", output["hex"]}};
    for (const oracle::RacedBytes& raced : run->raced) {
      if (raced.buffer == i) output["raced"].push_back({raced.begin, raced.end});
    }
  }
  for (const oracle::BoundImage& b : inputs.images) add(b);
  return result;
}

// Takes one option or file name; returns false if it is not understood.
bool Take(absl::string_view arg, Flags& flags, std::vector<std::string>& jobs) {
  oracle::LaunchInputs& inputs = flags.inputs;
  if (arg == "--optimise") {
    flags.optimise = true;
  } else if (arg == "--print") {
    flags.print = true;
  } else if (arg == "--dispatch-base") {
    flags.dispatch_base = true;
  } else if (arg == "--opposite") {
    inputs.opposite_order = true;
  } else if (arg == "--races") {
    inputs.detect_races = true;
  } else if (arg == "--angles-in-turns") {
    inputs.angles_in_turns = true;
  } else if (arg == "--helpers-if-needed") {
    flags.helpers_if_needed = true;
  } else if (arg == "--flush") {
    inputs.denormals = oracle::Denormals::kFlush;
  } else if (absl::ConsumePrefix(&arg, "--shuffle=")) {
    return absl::SimpleAtoi(arg, &inputs.shuffle_seed);
  } else if (absl::ConsumePrefix(&arg, "--perturb=")) {
    return absl::SimpleAtoi(arg, &inputs.perturb_seed);
  } else if (absl::ConsumePrefix(&arg, "--undefined=")) {
    return absl::SimpleAtoi(arg, &inputs.undefined_seed);
  } else if (absl::ConsumePrefix(&arg, "--subgroup-size=")) {
    return absl::SimpleAtoi(arg, &inputs.subgroup_size);
  } else if (absl::ConsumePrefix(&arg, "--loose=")) {
    const size_t colon = arg.find(':');
    uint32_t id = 0, ulps = 0;
    if (colon == arg.npos || !absl::SimpleAtoi(arg.substr(0, colon), &id) ||
        !absl::SimpleAtoi(arg.substr(colon + 1), &ulps)) {
      return false;
    }
    flags.loose[id] = ulps;
  } else if (absl::ConsumePrefix(&arg, "--max-steps=")) {
    return absl::SimpleAtoi(arg, &flags.limits.max_lane_steps);
  } else if (absl::StartsWith(arg, "--")) {
    return false;
  } else {
    jobs.emplace_back(arg);
  }
  return true;
}

bool RunAll(const std::vector<std::string>& words) {
  Flags flags;
  flags.inputs.subgroup_size = 8;  // lavapipe's
  std::vector<std::string> jobs;
  for (const std::string& word : words) {
    if (Take(word, flags, jobs)) continue;
    std::fprintf(stderr, "mir_run: unknown option %s\n", word.c_str());
    return false;
  }
  for (const std::string& job : jobs) {
    std::printf("%s\n", RunJob(job, flags).dump().c_str());
    std::fflush(stdout);
  }
  return true;
}

int Main(int argc, char** argv) {
  if (argc != 3 || std::strcmp(argv[1], "--list") != 0) {
    return RunAll(std::vector<std::string>(argv + 1, argv + argc)) ? 0 : 2;
  }
  std::ifstream list(argv[2]);
  for (std::string line; std::getline(list, line);) {
    if (!RunAll(absl::StrSplit(line, '\t', absl::SkipEmpty()))) return 2;
  }
  return 0;
}

}  // namespace
}  // namespace kiln

int main(int argc, char** argv) { return kiln::Main(argc, argv); }
