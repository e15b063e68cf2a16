// The JSON of one entry of a capture, read without trusting it.
//
// A field that is absent reads as its default; one of another type, or a number out of its range,
// is an error of the whole document, which is asked for once, at the end: readers need no check for
// each field.
#ifndef KILN_CLIENT_CAPTURE_ENTRY_JSON_H_
#define KILN_CLIENT_CAPTURE_ENTRY_JSON_H_

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kiln::client {

// An object of the document. Valid as long as the document.
class EntryJson {
 public:
  bool Has(const char* key) const { return Find(key) != nullptr; }
  uint32_t Uint(const char* key, uint32_t absent = 0) const;
  uint64_t Number(const char* key, uint64_t absent = 0) const;
  double Real(const char* key) const;
  bool Bool(const char* key) const { return Number(key) != 0; }
  // Null: absent, or no string, which is an error.
  const std::string* Text(const char* key) const;
  // Reads a hash: 16 hexadecimal digits, or fewer; 0 if absent.
  uint64_t Hash(const char* key) const;
  // An object without members if absent.
  EntryJson Object(const char* key) const;
  std::vector<EntryJson> Objects(const char* key) const;
  std::vector<uint32_t> Uints(const char* key) const;
  // Returns the element of "pNext" of this type (VkStructureType), without members if there is
  // none.
  EntryJson Next(uint32_t type) const;
  bool HasNext(uint32_t type) const { return Next(type).json_ != nullptr; }

 private:
  friend class EntryDocument;
  EntryJson(const nlohmann::json* json, std::string* error) : json_(json), error_(error) {}
  const nlohmann::json* Find(const char* key) const;
  void Fail(const char* key, absl::string_view wanted) const;

  const nlohmann::json* json_;  // null: an object without members
  std::string* error_;
};

class EntryDocument {
 public:
  // Parses {"version": 5 or 6, SECTION: {HASH: object}}. DataLoss: no such document.
  static absl::StatusOr<EntryDocument> Parse(absl::string_view text, const char* section,
                                             uint64_t hash);

  EntryJson object() const { return {object_, error_.get()}; }
  // Returns DataLoss if a field that was read is of a wrong type.
  absl::Status status() const;

 private:
  EntryDocument() = default;
  std::unique_ptr<nlohmann::json> json_;
  const nlohmann::json* object_ = nullptr;
  std::unique_ptr<std::string> error_ = std::make_unique<std::string>();
};

// Returns the 16 digits with which captures name a hash.
std::string HashText(uint64_t hash);

}  // namespace kiln::client

#endif  // KILN_CLIENT_CAPTURE_ENTRY_JSON_H_
