#include "server/worker/escape_text.h"

#include <string>
#include <vector>

#include "core/base/utf8.h"
#include "google/protobuf/descriptor.h"

namespace kiln::worker {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void EscapeStrings(const Reflection& reflection, const FieldDescriptor* field, Message* message) {
  std::string copy;
  if (!field->is_repeated()) {
    const std::string& text = reflection.GetStringReference(*message, field, &copy);
    if (!IsUtf8(text)) reflection.SetString(message, field, EscapeNonUtf8(text));
    return;
  }
  for (int i = 0; i < reflection.FieldSize(*message, field); ++i) {
    const std::string& text = reflection.GetRepeatedStringReference(*message, field, i, &copy);
    if (!IsUtf8(text)) reflection.SetRepeatedString(message, field, i, EscapeNonUtf8(text));
  }
}

}  // namespace

void EscapeText(Message* message) {
  const Reflection& reflection = *message->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->type() == FieldDescriptor::TYPE_STRING) EscapeStrings(reflection, field, message);
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      EscapeText(reflection.MutableMessage(message, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(*message, field); ++i) {
      EscapeText(reflection.MutableRepeatedMessage(message, field, i));
    }
  }
}

}  // namespace kiln::worker
