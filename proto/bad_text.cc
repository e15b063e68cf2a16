// Finds the text of a message that is not UTF-8: see bad_text.h.
#include "proto/bad_text.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/utf8.h"

namespace kiln {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// No message of ours nests deeper; in a hostile one the search stops here.
constexpr int kDepth = 16;

std::optional<BadText> Judge(absl::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t n = Utf8Length({text.data() + at, text.size() - at});
    if (n == 0) {
      return BadText{"", absl::StrFormat("not UTF-8: byte 0x%02x at offset %d",
                                         static_cast<unsigned char>(text[at]), at)};
    }
    at += n;
  }
  return std::nullopt;
}

std::string NameOf(const FieldDescriptor& field, int index) {
  return field.is_repeated() ? absl::StrCat(field.name(), "[", index, "]")
                             : std::string(field.name());
}

std::optional<BadText> Inside(const std::string& name, std::optional<BadText> bad) {
  if (bad.has_value()) bad->field = bad->field.empty() ? name : name + "." + bad->field;
  return bad;
}

std::optional<BadText> Walk(absl::string_view bytes, const Descriptor& type, int depth) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  std::map<int, int> seen;  // elements of repeated fields so far
  while (const uint32_t tag = in.ReadTag()) {
    const FieldDescriptor* field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&in, tag)) return std::nullopt;
      continue;
    }
    uint32_t length = 0;
    if (!in.ReadVarint32(&length)) return std::nullopt;
    const auto at = static_cast<size_t>(in.CurrentPosition());
    if (length > bytes.size() - at || !in.Skip(static_cast<int>(length))) return std::nullopt;
    if (field == nullptr) continue;
    const absl::string_view contents = bytes.substr(at, length);
    std::optional<BadText> bad;
    if (field->type() == FieldDescriptor::TYPE_STRING) bad = Judge(contents);
    if (field->type() == FieldDescriptor::TYPE_MESSAGE && depth < kDepth) {
      bad = Walk(contents, *field->message_type(), depth + 1);
    }
    if (bad.has_value()) return Inside(NameOf(*field, seen[field->number()]), std::move(bad));
    ++seen[field->number()];
  }
  return std::nullopt;
}

}  // namespace

std::optional<BadText> FindBadText(absl::string_view bytes, const Descriptor& type) {
  return Walk(bytes, type, 0);
}

std::optional<BadText> FindBadText(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const bool text = field->type() == FieldDescriptor::TYPE_STRING;
    if (!text && field->type() != FieldDescriptor::TYPE_MESSAGE) continue;
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      std::string scratch;
      std::optional<BadText> bad;
      if (text) {
        bad = Judge(field->is_repeated()
                        ? reflection.GetRepeatedStringReference(message, field, i, &scratch)
                        : reflection.GetStringReference(message, field, &scratch));
      } else {
        bad = FindBadText(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                               : reflection.GetMessage(message, field));
      }
      if (bad.has_value()) return Inside(NameOf(*field, i), std::move(bad));
    }
  }
  return std::nullopt;
}

}  // namespace kiln
