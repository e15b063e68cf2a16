// Whether what a worker sent can be its answer to a job.
//
// A worker that a hostile shader has taken over may send anything. What it says of the job that it
// was given has to be believed; everything else is checked here: that it answers this job and
// nothing else, each target once, with values that a worker may say and that its parent can hold.
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

// `cancelled`: somebody has cancelled the job, so that a result may say so. The id of the frame,
// and which targets were answered before, are not looked at.
bool CanAnswer(const Job& job, const JobResult& frame, bool cancelled);

// Takes what `reader` has of the answers to `job`, which was sent with that id, into `outcome`,
// whose results have a place for each target. *last: all are there, and nothing after them.
// DataLoss: it is no answer to this job; what was taken before is not to be believed either.
absl::StatusCode TakeAnswers(const Job& job, uint64_t id, bool cancelled, FrameReader* reader,
                             JobOutcome* outcome, bool* last);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_ANSWER_H_
