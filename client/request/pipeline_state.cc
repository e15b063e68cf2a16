#include "client/request/pipeline_state.h"

#include <google/protobuf/util/json_util.h>

#include "absl/strings/str_cat.h"
#include "client/cli/paths.h"

namespace kiln::client {
namespace {

constexpr uint64_t kMaxBytes = 64 << 10;

}  // namespace

absl::StatusOr<kiln::v1alpha::PipelineState> ReadPipelineState(const std::string& path) {
  const auto wrong = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("--state=", path, ": ", why));
  };
  const absl::StatusOr<std::string> text = ReadRegularFile(path, kMaxBytes);
  if (!text.ok()) return wrong(text.status().message());
  kiln::v1alpha::PipelineState state;
  const auto parsed = google::protobuf::util::JsonStringToMessage(*text, &state);
  if (!parsed.ok()) {
    return wrong(absl::StrCat("not a pipeline state: ", std::string(parsed.message())));
  }
  return state;
}

}  // namespace kiln::client
