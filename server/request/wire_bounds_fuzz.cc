// Fuzz target: bytes of a request through the daemon's bounds, parser and checks.
//
// Byte 0: which message (bit 0) and how the bytes are cut into blocks; the rest is the message.
// Properties:
//   admitted bytes make no more elements and unknown fields than the bounds say, and no more
//     memory than the bytes and those can take, whether they parse or not;
//   refused bytes have more of the named field (as protobuf's own reader of unknown fields counts
//     them), a group, or a message that is longer than the one around it;
//   text that is not UTF-8 is found in nothing that parses.
// The limits are small, so that short inputs reach them.
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/v1/compiler.pb.h"
#include "proto/bad_text.h"
#include "proto/wire_mutator.h"
#include "server/config/config.h"
#include "server/request/request.h"
#include "server/request/wire_bounds.h"

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;
using Counts = std::map<const FieldDescriptor*, uint64_t>;  // null: unknown

kiln::server::Limits SmallLimits() {
  kiln::server::Limits limits;
  limits.targets = limits.disabled_passes = 4;
  limits.defines = limits.includes = limits.spec_constants = 8;
  return limits;
}

kiln::worker::Hello TheHello() {
  kiln::worker::Hello hello;
  hello.add_targets()->set_name("tgl");
  hello.add_stages("compute");
  auto* pass = hello.add_passes();
  pass->set_name("cse");
  pass->set_optional(true);
  return hello;
}

uint64_t Most(const FieldDescriptor* field) {
  static const auto* const kNames = new std::map<std::string, uint64_t>{{"targets", 4},
                                                                        {"disabled_passes", 4},
                                                                        {"defines", 8},
                                                                        {"includes", 8},
                                                                        {"spec_constants", 8}};
  if (field == nullptr) return kiln::server::kMaxOtherFields;
  const auto it = kNames->find(field->name());
  return it == kNames->end() ? kiln::server::kMaxOtherFields : it->second;
}

// Counts the elements of a parsed message.
void CountParsed(const Message& message, Counts* counts) {
  const auto* reflection = message.GetReflection();
  (*counts)[nullptr] += static_cast<uint64_t>(reflection->GetUnknownFields(message).field_count());
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int n = field->is_repeated() ? reflection->FieldSize(message, field) : 0;
    if (field->is_repeated()) (*counts)[field] += static_cast<uint64_t>(n);
    if (field->type() != FieldDescriptor::TYPE_MESSAGE) continue;
    for (int i = 0; i < n; ++i)
      CountParsed(reflection->GetRepeatedMessage(message, field, i), counts);
    if (!field->is_repeated()) CountParsed(reflection->GetMessage(message, field), counts);
  }
}

UnknownField::Type WireOf(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_STRING:
    case FieldDescriptor::TYPE_BYTES:
    case FieldDescriptor::TYPE_MESSAGE: return UnknownField::TYPE_LENGTH_DELIMITED;
    case FieldDescriptor::TYPE_DOUBLE:
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64: return UnknownField::TYPE_FIXED64;
    case FieldDescriptor::TYPE_FLOAT:
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32: return UnknownField::TYPE_FIXED32;
    default: return UnknownField::TYPE_VARINT;
  }
}

// Counts the elements on the wire. Returns false if something there cannot be part of a message.
bool CountWire(const UnknownFieldSet& set, const Descriptor& type, Counts* counts) {
  bool good = true;
  for (int i = 0; i < set.field_count(); ++i) {
    const UnknownField& field = set.field(i);
    if (field.type() == UnknownField::TYPE_GROUP) return false;
    const bool bytes = field.type() == UnknownField::TYPE_LENGTH_DELIMITED;
    const FieldDescriptor* known = type.FindFieldByNumber(field.number());
    if (known != nullptr && known->is_packable() && bytes) {
      const std::string& packed = field.length_delimited();
      (*counts)[known] += packed.size();
      // Bytes with the high bit set may not be whole numbers.
      good = good && std::all_of(packed.begin(), packed.end(), [](char c) { return c >= 0; });
    } else if (known == nullptr || field.type() != WireOf(*known)) {
      ++(*counts)[nullptr];
    } else {
      if (known->is_repeated()) ++(*counts)[known];
      if (known->type() != FieldDescriptor::TYPE_MESSAGE) continue;
      UnknownFieldSet inner;
      good = inner.ParseFromString(field.length_delimited()) &&
             CountWire(inner, *known->message_type(), counts) && good;
    }
  }
  return good;
}

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "property: %s\n", what);
  std::abort();
}

void Within(const Counts& counts) {
  for (const auto& [field, n] : counts) {
    if (n <= Most(field)) continue;
    std::fprintf(stderr, "%s: %llu\n", field == nullptr ? "(unknown)" : field->name().c_str(),
                 static_cast<unsigned long long>(n));
    Fail("admitted, and more than the bounds say");
  }
}

bool Exceeds(const Counts& counts, const std::string& path) {
  const std::string name = path.substr(path.rfind('.') + 1);
  return std::any_of(counts.begin(), counts.end(), [&](const auto& count) {
    return name == (count.first == nullptr ? "(unknown)" : count.first->name()) &&
           count.second > Most(count.first);
  });
}

void Check(std::string_view bytes, int block, Message* message) {
  static const kiln::server::WireBounds* const kBounds = new kiln::server::WireBounds(
      kiln::server::MakeCapabilities(TheHello(), SmallLimits(), "").limits());
  static const kiln::server::RequestChecker* const kChecker =
      new kiln::server::RequestChecker(TheHello(), SmallLimits());
  const Descriptor& type = *message->GetDescriptor();
  const int size = static_cast<int>(bytes.size());
  google::protobuf::io::ArrayInputStream in(bytes.data(), size, block);
  const auto refused = kBounds->Check(&in, type);
  UnknownFieldSet wire;
  Counts on_wire;
  const bool whole = wire.ParseFromArray(bytes.data(), size) && CountWire(wire, type, &on_wire);
  if (refused.has_value()) {
    if (whole && !Exceeds(on_wire, refused->field)) Fail("refused, and within the bounds");
    return;
  }
  google::protobuf::io::ArrayInputStream again(bytes.data(), size, block);
  const bool parsed = message->ParseFromZeroCopyStream(&again);
  Counts made;
  CountParsed(*message, &made);
  Within(made);
  // Protobuf itself reserves 50 MB at most, once, for a text that claims to be longer than the
  // bytes that follow, and leaves it unused.
  if (parsed && message->SpaceUsedLong() > 4 * bytes.size() + (size_t{1} << 20)) {
    Fail("too much memory");
  }
  const auto bad_text = kiln::FindBadText(absl::string_view(bytes.data(), bytes.size()), type);
  if (!parsed) return;
  if (bad_text.has_value()) Fail("it parses, and has bad text");
  Within(on_wire);
  const auto* request = type.name() == "CompileRequest"
                            ? static_cast<kiln::v1::CompileRequest*>(message)
                            : static_cast<kiln::v1::StreamRequest*>(message)->mutable_request();
  if (kChecker->Check(*request).size() > 64) Fail("an endless complaint");
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (size < 2 || seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string mutated = kiln::proto::MutateWire(
      std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1), seed);
  const size_t bytes = std::min(mutated.size(), max_size - 1);
  std::memcpy(data + 1, mutated.data(), bytes);
  return bytes + 1;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Protobuf would write a line for each text that is not UTF-8.
  static const auto* const kSilence = new google::protobuf::LogSilencer;
  (void)kSilence;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const int block = data[0] < 2 ? 1 << 20 : 1 + data[0] * 3;
  kiln::v1::CompileRequest request;
  kiln::v1::StreamRequest item;
  Check(bytes, block, (data[0] & 1) != 0 ? static_cast<Message*>(&item) : &request);
  return 0;
}
