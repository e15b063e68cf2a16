// Both tiers behind one interface, in terms of results.
//
// On disk a result is stored whole but for its assembly text, which is a record of its own (large
// and seldom asked for). In memory it is stored per set of outputs asked for, as the bytes of the
// TargetResult to be sent: a hit copies and parses nothing. What the disk tier did not take (there
// is none, or it is failing) is kept in memory as it would be on disk, so that other outputs of a
// result do not need another compile.
//
// What is asked for so often that memory always has it would grow old on disk and be dropped there:
// a hit in memory that is kRenewal generations old is looked for on disk too, which moves it to the
// youngest.
//
// What is forgotten is in neither tier when Forget returns, and a look-up under way meanwhile does
// not bring it back: whatever moves a record between tiers or generations looks afterwards whether
// anything was forgotten since it began, and takes back what it put.
//
// Invalid results cost nothing to make, and any client can have as many as it likes. So they do not
// share the bound of the others: of either tier they have a sixteenth (invalid_memory_; the class
// kInvalid in disk_tier.h), in which they drive out one another.
//
// ok, refused and invalid results are stored; crashed, timed-out, cancelled ones never: Store
// refuses them. Thread-safe.
#ifndef KILN_SERVER_CACHE_RESULT_CACHE_H_
#define KILN_SERVER_CACHE_RESULT_CACHE_H_

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "proto/compile.pb.h"
#include "server/cache/disk_tier.h"
#include "server/cache/memory_tier.h"
#include "server/key/sha256.h"

namespace kiln::cache {

// The bits of OutputMask.
class Outputs {
 public:
  explicit Outputs(const kiln::v1alpha::OutputMask& mask);
  uint8_t bits() const { return bits_; }
  bool assembly() const;
  // Takes out of `result` what was not asked for.
  void Filter(kiln::v1alpha::TargetResult* result) const;

 private:
  uint8_t bits_;
};

// A result as it is sent: a serialised TargetResult without `cache` and without the timings of the
// request, which the sender appends.
struct Ready {
  MemoryTier::Value bytes;
  kiln::v1alpha::TargetResult::Status status = kiln::v1alpha::TargetResult::UNSPECIFIED;
};

// What a GLSL source became.
struct StoredTranslation {
  kiln::v1alpha::TargetResult::Status status = kiln::v1alpha::TargetResult::UNSPECIFIED;
  std::string cause;
  std::string message;
  kiln::v1alpha::Reason reason;  // empty in records of before there were reasons
  Digest module{};               // with OK
  int64_t nanoseconds = 0;
};

// As it is stored. False: these bytes are none.
bool ReadTranslation(std::string_view stored, StoredTranslation* translation);
std::string WriteTranslation(const StoredTranslation& translation);

enum class Lookup { kMemory, kDisk, kMiss, kWouldBlock };

class ResultCache {
 public:
  struct Counters {  // what the tiers answered
    std::atomic<uint64_t> memory_hits = 0, memory_misses = 0;
    std::atomic<uint64_t> disk_hits = 0, disk_misses = 0, disk_corrupt = 0, disk_errors = 0;
  };

  // `disk` may be null: memory only.
  ResultCache(size_t memory_bytes, std::unique_ptr<DiskTier> disk)
      : memory_(memory_bytes - memory_bytes / kInvalidPart),
        invalid_memory_(memory_bytes / kInvalidPart, kInvalidShards),
        disk_(std::move(disk)) {}

  // `may_block` false: answers kWouldBlock rather than wait for the disk.
  Lookup Find(const Digest& key, const Outputs& outputs, bool may_block, Ready* ready);
  // Filters `result` for sending; stores nothing.
  static Ready Prepare(const Outputs& outputs, kiln::v1alpha::TargetResult result);
  // Ok when the result is stored so that it survives this process (without a disk tier: in memory),
  // or need not be stored.
  absl::Status Store(const Digest& key, const kiln::v1alpha::TargetResult& result);
  // For the memory tier, once it is stored.
  void Remember(const Digest& key, const Outputs& outputs, const Ready& ready);

  Lookup FindTranslation(const Digest& key, bool may_block, StoredTranslation* translation);
  // `spirv`: the module, with OK. It is kept too (on disk where there is one): other targets and
  // options need it.
  absl::Status StoreTranslation(const Digest& key, const StoredTranslation& translation,
                                const std::string& spirv);
  // Blocks. False: not there.
  bool FindModule(const Digest& module, std::string* spirv);
  // A result with all of its outputs, or a translation. Blocks. False: the disk still has it (it
  // takes no writes).
  bool Forget(const Digest& key);
  bool ForgetTranslation(const Digest& key);
  // How often something was forgotten.
  uint64_t forgotten() const { return forgotten_.load(); }
  void ForgetModule(const Digest& module);

  const Counters& counters() const { return counters_; }
  // Of both parts; of that which invalid results have.
  MemoryTier::Usage memory_usage() const;
  size_t memory_limit() const { return memory_.limit_bytes() + invalid_memory_.limit_bytes(); }
  MemoryTier::Usage invalid_memory_usage() const { return invalid_memory_.usage(); }
  size_t invalid_memory_limit() const { return invalid_memory_.limit_bytes(); }
  const DiskTier* disk() const { return disk_.get(); }

 private:
  // Generations of the disk tier begun since what is in memory was last put or found there.
  static constexpr uint64_t kRenewal = 2;
  // Of memory, what invalid results have. Fewer shards: each keeps what a shard of the others
  // would.
  static constexpr size_t kInvalidPart = 16;
  static constexpr size_t kInvalidShards = 4;

  // kWouldBlock: it is there, but its record has to move on disk.
  Lookup FromMemory(const MemoryKey& key, std::string_view kinds, bool may_block,
                    MemoryTier::Value* value);
  uint64_t Turn() const { return disk_ == nullptr ? 0 : disk_->turn(); }
  Lookup FromDisk(char kind, const Digest& digest, bool may_block, std::string* value);
  // A record: from the disk, or from memory where the disk did not take it.
  Lookup FindRecord(char kind, const Digest& digest, bool may_block, std::string* value);
  absl::Status StoreRecord(char kind, const Digest& digest, std::string value,
                           kiln::v1alpha::TargetResult::Status status);
  // In memory: `part`, where not null, gets that in which it is.
  MemoryTier::Value Recall(const MemoryKey& key, uint64_t* stamp = nullptr,
                           MemoryTier** part = nullptr);
  void Keep(const MemoryKey& key, MemoryTier::Value value,
            kiln::v1alpha::TargetResult::Status status, uint64_t stamp = 0);
  void Drop(const MemoryKey& key);

  // Out of the disk tier for good.
  bool EraseRecord(char kind, const Digest& digest);

  MemoryTier memory_;
  MemoryTier invalid_memory_;
  std::unique_ptr<DiskTier> disk_;
  std::atomic<uint64_t> forgotten_ = 0;
  Counters counters_;
};

// Whether a result with this status may be stored at all.
bool Storable(kiln::v1alpha::TargetResult::Status status);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_RESULT_CACHE_H_
