// Writes the outputs of a compile: see output_files.h.
#include "client/output/output_files.h"

#include <google/protobuf/util/json_util.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "client/cli/paths.h"
#include "core/out/container.h"
#include "proto/launch_record_convert.h"
#include "server/key/sha256.h"

namespace kiln::client {
namespace {

// Writes a record in the form of tests/peer: original field names, keys also where the value is 0.
absl::StatusOr<std::string> LaunchJson(const kiln::v1::LaunchRecord& record) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string json;
  auto status = google::protobuf::util::MessageToJsonString(record, &json, options);
  if (!status.ok()) return absl::InternalError(absl::StrCat("launch record: ", status.ToString()));
  return json;
}

}  // namespace

absl::Status PrepareOutputFolder(const std::string& folder) {
  // Creating a file is the only reliable test that files can be created there.
  std::string name = absl::StrCat(".kiln-", getpid());
  std::string probe = JoinPath(folder, name);
  absl::Status status = WriteWholeFileBelow(folder, name, "");
  if (status.ok()) {
    unlink(probe.c_str());
    return status;
  }
  return absl::PermissionDeniedError(absl::StrCat("-o ", folder, ": cannot write here (",
                                                  status.message(),
                                                  "); choose a folder that you can write to"));
}

absl::StatusOr<std::vector<std::string>> WriteOutputs(const std::string& folder,
                                                      const std::string& name,
                                                      const std::string& file,
                                                      const kiln::v1::TargetResult& result,
                                                      bool assembly) {
  std::vector<std::string> binaries;
  const out::ContainerInfo* container = out::FindContainer(result.container());
  if (container == nullptr) {
    return absl::InternalError(
        absl::StrCat("the service returned code in a container that this client does not know: ",
                     result.container()));
  }
  for (const auto& variant : result.variants()) {
    std::string stem =
        absl::StrCat(ConfinedPath(name), ".", ConfinedPath(result.target()), ".", variant.width());
    std::string binary = absl::StrCat(stem, std::string(container->ending));
    kiln::v1::LaunchRecord record = variant.launch();
    if (absl::Status s = kiln::proto::CheckVersion(record); !s.ok()) return s;
    record.set_file(file);
    record.set_code_sha256(cache::ToHex(cache::Sha256(variant.code())));
    if (record.stage().empty()) record.set_stage(result.stage());
    if (record.entry_point().empty()) record.set_entry_point(result.entry_point());
    if (record.loadable_by().empty()) record.set_loadable_by(result.loadable_by());
    absl::StatusOr<std::string> json = LaunchJson(record);
    if (!json.ok()) return json.status();
    absl::Status status = WriteWholeFileBelow(folder, binary, variant.code());
    if (status.ok()) status = WriteWholeFileBelow(folder, stem + ".launch.json", *json);
    if (status.ok() && assembly) {
      status = WriteWholeFileBelow(folder, stem + ".asm", variant.assembly());
    }
    if (!status.ok()) return status;
    binaries.push_back(binary);
  }
  return binaries;
}

}  // namespace kiln::client
