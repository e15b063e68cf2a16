// kiln run: a compute, fragment or vertex shader, or machine code of any compiler, in the
// simulator.
//
// The shader is compiled by the service like any other; only machine code is executed here, by the
// simulator of the core, under limits.
#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/cli/paths.h"
#include "client/commands/command.h"
#include "client/compile/run_graphics.h"
#include "client/compile/run_program.h"
#include "client/output/code_file.h"
#include "client/request/request_options.h"
#include "client/request/switch_flags.h"
#include "client/run/draw_results.h"
#include "client/run/fit.h"
#include "client/run/job.h"
#include "client/run/job_data.h"
#include "client/service/service_flags.h"
#include "core/base/cause.h"
#include "core/driver/simulate.h"

namespace kiln::client {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMaxJobBytes = uint64_t{256} << 20;
constexpr size_t kMaxShown = 16;  // values of a resource, in text

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

// Returns values as text, after what they are values of. `as`: empty for u32.
std::string ValuesText(std::string text, const std::string& file, const std::string& as_given,
                       absl::string_view bytes) {
  absl::StrAppend(&text, ": ", bytes.size(), " bytes");
  if (!file.empty()) return absl::StrCat(text, ", written to ", file, "\n");
  const std::string as = as_given.empty() ? "u32" : as_given;
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

// Adds "out", or "as" and "values".
void AddValues(const std::string& file, const std::string& as, absl::string_view bytes,
               Json* json) {
  if (!file.empty()) {
    (*json)["out"] = file;
    return;
  }
  (*json)["as"] = as.empty() ? "hex" : as;
  (*json)["values"] = run::Values(as.empty() ? "hex" : as, bytes);
}

Json OutputJson(const run::Output& o, const sim::scene::Dispatch& dispatch) {
  Json json = {{"set", o.where.set}, {"binding", o.where.binding}, {"index", o.where.element}};
  if (!o.name.empty()) json["name"] = o.name;
  AddValues(o.file, o.as, View(run::BytesOf(o, dispatch)), &json);
  return json;
}

// The attachments of a draw that the job asks for.
Json DrawResultsJson(const std::vector<run::DrawResult>& results) {
  Json list = Json::array();
  for (const run::DrawResult& r : results) {
    Json json = {{"what", r.name}};
    AddValues(r.file, r.as, View(r.bytes), &json);
    list.push_back(std::move(json));
  }
  return list;
}

uint64_t OutOfBoundsOf(const sim::scene::RunStats& stats) {
  uint64_t accesses = 0;
  for (const auto& o : stats.out_of_bounds) accesses += o.accesses;
  return accesses;
}

std::string OutOfBoundsText(const sim::scene::RunStats& stats) {
  if (stats.out_of_bounds.empty()) return "";
  std::string text = absl::StrCat("accesses out of bounds: ", OutOfBoundsOf(stats),
                                  " (they read 0 and write nothing)\n");
  for (size_t i = 0; i < stats.out_of_bounds.size() && i < kMaxShown; ++i) {
    const auto& o = stats.out_of_bounds[i];
    absl::StrAppendFormat(&text, "  %d at 0x%x, %s\n", o.accesses, o.offset, o.where);
  }
  return text;
}

Json OutOfBoundsJson(const sim::scene::RunStats& stats) {
  Json json = {{"accesses", OutOfBoundsOf(stats)}, {"places", Json::array()}};
  for (const auto& o : stats.out_of_bounds) {
    json["places"].push_back({{"offset", o.offset}, {"where", o.where}, {"accesses", o.accesses}});
  }
  return json;
}

// The results of a run, of one or two programs.
struct Ran {
  const Programs& programs;
  sim::scene::RunStats stats;
  run::VertexTypes types;
  std::vector<run::DrawResult> drawn;
};

absl::Status WriteFiles(const std::vector<run::Output>& wanted, const run::Job& job,
                        const Ran& ran) {
  for (const run::Output& o : wanted) {
    if (o.file.empty()) continue;
    absl::Status s =
        WriteWholeFile(JoinPath(job.folder, o.file), View(run::BytesOf(o, job.dispatch)));
    if (!s.ok()) return s;
  }
  for (const run::DrawResult& r : ran.drawn) {
    if (r.file.empty()) continue;
    absl::Status s = WriteWholeFile(JoinPath(job.folder, r.file), View(r.bytes));
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

std::string ShownJson(const std::vector<run::Output>& wanted, const run::Job& job, const Ran& ran) {
  const Program& program = ran.programs.main;
  Json json = {{"file", program.file},
               {"variant", program.variant},
               {"groups", job.dispatch.groups},
               {"threads", ran.stats.threads},
               {"instructions", ran.stats.instructions},
               {"messages", ran.stats.messages},
               {"out_of_bounds", OutOfBoundsJson(ran.stats)},
               {"outputs", Json::array()}};
  if (ran.programs.vertex) json["vertex_file"] = ran.programs.vertex->file;
  for (const run::Output& o : wanted) json["outputs"].push_back(OutputJson(o, job.dispatch));
  AddGraphics(job.dispatch, ran.types, &json);
  if (!ran.drawn.empty()) json["draw"]["results"] = DrawResultsJson(ran.drawn);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ShownText(const std::vector<run::Output>& wanted, const run::Job& job, const Ran& ran) {
  const Program& program = ran.programs.main;
  const std::string first =
      ran.programs.vertex ? absl::StrCat(Printable(ran.programs.vertex->file), " ") : "";
  std::string text =
      absl::StrCat(first, Printable(program.file), " ", Printable(program.variant), ": ",
                   ran.stats.threads, " threads, ", ran.stats.instructions, " instructions, ",
                   ran.stats.messages, " messages\n", OutOfBoundsText(ran.stats));
  const std::string drawn = GraphicsText(job.dispatch, ran.types);
  text += drawn;
  for (const run::DrawResult& r : ran.drawn) {
    text += ValuesText(r.name, r.file, r.as, View(r.bytes));
  }
  for (const run::Output& o : wanted) {
    text += ValuesText(Label(o), o.file, o.as, View(run::BytesOf(o, job.dispatch)));
  }
  if (wanted.empty() && drawn.empty()) text += "no buffer or image changed\n";
  return text;
}

absl::Status Show(const run::Job& job, const sim::scene::Dispatch& before, const Ran& ran,
                  bool as_json) {
  const std::vector<run::Output> wanted = Wanted(job, before);
  if (absl::Status s = WriteFiles(wanted, job, ran); !s.ok()) return s;
  return Print(as_json ? ShownJson(wanted, job, ran) : ShownText(wanted, job, ran));
}

// Adds the counts of another program's run.
void Add(const sim::scene::RunStats& more, sim::scene::RunStats* stats) {
  stats->threads += more.threads;
  stats->instructions += more.instructions;
  stats->messages += more.messages;
  stats->out_of_bounds.insert(stats->out_of_bounds.end(), more.out_of_bounds.begin(),
                              more.out_of_bounds.end());
}

absl::StatusOr<SimulationOptions> OptionsOf(const ParsedFlags& flags) {
  SimulationOptions options;
  const absl::StatusOr<int64_t> seed =
      flags.Number("memory-seed", 0, 0, std::numeric_limits<int64_t>::max());
  if (!seed.ok()) return seed.status();
  options.contract = !flags.Has("no-contract");
  options.unsourced = !flags.Has("launch");  // other compilers need not obey rules without a source
  options.switches = Given(SimulationSwitches(), flags);
  if (flags.Has("memory-seed")) options.memory_seed = static_cast<uint64_t>(*seed);
  return options;
}

// Refuses a target that has no simulator, or not one of the modes asked for, before anything is
// compiled. Names of no target are left to those who read them.
absl::Status CheckTarget(const ParsedFlags& flags, const SimulationOptions& options) {
  for (const std::string& name : flags.Commas("target")) {
    const absl::StatusOr<Target> target = ParseTarget(name);
    if (!target.ok()) continue;
    if (absl::Status s = CheckSimulation(*target, options); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::StatusOr<sim::scene::RunStats> Simulate(const Program& program,
                                              const SimulationOptions& options, run::Job* job) {
  absl::StatusOr<sim::scene::RunStats> stats =
      kiln::Simulate(program.target, program.code, program.launch, options, job->dispatch);
  if (stats.ok()) return stats;
  return absl::Status(stats.status().code(), absl::StrCat(program.file, ": ", program.variant, ": ",
                                                          stats.status().message()));
}

// Reads or compiles the programs. `contained`: what ReadContained found; null: nothing.
absl::StatusOr<ExitCode> FindPrograms(const ParsedFlags& flags, const Environment& environment,
                                      const run::Job& job, Program* contained, Programs* programs) {
  if (contained != nullptr) {
    if (absl::Status s = RefuseCompileFlags(flags); !s.ok()) return s;
    programs->main = std::move(*contained);
    return kExitOk;
  }
  if (!flags.Has("launch")) return CompilePrograms(flags, environment, job, programs);
  if (absl::Status s = RefuseCompileFlags(flags); !s.ok()) return s;
  absl::StatusOr<Target> target = TargetOf(flags);
  if (!target.ok()) return target.status();
  absl::StatusOr<Program> read = ReadProgram(flags);
  if (!read.ok()) return read.status();
  programs->main = *std::move(read);
  return kExitOk;
}

// Returns the outcome of a run whose preparation failed: no time left is no wrong use.
absl::StatusOr<ExitCode> Unprepared(const absl::Status& status, const Environment& environment) {
  if (!absl::IsDeadlineExceeded(status)) return status;
  Fail(absl::InvalidArgumentError(status.message()), environment);
  return kExitSomeFailed;
}

// Tells of a missing file before a service is looked for.
absl::Status CheckFiles(const ParsedFlags& flags) {
  for (const std::string& file : flags.arguments()) {
    std::error_code error;
    if (file == "-" || std::filesystem::exists(file, error)) continue;
    return absl::NotFoundError(absl::StrCat(file, ": there is no such file"));
  }
  return absl::OkStatus();
}

absl::StatusOr<ExitCode> Run(const ParsedFlags& flags, const Environment& environment) {
  const size_t files = flags.arguments().size();
  if (files != 1 && files != 2) {
    return absl::InvalidArgumentError(
        "give one file, or a vertex and a fragment shader: kiln run --target=T --buffers=JSON FILE");
  }
  if (files == 2 && flags.Has("launch")) {
    return absl::InvalidArgumentError("--launch: give one file of machine code");
  }
  const absl::StatusOr<SimulationOptions> options = OptionsOf(flags);
  if (!options.ok()) return options.status();
  if (absl::Status s = CheckTarget(flags, *options); !s.ok()) return s;
  std::optional<Program> contained;
  if (!flags.Has("launch")) {
    absl::StatusOr<std::optional<Program>> read = ReadContained(flags);
    if (!read.ok()) return read.status();
    contained = *std::move(read);
    if (!contained) {
      if (absl::Status s = CheckFiles(flags); !s.ok()) return s;
      if (absl::Status s = CheckServiceCompiles(flags); !s.ok()) return s;
    }
  }
  const absl::StatusOr<double> seconds = flags.Seconds("max-seconds", 60);
  if (!seconds.ok()) return seconds.status();
  const sim::scene::TimeLimit limit(*seconds);
  absl::StatusOr<run::Job> job = JobOf(flags);
  if (!job.ok()) return job.status();
  job->dispatch.limit = limit;
  Programs programs;
  absl::StatusOr<ExitCode> found =
      FindPrograms(flags, environment, *job, contained ? &*contained : nullptr, &programs);
  if (!found.ok() || *found != kExitOk) return found;
  Ran ran{programs, {}, {}, {}};
  const out::LaunchRecord* vertex = programs.vertex ? &programs.vertex->launch : nullptr;
  absl::Status prepared = PrepareGraphics(flags, vertex, programs.main.launch, &*job, &ran.types);
  if (!prepared.ok()) return Unprepared(prepared, environment);
  const std::string name = flags.Has("buffers") ? flags.Get("buffers") + ": " : "";
  if (absl::Status s =
          run::CheckJobFits(*job, vertex, programs.main.launch, flags.Has("allow-unused"));
      !s.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(name, s.message()));
  }
  const sim::scene::Dispatch before = job->dispatch;
  if (programs.vertex) {
    const auto stats = Simulate(*programs.vertex, *options, &*job);
    if (!stats.ok()) {
      Fail(absl::InvalidArgumentError(stats.status().message()), environment);
      return kExitSomeFailed;
    }
    Add(*stats, &ran.stats);
    absl::Status linked = PrepareLinkedDraw(flags, *vertex, programs.main.launch, &*job);
    if (!linked.ok()) return Unprepared(linked, environment);
  }
  SimulationOptions drawn = *options;
  drawn.vertex_record = vertex;
  const auto stats = Simulate(programs.main, drawn, &*job);
  if (!stats.ok()) {
    Fail(absl::InvalidArgumentError(stats.status().message()), environment);
    return kExitSomeFailed;
  }
  Add(*stats, &ran.stats);
  if (absl::Status s = WritePicture(flags, job->dispatch); !s.ok()) return s;
  if (job->dispatch.draw) ran.drawn = run::DrawResults(job->draw, *job->dispatch.draw);
  absl::Status shown = Show(*job, before, ran, environment.json);
  if (!shown.ok()) return shown;
  return kExitOk;
}

ExitCode RunOrFail(const ParsedFlags& flags, const Environment& environment) {
  absl::StatusOr<ExitCode> code = Run(flags, environment);
  if (code.ok()) return *code;
  const ExitCode failed = Fail(code.status(), environment);
  // The outcome that `kiln compile` has for such a target.
  return CauseOf(code.status()) == "missing_compiler" ? kExitSomeFailed : failed;
}

}  // namespace

Command RunCommand() {
  return {
      "run",
      "FILE|- [FILE]",
      "run a compute, fragment or vertex shader in the simulator",
      "Compiles FILE as `kiln compile` does and executes the widest variant (--widths chooses)\n"
      "on the data of --buffers. With --launch, FILE is machine code of any compiler and\n"
      "--launch its launch record; options for compiling are errors then. A code object of ROCm has\n"
      "its record in itself: it is run without --launch. The simulator models\n"
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
      "A resource with \"same_as\" has the bytes of the one with that \"name\", from \"offset\" on.\n"
      "A sampler's \"min_filter\" is by default its \"filter\"; \"address\" is a mode (clamp, repeat,\n"
      "mirror, border, mirror_clamp), or a list of those of u, v and w.\n"
      "\n"
      "A fragment shader is drawn with a triangle that covers the render target, or as \"draw\"\n"
      "of JSON describes:\n"
      "  {\"width\": W, \"height\": H, \"samples\": 1, \"positions\": [[X, Y, Z, W], ...], "
      "\"topology\":\n"
      "   \"triangle_list\", \"inputs\": [{\"location\": 0, \"f32\": [values of vertex 0, of "
      "vertex 1, ...]}]}\n"
      "(or triangle_strip, triangle_fan, line_list, line_strip, point_list; component, u32,\n"
      "i32). The first two components of\n"
      "inputs not given are the x and y coordinates in the render target, from 0 at the left\n"
      "and top to 1, the others 0 and 1; flat inputs are 0. --png writes one colour output,\n"
      "clamped to 0 to 1, with 8 bits per component; JSON is optional if there is no data.\n"
      "\n"
      "State and attachments of \"draw\", with the names of Vulkan in lower case:\n"
      "  {\"targets\": [{\"location\": 0, \"format\": \"rgba8\", \"clear\": [0, 0, 0, 1], \"data\": DATA,\n"
      "    \"blend\": {\"src\": \"src_alpha\", \"dst\": \"one_minus_src_alpha\", \"op\": \"add\"},\n"
      "    \"write_mask\": \"rgba\", \"resolve\": false, \"as\": \"u8\", \"out\": \"FILE\"}],\n"
      "   \"depth\": {\"format\": \"d32f\", \"clear\": 1, \"compare\": \"less\", \"write\": true,\n"
      "    \"bounds\": [0, 1], \"as\": \"f32\"},\n"
      "   \"stencil\": {\"clear\": 0, \"front\": {\"compare\": \"equal\", \"pass\": \"replace\",\n"
      "    \"reference\": 1}}, \"coverage\": {\"as\": \"u32\"}, \"viewport\": {\"x\": 0, \"y\": 0, \"width\": W,\n"
      "    \"height\": H}, \"depth_bias\": {\"constant\": 1, \"slope\": 1}, \"cull\": \"back\"}\n"
      "(and alpha_src, alpha_dst, alpha_op of blend; fail, depth_fail, compare_mask, write_mask\n"
      "of stencil's front and back; written_samples, clear, blend_constants, logic_op,\n"
      "sample_mask, polygon_mode, front_face, line_width, depth_clamp). \"as\" and \"out\" return an\n"
      "attachment as they do a resource. Without format a target keeps four 32-bit numbers as\n"
      "the shader writes them; without state every fragment is written.\n"
      "\n"
      "Two files are the vertex and the fragment shader of a pipeline: the vertices of\n"
      "\"vertices\" are drawn as \"draw\" describes. \"vertex_spec\" has specialisation constants of\n"
      "the vertex shader if they are not those of \"spec\".\n"
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
      "needs an input, and no other may have one; at most 1048576 vertices are printed.\n",
      "  kiln run --target=tgl --buffers=client/examples/saxpy.json tests/shaders/saxpy.comp\n"
      "  kiln run --target=gfx1030 --buffers=client/examples/saxpy.json tests/shaders/saxpy.comp\n"
      "  kiln run --local --target=tgl --widths=8 --groups=4 --json --buffers=client/examples/saxpy.json tests/shaders/saxpy.comp\n"
      "  kiln run --target=tgl --launch=out/saxpy.comp.tgl.16.launch.json --buffers=client/examples/saxpy.json out/saxpy.comp.tgl.16.bin\n"
      "  kiln run --target=tgl --png=out.png --size=320x200 tests/shaders/frag_mandelbrot.frag\n"
      "  kiln run --target=tgl --buffers=client/examples/triangle.json client/examples/mesh.vert\n"
      "  kiln run --target=tgl --buffers=client/examples/pair.json client/examples/mesh.vert client/examples/mesh.frag\n",
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
            {"launch", 0, "FILE", false, "launch record of FILE, which is then machine code"}},
           FlagsOf(SimulationSwitches()),
           {{"no-contract", 0, "", false, "do not check that instructions wait for their operands"},
            {"memory-seed", 0, "N", false,
             "let messages take effect late and out of order, and workgroups run concurrently, as "
             "on hardware; N is the random seed"},
            {"allow-unused", 0, "", false,
             "do not treat resources that the program does not use as errors"},
            {"max-seconds", 0, "S", false,
             "stop the run, its preparation included, after this processor time in seconds "
             "(default 60)"}},
           ServiceFlags()}),
      RunOrFail};
}

}  // namespace kiln::client
