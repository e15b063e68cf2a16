// Cuts a library's message to what the log may have.
//
// Problem: gRPC 1.51 quotes what clients sent ("Error parsing metadata: error=invalid value key=te
// value=..."), but a client's text does not belong into the operator's log. The library passes the
// finished text only, not its parts. So only the first words of the text are kept, up to the first
// character that is not plain prose: values come after a ':', a '=', a quote or a number. The
// location in the library's source tells the rest.
#ifndef KILN_SERVER_LOG_LIBRARY_MESSAGE_H_
#define KILN_SERVER_LOG_LIBRARY_MESSAGE_H_

#include <string>
#include <string_view>

namespace kiln::log {

inline constexpr size_t kMaxConstantBytes = 100;

// Returns the letters, spaces, ',', '.', '-', '_' and '\'' at the beginning of the message, at most
// kMaxConstantBytes; for a failed assertion also the condition, which is text of the source.
std::string ConstantPart(std::string_view message);

// Returns for example "src/core/call.cc:123": the last three parts of the path.
std::string SourceLine(std::string_view file, int line);

}  // namespace kiln::log

#endif  // KILN_SERVER_LOG_LIBRARY_MESSAGE_H_
