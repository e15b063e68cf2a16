// Finds the text of a message that is not UTF-8.
//
// A `string` of proto3 is UTF-8, and protobuf for C++ fails to parse a message in which one is not,
// without telling the caller which. FindBadText walks the unparsed bytes once more, with the
// message's descriptor, so that the client learns the field. Cost: one pass over the bytes, of
// refused messages only. Unknown fields are skipped; bytes that are no message of this type have no
// answer. The answer contains nothing of the text itself but the first wrong byte.
#ifndef KILN_PROTO_BAD_TEXT_H_
#define KILN_PROTO_BAD_TEXT_H_

#include <google/protobuf/message.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace kiln {

struct BadText {
  std::string field;  // "glsl.includes[2].text"
  std::string what;   // "not UTF-8: byte 0xff at offset 12"
};

// Returns the first text of these bytes, a message of `type`, that is not UTF-8.
std::optional<BadText> FindBadText(absl::string_view bytes,
                                   const google::protobuf::Descriptor& type);

// Does the same for a parsed message, whose strings protobuf lets the program fill with any bytes.
std::optional<BadText> FindBadText(const google::protobuf::Message& message);

}  // namespace kiln

#endif  // KILN_PROTO_BAD_TEXT_H_
