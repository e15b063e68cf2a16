// Finds the worker executable: see executable.h.
#include "server/worker/executable.h"

#include <unistd.h>

#include <climits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace kiln::worker {
namespace {

// Paths relative to the folder of the running executable: installed side by side; a package's
// libexec; bazel-bin/server/kilnd and bazel-bin/client/kiln; a test below tests/.
constexpr const char* kPaths[] = {
    "kiln_worker",
    "../libexec/kiln/kiln_worker",
    "worker/kiln_worker",
    "../server/worker/kiln_worker",
    "../../server/worker/kiln_worker",
};

std::string OwnFolder() {
  char path[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  if (n <= 0) return ".";
  std::string self(path, static_cast<size_t>(n));
  return self.substr(0, self.rfind('/'));
}

}  // namespace

absl::StatusOr<std::string> FindWorkerExecutable(std::string_view given) {
  if (!given.empty()) {
    std::string path(given);
    if (access(path.c_str(), X_OK) == 0) return path;
    return absl::NotFoundError(absl::StrCat("there is no executable worker program at ", path));
  }
  std::string folder = OwnFolder();
  std::vector<std::string> tried;
  for (const char* relative : kPaths) {
    std::string path = absl::StrCat(folder, "/", relative);
    if (access(path.c_str(), X_OK) == 0) return path;
    tried.push_back(path);
  }
  return absl::NotFoundError(
      absl::StrCat("kiln_worker was not found; searched ", absl::StrJoin(tried, ", ")));
}

}  // namespace kiln::worker
