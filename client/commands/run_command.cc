// kiln run: a compute, fragment or vertex shader, or machine code of any compiler, in the
// simulator.
//
// The shader is compiled by the service like any other; only machine code is executed here, by the
// simulator of the core, under limits.
#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/cli/paths.h"
#include "client/commands/command.h"
#include "client/compile/compile_file.h"
#include "client/compile/run_graphics.h"
#include "client/output/code_file.h"
#include "client/output/result_json.h"
#include "client/output/result_text.h"
#include "client/request/pipeline_state.h"
#include "client/request/request_options.h"
#include "client/request/spec_constant.h"
#include "client/run/fit.h"
#include "client/run/job.h"
#include "client/run/job_data.h"
#include "client/service/service_flags.h"
#include "core/base/cause.h"
#include "core/sim/eu/simulator.h"
#include "proto/launch_record_convert.h"

namespace kiln::client {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMaxJobBytes = uint64_t{256} << 20;
constexpr size_t kMaxShown = 16;  // values of a resource, in text

// The program that is executed.
struct Program {
  std::string variant;  // "SIMD16"
  std::vector<uint8_t> code;
  out::LaunchRecord launch;
};

std::vector<uint8_t> BytesIn(const std::string& text) { return {text.begin(), text.end()}; }

// Refuses flags of the compile for machine code, where they would be ignored.
absl::Status RefuseCompileFlags(const ParsedFlags& flags) {
  for (const Flag& flag : CompileFlags()) {
    if (flag.name == "target" || !flags.Has(flag.Key())) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        flag.name.empty() ? "-" : "--", flag.Key(),
        " is an option for compiling; with --launch the file is machine code and is not compiled"));
  }
  return absl::OkStatus();
}

// Reads machine code from a file, with its launch record.
absl::StatusOr<Program> ReadProgram(const ParsedFlags& flags) {
  absl::StatusOr<std::string> code = ReadCodeFile(flags);
  if (!code.ok()) return code.status();
  const std::string path = flags.Get("launch");
  absl::StatusOr<std::string> text = ReadWholeFile(path, kMaxJobBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<out::LaunchRecord> record = proto::LaunchRecordFromJson(*text);
  if (!record.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", record.status().message()));
  }
  if (absl::Status s = run::CheckRecordIsOf(*text, *record, *code); !s.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": ", s.message(), " (", flags.arguments()[0], ")"));
  }
  return Program{absl::StrCat("SIMD", record->dispatch_width), BytesIn(*code), *std::move(record)};
}

// Returns the widest variant; --widths chooses which are compiled.
absl::StatusOr<Program> ProgramOf(const kiln::v1alpha::TargetResult& result) {
  const kiln::v1alpha::Variant* widest = nullptr;
  for (const auto& variant : result.variants()) {
    if (widest == nullptr || variant.width() > widest->width()) widest = &variant;
  }
  if (widest == nullptr) return absl::InternalError("the service returned no machine code");
  absl::StatusOr<out::LaunchRecord> record = proto::FromProto(widest->launch());
  if (!record.ok()) return record.status();
  return Program{widest->name(), BytesIn(widest->code()), *std::move(record)};
}

// Adds the specialisation constants of the job, except those that --spec sets.
absl::Status AddSpecConstants(const run::Job& job, kiln::v1alpha::CompileRequest* request) {
  const auto constants = ParseSpecConstants(job.spec);
  if (!constants.ok()) return constants.status();
  std::set<uint32_t> given;
  for (const auto& constant : request->spec_constants()) given.insert(constant.id());
  for (const auto& constant : *constants) {
    if (given.count(constant.id()) == 0) *request->add_spec_constants() = constant;
  }
  return absl::OkStatus();
}

// Compiles the file; a failure is shown and leaves `program` empty.
absl::StatusOr<ExitCode> CompileProgram(const ParsedFlags& flags, const Environment& environment,
                                        const run::Job& job, Program* program) {
  absl::StatusOr<CompileSettings> settings = SettingsFromFlags(flags);
  if (!settings.ok()) return settings.status();
  if (absl::Status s = AddSpecConstants(job, &settings->request); !s.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(flags.Get("buffers"), ": ", s.message()));
  }
  absl::StatusOr<std::unique_ptr<Service>> service = OpenService(flags, 1);
  if (!service.ok()) return service.status();
  auto capabilities = (*service)->GetCapabilities();
  if (!capabilities.ok()) return capabilities.status();
  absl::Status checked = CheckSettings(*capabilities, (*service)->Name(), &*settings);
  if (!checked.ok()) return checked;
  settings->request.mutable_outputs()->set_binary(true);
  settings->request.mutable_outputs()->set_launch_record(true);
  const std::string& file = flags.arguments()[0];
  const std::string name = file == "-" ? "stdin" : file;
  absl::StatusOr<FileOutcome> outcome =
      CompileFile(service->get(), *capabilities, *settings, file, name);
  if (!outcome.ok()) return outcome.status();
  const std::string cause = CauseOf(outcome->file_error);
  if (cause == "cannot_read" || cause == "no_stage") {
    return absl::InvalidArgumentError(outcome->file_error.message());
  }
  const kiln::v1alpha::TargetResult& result = outcome->results.at(0);
  if (result.status() != kiln::v1alpha::TargetResult::OK) {
    absl::FPrintF(stderr, "%s\n", FailureText(name, result, environment.err_colour));
    return ExitCodeOf(result.status());
  }
  absl::StatusOr<Program> made = ProgramOf(result);
  if (!made.ok()) return made.status();
  *program = *std::move(made);
  return kExitOk;
}

absl::StatusOr<std::array<uint32_t, 3>> GroupsOf(const std::string& text) {
  std::array<uint32_t, 3> groups = {1, 1, 1};
  const std::vector<std::string> parts = absl::StrSplit(text, ',');
  bool good = parts.size() <= 3;
  for (size_t i = 0; good && i < parts.size(); ++i) {
    good = absl::SimpleAtoi(parts[i], &groups[i]) && groups[i] <= 65535;
  }
  if (good) return groups;
  return absl::InvalidArgumentError(absl::StrCat(
      "--groups=", text, ": must be one to three counts from 0 to 65535, for example 64,1,1"));
}

// Reads the job. --png alone needs no data.
absl::StatusOr<run::Job> JobOf(const ParsedFlags& flags) {
  const std::string path = flags.Get("buffers");
  if (path.empty() && flags.Has("png")) return run::Job();
  if (path.empty()) {
    return absl::InvalidArgumentError(
        "--buffers=JSON is missing; for a fragment shader --png=FILE suffices");
  }
  absl::StatusOr<std::string> text = ReadWholeFile(path, kMaxJobBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<run::Job> job = run::ReadJob(*text, path == "-" ? "" : FolderOf(path));
  if (!job.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", job.status().message()));
  }
  if (!flags.Has("groups")) return job;
  absl::StatusOr<std::array<uint32_t, 3>> groups = GroupsOf(flags.Get("groups"));
  if (!groups.ok()) return groups.status();
  job->dispatch.groups = *groups;
  return job;
}

absl::string_view View(absl::Span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string Label(const run::Output& o) {
  if (!o.name.empty()) return o.name;
  return absl::StrCat("set ", o.where.set, " binding ", o.where.binding,
                      o.where.element == 0 ? "" : absl::StrCat("[", o.where.element, "]"));
}

// Returns the resources to show: those that the job requests, or else all that the run changed.
std::vector<run::Output> Wanted(const run::Job& job, const sim::scene::Dispatch& before) {
  std::vector<run::Output> said, changed;
  for (const run::Output& o : job.outputs) {
    if (!o.as.empty() || !o.file.empty()) said.push_back(o);
    if (run::BytesOf(o, job.dispatch) != run::BytesOf(o, before)) changed.push_back(o);
  }
  return said.empty() ? changed : said;
}

std::string OutputText(const run::Output& o, const sim::scene::Dispatch& dispatch) {
  const absl::string_view bytes = View(run::BytesOf(o, dispatch));
  std::string text = absl::StrCat(Label(o), ": ", bytes.size(), " bytes");
  if (!o.file.empty()) return absl::StrCat(text, ", written to ", o.file, "\n");
  const std::string as = o.as.empty() ? "u32" : o.as;
  if (as == "hex") return absl::StrCat(text, "\n  ", absl::BytesToHexString(bytes), "\n");
  const size_t size = static_cast<size_t>(run::ElementBytes(as));
  const nlohmann::json values = run::Values(as, bytes.substr(0, kMaxShown * size));
  absl::StrAppend(&text, " of ", as, "\n ");
  for (const auto& value : values) {
    absl::StrAppend(&text, " ", value.is_string() ? value.get<std::string>() : value.dump());
  }
  if (bytes.size() > kMaxShown * size) {
    absl::StrAppend(&text, " ... (", bytes.size() / size, " values; --json prints all)");
  }
  return text + "\n";
}

Json OutputJson(const run::Output& o, const sim::scene::Dispatch& dispatch) {
  Json json = {{"set", o.where.set}, {"binding", o.where.binding}, {"index", o.where.element}};
  if (!o.name.empty()) json["name"] = o.name;
  if (!o.file.empty()) {
    json["out"] = o.file;
    return json;
  }
  json["as"] = o.as.empty() ? "hex" : o.as;
  json["values"] = run::Values(o.as.empty() ? "hex" : o.as, View(run::BytesOf(o, dispatch)));
  return json;
}

uint64_t OutOfBoundsOf(const sim::eu::RunStats& stats) {
  uint64_t accesses = 0;
  for (const auto& o : stats.out_of_bounds) accesses += o.accesses;
  return accesses;
}

std::string OutOfBoundsText(const sim::eu::RunStats& stats) {
  if (stats.out_of_bounds.empty()) return "";
  std::string text = absl::StrCat("accesses out of bounds: ", OutOfBoundsOf(stats),
                                  " (they read 0 and write nothing)\n");
  for (size_t i = 0; i < stats.out_of_bounds.size() && i < kMaxShown; ++i) {
    const auto& o = stats.out_of_bounds[i];
    absl::StrAppendFormat(&text, "  %d at 0x%x, %s\n", o.accesses, o.offset, o.where);
  }
  return text;
}

Json OutOfBoundsJson(const sim::eu::RunStats& stats) {
  Json json = {{"accesses", OutOfBoundsOf(stats)}, {"places", Json::array()}};
  for (const auto& o : stats.out_of_bounds) {
    json["places"].push_back({{"offset", o.offset}, {"where", o.where}, {"accesses", o.accesses}});
  }
  return json;
}

absl::Status Show(const std::string& file, const Program& program, const run::Job& job,
                  const sim::scene::Dispatch& before, const sim::eu::RunStats& stats,
                  const std::string& folder, const run::VertexTypes& types, bool as_json) {
  const std::vector<run::Output> wanted = Wanted(job, before);
  for (const run::Output& o : wanted) {
    if (o.file.empty()) continue;
    const std::string path = JoinPath(folder, o.file);
    absl::Status s = WriteWholeFile(path, View(run::BytesOf(o, job.dispatch)));
    if (!s.ok()) return s;
  }
  std::string text;
  if (as_json) {
    Json json = {{"file", file},
                 {"variant", program.variant},
                 {"groups", job.dispatch.groups},
                 {"threads", stats.threads},
                 {"instructions", stats.instructions},
                 {"messages", stats.messages},
                 {"out_of_bounds", OutOfBoundsJson(stats)},
                 {"outputs", Json::array()}};
    for (const run::Output& o : wanted) json["outputs"].push_back(OutputJson(o, job.dispatch));
    AddGraphics(job.dispatch, program.launch, types, &json);
    text = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  } else {
    text = absl::StrCat(Printable(file), " ", program.variant, ": ", stats.threads, " threads, ",
                        stats.instructions, " instructions, ", stats.messages, " messages\n",
                        OutOfBoundsText(stats));
    const std::string drawn = GraphicsText(job.dispatch, program.launch, types);
    text += drawn;
    for (const run::Output& o : wanted) text += OutputText(o, job.dispatch);
    if (wanted.empty() && drawn.empty()) text += "no buffer or image changed\n";
  }
  return Print(text);
}

absl::StatusOr<ExitCode> Run(const ParsedFlags& flags, const Environment& environment) {
  if (flags.arguments().size() != 1) {
    return absl::InvalidArgumentError("give one file: kiln run --target=T --buffers=JSON FILE");
  }
  absl::StatusOr<double> seconds = flags.Seconds("max-seconds", 60);
  if (!seconds.ok()) return seconds.status();
  const absl::StatusOr<int64_t> seed =
      flags.Number("memory-seed", 0, 0, std::numeric_limits<int64_t>::max());
  if (!seed.ok()) return seed.status();
  absl::StatusOr<run::Job> job = JobOf(flags);
  if (!job.ok()) return job.status();
  Program program;
  if (flags.Has("launch")) {
    if (absl::Status s = RefuseCompileFlags(flags); !s.ok()) return s;
    absl::StatusOr<Target> target = TargetOf(flags);
    if (!target.ok()) return target.status();
    absl::StatusOr<Program> read = ReadProgram(flags);
    if (!read.ok()) return read.status();
    program = *std::move(read);
  } else {
    absl::StatusOr<ExitCode> compiled = CompileProgram(flags, environment, *job, &program);
    if (!compiled.ok() || *compiled != kExitOk) return compiled;
  }
  sim::eu::Options options;
  options.contract = !flags.Has("no-contract");
  options.unsourced = !flags.Has("launch");  // other compilers need not obey rules without a source
  options.fusion = flags.Has("fusion");
  if (flags.Has("memory-seed")) options.memory_seed = static_cast<uint64_t>(*seed);
  options.max_seconds = *seconds;
  run::VertexTypes types;
  absl::Status prepared = PrepareGraphics(flags, program.launch, &*job, &types);
  if (!prepared.ok()) return prepared;
  const std::string name = flags.Has("buffers") ? flags.Get("buffers") + ": " : "";
  if (absl::Status s = run::CheckJobFits(*job, program.launch, flags.Has("allow-unused"));
      !s.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(name, s.message()));
  }
  const sim::scene::Dispatch before = job->dispatch;
  absl::StatusOr<sim::eu::RunStats> stats =
      sim::eu::Run(program.code, program.launch, options, job->dispatch);
  if (!stats.ok()) {
    Fail(absl::InvalidArgumentError(absl::StrCat(flags.arguments()[0], ": ", program.variant, ": ",
                                                 stats.status().message())),
         environment);
    return kExitSomeFailed;
  }
  if (absl::Status s = WritePicture(flags, job->dispatch); !s.ok()) return s;
  const std::string path = flags.Get("buffers");
  absl::Status shown = Show(flags.arguments()[0], program, *job, before, *stats,
                            path == "-" ? "" : FolderOf(path), types, environment.json);
  if (!shown.ok()) return shown;
  return kExitOk;
}

ExitCode RunOrFail(const ParsedFlags& flags, const Environment& environment) {
  absl::StatusOr<ExitCode> code = Run(flags, environment);
  return code.ok() ? *code : Fail(code.status(), environment);
}

}  // namespace

Command RunCommand() {
  return {
      "run",
      "FILE|-",
      "run a compute, fragment or vertex shader in the simulator",
      "Compiles FILE as `kiln compile` does and executes the widest variant (--widths chooses)\n"
      "on the data of --buffers. With --launch, FILE is machine code of any compiler and\n"
      "--launch its launch record; options for compiling are errors then. The simulator models\n"
      "results, not time; it stops with an error if a wait is missing or a message goes to a\n"
      "surface that is not bound. Undefined registers hold a pattern, not zero; accesses beyond\n"
      "a bound buffer or image read 0 and write nothing, and are counted by instruction.\n"
      "Unknown keys of a job, resources that the program does not use, too few push constants\n"
      "and a launch record of other machine code are errors.\n"
      "\n"
      "JSON is a file, or - for standard input:\n"
      "  {\"dispatch\": [X, Y, Z], \"push\": DATA, \"resources\": [{\"set\": 0, \"binding\": 0,\n"
      "   \"data\": DATA, \"size\": BYTES, \"as\": \"f32\", \"out\": \"FILE\"}]}\n"
      "DATA: {\"f32\": [1, 2]} (f16 f64 u8 ... i64), {\"hex\": \"00ff\"},\n"
      "{\"file\": \"in.bin\"}, {\"zero\": 64}, or a list of these. An array of resources has an\n"
      "entry with \"index\" for each element; elements not given repeat another one, and an\n"
      "array without length ends with the last one given. Resources with \"format\" are images\n"
      "or texel buffers, those with \"filter\" samplers. \"spec\" has specialisation constants,\n"
      "{\"ID\": {\"u32\": 3}}; --spec overrides those of the same id; machine code has its own.\n"
      "\"as\" prints a resource after the run in this type, \"out\" writes it to a file;\n"
      "without either, resources that changed are printed. Paths are relative to JSON's folder.\n"
      "\n"
      "A fragment shader is drawn with a triangle that covers the render target, or as \"draw\"\n"
      "of JSON describes:\n"
      "  {\"width\": W, \"height\": H, \"samples\": 1, \"positions\": [[X, Y, Z, W], ...], "
      "\"topology\":\n"
      "   \"triangle_list\", \"inputs\": [{\"location\": 0, \"f32\": [values of vertex 0, of "
      "vertex 1, ...]}]}\n"
      "(or triangle_strip, triangle_fan; component, u32, i32). The first two components of\n"
      "inputs not given are the x and y coordinates in the render target, from 0 at the left\n"
      "and top to 1, the others 0 and 1; flat inputs are 0. --png writes one colour output,\n"
      "clamped to 0 to 1, with 8 bits per component; JSON is optional if there is no data.\n"
      "Tests and blending are not simulated: every fragment is written.\n"
      "\n"
      "A vertex shader runs for the \"vertices\" of JSON:\n"
      "  {\"count\": N, \"first_vertex\": 0, \"instances\": 1, \"first_instance\": 0, \"inputs\": "
      "[{\"location\": 0,\n"
      "   \"rate\": \"vertex\", \"f32\": [values of vertex 0, of vertex 1, ...]}], \"as\": {\"0\": "
      "\"u32\"}}\n"
      "(\"indices\" and \"vertex_offset\" instead of count and first_vertex; rate instance;\n"
      "u32, i32). Outputs are printed vertex by vertex, locations as f32 or in the type of\n"
      "\"as\", with all four components: components that the shader does not store hold any\n"
      "value (as f32 often nan), or \"-\" if nothing was written. Inputs have values for\n"
      "vertices 0 to the last one drawn (for instances likewise); \"components\" of an input is\n"
      "their number per vertex, if more values are given. Every location that the program reads\n"
      "needs an input, and no other may have one; at most 65536 vertices are run. Later stages\n"
      "of the pipeline (clipping, division by w, viewport) are not simulated.\n",
      "  kiln run --target=tgl --buffers=client/examples/saxpy.json tests/shaders/saxpy.comp\n"
      "  kiln run --local --target=tgl --widths=8 --groups=4 --json --buffers=client/examples/saxpy.json tests/shaders/saxpy.comp\n"
      "  kiln run --target=tgl --launch=out/saxpy.comp.tgl.16.launch.json --buffers=client/examples/saxpy.json out/saxpy.comp.tgl.16.bin\n"
      "  kiln run --target=tgl --png=out.png --size=320x200 tests/shaders/frag_mandelbrot.frag\n"
      "  kiln run --target=tgl --buffers=client/examples/triangle.json client/examples/mesh.vert\n",
      JoinFlags(
          {CompileFlags(),
           {{"buffers", 0, "JSON", false,
             "input data, and the outputs to print or write; see above"},
            {"groups", 0, "X,Y,Z", false,
             "number of workgroups to dispatch, 0 to 65535 in each dimension; overrides "
             "\"dispatch\" of JSON"},
            {"png", 0, "FILE", false, "write the image that a fragment shader draws to FILE"},
            {"size", 0, "WxH", false,
             "size of the render target in pixels (default 256x256, or that of \"draw\" in JSON)"},
            {"location", 0, "N", false,
             "location of the output that --png writes (default: the first)"},
            {"launch", 0, "FILE", false, "launch record of FILE, which is then machine code"},
            {"fusion", 0, "", false,
             "enter skipped blocks with all channels off, as fused "
             "execution units may"},
            {"no-contract", 0, "", false, "do not check that instructions wait for their operands"},
            {"memory-seed", 0, "N", false,
             "let messages take effect late and out of order, and workgroups run concurrently, as "
             "on hardware; N is the random seed"},
            {"allow-unused", 0, "", false,
             "do not treat resources that the program does not use as errors"},
            {"max-seconds", 0, "S", false,
             "stop the simulation after this time in seconds (default 60)"}},
           ServiceFlags()}),
      RunOrFail};
}

}  // namespace kiln::client
