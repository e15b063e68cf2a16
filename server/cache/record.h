// Seals a value for the disk: compressed, checksummed, and bound to its key.
//
// Layout: 4 bytes "KLR1", then one zstd frame (with content size and content checksum) of the key
// followed by the value. A record that is under the wrong key, cut short, altered or of another
// version does not open: the reader takes that for a miss and counts it.
#ifndef KILN_SERVER_CACHE_RECORD_H_
#define KILN_SERVER_CACHE_RECORD_H_

#include <string>
#include <string_view>

namespace kiln::cache {

// Larger values are neither sealed nor opened.
inline constexpr size_t kMaxRecordBytes = size_t{512} << 20;

// Returns false if the value is too large.
bool SealRecord(std::string_view key, std::string_view value, std::string* record);

// Returns false if it is not a record of this key.
bool OpenRecord(std::string_view key, std::string_view record, std::string* value);

// Reads the key of a record from the key's length. Returns false if it is no record.
bool KeyOfRecord(std::string_view record, size_t key_bytes, std::string* key);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_RECORD_H_
