// Checks if the bytes that a worker sent can be its answer to a job.
//
// A worker that a hostile shader has taken over may send anything. Its results for the job that it
// was given have to be believed; everything else is checked here: that the bytes answer this job
// and nothing else, each target once, with values that a worker may report and that its parent can
// hold.
//
// Cost: linear in the records of passes and variants, not in the code.
#ifndef KILN_SERVER_WORKER_ANSWER_H_
#define KILN_SERVER_WORKER_ANSWER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "proto/worker.pb.h"
#include "server/worker/frame.h"
#include "server/worker/pool.h"

namespace kiln::worker {

// `hello`: the worker's, which declares the figures of each target's variants. `cancelled`: the job
// was cancelled, so a result may report that. The frame's id, and which targets were answered
// before, are not checked here.
bool CanAnswer(const Hello& hello, const Job& job, const JobResult& frame, bool cancelled);

// Takes the answers to `job`, which was sent with `id`, from `reader` into `outcome`, whose results
// have one element for each target. *last: all are there, and nothing follows. DataLoss: the bytes
// do not answer this job; results taken before must not be used either.
absl::StatusCode TakeAnswers(const Hello& hello, const Job& job, uint64_t id, bool cancelled,
                             FrameReader* reader, JobOutcome* outcome, bool* last);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_ANSWER_H_
