// Makes the spans of jobs: see job_spans.h.
#include "server/engine/job_spans.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "server/engine/engine_internal.h"

namespace kiln::server {
namespace {

using kiln::v1::TargetResult;

// A name as workers announce them. A worker that was taken over may send any text.
std::string Name(const std::string& text) {
  constexpr size_t kMaxName = 64;
  const bool plain =
      !text.empty() && text.size() <= kMaxName && std::all_of(text.begin(), text.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
      });
  return plain ? text : "other";
}

// Returns the targets of the job that were finished or begun, as one text.
std::string TargetsOf(const worker::Job& job) {
  return absl::StrJoin(job.compile().targets(), ",");
}

std::string StageOf(const worker::JobOutcome& outcome, const worker::Job& job) {
  if (job.has_translate()) return Name(job.translate().glsl().stage());
  for (const auto& result : outcome.results) {
    if (result.has_value() && !result->stage().empty()) return Name(result->stage());
  }
  return "other";
}

trace::Span PassSpan(const worker::PassEvent& pass, const worker::Job& job, absl::Time start) {
  trace::Span span;
  span.name = Name(pass.pass);
  span.start = start;
  span.end = start + absl::Nanoseconds(pass.nanoseconds);
  span.attributes = {{"kiln.pass", span.name},
                     {"kiln.pass.changed", pass.changed},
                     {"kiln.pass.instructions.before", pass.instructions_before},
                     {"kiln.pass.instructions.after", pass.instructions_after}};
  if (pass.target >= 0 && pass.target < job.compile().targets_size()) {
    span.attributes.emplace_back("kiln.target", job.compile().targets(pass.target));
  }
  return span;
}

}  // namespace

std::optional<trace::Link> AddJobSpans(const worker::JobOutcome& outcome, const worker::Job& job,
                                       trace::Trace* trace) {
  const absl::Time end = trace->Now(), start = end - outcome.ran;
  trace::Span queue;
  queue.name = kQueueSpan;
  queue.start = std::max(trace->begun(), start - outcome.queued);  // two clocks
  queue.end = start;
  queue.attributes = {{"kiln.queue", "worker"}, {"kiln.queue.express", outcome.express}};
  trace->Add(std::move(queue));
  if (outcome.worker == 0) return std::nullopt;

  trace::Span work;
  work.name = job.has_translate() ? "translate" : "compile";
  work.start = start;
  work.end = end;
  work.failed = outcome.status != TargetResult::OK;
  work.attributes = {
      {"kiln.stage", StageOf(outcome, job)},
      {"kiln.job.status", absl::AsciiStrToLower(TargetResult::Status_Name(outcome.status))}};
  if (job.has_compile()) work.attributes.emplace_back("kiln.target", TargetsOf(job));
  if (!outcome.cause.empty()) work.attributes.emplace_back("kiln.cause", Name(outcome.cause));
  if (work.failed && !outcome.last_pass.empty()) {
    work.attributes.emplace_back("kiln.last_pass", Name(outcome.last_pass));
  }
  const trace::Link link = {trace->context().trace, trace->Add(std::move(work))};

  absl::Time begun = start;
  for (const worker::PassEvent& pass : outcome.passes) {
    const absl::Duration took = absl::Nanoseconds(pass.nanoseconds);
    if (took > kShortPass) trace->Add(PassSpan(pass, job, begun), &link.span);
    begun += took;
  }
  return link;
}

absl::Time TraceTime(const Call& call) {
  return call.trace == nullptr ? absl::InfinitePast() : call.trace->Now();
}

void AddCoalescedSpan(trace::Trace* trace, absl::Time begun,
                      const std::optional<trace::Link>& made_by) {
  if (trace == nullptr) return;
  trace::Span wait;
  wait.name = "wait for the same job";
  wait.start = begun;
  wait.end = trace->Now();
  wait.link = made_by;
  trace->Add(std::move(wait));
}

}  // namespace kiln::server
