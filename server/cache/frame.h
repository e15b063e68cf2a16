// Frames of records: each lets a record be found in a generation's files without RocksDB's
// metadata.
//
// Problem: one flipped bit in a table's index or in a log's length makes hundreds of records
// unreachable for RocksDB, though their bytes are whole. So each value written begins with a header
// that can be searched for, and the record after it has its key and a checksum (record.h).
//
// Layout: "KLF", a letter for the class, 8 bytes of salt, the length of the key (2 bytes) and its
// complement, the length of the record (4 bytes), all lowest byte first; then the record. The salt
// is random and a secret of the generation: clients' data is stored too, and must not be taken for
// a record of its own when the record around it is damaged. A record whose key is longer than
// 65,535 bytes is not found again.
//
// An erased key leaves a record of the class kErased with no value, not RocksDB's mark: it is found
// again like any other record, so an erasure does not come undone.
#ifndef KILN_SERVER_CACHE_FRAME_H_
#define KILN_SERVER_CACHE_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kiln::cache {

enum class RecordClass : char {
  kRecord = 'r',
  // Has a bound of its own (disk_tier.h). One bit away from kRecord, a harmless confusion.
  kInvalid = 'b',
  kErased = 'E',  // several bits away from either
};

inline constexpr size_t kFrameBytes = 20;
using Salt = uint64_t;

// Returns random bits from the system; never 0.
Salt NewSalt();

// Returns the record of `key` as it is to be stored.
std::string MakeFrame(Salt salt, RecordClass record_class, std::string_view key,
                      std::string_view record);

// Takes the header off `stored`. Bytes without one (of an earlier version, or no record at all)
// stay as they are, with class kRecord.
RecordClass TakeOffFrame(std::string_view* stored);

// A frame that was found.
struct FoundFrame {
  RecordClass record_class = RecordClass::kRecord;
  std::string key;
  std::string_view frame;  // all of it, within the searched bytes
};

// Calls `take` for each frame in `bytes` with this salt and a whole record.
void FindFrames(std::string_view bytes, Salt salt, const std::function<void(FoundFrame)>& take);

// Removes from a log's bytes the headers that RocksDB puts at the beginning of each block, so that
// frames across block boundaries become contiguous. Source: RocksDB's wiki, "Write Ahead Log File
// Format": blocks of 32 KiB; no fragment's header (7 bytes) crosses the end of a block, so that
// each block begins with one.
void JoinLogBlocks(std::string* bytes);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_FRAME_H_
