// Log lines for jobs that their worker did not survive: see job_log.h.
#include "server/engine/job_log.h"

#include <utility>

#include "absl/strings/str_join.h"

namespace kiln::server {
namespace {

using kiln::v1::TargetResult;

// The only cause whose message was written by a worker.
constexpr std::string_view kAssertion = "assertion";

log::Event EventOf(const worker::JobOutcome& outcome) {
  if (outcome.status == TargetResult::TIMED_OUT) return log::Event::kJobTimedOut;
  if (outcome.status == TargetResult::MEMORY_LIMIT) return log::Event::kJobOverMemory;
  return log::Event::kWorkerCrashed;
}

std::string TargetOf(const worker::JobOutcome& outcome, const JobOrigin& origin) {
  const auto blamed = static_cast<size_t>(outcome.blamed_target);
  if (outcome.blamed_target >= 0 && blamed < origin.targets.size()) return origin.targets[blamed];
  return absl::StrJoin(origin.targets, " ");
}

}  // namespace

JobLog::JobLog(log::Log* log, const worker::Hello& hello) : log_(log) {
  for (const auto& pass : hello.passes()) passes_.insert(pass.name());
  passes_.insert(hello.steps().begin(), hello.steps().end());
}

bool JobLog::Tells(const worker::JobOutcome& outcome) {
  return outcome.status == TargetResult::CRASHED || outcome.status == TargetResult::TIMED_OUT ||
         outcome.status == TargetResult::MEMORY_LIMIT;
}

void JobLog::Tell(const worker::JobOutcome& outcome, const JobOrigin& origin) const {
  if (log_ == nullptr) return;
  std::vector<log::Field> fields = {{"request", origin.request}, {"cause", outcome.cause}};
  if (!outcome.last_pass.empty()) {
    const bool known = passes_.contains(outcome.last_pass);
    fields.emplace_back("last_pass", known ? outcome.last_pass : "other");
  }
  if (!origin.targets.empty()) fields.emplace_back("target", TargetOf(outcome, origin));
  fields.emplace_back("key", origin.key);
  if (!origin.module.empty()) fields.emplace_back("module", origin.module);
  fields.emplace_back("queued_seconds", outcome.queued);
  fields.emplace_back("ran_seconds", outcome.ran);
  if (outcome.cause != kAssertion) fields.emplace_back("message", outcome.message);
  log_->Write(EventOf(outcome), std::move(fields));
}

}  // namespace kiln::server
