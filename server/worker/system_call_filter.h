// The filter of system calls (seccomp) that a worker puts on itself.
#ifndef KILN_SERVER_WORKER_SYSTEM_CALL_FILTER_H_
#define KILN_SERVER_WORKER_SYSTEM_CALL_FILTER_H_

namespace kiln::worker {

// Allows by name, and by argument if one matters, and kills otherwise (SIGSYS): bytes go to and
// come from the parent's socket only, memory is never executable, signals and limits reach this
// process only. Calls that library code makes in passing and copes without fail with EACCES instead
// of killing: optional files (locale, time zone), complaints on standard error. Returns false if
// there is no filter.
bool FilterSystemCalls();

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_SYSTEM_CALL_FILTER_H_
