// Specialisation constants of a stage: see specialization.h.
#include "client/capture/specialization.h"

#include <map>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace kiln::client {
namespace {

using kiln::v1::SpecConstant;

absl::StatusOr<uint64_t> BitsAt(const std::string& data, uint32_t offset, uint64_t size) {
  if (size != 1 && size != 2 && size != 4 && size != 8) {
    return absl::InvalidArgumentError(absl::StrCat("has ", size, " bytes"));
  }
  if (offset > data.size() || size > data.size() - offset) {
    return absl::InvalidArgumentError(
        absl::StrCat("lies outside of the ", data.size(), " bytes of data"));
  }
  uint64_t bits = 0;
  for (uint64_t i = size; i-- > 0;) bits = bits << 8 | static_cast<uint8_t>(data[offset + i]);
  return bits;
}

}  // namespace

absl::StatusOr<std::vector<SpecConstant>> ReadSpecialization(const EntryJson& info) {
  const uint64_t bytes = info.Number("dataSize");
  const std::string* text = info.Text("data");
  std::string data;
  if (text != nullptr && !absl::Base64Unescape(*text, &data)) {
    return absl::InvalidArgumentError("its data is not base64");
  }
  if (data.size() != bytes) return absl::InvalidArgumentError("its data has not its length");
  std::map<uint32_t, uint64_t> values;
  for (const EntryJson& entry : info.Objects("mapEntries")) {
    const uint32_t id = entry.Uint("constantID");
    const absl::StatusOr<uint64_t> bits = BitsAt(data, entry.Uint("offset"), entry.Number("size"));
    if (!bits.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("constant ", id, " ", bits.status().message()));
    }
    const auto [it, is_new] = values.emplace(id, *bits);
    if (!is_new && it->second != *bits) {
      return absl::InvalidArgumentError(absl::StrCat("constant ", id, " has two values"));
    }
  }
  std::vector<SpecConstant> constants;
  for (const auto& [id, bits] : values) {
    constants.emplace_back().set_id(id);
    constants.back().set_bits(bits);
  }
  return constants;
}

}  // namespace kiln::client
