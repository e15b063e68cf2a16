// A result for other tools: see exported_result.h.
#include "client/export/exported_result.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/terminal.h"

namespace kiln::client {

void StripOutputs(kiln::v1::TargetResult* result) {
  result->clear_passes();
  result->clear_pass_sums();
  result->clear_remarks();
  for (auto& variant : *result->mutable_variants()) {
    variant.clear_code();
    variant.clear_launch();
    variant.clear_assembly();
  }
}

ExportedResult Exported(const std::string& file, const kiln::v1::TargetResult& stripped,
                        const ResultIdentity& identity, const kiln::v1::GlslSource& glsl,
                        const std::vector<SourceFile>& read,
                        const std::vector<std::string>& written) {
  return {file, stripped, identity, DiagnosticsOf(stripped, glsl, read), read, written};
}

std::string SubjectText(const ExportedResult& result) {
  const ResultIdentity& identity = result.identity;
  std::vector<std::string> parts;
  for (const std::string& part :
       {result.result.entry_point(), identity.name, absl::StrJoin(identity.defines, " "),
        absl::StrJoin(identity.spec, " ")}) {
    if (!part.empty()) parts.push_back(Printable(part));
  }
  if (identity.subgroup_size != 0) {
    parts.push_back(absl::StrCat("subgroup ", identity.subgroup_size));
  }
  if (!identity.widths.empty()) {
    parts.push_back(absl::StrCat("widths ", absl::StrJoin(identity.widths, " ")));
  }
  if (identity.full_subgroups) parts.push_back("full subgroups");
  if (identity.dispatch_base) parts.push_back("dispatch base");
  if (!identity.scan.empty()) parts.push_back(absl::StrCat("scan ", Printable(identity.scan)));
  if (identity.ngg_group != 0) {
    parts.push_back(absl::StrCat("workgroups of ", identity.ngg_group));
  }
  if (!identity.state.empty()) parts.push_back(Printable(identity.state));
  if (!identity.pair.empty()) parts.push_back(absl::StrCat("with ", Printable(identity.pair)));
  return absl::StrJoin(parts, ", ");
}

}  // namespace kiln::client
