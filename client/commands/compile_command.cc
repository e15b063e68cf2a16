// kiln compile: one file, or the two stages of a pipeline, for one or more targets.
#include <array>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/paths.h"
#include "client/cli/terminal.h"
#include "client/commands/command.h"
#include "client/compile/compile_file.h"
#include "client/compile/compile_pair.h"
#include "client/export/result_files.h"
#include "client/output/output_files.h"
#include "client/output/result_json.h"
#include "client/output/result_text.h"
#include "client/request/request_options.h"
#include "client/service/service_flags.h"
#include "core/base/cause.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;
using TargetInfo = kiln::v1::Capabilities::TargetInfo;

struct CompileOutput {
  std::string folder;  // empty: none; "-": the machine code to standard output
  bool assembly = false;
  bool json = false;
  ResultIdentity identity;
  kiln::v1::Capabilities capabilities;
  ResultFiles* files = nullptr;
  bool ToStdout() const { return folder == "-"; }
};

// Prints machine code alone on standard output: only of a single variant.
absl::Status PrintCode(const std::vector<TargetResult>& results) {
  if (results.size() != 1 || results[0].variants_size() != 1) {
    return absl::InvalidArgumentError(
        "-o -: there is more than one variant; choose one target and one width with --target=T "
        "--widths=N, or give -o DIR");
  }
  return Print(results[0].variants(0).code());
}

// Returns the service's description of the target; an empty one if it has none.
TargetInfo DescriptionOf(const kiln::v1::Capabilities& capabilities, const std::string& target) {
  for (const TargetInfo& info : capabilities.targets()) {
    if (info.name() == target) return info;
  }
  return {};
}

// Returns the assembly of each variant under a line that names it, as an assembler comment.
std::string AssemblyText(const std::string& name, const TargetResult& result,
                         const TargetInfo& target) {
  std::string text;
  for (const auto& variant : result.variants()) {
    absl::StrAppend(&text, "// ", Printable(name), " ", Printable(result.target()), " ",
                    Printable(variant.name()), ": ", FiguresText(variant, target), "\n",
                    PrintableText(variant.assembly()));
    if (!text.empty() && text.back() != '\n') text += '\n';
  }
  return text;
}

// Gives a result to the files of other tools. `binaries`: the files written for it.
void NoteResult(const std::string& name, const TargetResult& result, const FileOutcome& outcome,
                const std::vector<std::string>& binaries, const CompileOutput& output) {
  if (!output.files->wanted()) return;
  TargetResult stripped = result;
  StripOutputs(&stripped);
  output.files->Add(
      Exported(name, stripped, output.identity, outcome.glsl, outcome.read, binaries));
}

// `name` is shown; files are named by `stem`.
absl::Status ShowResult(const std::string& name, const std::string& stem,
                        const TargetResult& result, const FileOutcome& outcome,
                        const CompileOutput& output, const Environment& environment) {
  std::vector<std::string> binaries;
  bool to_folder = !output.folder.empty() && !output.ToStdout();
  if (to_folder) {
    auto written = WriteOutputs(output.folder, stem, name, result, output.assembly);
    if (!written.ok()) return written.status();
    for (const std::string& file : *written) binaries.push_back(JoinPath(output.folder, file));
  }
  std::string text;
  if (output.json) {
    text =
        ResultLine(name, result, {binaries, output.assembly && !to_folder, output.identity}) + "\n";
  } else if (result.status() != TargetResult::OK) {
    absl::FPrintF(stderr, "%s\n", FailureText(name, result, environment.err_colour));
  } else if (output.assembly && !to_folder) {
    text = AssemblyText(name, result, DescriptionOf(output.capabilities, result.target()));
  } else {
    text = SuccessText(name, result, DescriptionOf(output.capabilities, result.target()),
                       environment.out_colour);
    for (const std::string& file : binaries)
      absl::StrAppend(&text, "  wrote ", Printable(file), "\n");
  }
  NoteResult(name, result, outcome, binaries, output);
  return Print(text);
}

absl::StatusOr<ExitCode> Show(const std::string& name, const FileOutcome& outcome,
                              const CompileOutput& output, const Environment& environment) {
  const std::vector<TargetResult>& results = outcome.results;
  ExitCode code = kExitOk;
  for (const TargetResult& result : results) code = Worse(code, ExitCodeOf(result.status()));
  if (output.ToStdout() && code == kExitOk) {
    absl::Status status = PrintCode(results);
    if (!status.ok()) return status;
    for (const TargetResult& result : results) NoteResult(name, result, outcome, {}, output);
    return code;
  }
  for (const TargetResult& result : results) {
    if (output.ToStdout() && result.status() == TargetResult::OK) {
      NoteResult(name, result, outcome, {}, output);
      continue;
    }
    absl::Status status = ShowResult(name, NameOf(name), result, outcome, output, environment);
    if (!status.ok()) return status;
  }
  return code;
}

// Shows each file's results as `kiln compile` of that file would; if both files have the same name,
// output names also contain the stage.
absl::StatusOr<ExitCode> ShowPair(const std::array<std::string, 2>& names,
                                  const PairOutcome& outcome, const CompileOutput& output,
                                  const Environment& environment) {
  ExitCode code = kExitOk;
  for (const std::string& warning : outcome.warnings) {
    absl::FPrintF(stderr, "kiln: warning: %s\n", Printable(warning));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    CompileOutput own = output;
    own.identity.pair = names[1 - i];
    for (const TargetResult& result : outcome.files[i].results) {
      code = Worse(code, ExitCodeOf(result.status()));
      std::string stem = NameOf(names[i]);
      if (stem == NameOf(names[1 - i])) absl::StrAppend(&stem, ".", result.stage());
      absl::Status status = ShowResult(names[i], stem, result, outcome.files[i], own, environment);
      if (!status.ok()) return status;
    }
  }
  return code;
}

// Writes the files of other tools; the budget's table goes where the results went.
absl::StatusOr<ExitCode> FinishFiles(absl::StatusOr<ExitCode> code, const CompileOutput& output) {
  if (!code.ok()) return code;
  const auto files = output.files->Finish(*code);
  if (!files.ok()) return files.status();
  if (output.json || output.ToStdout()) {
    fputs(files->text.c_str(), stderr);
  } else if (absl::Status s = Print(files->text); !s.ok()) {
    return s;
  }
  return files->code;
}

absl::StatusOr<ExitCode> Run(const ParsedFlags& flags, const Environment& environment) {
  absl::StatusOr<CompileSettings> settings = SettingsFromFlags(flags);
  if (!settings.ok()) return settings.status();
  WarnOfMissingFolders(*settings);
  const std::vector<std::string>& files = flags.arguments();
  if (files.empty() || files.size() > 2) {
    return absl::InvalidArgumentError(
        files.empty()
            ? "a file is missing: `kiln compile --target=T FILE`, or - for standard input"
            : "give one file, or a vertex and a fragment shader; `kiln batch` compiles several "
              "files");
  }
  const bool pair = files.size() == 2;
  if (pair && files[0] == "-" && files[1] == "-") {
    return absl::InvalidArgumentError(
        "only one of the two files can be standard input; give the other one by name");
  }
  CompileOutput output{flags.Get("output"),
                       flags.Has("asm"),
                       environment.json,
                       IdentityOf("", settings->source.defines, settings->request),
                       {},
                       nullptr};
  if (output.ToStdout() && (output.json || output.assembly)) {
    return absl::InvalidArgumentError(
        "-o - writes only machine code to standard output; leave out --json and --asm");
  }
  if (pair && output.ToStdout()) {
    return absl::InvalidArgumentError("-o - writes one program; give -o DIR for the two of a pair");
  }
  if (!output.folder.empty() && !output.ToStdout()) {
    if (absl::Status s = PrepareOutputFolder(output.folder); !s.ok()) return s;
  }
  absl::StatusOr<std::unique_ptr<Service>> service = OpenService(flags, 1);
  if (!service.ok()) return service.status();
  auto capabilities = (*service)->GetCapabilities();
  if (!capabilities.ok()) return capabilities.status();
  output.capabilities = *capabilities;
  absl::Status checked = CheckSettings(*capabilities, (*service)->Name(), &*settings);
  if (!checked.ok()) return checked;
  ResultFiles result_files;
  output.files = &result_files;
  const bool writes_code = !output.folder.empty() && !output.ToStdout();
  if (absl::Status s = result_files.Open(flags, *capabilities, files, {}, writes_code); !s.ok()) {
    return s;
  }
  auto* mask = settings->request.mutable_outputs();
  mask->set_binary(!output.folder.empty());
  mask->set_launch_record(!output.folder.empty());
  mask->set_assembly(output.assembly);
  if (output.json) AskForLine(mask);

  const auto name_of = [](const std::string& file) { return file == "-" ? "stdin" : file; };
  if (pair) {
    const std::array<PairFile, 2> both = {PairFile{files[0], name_of(files[0]), "", ""},
                                          PairFile{files[1], name_of(files[1]), "", ""}};
    auto outcome = CompilePair(service->get(), *capabilities, *settings, both);
    if (!outcome.ok()) return outcome.status();
    return FinishFiles(
        ShowPair({name_of(files[0]), name_of(files[1])}, *outcome, output, environment), output);
  }
  const std::string& file = files[0];
  const std::string name = name_of(file);
  absl::StatusOr<FileOutcome> outcome =
      CompileFile(service->get(), *capabilities, *settings, file, name);
  if (!outcome.ok()) return outcome.status();
  std::string cause = CauseOf(outcome->file_error);
  if (cause == "cannot_read" || cause == "no_stage" || cause == "other_format") {
    return absl::InvalidArgumentError(outcome->file_error.message());
  }
  if (!settings->source.defines.empty() && outcome->file_error.ok() && file.size() > 4 &&
      file.substr(file.size() - 4) == ".spv") {
    absl::FPrintF(stderr, "kiln: %s: -D has no effect on SPIR-V\n", Printable(file));
  }
  return FinishFiles(Show(name, *outcome, output, environment), output);
}

ExitCode RunOrFail(const ParsedFlags& flags, const Environment& environment) {
  absl::StatusOr<ExitCode> code = Run(flags, environment);
  return code.ok() ? *code : Fail(code.status(), environment);
}

}  // namespace

Command CompileCommand() {
  return {
      "compile",
      "FILE|- [FILE]",
      "compile a shader, or a pair of them, and print statistics",
      "FILE is SPIR-V (either byte order), Vulkan GLSL or HLSL; - is standard input. The format\n"
      "follows from the content and the name; GLSL without a stage in its name (.comp,\n"
      ".frag.glsl, ...) needs --stage. Includes are resolved by this command and sent\n"
      "along: \"x\" is searched beside the file that includes it, then in the -I folders; <x>\n"
      "only in the -I folders. A daemon on another machine is sent only files that lie, after\n"
      "following links, below FILE's folder and -I, or all with --allow-include-outside.\n"
      "\n"
      "HLSL (.hlsl, or --lang=hlsl) means what it means to DXC with -spirv. -T PROFILE or the name\n"
      "(blur.ps.hlsl, blur.frag.hlsl) gives the stage, -E the entry point. A register's binding is\n"
      "its number plus the shift of its kind, in the set of its space: t2 in space1 is binding\n"
      "1002 of set 1. Templates, 16-bit types and what else glslang does not read are refused\n"
      "(hlsl_feature): compile these with DXC, and bring its SPIR-V.\n"
      "\n"
      "Two files are the vertex and the fragment shader of a pipeline, in any order;\n"
      "--entry=NAME or --entry=VERTEX,FRAGMENT chooses among several entry points. The vertex\n"
      "shader then does not compute outputs that the compiled fragment shader does not read. An\n"
      "input that is read but never written is a warning; different types at a location are an\n"
      "error. --widths and the fragment state apply to the fragment shader, all other options\n"
      "to both.\n"
      "\n"
      "-o DIR writes NAME.TARGET.WIDTH.bin (machine code; .hsaco with --container=amdhsa, which\n"
      "client/HIP.md of Kiln's sources explains) and NAME.TARGET.WIDTH.launch.json\n"
      "(the state to set up before running it); with --asm also NAME.TARGET.WIDTH.asm. -o -\n"
      "writes the machine code of one variant to standard output. --asm without -o prints the\n"
      "assembly. --json prints one line per target; \"loadable_by\" says which software can\n"
      "load a binary. Graphics and raw binaries are for measuring and simulating: drivers load\n"
      "only what they compiled themselves.\n",
      "  kiln compile --target=tgl tests/shaders/saxpy.comp\n"
      "  kiln compile --target=tgl,gfx1030 tests/shaders/nbody.comp\n"
      "  kiln compile --target=tgl -D TILE=8 -I client/examples/include --spec=3=uint:64 client/examples/blur.comp\n"
      "  kiln compile --target=tgl client/examples/mesh.vert client/examples/mesh.frag\n"
      "  kiln compile --target=tgl --widths=16 --asm tests/shaders/saxpy.comp | head\n"
      "  kiln compile --local --target=tgl -o out --json tests/shaders/saxpy.comp\n"
      "  kiln compile --target=tgl --widths=16 -o out --depfile=saxpy.d tests/shaders/saxpy.comp\n"
      "  kiln compile --target=tgl -E Invert client/examples/invert.cs.hlsl\n"
      "  glslangValidator -V -o saxpy.spv tests/shaders/saxpy.comp && kiln compile --target=tgl saxpy.spv\n",
      JoinFlags(
          {CompileFlags(),
           {{"output", 'o', "DIR|-", false,
             "write machine code and launch records into DIR; -: machine code to standard output"},
            {"asm", 0, "", false, "print the machine code as text; with -o: write it"}},
           ResultFileFlags(),
           ServiceFlags()}),
      RunOrFail};
}

}  // namespace kiln::client
