// kiln precompile: pipelines of captures, and shaders, into a database of results.
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/commands/batch_inputs.h"
#include "client/commands/command.h"
#include "client/commands/precompile_run.h"
#include "client/database/merge.h"
#include "client/database/results_database.h"
#include "client/database/schema.h"
#include "client/database/sql.h"
#include "client/export/result_files.h"
#include "client/precompile/outcome_summary.h"
#include "client/request/request_options.h"
#include "client/service/service_flags.h"

namespace kiln::client {
namespace {

std::vector<Flag> PrecompileFlags() {
  return JoinFlags(
      {CompileFlags(),
       {{"output", 'o', "FILE", false, "the database of results; made if there is none"}},
       InputFlags(),
       {{"jobs", 'j', "N", false,
         "number of pipelines in flight (default 32; with --local one per processor)"},
        {"shard", 0, "I/N", false, "take only the I-th of N parts of the inputs"},
        {"merge", 0, "", false, "INPUTs are databases, of shards: put them together into FILE"},
        {"pause-above", 0, "KIND=PERCENT[,...]", false,
         "pause while the machine is short of cpu, memory or io: in so many percent of the last 10 s "
         "some task waited for it (/proc/pressure)"},
        {"quiet", 'q', "", false, "do not print crashes and warnings one by one"},
        AllowFlag()},
       BudgetFlags(),
       ServiceFlags()});
}

// InvalidArgument: a database that cannot be put into another one, or is that one.
absl::Status CheckPart(const std::string& part, const std::string& whole) {
  std::error_code error;
  if (std::filesystem::equivalent(part, whole, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat(part, ": is FILE itself, whose rows stay there anyway; leave it out"));
  }
  const auto db = SqlDatabase::Open(part, SqlDatabase::Mode::kRead);
  return db.ok() ? CheckSchema(db->get()) : db.status();
}

// Puts databases together.
absl::StatusOr<ExitCode> Merge(const ParsedFlags& flags, const Environment& environment) {
  if (flags.Get("output").empty() || flags.arguments().empty()) {
    return absl::InvalidArgumentError("--merge needs -o FILE and the databases to put into it");
  }
  for (const char* flag : {"budget", "junit", "list-items"}) {
    if (!flags.Has(flag)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag,
                     ": not with --merge; give it to a run of the inputs on FILE "
                     "afterwards, which compiles nothing that the parts have"));
  }
  const absl::Time start = absl::Now();
  // First, so that a wrong command line makes no file.
  for (const std::string& part : flags.arguments()) {
    if (absl::Status s = CheckPart(part, flags.Get("output")); !s.ok()) return s;
  }
  auto database = ResultsDatabase::Open(flags.Get("output"));
  if (!database.ok()) return database.status();
  for (const std::string& part : flags.arguments()) {
    if (absl::Status s = MergeInto(database->get(), part); !s.ok()) return s;
  }
  auto outcomes = CountOutcomes((*database)->sql());
  if (!outcomes.ok()) return outcomes.status();
  const auto pipelines = (*database)->sql()->IntOf("SELECT count(*) FROM pipeline");
  if (!pipelines.ok()) return pipelines.status();
  absl::Status done = (*database)->RemoveUnused();
  done.Update((*database)->Finish());
  if (!done.ok()) return done;
  const RunSummary summary = {flags.Get("output"),
                              false,
                              absl::Now() - start,
                              {.pipelines = *pipelines, .kept = *pipelines},
                              *std::move(outcomes)};
  const absl::Status printed =
      Print(environment.json ? summary.ToJson() + "\n" : summary.Text(environment.out_colour));
  return printed.ok() ? absl::StatusOr<ExitCode>(summary.exit_code()) : printed;
}

ExitCode RunOrFail(const ParsedFlags& flags, const Environment& environment) {
  std::vector<std::string> names;
  for (const Flag& flag : PrecompileFlags()) names.push_back(flag.Key());
  const absl::StatusOr<ExitCode> code =
      flags.Has("merge") ? Merge(flags, environment) : RunPrecompile(flags, names, environment);
  return code.ok() ? *code : Fail(code.status(), environment);
}

}  // namespace

Command PrecompileCommand() {
  return {
      "precompile",
      "INPUT...",
      "compile the pipelines of captures into a database",
      "INPUTs are captures of Fossilize (*.foz), folders with captures and shaders, and\n"
      "shaders; --manifest names more. base.foz and base.1.foz, base.2.foz, ... beside it are\n"
      "one capture, whichever of them is named. Each stage of each pipeline is compiled with its\n"
      "entry point, specialisation, subgroup size and the state that its code depends on, and\n"
      "gets a row for each target: its figures, or the cause why it is not compiled. Damage in a\n"
      "capture, libraries, missing modules, state that is left to be set when drawing: each has\n"
      "a cause of its own, and none ends the command.\n"
      "\n"
      "FILE is a database of SQLite, whose tables client/database/SCHEMA.md describes. It has\n"
      "views for the usual questions: spilling, worst_by_cycles, refused_by_cause, changed and\n"
      "changed_status (since an earlier version of the compiler), stage_result, stage_statistic.\n"
      "\n"
      "However the command ends (Ctrl-C, kill -9, the daemon gone), FILE has the pipelines that\n"
      "were finished; run again, it compiles only the others: pipelines that are new, whose code\n"
      "another version of the compiler made, or for which the compiler gave no answer. Pipelines\n"
      "that a capture no longer has are removed; rows of files stay.\n"
      "\n"
      "Lists, manifests, pairs and permutations are those of `kiln batch`. --budget judges all\n"
      "pipelines of the INPUTs, those that were finished before as well; a rule's \"path\" may be\n"
      "a capture, and \"total\" sums up over it. Over budget the exit code is 1, after a table.\n"
      "--allow names the causes that are known and accepted, so that the code tells what is new.\n"
      "\n"
      "--shard=I/N compiles one of N parts, the same part on every machine; --merge puts the\n"
      "databases of the parts together.\n"
      "\n"
      "--pause-above stops taking work while the pressure of one kind is above its limit:\n"
      "cpu=60 leaves an interactive machine usable, memory=10 and io=40 avoid swapping and long\n"
      "waits for the disk. Without it there are no limits.\n",
      "  kiln precompile --target=tgl -o results.sqlite client/examples/capture.foz\n"
      "  kiln precompile --target=tgl --shard=1/2 -o part1.sqlite client/examples/capture.foz\n"
      "  kiln precompile --target=tgl --shard=2/2 -o part2.sqlite client/examples/capture.foz\n"
      "  kiln precompile --merge -o merged.sqlite part1.sqlite part2.sqlite\n"
      "  kiln precompile --target=tgl -o results.sqlite --budget=client/examples/capture_budget.json client/examples/capture.foz\n"
      "  kiln precompile --local --target=tgl -o shaders.sqlite tests/shaders\n",
      PrecompileFlags(),
      RunOrFail};
}

}  // namespace kiln::client
