// Errors of a result with their places: file, line and column, as tools that mark them need.
//
// glslang's log has a line for each error of a text, "ERROR: NAME:LINE: 'TOKEN' : TEXT", without a
// column. The column is that of TOKEN if the line has it exactly once outside comments; otherwise
// it is left out, as in texts with #line, whose lines are not those of the file. A refusal has one
// place or none, from the compiler's reason.
#ifndef KILN_CLIENT_EXPORT_DIAGNOSTICS_H_
#define KILN_CLIENT_EXPORT_DIAGNOSTICS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "client/source/source.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

struct Diagnostic {
  std::string path;         // to open; of modules, as their debug information has it
  uint32_t line = 0;        // from 1; 0: the file as a whole
  uint32_t column = 0;      // from 1, in code points; 0: not known
  uint32_t end_column = 0;  // after the last one; 0: not known
  std::string text;         // printable, on one line

  bool operator==(const Diagnostic&) const = default;
};

// Returns the errors of a result in the order of its message, at least one; none if it is OK.
// `read`: the files of the source, the main one first (LoadSource). `glsl`: their texts; empty for
// SPIR-V.
std::vector<Diagnostic> DiagnosticsOf(const kiln::v1::TargetResult& result,
                                      const kiln::v1::GlslSource& glsl,
                                      const std::vector<SourceFile>& read);

}  // namespace kiln::client

#endif  // KILN_CLIENT_EXPORT_DIAGNOSTICS_H_
