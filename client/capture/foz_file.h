// One stream archive of Fossilize (*.foz): an index of its entries, and their payloads on demand.
//
// Format (ValveSoftware/Fossilize, fossilize_db.cpp): 12 bytes of magic, 3 zeros, the version (5 or
// 6). Then entries: 40 hexadecimal digits (24 of the tag, 16 of the hash), four little-endian
// 32-bit numbers (stored bytes, 1 plain or 2 zlib's deflate, CRC-32 of the stored bytes or 0,
// inflated bytes), the stored bytes.
//
// Only the index is kept in memory, 40 bytes an entry; of entries with the same tag and hash the
// first counts, and tags that are no concern of compiling are left out. An entry that the end of
// the file cuts, and all after a damaged header, are told in `trouble`: those before it are good.
// Mesa's disk cache in a single file has the same magic, but SHA-1 digests instead of tags and
// hashes: it is told apart by its first entry.
#ifndef KILN_CLIENT_CAPTURE_FOZ_FILE_H_
#define KILN_CLIENT_CAPTURE_FOZ_FILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kiln::client {

// Fossilize's number of a kind of entry (fossilize_types.hpp); the others are skipped.
enum class FozTag : uint32_t {
  kModule = 4,
  kRenderPass = 5,
  kGraphicsPipeline = 6,
  kComputePipeline = 7,
  kRayTracingPipeline = 9,
};

struct FozEntry {
  uint64_t hash = 0;
  uint64_t offset = 0;  // of the payload
  uint32_t stored_bytes = 0;
  uint32_t format = 0;  // 1 or 2; any other is an error when it is read
  uint32_t crc = 0;     // 0: unchecked
  uint32_t inflated_bytes = 0;
};

// The most that a payload may have when it is inflated. The daemon takes modules of 16 MiB.
inline constexpr uint32_t kMaxFozPayload = uint32_t{64} << 20;

class FozFile {
 public:
  // Reads the index. Errors name the path: those of opening it, and InvalidArgument (no archive,
  // another version, Mesa's cache).
  static absl::StatusOr<std::unique_ptr<FozFile>> Open(const std::string& path);
  ~FozFile();
  FozFile(const FozFile&) = delete;
  FozFile& operator=(const FozFile&) = delete;

  // Returns null if there is none.
  const FozEntry* Find(FozTag tag, uint64_t hash) const;
  // Returns the hashes of the tag's entries, ascending.
  std::vector<uint64_t> Hashes(FozTag tag) const;
  // Returns the inflated payload; may be called from several threads. DataLoss: damaged, or larger
  // than kMaxFozPayload.
  absl::StatusOr<std::string> Read(const FozEntry& entry) const;

  // Says where the file is cut or damaged; empty: it is whole.
  const std::string& trouble() const { return trouble_; }

 private:
  FozFile(std::string path, int file) : path_(std::move(path)), file_(file) {}
  absl::Status ReadIndex();
  // Fills `bytes`; false: they are not there.
  bool ReadAt(uint64_t offset, char* bytes, size_t count) const;

  const std::string path_;
  const int file_;
  std::string trouble_;
  std::map<FozTag, std::unordered_map<uint64_t, FozEntry>> entries_;
};

// Returns the payload of an entry from its stored bytes: checks the checksum, inflates. DataLoss
// says what is wrong with it.
absl::StatusOr<std::string> InflateFozPayload(const FozEntry& entry, std::string stored);

}  // namespace kiln::client

#endif  // KILN_CLIENT_CAPTURE_FOZ_FILE_H_
