// What of a library's message goes into the log.
//
// Problem: gRPC 1.51 quotes what clients sent ("Error parsing metadata: error=invalid value key=te
// value=..."), and nobody's text but an operator's own belongs into his log. The library gives the
// finished text only, not what it was made of. So of the text its first words are kept, up to the
// first character that is no part of plain prose: values come after a ':', a '=', a quote or a
// number. The place in the library's source says the rest.
#ifndef KILN_SERVER_LOG_LIBRARY_MESSAGE_H_
#define KILN_SERVER_LOG_LIBRARY_MESSAGE_H_

#include <string>
#include <string_view>

namespace kiln::log {

inline constexpr size_t kMaxConstantBytes = 100;

// Letters, spaces, ',', '.', '-', '_' and '\'' that the message begins with, at most
// kMaxConstantBytes; of a failed assertion also the condition, which is text of the source.
std::string ConstantPart(std::string_view message);

// "src/core/call.cc:123": the last three parts of the path.
std::string SourceLine(std::string_view file, int line);

}  // namespace kiln::log

#endif  // KILN_SERVER_LOG_LIBRARY_MESSAGE_H_
