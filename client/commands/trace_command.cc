// kiln trace: when each instruction issues and what it waits for, by the cost model. Machine code
// needs no service; shaders are compiled by it.
#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "client/cli/paths.h"
#include "client/cli/terminal.h"
#include "client/commands/command.h"
#include "client/compile/run_program.h"
#include "client/output/code_file.h"
#include "client/request/request_options.h"
#include "client/request/switch_flags.h"
#include "client/service/service_flags.h"
#include "client/trace/trace.h"
#include "core/driver/trace.h"

namespace kiln::client {
namespace {

// Returns true for SPIR-V in either byte order, and for text: machine code has bytes of zero.
bool IsShader(absl::string_view file) {
  for (const absl::string_view magic : {"\x03\x02\x23\x07", "\x07\x23\x02\x03"}) {
    if (file.substr(0, 4) == magic) return true;
  }
  return file.find('\0') == absl::string_view::npos;
}

// Returns true if the file is to be compiled. Standard input is machine code, unless an option says
// what the shader is.
absl::StatusOr<bool> IsToBeCompiled(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) {
    return absl::InvalidArgumentError("give one file: a shader or machine code");
  }
  if (flags.Has("launch")) return false;
  if (flags.arguments()[0] == "-") return flags.Has("stage") || flags.Has("lang") || flags.Has("T");
  const absl::StatusOr<std::string> file = ReadCodeFile(flags);
  if (!file.ok()) return file.status();
  return IsShader(*file);
}

// Reads machine code, with its launch record if there is one, or compiles the shader; a failure of
// the compile is shown. `program` has no code then.
absl::StatusOr<ExitCode> FindProgram(const ParsedFlags& flags, const Environment& environment,
                                     Target target, Program* program, TraceOptions* options) {
  const absl::StatusOr<bool> shader = IsToBeCompiled(flags);
  if (!shader.ok()) return shader.status();
  if (*shader) {
    Programs programs;
    absl::StatusOr<ExitCode> code = CompilePrograms(flags, environment, {}, &programs);
    *program = std::move(programs.main);
    if (TakesRecords(target)) options->record = &program->launch;
    return code;
  }
  if (absl::Status s = RefuseCompileFlags(flags); !s.ok()) return s;
  if (flags.Has("launch")) {
    absl::StatusOr<Program> read = ReadProgram(flags);
    if (!read.ok()) return read.status();
    *program = *std::move(read);
    options->record = &program->launch;
    return kExitOk;
  }
  absl::StatusOr<std::string> code = ReadCodeFile(flags);
  if (!code.ok()) return code.status();
  program->target = target;
  program->file = flags.arguments()[0];
  program->code.assign(code->begin(), code->end());
  return kExitOk;
}

// Sets the cycles that are shown.
absl::Status Clip(const ParsedFlags& flags, trace::Trace* trace) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const int64_t span = trace->timeline.span();
  const absl::StatusOr<int64_t> from = flags.Number("from", 0, 0, kMax);
  if (!from.ok()) return from.status();
  const absl::StatusOr<int64_t> to = flags.Number("to", span, 0, kMax);
  if (!to.ok()) return to.status();
  trace->from = *from;
  trace->to = std::min(*to, span);
  if (*from < trace->to) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--from=", *from, " --to=", *to,
                                                 ": no cycle of the program, which takes ", span));
}

ExitCode Show(const ParsedFlags& flags, const trace::Trace& trace, const Environment& environment) {
  const std::string page = flags.Get("html");
  if (!page.empty()) {
    if (absl::Status s = WriteWholeFile(page, trace::RenderHtml(trace)); !s.ok()) {
      return Fail(s, environment);
    }
  }
  if (environment.json) return PrintAndExit(trace::RenderJson(trace), environment);
  if (page.empty()) {
    return PrintAndExit(trace::RenderText(trace, TerminalWidth(stdout)), environment);
  }
  return PrintAndExit(absl::StrCat(Printable(trace.file), " ", trace::Summary(trace), "\n",
                                   trace::RenderTotals(trace), "wrote ", Printable(page), "\n"),
                      environment);
}

ExitCode Run(const ParsedFlags& flags, const Environment& environment) {
  absl::StatusOr<Target> target = TargetOf(flags);
  if (!target.ok()) return Fail(target.status(), environment);
  TraceOptions options = {.switches = Given(TraceSwitches(), flags)};
  const out::LaunchRecord any;
  if (flags.Has("launch")) options.record = &any;
  if (absl::Status s = CheckTrace(*target, options); !s.ok()) return Fail(s, environment);
  options.record = nullptr;
  Program program;
  const absl::StatusOr<ExitCode> found =
      FindProgram(flags, environment, *target, &program, &options);
  if (!found.ok()) return Fail(found.status(), environment);
  if (*found != kExitOk) return *found;
  absl::StatusOr<Timeline> timeline = kiln::Trace(*target, program.code, options);
  if (!timeline.ok()) {
    // The file is wrong, not the command line.
    Fail(
        absl::InvalidArgumentError(absl::StrCat(program.file, ": ", timeline.status().message(),
                                                "; is it ", flags.Get("target"), " machine code?")),
        environment);
    return kExitSomeFailed;
  }
  trace::Trace shown = {program.file, flags.Get("target"), program.variant, *std::move(timeline)};
  if (absl::Status s = Clip(flags, &shown); !s.ok()) return Fail(s, environment);
  return Show(flags, shown, environment);
}

}  // namespace

Command TraceCommand() {
  return {
      "trace",
      "FILE|-",
      "show when each instruction issues and what it waits for, by the cost model",
      "FILE is a shader, which is compiled as `kiln compile` does, or machine code of any compiler,\n"
      "which needs no daemon: a .bin that `kiln compile -o` wrote, a code object of ROCm, a binary of\n"
      "another compiler. The widest program is shown unless --widths chooses. Standard input is\n"
      "machine code, unless --stage or --lang say what shader it is.\n"
      "\n"
      "No hardware runs: the figures are those of the model behind `kiln analyze`. The program is shown\n"
      "once, in the order of the code; the totals by cause are also given with loops and branches\n"
      "counted as the model does. A row is an instruction: the cycle in which it issues, how many it\n"
      "waited since its turn came, the cycles until its result is there, and what it waits for: a\n"
      "register or a counter and the instruction that makes it ready, or a busy unit. Instructions\n"
      "issue in order; \"held\" in JSON is how long one was ready before its turn.\n"
      "\n"
      "--html=FILE writes a page that needs no network: the same rows as bars in the colours of their\n"
      "causes, with the cause of each under the pointer or a tap, zoom and keys.\n",
      "  kiln trace --target=gfx1030 --widths=32 tests/shaders/saxpy.comp\n"
      "  kiln trace --target=tgl --html=saxpy.html tests/shaders/saxpy.comp\n"
      "  kiln trace --target=tgl --from=100 --to=300 out/saxpy.comp.tgl.16.bin\n"
      "  kiln trace --target=gfx1030 --launch=client/examples/square.launch.json client/examples/square.bin\n",
      JoinFlags(
          {CompileFlags(),
           {{"launch", 0, "FILE", false, "launch record of FILE"},
            {"from", 0, "CYCLE", false, "show only what issues or waits after CYCLE (default: 0)"},
            {"to", 0, "CYCLE", false,
             "show only what issues or waits before CYCLE (default: the end)"},
            {"html", 0, "FILE", false, "write a page into FILE, and print the totals alone"}},
           FlagsOf(TraceSwitches()),
           ServiceFlags()}),
      Run};
}

}  // namespace kiln::client
