// The JSON of one entry of a capture: see entry_json.h.
#include "client/capture/entry_json.h"

#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace kiln::client {
namespace {

using Json = nlohmann::json;

bool ParseHash(const std::string& text, uint64_t* hash) {
  return !text.empty() && text.size() <= 16 &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos &&
         absl::SimpleHexAtoi(text, hash);
}

// Returns a whole number of either sign's type that is not negative.
bool IsNatural(const Json& json) {
  return json.is_number_unsigned() || (json.is_number_integer() && json.get<int64_t>() >= 0);
}

}  // namespace

const Json* EntryJson::Find(const char* key) const {
  if (json_ == nullptr) return nullptr;
  const auto it = json_->find(key);
  return it == json_->end() ? nullptr : &*it;
}

void EntryJson::Fail(const char* key, absl::string_view wanted) const {
  if (error_->empty()) *error_ = absl::StrCat("\"", key, "\" is not ", wanted);
}

uint64_t EntryJson::Number(const char* key, uint64_t absent) const {
  const Json* json = Find(key);
  if (json == nullptr) return absent;
  if (IsNatural(*json)) return json->get<uint64_t>();
  Fail(key, "a whole number");
  return absent;
}

uint32_t EntryJson::Uint(const char* key, uint32_t absent) const {
  const uint64_t number = Number(key, absent);
  if (number <= std::numeric_limits<uint32_t>::max()) return static_cast<uint32_t>(number);
  Fail(key, "a number of 32 bits");
  return absent;
}

double EntryJson::Real(const char* key) const {
  const Json* json = Find(key);
  if (json == nullptr) return 0;
  if (json->is_number()) return json->get<double>();
  Fail(key, "a number");
  return 0;
}

const std::string* EntryJson::Text(const char* key) const {
  const Json* json = Find(key);
  if (json == nullptr) return nullptr;
  if (json->is_string()) return json->get_ptr<const std::string*>();
  Fail(key, "a string");
  return nullptr;
}

uint64_t EntryJson::Hash(const char* key) const {
  const std::string* text = Text(key);
  uint64_t hash = 0;
  if (text != nullptr && !ParseHash(*text, &hash)) Fail(key, "a hash");
  return hash;
}

EntryJson EntryJson::Object(const char* key) const {
  const Json* json = Find(key);
  if (json != nullptr && json->is_object()) return {json, error_};
  if (json != nullptr) Fail(key, "an object");
  return {nullptr, error_};
}

std::vector<EntryJson> EntryJson::Objects(const char* key) const {
  std::vector<EntryJson> objects;
  const Json* json = Find(key);
  if (json == nullptr) return objects;
  if (!json->is_array()) {
    Fail(key, "a list of objects");
    return objects;
  }
  for (const Json& element : *json) {
    if (!element.is_object()) {
      Fail(key, "a list of objects");
      return {};
    }
    objects.push_back({&element, error_});
  }
  return objects;
}

std::vector<uint32_t> EntryJson::Uints(const char* key) const {
  std::vector<uint32_t> numbers;
  const Json* json = Find(key);
  if (json == nullptr) return numbers;
  if (!json->is_array()) {
    Fail(key, "a list of numbers of 32 bits");
    return numbers;
  }
  for (const Json& element : *json) {
    if (!IsNatural(element) || element.get<uint64_t>() > std::numeric_limits<uint32_t>::max()) {
      Fail(key, "a list of numbers of 32 bits");
      return {};
    }
    numbers.push_back(element.get<uint32_t>());
  }
  return numbers;
}

EntryJson EntryJson::Next(uint32_t type) const {
  for (const EntryJson& next : Objects("pNext")) {
    if (next.Uint("sType") == type) return next;
  }
  return {nullptr, error_};
}

absl::StatusOr<EntryDocument> EntryDocument::Parse(absl::string_view text, const char* section,
                                                   uint64_t hash) {
  EntryDocument document;
  document.json_ = std::make_unique<Json>(Json::parse(text.begin(), text.end(), nullptr, false));
  if (!document.json_->is_object()) return absl::DataLossError("it is not a JSON object");
  const EntryJson all(document.json_.get(), document.error_.get());
  const uint32_t version = all.Uint("version");
  if (version != 5 && version != 6) {
    return absl::DataLossError(absl::StrCat("its JSON is of version ", version));
  }
  const Json* objects = all.Find(section);
  if (objects == nullptr || !objects->is_object()) {
    return absl::DataLossError(absl::StrCat("it has no \"", section, "\""));
  }
  for (const auto& [name, object] : objects->items()) {
    uint64_t of_name = 0;
    if (ParseHash(name, &of_name) && of_name == hash && object.is_object()) {
      document.object_ = &object;
      return document;
    }
  }
  return absl::DataLossError(absl::StrCat("it does not describe ", HashText(hash)));
}

absl::Status EntryDocument::status() const {
  return error_->empty() ? absl::OkStatus() : absl::DataLossError(*error_);
}

std::string HashText(uint64_t hash) { return absl::StrFormat("%016x", hash); }

}  // namespace kiln::client
