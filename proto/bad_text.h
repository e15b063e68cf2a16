// Which text of a message is not UTF-8.
//
// A `string` of proto3 is UTF-8, and protobuf for C++ fails to parse a message in which one is not,
// without saying to the caller which. Here the bytes that did not parse are walked once more, with
// the message's description at hand, so that the client is told the field. Cost: one pass over the
// bytes, of refused messages only. Unknown fields are skipped; bytes that are no message of this
// type have no answer. Nothing of the text itself is given away but the first wrong byte.
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

// The first text of these bytes, a message of `type`, that is not UTF-8.
std::optional<BadText> FindBadText(absl::string_view bytes,
                                   const google::protobuf::Descriptor& type);

// The same of a message at hand, which protobuf lets one fill with any bytes.
std::optional<BadText> FindBadText(const google::protobuf::Message& message);

}  // namespace kiln

#endif  // KILN_PROTO_BAD_TEXT_H_
