// The SPIR-V of a module's entry: see module_code.h.
#include "client/capture/module_code.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/capture/entry_json.h"

namespace kiln::client {
namespace {

constexpr int kWordBytes = 4;
constexpr int kMaxVarintBytes = 5;
constexpr uint8_t kMore = 0x80;

absl::StatusOr<std::string> FromBase64(const EntryJson& module, uint64_t bytes) {
  const std::string* text = module.Text("code");
  if (text == nullptr) return absl::DataLossError("it has no code");
  std::string code;
  if (!absl::Base64Unescape(*text, &code)) return absl::DataLossError("its code is not base64");
  if (code.size() != bytes) return absl::DataLossError("its code has not the length it claims");
  return code;
}

}  // namespace

absl::StatusOr<std::string> DecodeVarints(absl::string_view bytes, uint64_t words) {
  // Each word has a byte at least: no memory for words that are not there.
  if (words > bytes.size()) return absl::DataLossError("its code is cut short");
  std::string code;
  code.reserve(words * kWordBytes);
  size_t at = 0;
  for (uint64_t i = 0; i < words; ++i) {
    uint32_t word = 0;
    uint8_t byte = kMore;
    for (int shift = 0; (byte & kMore) != 0; shift += 7) {
      if (at == bytes.size()) return absl::DataLossError("its code is cut short");
      byte = static_cast<uint8_t>(bytes[at++]);
      // The fifth byte has the highest four bits.
      if (shift == 7 * (kMaxVarintBytes - 1) && byte > 0x0f) {
        return absl::DataLossError("a word of its code has more than 32 bits");
      }
      word |= static_cast<uint32_t>(byte & ~kMore) << shift;
    }
    for (int i8 = 0; i8 < kWordBytes; ++i8) code.push_back(static_cast<char>(word >> (8 * i8)));
  }
  if (at != bytes.size()) return absl::DataLossError("bytes follow its code");
  return code;
}

absl::StatusOr<std::string> ModuleCode(absl::string_view payload, uint64_t hash) {
  const size_t end = payload.find('\0');
  const absl::StatusOr<EntryDocument> document =
      EntryDocument::Parse(payload.substr(0, end), "shaderModules", hash);
  if (!document.ok()) return document.status();
  const EntryJson module = document->object();
  const uint64_t bytes = module.Number("codeSize");
  const bool varint = module.Has("varintOffset") && module.Has("varintSize");
  const uint64_t offset = module.Number("varintOffset"), size = module.Number("varintSize");
  if (absl::Status s = document->status(); !s.ok()) return s;
  if (bytes % kWordBytes != 0) return absl::DataLossError("its code is not a number of words");
  if (!varint) return FromBase64(module, bytes);
  const absl::string_view binary =
      end == absl::string_view::npos ? absl::string_view() : payload.substr(end + 1);
  if (offset > binary.size() || size > binary.size() - offset) {
    return absl::DataLossError("its code lies outside of the entry");
  }
  return DecodeVarints(binary.substr(offset, size), bytes / kWordBytes);
}

}  // namespace kiln::client
