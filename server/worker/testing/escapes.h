// Ways out of the sandbox, as hostile code inside a worker would try them.
#ifndef KILN_SERVER_WORKER_TESTING_ESCAPES_H_
#define KILN_SERVER_WORKER_TESTING_ESCAPES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::worker {

// Tries one way out. "escaped": it worked. "refused: " with the system's reason: it did not. If the
// filter of system calls kills, it does not return. `number`: the process, port or key aimed at.
std::string Escape(std::string_view name, int64_t number);

struct EscapeName {
  const char* name;
  // True if the filter answers with an error; otherwise it kills.
  bool answered;
};
// All ways out that Escape knows.
std::vector<EscapeName> Escapes();

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_TESTING_ESCAPES_H_
