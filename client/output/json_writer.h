// Writes compact JSON, front to back, into a string.
//
// A result line has hundreds of members; building it as a tree first takes longer than the daemon
// takes to answer a hit from its cache. The caller must make the calls in a valid order: nothing is
// checked.
#ifndef KILN_CLIENT_OUTPUT_JSON_WRITER_H_
#define KILN_CLIENT_OUTPUT_JSON_WRITER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace kiln::client {

class JsonWriter {
 public:
  // `to` outlives the writer.
  explicit JsonWriter(std::string* to) : to_(to) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  // `key` needs no escapes and has at most 60 bytes.
  void Key(absl::string_view key);
  // Bytes that are not UTF-8 become U+FFFD.
  void String(absl::string_view value);
  void Int(int64_t value);
  // Writes a value that is JSON already.
  void Raw(absl::string_view json);
  // Writes units / 10^digits, with at least one digit after the point and no further trailing
  // zeros: 12345 with 3 digits is 12.345, 2000 is 2.0. `units` is not negative, `digits` 1 to 9.
  void Decimal(int64_t units, int digits);

  void StringMember(absl::string_view key, absl::string_view value) {
    Key(key);
    String(value);
  }
  void IntMember(absl::string_view key, int64_t value) {
    Key(key);
    Int(value);
  }
  void DecimalMember(absl::string_view key, int64_t units, int digits) {
    Key(key);
    Decimal(units, digits);
  }

 private:
  void Open(char bracket);
  void Close(char bracket);
  // Writes the comma between the previous value and the next value or key.
  void Separate();

  std::string* const to_;
  bool first_ = true;  // in its object or array; also for the value after a key
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_OUTPUT_JSON_WRITER_H_
