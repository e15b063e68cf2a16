// The filter of system calls (seccomp) that a worker puts on itself.
#ifndef KILN_SERVER_WORKER_SYSTEM_CALL_FILTER_H_
#define KILN_SERVER_WORKER_SYSTEM_CALL_FILTER_H_

namespace kiln::worker {

// Allows by name and kills otherwise (SIGSYS). Calls that open something fail with EACCES instead
// of killing: library code asks for optional files (locale, time zone) and copes without. Memory is
// never executable, signals and limits reach this process only. False: there is no filter.
bool FilterSystemCalls();

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_SYSTEM_CALL_FILTER_H_
