// Keeps results in both tiers, behind one interface.
//
// On disk a result is stored whole except for its assembly text, which is a record of its own
// (large and seldom asked for). In memory it is stored for each set of outputs asked for, as the
// bytes of the TargetResult to be sent: a hit copies and parses nothing. Records that the disk tier
// did not take (there is none, or it is failing) are kept in memory in their form on disk, so that
// other outputs of a result do not need another compile.
//
// A result asked for so often that memory always has it would grow old on disk and be dropped
// there. So a hit in memory that is kRenewal generations old is looked up on disk too, which moves
// it to the youngest generation.
//
// Forget removes a key from both tiers; a concurrent look-up does not restore it: code that moves a
// record between tiers or generations afterwards checks if anything was forgotten since it began,
// and then removes what it put.
//
// Invalid results cost nothing to make, and any client can have as many as it likes. So they do not
// share the bound of the others: they have a sixteenth of either tier (invalid_memory_; the class
// kInvalid in disk_tier.h), in which they evict only one another.
//
// ok, refused and invalid results are stored; crashed, timed-out, cancelled ones never: Store
// ignores them. Thread-safe.
#ifndef KILN_SERVER_CACHE_RESULT_CACHE_H_
#define KILN_SERVER_CACHE_RESULT_CACHE_H_

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kiln/v1/compile.pb.h"
#include "server/cache/disk_tier.h"
#include "server/cache/memory_tier.h"
#include "server/key/sha256.h"

namespace kiln::cache {

// A set of outputs: the bits of OutputMask.
class Outputs {
 public:
  explicit Outputs(const kiln::v1::OutputMask& mask);
  uint8_t bits() const { return bits_; }
  bool assembly() const;
  // Removes from `result` the outputs that were not asked for.
  void Filter(kiln::v1::TargetResult* result) const;

 private:
  uint8_t bits_;
};

// A result as it is sent: a serialised TargetResult without `cache` and without the timings of the
// request, which the sender appends.
struct Ready {
  MemoryTier::Value bytes;
  kiln::v1::TargetResult::Status status = kiln::v1::TargetResult::UNSPECIFIED;
};

// The outcome of translating a GLSL source.
struct StoredTranslation {
  kiln::v1::TargetResult::Status status = kiln::v1::TargetResult::UNSPECIFIED;
  std::string cause;
  std::string message;
  kiln::v1::Reason reason;  // empty in records of before there were reasons
  Digest module{};          // with OK
  int64_t nanoseconds = 0;
};

// Convert from and to the stored form. ReadTranslation returns false if the bytes are not one.
bool ReadTranslation(std::string_view stored, StoredTranslation* translation);
std::string WriteTranslation(const StoredTranslation& translation);

enum class Lookup { kMemory, kDisk, kMiss, kWouldBlock };

class ResultCache {
 public:
  struct Counters {  // counts of the tiers' answers
    std::atomic<uint64_t> memory_hits = 0, memory_misses = 0;
    std::atomic<uint64_t> disk_hits = 0, disk_misses = 0, disk_corrupt = 0, disk_errors = 0;
  };

  // `disk` may be null: memory only.
  ResultCache(size_t memory_bytes, std::unique_ptr<DiskTier> disk)
      : memory_(memory_bytes - memory_bytes / kInvalidPart),
        invalid_memory_(memory_bytes / kInvalidPart, kInvalidShards),
        disk_(std::move(disk)) {}

  // `may_block` false: returns kWouldBlock instead of waiting for the disk.
  Lookup Find(const Digest& key, const Outputs& outputs, bool may_block, Ready* ready);
  // Filters `result` for sending; stores nothing.
  static Ready Prepare(const Outputs& outputs, kiln::v1::TargetResult result);
  // Returns Ok if the result is stored so that it survives this process (without a disk tier: in
  // memory), or need not be stored.
  absl::Status Store(const Digest& key, const kiln::v1::TargetResult& result);
  // Puts a stored result into the memory tier, in the form to be sent.
  void Remember(const Digest& key, const Outputs& outputs, const Ready& ready);

  Lookup FindTranslation(const Digest& key, bool may_block, StoredTranslation* translation);
  // `spirv`: the module, with OK. It is kept too (on disk if there is one): compiles for other
  // targets and options need it.
  absl::Status StoreTranslation(const Digest& key, const StoredTranslation& translation,
                                const std::string& spirv);
  // Blocks. Returns false if the module is not there.
  bool FindModule(const Digest& module, std::string* spirv);
  // Forget a result with all of its outputs, or a translation. Block. Return false if the disk
  // still has it (it takes no writes).
  bool Forget(const Digest& key);
  bool ForgetTranslation(const Digest& key);
  // Number of calls that forgot something.
  uint64_t forgotten() const { return forgotten_.load(); }
  void ForgetModule(const Digest& module);

  const Counters& counters() const { return counters_; }
  // memory_usage and memory_limit cover both parts, the next two the part for invalid results.
  MemoryTier::Usage memory_usage() const;
  size_t memory_limit() const { return memory_.limit_bytes() + invalid_memory_.limit_bytes(); }
  MemoryTier::Usage invalid_memory_usage() const { return invalid_memory_.usage(); }
  size_t invalid_memory_limit() const { return invalid_memory_.limit_bytes(); }
  const DiskTier* disk() const { return disk_.get(); }

 private:
  // Renews an entry if so many generations of the disk tier were begun since it was put or found
  // there.
  static constexpr uint64_t kRenewal = 2;
  // The part of memory for invalid results. It has fewer shards, so that each keeps values as large
  // as the other shards do.
  static constexpr size_t kInvalidPart = 16;
  static constexpr size_t kInvalidShards = 4;

  // kWouldBlock: it is in memory, but its record has to move on disk.
  Lookup FromMemory(const MemoryKey& key, std::string_view kinds, bool may_block,
                    MemoryTier::Value* value);
  uint64_t Turn() const { return disk_ == nullptr ? 0 : disk_->turn(); }
  Lookup FromDisk(char kind, const Digest& digest, bool may_block, std::string* value);
  // Finds a record: on disk, or in memory if the disk did not take it.
  Lookup FindRecord(char kind, const Digest& digest, bool may_block, std::string* value);
  absl::Status StoreRecord(char kind, const Digest& digest, std::string value,
                           kiln::v1::TargetResult::Status status);
  // Looks in memory; `part`, if not null, gets the part that has the entry.
  MemoryTier::Value Recall(const MemoryKey& key, uint64_t* stamp = nullptr,
                           MemoryTier** part = nullptr);
  void Keep(const MemoryKey& key, MemoryTier::Value value, kiln::v1::TargetResult::Status status,
            uint64_t stamp = 0);
  void Drop(const MemoryKey& key);

  // Removes a record from the disk tier for good.
  bool EraseRecord(char kind, const Digest& digest);

  MemoryTier memory_;
  MemoryTier invalid_memory_;
  std::unique_ptr<DiskTier> disk_;
  std::atomic<uint64_t> forgotten_ = 0;
  Counters counters_;
};

// Returns true if a result with this status may be stored at all.
bool Storable(kiln::v1::TargetResult::Status status);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_RESULT_CACHE_H_
