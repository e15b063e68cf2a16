// The files that `kiln compile` and `kiln batch` write for other tools, and the budget: --junit,
// --sarif, --depfile, --budget. `kiln precompile` has --junit and --budget.
//
// Results are collected, and the files written at the end, each complete or not at all. A batch of
// 100,000 results takes some 100 MB for it; without these flags nothing is kept.
#ifndef KILN_CLIENT_EXPORT_RESULT_FILES_H_
#define KILN_CLIENT_EXPORT_RESULT_FILES_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/exit_code.h"
#include "client/cli/flags.h"
#include "client/export/budget.h"
#include "client/export/exported_result.h"
#include "client/export/judge.h"

namespace kiln::client {

// Returns --budget and --junit, which need no sources.
std::vector<Flag> BudgetFlags();
// Returns these, --sarif, --depfile and --depfile-target.
std::vector<Flag> ResultFileFlags();

class ResultFiles {
 public:
  // Reads the flags and the budget. `inputs`: files that the command reads and that no output may
  // replace. `outputs`: what a dependency file is about if --depfile-target is not given (--jsonl);
  // `writes_code`: -o DIR is given. InvalidArgument names the flag.
  absl::Status Open(const ParsedFlags& flags, const kiln::v1::Capabilities& capabilities,
                    const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                    bool writes_code);

  // Returns true if Add needs results.
  bool wanted() const { return wanted_; }
  // Takes a result; keeps of its files what is needed.
  void Add(ExportedResult result);

  struct Outcome {
    ExitCode code = kExitOk;  // `code` of Finish, or kExitSomeFailed if something is over budget
    std::string text;         // the budget's table for people; empty: nothing to tell
    size_t over = 0;          // bounds of the budget that do not hold
    size_t judged = 0;        // variants that the budget bounds
  };
  // Judges the budget and writes the files. `code`: what the results alone end with.
  absl::StatusOr<Outcome> Finish(ExitCode code);

  // Returns true if there is a budget.
  bool has_budget() const { return !budget_file_.empty(); }

 private:
  absl::StatusOr<std::string> Depfile() const;

  bool wanted_ = false;
  std::string junit_, sarif_, depfile_, budget_file_;
  std::set<std::string> allowed_;  // causes of --allow
  std::vector<std::string> depfile_targets_;
  bool rule_for_each_ = false;             // of the dependency file
  std::vector<std::string> other_inputs_;  // manifests, lists, pipeline state, the budget
  Budget budget_;
  std::vector<ExportedResult> results_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_EXPORT_RESULT_FILES_H_
