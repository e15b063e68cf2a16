// Chooses the form of an answer by a request's Accept and Accept-Encoding headers (RFC 9110, 12.5),
// and compresses answers.
#ifndef KILN_SERVER_NET_NEGOTIATE_H_
#define KILN_SERVER_NET_NEGOTIATE_H_

#include <string>
#include <string_view>

namespace kiln::net {

// Returns the values of all header lines with this name (lower case), joined by commas. `header`:
// the request line and the header lines.
std::string HeaderValues(std::string_view header, std::string_view name);

// Returns true if the request names `media_type` (lower case, without parameters) and accepts it at
// least as much as text/plain.
bool Prefers(std::string_view header, std::string_view media_type);

// Returns true if the request names gzip and accepts it.
bool TakesGzip(std::string_view header);

// Replaces the text by its gzip form. Returns false, and leaves it, if it is no shorter then.
bool Compress(std::string* text);

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_NEGOTIATE_H_
