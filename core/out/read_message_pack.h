// Reads MessagePack (message_pack.h) from any bytes, hostile ones too, into a tree of values.
#ifndef KILN_CORE_OUT_READ_MESSAGE_PACK_H_
#define KILN_CORE_OUT_READ_MESSAGE_PACK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace kiln::out {

struct PackedValue {
  // kOther: nil, negative and floating-point numbers, binary data and extensions, whose contents
  // are skipped.
  enum class Kind : uint8_t { kTruth, kNumber, kText, kArray, kMap, kOther };
  Kind kind = Kind::kOther;
  uint64_t number = 0;  // of kNumber; 0 or 1 of kTruth
  std::string text;
  std::vector<PackedValue> items;  // of kArray; of kMap each key and then its value

  // Returns the value of a key that is a text; null: there is none, or this is no map.
  const PackedValue* Find(std::string_view key) const;
};

// Returns the value that the bytes begin with; what follows it is ignored. InvalidArgument: the
// bytes end within it, it has an unknown code, or it is nested deeper than 16. Takes memory in
// proportion to the bytes.
absl::StatusOr<PackedValue> ReadMessagePack(absl::Span<const uint8_t> bytes);

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_READ_MESSAGE_PACK_H_
