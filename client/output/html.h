// Text in HTML pages.
#ifndef KILN_CLIENT_OUTPUT_HTML_H_
#define KILN_CLIENT_OUTPUT_HTML_H_

#include <string>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace kiln::client {

// Returns text that shows as itself, in an element or in an attribute with quotes: names of files
// and texts of shaders may have any characters.
inline std::string EscapeHtml(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

}  // namespace kiln::client

#endif  // KILN_CLIENT_OUTPUT_HTML_H_
