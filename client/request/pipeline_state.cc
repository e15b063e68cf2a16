#include "client/request/pipeline_state.h"

#include <google/protobuf/util/json_util.h>

#include "absl/strings/str_cat.h"
#include "client/cli/paths.h"

namespace kiln::client {
namespace {

constexpr uint64_t kMaxBytes = 64 << 10;

}  // namespace

absl::StatusOr<kiln::v1::PipelineState> ReadPipelineState(const std::string& path) {
  const auto wrong = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("--state=", path, ": ", why));
  };
  const absl::StatusOr<std::string> text = ReadRegularFile(path, kMaxBytes);
  if (!text.ok()) return wrong(text.status().message());
  auto state = ParsePipelineState(*text);
  return state.ok() ? state : wrong(state.status().message());
}

absl::StatusOr<kiln::v1::PipelineState> ParsePipelineState(const std::string& json) {
  kiln::v1::PipelineState state;
  const auto parsed = google::protobuf::util::JsonStringToMessage(json, &state);
  if (parsed.ok()) return state;
  return absl::InvalidArgumentError(
      absl::StrCat("not a pipeline state: ", std::string(parsed.message())));
}

std::string PipelineStateJson(const kiln::v1::PipelineState& state) {
  if (state.ByteSizeLong() == 0) return "";
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string json;
  const auto printed = google::protobuf::util::MessageToJsonString(state, &json, options);
  ABSL_ASSERT(printed.ok());
  return json;
}

}  // namespace kiln::client
