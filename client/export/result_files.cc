// Files for other tools: see result_files.h.
#include "client/export/result_files.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/paths.h"
#include "client/export/depfile.h"
#include "client/export/junit.h"
#include "client/export/sarif.h"

namespace kiln::client {
namespace {

constexpr uint64_t kMaxBudgetBytes = uint64_t{64} << 20;
constexpr const char* kOutputFlags[] = {"junit", "sarif", "depfile"};

// Returns an error if one of the flags' files would replace an input, or another output.
absl::Status CheckOutputs(const ParsedFlags& flags, const std::vector<std::string>& inputs) {
  std::set<std::string> named;
  for (const char* flag : kOutputFlags) {
    if (!flags.Has(flag)) continue;
    const std::string file = flags.Get(flag);
    if (file.empty() || file == "-") {
      return absl::InvalidArgumentError(absl::StrCat("--", flag, ": give the name of a file"));
    }
    if (!named.insert(NormalPath(file)).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, "=", file, ": another flag names this file, too"));
    }
    for (const std::string& input : inputs) {
      std::error_code error;
      if (!std::filesystem::equivalent(file, input, error) || error) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, "=", file, ": is an input of this command; name another file"));
    }
  }
  return absl::OkStatus();
}

void AppendNew(const std::string& name, std::set<std::string>* seen,
               std::vector<std::string>* names) {
  if (seen->insert(name).second) names->push_back(name);
}

}  // namespace

std::vector<Flag> BudgetFlags() {
  return {
      {"budget", 0, "FILE.json", false,
       "end with 1 and a table if a statistic is over its bound in FILE"},
      {"junit", 0, "FILE", false, "write the results to FILE as JUnit's XML"},
  };
}

std::vector<Flag> ResultFileFlags() {
  std::vector<Flag> flags = BudgetFlags();
  const std::vector<Flag> more = {
      {"sarif", 0, "FILE", false,
       "write errors with file, line and column, and bounds that do not hold, to FILE as SARIF "
       "2.1.0"},
      {"depfile", 0, "FILE", false,
       "write the sources and includes that outputs depend on to FILE, for Make and Ninja"},
      {"depfile-target", 0, "NAME", true,
       "the output that --depfile is about (default: the machine code of -o, and --jsonl)"},
  };
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

absl::Status ResultFiles::Open(const ParsedFlags& flags, const kiln::v1::Capabilities& capabilities,
                               const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs, bool writes_code) {
  if (absl::Status s = CheckOutputs(flags, inputs); !s.ok()) return s;
  junit_ = flags.Get("junit");
  sarif_ = flags.Get("sarif");
  depfile_ = flags.Get("depfile");
  budget_file_ = flags.Get("budget");
  const std::vector<std::string> allowed = flags.Commas("allow");
  allowed_ = {allowed.begin(), allowed.end()};
  wanted_ = !(junit_ + sarif_ + depfile_ + budget_file_).empty();
  if (flags.Has("depfile-target") && depfile_.empty()) {
    return absl::InvalidArgumentError("--depfile-target: has no effect without --depfile=FILE");
  }
  depfile_targets_ = flags.All("depfile-target");
  rule_for_each_ = depfile_targets_.empty() && writes_code;
  if (depfile_targets_.empty()) depfile_targets_ = outputs;
  if (!depfile_.empty() && depfile_targets_.empty() && !rule_for_each_) {
    return absl::InvalidArgumentError(
        "--depfile: it is not known which output depends on the sources; name it with "
        "--depfile-target=NAME, or give -o DIR");
  }
  for (const char* flag : {"manifest", "list", "state", "budget"}) {
    if (flags.Has(flag) && flags.Get(flag) != "-") other_inputs_.push_back(flags.Get(flag));
  }
  if (!has_budget()) return absl::OkStatus();
  const absl::StatusOr<std::string> text = ReadWholeFile(budget_file_, kMaxBudgetBytes);
  if (!text.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--budget: ", text.status().message()));
  }
  absl::StatusOr<Budget> budget = ParseBudget(*text, capabilities);
  if (!budget.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--budget=", budget_file_, ": ", budget.status().message()));
  }
  budget_ = *std::move(budget);
  return absl::OkStatus();
}

void ResultFiles::Add(ExportedResult result) {
  if (depfile_.empty()) result.written.clear();
  if (depfile_.empty() && result.read.size() > 1) result.read.resize(1);
  results_.push_back(std::move(result));
}

absl::StatusOr<std::string> ResultFiles::Depfile() const {
  std::vector<Dependencies> rules;
  Dependencies all = {depfile_targets_, {}};
  std::set<std::string> seen;
  for (const ExportedResult& result : results_) {
    Dependencies one = {result.written, {}};
    std::set<std::string> own;
    for (const SourceFile& file : result.read) {
      AppendNew(file.path, &seen, &all.inputs);
      AppendNew(file.path, &own, &one.inputs);
    }
    for (const std::string& file : other_inputs_) AppendNew(file, &own, &one.inputs);
    if (rule_for_each_ && !one.outputs.empty()) rules.push_back(std::move(one));
  }
  for (const std::string& file : other_inputs_) AppendNew(file, &seen, &all.inputs);
  if (!all.outputs.empty()) rules.push_back(std::move(all));
  return DepfileText(rules);
}

absl::StatusOr<ResultFiles::Outcome> ResultFiles::Finish(ExitCode code) {
  Outcome outcome;
  outcome.code = code;
  if (!wanted_) return outcome;
  const Verdict verdict = Judge(budget_, results_);
  if (has_budget()) outcome.text = VerdictText(verdict, budget_, results_, budget_file_);
  outcome.over = verdict.overruns.size();
  outcome.judged = verdict.judged;
  if (outcome.code == kExitOk && outcome.over != 0) outcome.code = kExitSomeFailed;
  if (!junit_.empty()) {
    absl::Status s = WriteWholeFile(junit_, JunitText(results_, verdict.overruns, allowed_));
    if (!s.ok()) return s;
  }
  if (!sarif_.empty()) {
    absl::Status s = WriteWholeFile(sarif_, SarifText(results_, verdict.overruns, outcome.code));
    if (!s.ok()) return s;
  }
  if (depfile_.empty()) return outcome;
  const absl::StatusOr<std::string> text = Depfile();
  if (!text.ok()) return text.status();
  if (absl::Status s = WriteWholeFile(depfile_, *text); !s.ok()) return s;
  return outcome;
}

}  // namespace kiln::client
