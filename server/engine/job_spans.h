// Spans of jobs: the wait for a worker, the worker's time, and passes that took long.
//
// Workers report each pass's processor time but not when it began. Spans of passes are therefore
// laid end to end from the start of the worker's, in their order.
#ifndef KILN_SERVER_ENGINE_JOB_SPANS_H_
#define KILN_SERVER_ENGINE_JOB_SPANS_H_

#include <optional>

#include "absl/time/time.h"
#include "server/engine/call.h"
#include "server/trace/tracer.h"
#include "server/worker/pool.h"

namespace kiln::server {

// Passes of at most this processor time have no span.
inline constexpr absl::Duration kShortPass = absl::Milliseconds(1);

// Adds the spans of a job that has just ended to the trace of the call that asked for it first.
// Returns the span of the worker's time; nothing: no worker had the job.
std::optional<trace::Link> AddJobSpans(const worker::JobOutcome& outcome, const worker::Job& job,
                                       trace::Trace* trace);

// Returns the time now if the call is traced.
absl::Time TraceTime(const Call& call);

// Adds the wait for another call's job that just ended, with a link to that job's span if it is
// traced. Does nothing without a trace.
void AddCoalescedSpan(trace::Trace* trace, absl::Time begun,
                      const std::optional<trace::Link>& made_by);

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_JOB_SPANS_H_
