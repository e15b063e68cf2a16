// Log lines for jobs that their worker did not survive.
//
// A worker that ran hostile input may write anything onto its board, also a module's text. So the
// pass is named only if the workers announced it in their Hello, and a message is logged only if
// the parent wrote it: the text of a failed assertion goes to the client's result, not to the log.
#ifndef KILN_SERVER_ENGINE_JOB_LOG_H_
#define KILN_SERVER_ENGINE_JOB_LOG_H_

#include <set>
#include <string>
#include <vector>

#include "proto/worker.pb.h"
#include "server/log/log.h"
#include "server/worker/pool.h"

namespace kiln::server {

// The request, targets and source of a job.
struct JobOrigin {
  std::string request;               // id of the call that began it; other calls may have joined
  std::vector<std::string> targets;  // empty: a translation
  std::string key;                   // in hex: of the target whose compile did not survive
  std::string module;                // in hex, of the SPIR-V; empty: not known yet
};

class JobLog {
 public:
  // `log` outlives it; null: nothing is logged.
  JobLog(log::Log* log, const worker::Hello& hello);

  // Returns true if this outcome has a line in the log.
  static bool Tells(const worker::JobOutcome& outcome);
  // Writes the outcome's line. Needs Tells(outcome).
  void Tell(const worker::JobOutcome& outcome, const JobOrigin& origin) const;

 private:
  log::Log* const log_;
  std::set<std::string, std::less<>> passes_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_JOB_LOG_H_
