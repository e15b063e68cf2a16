// The inputs of `kiln precompile`: see inputs.h.
#include "client/precompile/inputs.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "client/capture/capture.h"

namespace kiln::client {
namespace {

namespace fs = std::filesystem;

absl::Status AddFolder(const std::string& folder, std::vector<std::string>* captures) {
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    const std::string path = it->path().string();
    std::error_code ignored;
    if (IsCaptureName(path) && it->is_regular_file(ignored)) found.push_back(CaptureBase(path));
  }
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat(folder, ": cannot read this folder: ", error.message()));
  }
  std::sort(found.begin(), found.end());
  captures->insert(captures->end(), found.begin(), found.end());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<InputPaths> SplitInputs(const std::vector<std::string>& arguments) {
  InputPaths inputs;
  std::vector<std::string> captures;
  for (const std::string& path : arguments) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      if (absl::Status s = AddFolder(path, &captures); !s.ok()) return s;
      inputs.others.push_back(path);
    } else if (IsCaptureName(path)) {
      if (!fs::exists(path, error)) {
        return absl::NotFoundError(absl::StrCat(path, ": there is no such file or folder"));
      }
      captures.push_back(CaptureBase(path));
    } else {
      inputs.others.push_back(path);
    }
  }
  for (std::string& base : captures) {
    if (std::find(inputs.captures.begin(), inputs.captures.end(), base) == inputs.captures.end()) {
      inputs.captures.push_back(std::move(base));
    }
  }
  return inputs;
}

}  // namespace kiln::client
