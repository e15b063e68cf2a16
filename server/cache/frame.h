// How a record lies in the files of a generation: in a frame by which it is found there without
// what RocksDB keeps about it.
//
// Problem: one flipped bit in a table's index or in a log's length takes hundreds of records out of
// RocksDB's reach, though their bytes are whole. So each value that is written begins with a header
// that can be searched for, and the record behind it has its key and a checksum (record.h).
//
// Layout: "KLF", a letter for the class, 8 bytes of salt, the length of the key (2 bytes) and its
// complement, the length of the record (4 bytes), all lowest byte first; then the record. The salt
// is random and a secret of the generation's: what clients send is stored too, and must not be
// taken for a record of its own when that which it is in is damaged. A record whose key is longer
// than 65,535 bytes is not found again.
//
// What an erased key leaves is a record of the class kErased with no value, not RocksDB's mark: it
// is found again like any other, and does not come undone.
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
  kInvalid = 'b',  // has a bound of its own (disk_tier.h); one bit from kRecord, which is harmless
  kErased = 'E',   // several bits from either
};

inline constexpr size_t kFrameBytes = 20;
using Salt = uint64_t;

// From the system; never 0.
Salt NewSalt();

// The record of `key`, as it is to be stored.
std::string MakeFrame(Salt salt, RecordClass record_class, std::string_view key,
                      std::string_view record);

// Takes the header off `stored`. Without one (of an earlier version, or no record at all) it stays
// as it is, of class kRecord.
RecordClass TakeOffFrame(std::string_view* stored);

// One that was found.
struct FoundFrame {
  RecordClass record_class = RecordClass::kRecord;
  std::string key;
  std::string_view frame;  // whole, into the bytes that were searched
};

// Calls `take` for each frame in `bytes` with this salt whose record is whole.
void FindFrames(std::string_view bytes, Salt salt, const std::function<void(FoundFrame)>& take);

// Takes out of a log's bytes what RocksDB puts at the beginning of each block of it, so that frames
// that go over the end of one are in one piece.
// Source: RocksDB's wiki, "Write Ahead Log File Format": blocks of 32 KiB; no fragment's header (7
// bytes) goes over the end of one, so that each begins with one.
void JoinLogBlocks(std::string* bytes);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_FRAME_H_
