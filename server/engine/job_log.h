// What the log says of jobs that their worker did not survive.
//
// A worker that ran hostile input may write anything onto its board, a module's text as well. So
// the pass is named only if the workers announced it, and a message is the parent's own words: the
// text of a failed assertion is in the client's result, not here.
#ifndef KILN_SERVER_ENGINE_JOB_LOG_H_
#define KILN_SERVER_ENGINE_JOB_LOG_H_

#include <set>
#include <string>
#include <vector>

#include "proto/worker.pb.h"
#include "server/log/log.h"
#include "server/worker/pool.h"

namespace kiln::server {

// Whose job it was.
struct JobOrigin {
  std::string request;               // id of the call that began it; others may have joined
  std::vector<std::string> targets;  // empty: a translation
  std::string key;                   // in hex: of the target that it died of
  std::string module;                // in hex, of the SPIR-V; empty: there is none yet
};

class JobLog {
 public:
  // `log` outlives it; null: nothing is logged.
  JobLog(log::Log* log, const worker::Hello& hello);

  // False: there is nothing to say of this outcome.
  static bool Tells(const worker::JobOutcome& outcome);
  // With Tells: writes its line.
  void Tell(const worker::JobOutcome& outcome, const JobOrigin& origin) const;

 private:
  log::Log* const log_;
  std::set<std::string, std::less<>> passes_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_JOB_LOG_H_
