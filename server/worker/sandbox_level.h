// Describes how well workers are confined, for people and metrics.
#ifndef KILN_SERVER_WORKER_SANDBOX_LEVEL_H_
#define KILN_SERVER_WORKER_SANDBOX_LEVEL_H_

#include <cstdint>
#include <map>
#include <string>

#include "proto/worker.pb.h"

namespace kiln::worker {

// Each protection by its name in Hello.Sandbox: 0 if it is missing, else 1, or the version of the
// kernel's interface.
using SandboxLevel = std::map<std::string, uint32_t>;
SandboxLevel LevelOf(const Hello::Sandbox& sandbox);

// Returns the protections that both have.
Hello::Sandbox Weaker(const Hello::Sandbox& a, const Hello::Sandbox& b);

// Returns for example "seccomp, landlock 6; missing: user_namespace".
std::string SandboxText(const SandboxLevel& level);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_SANDBOX_LEVEL_H_
