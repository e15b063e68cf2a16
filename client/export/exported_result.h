// A result as files for other tools have it: JUnit, SARIF, dependency files, budgets.
#ifndef KILN_CLIENT_EXPORT_EXPORTED_RESULT_H_
#define KILN_CLIENT_EXPORT_EXPORTED_RESULT_H_

#include <string>
#include <vector>

#include "client/export/diagnostics.h"
#include "client/output/result_json.h"
#include "client/source/source.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

struct ExportedResult {
  std::string file;  // as in JSON lines
  // Without code, texts and records. A batch keeps those of all items until its end.
  kiln::v1::TargetResult result;
  ResultIdentity identity;
  std::vector<Diagnostic> diagnostics;  // none if the result is OK
  std::vector<SourceFile> read;         // the source and its includes
  std::vector<std::string> written;     // paths of the machine code
};

// Removes from a result what ExportedResult does not keep.
void StripOutputs(kiln::v1::TargetResult* result);

// Makes one of a stripped result. `glsl` and `read`: those of its file's outcome (FileOutcome).
ExportedResult Exported(const std::string& file, const kiln::v1::TargetResult& stripped,
                        const ResultIdentity& identity, const kiln::v1::GlslSource& glsl,
                        const std::vector<SourceFile>& read,
                        const std::vector<std::string>& written);

// Returns "main, N=1 M, 3=uint:2, subgroup 16": entry point and permutation, printable, as far as
// they are known.
std::string SubjectText(const ExportedResult& result);

}  // namespace kiln::client

#endif  // KILN_CLIENT_EXPORT_EXPORTED_RESULT_H_
