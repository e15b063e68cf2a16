// Immutable bytes in one allocation of just their size, shared by reference count.
//
// Used for the memory tier's values and for replies. A std::string in a shared_ptr is two
// allocations, and one that grew to its size holds up to twice that: memory that no bound would
// count.
#ifndef KILN_SERVER_CACHE_SHARED_BYTES_H_
#define KILN_SERVER_CACHE_SHARED_BYTES_H_

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "server/cache/result_tag.h"

namespace kiln::cache {

// A pointer to the bytes, or null. Copies share them; as thread-safe as std::shared_ptr.
class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(std::nullptr_t) {}  // NOLINT: as for any pointer
  explicit SharedBytes(std::string_view bytes) {
    *this = Make(bytes.size(), [&](char* to) { memcpy(to, bytes.data(), bytes.size()); });
  }
  // Makes `size` bytes; `write` writes all of them to the address that it is given. `tag` is kept
  // beside them, for the owner's use.
  template <typename Write>
  static SharedBytes Make(size_t size, Write&& write, const ResultTag& tag = {}) {
    void* memory = ::operator new(sizeof(Block) + size);
    char* bytes = static_cast<char*>(memory) + sizeof(Block);
    write(bytes);
    SharedBytes made;
    made.block_ = new (memory) Block{1, tag, std::string_view(bytes, size)};
    return made;
  }
  SharedBytes(const SharedBytes& o) : block_(o.block_) {
    if (block_ != nullptr) block_->count.fetch_add(1, std::memory_order_relaxed);
  }
  SharedBytes(SharedBytes&& o) noexcept : block_(std::exchange(o.block_, nullptr)) {}
  SharedBytes& operator=(SharedBytes o) noexcept {
    std::swap(block_, o.block_);
    return *this;
  }
  ~SharedBytes() { reset(); }

  void reset() {
    Block* block = std::exchange(block_, nullptr);
    if (block == nullptr || block->count.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    block->~Block();
    ::operator delete(block);
  }

  const std::string_view& operator*() const { return block_->bytes; }
  const std::string_view* operator->() const { return &block_->bytes; }
  bool operator==(std::nullptr_t) const { return block_ == nullptr; }
  explicit operator bool() const { return block_ != nullptr; }

  // Not of null.
  const ResultTag& tag() const { return block_->tag; }

  // Returns the bytes that the allocator has set aside, including the count. Must not be null.
  size_t allocated() const { return malloc_usable_size(block_); }

 private:
  struct Block {
    std::atomic<uint32_t> count;
    const ResultTag tag;
    const std::string_view bytes;
  };
  Block* block_ = nullptr;
};

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_SHARED_BYTES_H_
