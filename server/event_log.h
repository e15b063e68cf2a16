// Turns events of the daemon's parts into log lines (log/events.def).
//
// No function blocks (log/log.h); each may be called from any thread. The log outlives the calls.
#ifndef KILN_SERVER_EVENT_LOG_H_
#define KILN_SERVER_EVENT_LOG_H_

#include <string_view>

#include "absl/status/status.h"
#include "kiln/v1/admin.pb.h"
#include "proto/worker.pb.h"
#include "server/cache/disk_status.h"
#include "server/log/log.h"
#include "server/quarantine/quarantine.h"
#include "server/worker/process.h"

namespace kiln::server {

// A worker ended while it had no job. The text of an assertion is the worker's own and stays out of
// the log (job_log.h).
void LogIdleDeath(const worker::Exit& exit, log::Log* log);

void LogDiskEvent(const cache::DiskEvent& event, log::Log* log);

// How well workers are confined: a number for each layer, 0 where the kernel does not have it.
void LogSandbox(const worker::Hello& hello, log::Log* log);

// The quarantine's entries that the daemon found, or dropped, at its start.
void LogQuarantineLoaded(const quarantine::Quarantine::Usage& usage, log::Log* log);
// A shader is refused from now on.
void LogQuarantined(const kiln::v1::QuarantineEntry& entry, log::Log* log);

// The listener of this name begins to refuse connections, or has room again.
void LogRefusing(std::string_view listener, bool refusing, log::Log* log);

// The daemon's probe of itself fails, or (Ok) is answered again.
void LogSelfHealth(const absl::Status& status, log::Log* log);

}  // namespace kiln::server

#endif  // KILN_SERVER_EVENT_LOG_H_
