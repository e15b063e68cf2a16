// Entry points of a SPIR-V module: see entry_points.h.
#include "client/source/entry_points.h"

#include <cstdint>

#include "client/cli/paths.h"
#include "core/base/shader_stage.h"

namespace kiln::client {
namespace {

// SPIR-V 1.6, sections 3.1 and 3.3, by number.
constexpr uint32_t kMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;
constexpr uint32_t kOpEntryPoint = 15;
// Instructions that may precede the entry points.
constexpr uint32_t kOpNop = 0;
constexpr uint32_t kOpExtension = 10;
constexpr uint32_t kOpExtInstImport = 11;
constexpr uint32_t kOpMemoryModel = 14;
constexpr uint32_t kOpCapability = 17;

// Larger files than any service accepts are not read.
constexpr uint64_t kMaxModuleBytes = uint64_t{256} << 20;

// Returns the stage of an execution model.
std::string StageOf(uint32_t model) {
  for (const ShaderStageRow& row : kShaderStages) {
    if (model == row.model || model == row.older_model) return std::string(row.name);
  }
  return "";
}

class Reader {
 public:
  // Takes at least four bytes. The first byte of the magic number tells the byte order.
  explicit Reader(absl::string_view bytes)
      : bytes_(bytes), swapped_(static_cast<uint8_t>(bytes[0]) == (kMagic >> 24)) {}

  size_t words() const { return bytes_.size() / 4; }

  uint32_t Word(size_t i) const {
    uint32_t word = 0;
    for (size_t b = 0; b < 4; ++b) {
      const auto byte = static_cast<uint8_t>(bytes_[4 * i + (swapped_ ? 3 - b : b)]);
      word |= uint32_t{byte} << (8 * b);
    }
    return word;
  }

  // Reads the string in words [begin, end); returns false if it has no end there.
  bool String(size_t begin, size_t end, std::string* to) const {
    for (size_t i = begin; i < end; ++i) {
      const uint32_t word = Word(i);
      for (int b = 0; b < 4; ++b) {
        const char c = static_cast<char>(word >> (8 * b));
        if (c == '\0') return true;
        to->push_back(c);
      }
    }
    return false;
  }

 private:
  absl::string_view bytes_;
  bool swapped_;
};

bool MayPrecede(uint32_t opcode) {
  return opcode == kOpNop || opcode == kOpExtension || opcode == kOpExtInstImport ||
         opcode == kOpMemoryModel || opcode == kOpCapability;
}

bool HasMagic(absl::string_view bytes) {
  if (bytes.size() < 4 * kHeaderWords) return false;
  return Reader(bytes).Word(0) == kMagic;
}

}  // namespace

std::vector<EntryPoint> EntryPointsOf(absl::string_view module) {
  std::vector<EntryPoint> found;
  if (!HasMagic(module)) return found;
  const Reader reader(module);
  for (size_t at = kHeaderWords; at < reader.words();) {
    const uint32_t first = reader.Word(at);
    const uint32_t opcode = first & 0xffff;
    const size_t count = first >> 16;
    if (opcode != kOpEntryPoint && !MayPrecede(opcode)) break;
    if (count == 0 || count > reader.words() - at) return {};
    if (opcode == kOpEntryPoint) {
      EntryPoint entry;
      if (count < 4 || !reader.String(at + 3, at + count, &entry.name)) return {};
      if (ValidUtf8(entry.name) != entry.name || found.size() == kMaxEntryPoints) return {};
      entry.stage = StageOf(reader.Word(at + 1));
      found.push_back(std::move(entry));
    }
    at += count;
  }
  return found;
}

std::vector<EntryPoint> EntryPointsOfFile(const std::string& path) {
  // A pipe can be read only once.
  const absl::StatusOr<std::string> head = ReadRegularFileStart(path, 4 * kHeaderWords);
  if (!head.ok() || !HasMagic(*head)) return {};
  const absl::StatusOr<std::string> bytes = ReadRegularFile(path, kMaxModuleBytes);
  return bytes.ok() ? EntryPointsOf(*bytes) : std::vector<EntryPoint>();
}

}  // namespace kiln::client
