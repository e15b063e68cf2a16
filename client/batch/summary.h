// Outcome of a batch: counts by status and cause and by cache tier.
#ifndef KILN_CLIENT_BATCH_SUMMARY_H_
#define KILN_CLIENT_BATCH_SUMMARY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "client/cli/exit_code.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

class Summary {
 public:
  // Failures of these causes leave the exit code as it is, but for crashes and time limits.
  // Call it before Add.
  void Allow(std::set<std::string> causes) { allowed_ = std::move(causes); }
  void Add(const kiln::v1::TargetResult& result);

  // Tells ToJson of a budget: how many variants it bounds, and how many bounds do not hold.
  void SetBudget(int64_t variants, int64_t over) { budget_ = {variants, over}; }

  int64_t results() const { return results_; }
  int64_t failed() const { return failed_; }
  // Over all results.
  ExitCode exit_code() const { return exit_code_; }

  // Returns a table for people.
  std::string Table(int64_t modules, absl::Duration elapsed, bool colour) const;
  // Returns one line of JSON.
  std::string ToJson(int64_t modules, absl::Duration elapsed, bool interrupted) const;

 private:
  int64_t results_ = 0;
  int64_t failed_ = 0;
  ExitCode exit_code_ = kExitOk;
  // By exit code, so that the worst outcome comes last; status and cause.
  std::map<std::pair<int, std::pair<std::string, std::string>>, int64_t> outcomes_;
  std::map<int, int64_t> tiers_;
  std::set<std::string> allowed_;
  std::optional<std::pair<int64_t, int64_t>> budget_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_BATCH_SUMMARY_H_
