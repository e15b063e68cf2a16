// Writes compact JSON, front to back, into a string. The calls must be in a valid order: nothing is
// checked.
#ifndef KILN_SERVER_PAGES_JSON_H_
#define KILN_SERVER_PAGES_JSON_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace kiln::pages {

class Json {
 public:
  Json& BeginObject() { return Open('{'); }
  Json& EndObject() { return Close('}'); }
  Json& BeginArray() { return Open('['); }
  Json& EndArray() { return Close(']'); }
  // `key` needs no escapes.
  Json& Key(std::string_view key);
  // Bytes that are not UTF-8 are written as \xHH.
  Json& Text(std::string_view value);
  // Whole numbers below 2^53 are exact, others have ten digits; null stands for what is no number.
  Json& Number(double value);
  template <std::integral Integer>
  Json& Number(Integer value) {
    return Raw(std::to_string(value));
  }
  Json& Bool(bool value) { return Raw(value ? "true" : "false"); }
  // Writes a value that is JSON already.
  Json& Raw(std::string_view json);

  std::string Take() { return std::move(text_); }

 private:
  Json& Open(char bracket);
  Json& Close(char bracket);
  // Writes the comma between the value before and the next value or key.
  void Separate();

  std::string text_;
  bool first_ = true;  // in its object or array; also for the value after a key
};

}  // namespace kiln::pages

#endif  // KILN_SERVER_PAGES_JSON_H_
