// Seals and opens values as they are stored on disk: see record.h.
#include "server/cache/record.h"

#include <zstd.h>

#include <memory>

namespace kiln::cache {
namespace {

constexpr std::string_view kMagic = "KLR1";
// Fast and, for machine code, hardly worse than the default of 3.
constexpr int kLevel = 1;
// Fits on the stack of any thread.
constexpr size_t kSmall = size_t{64} << 10;

struct FreeContext {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
  void operator()(ZSTD_DCtx* d) const { ZSTD_freeDCtx(d); }
};

// A block of zstd has 128 KiB at most and takes four bytes at least (RFC 8878, 3.1.1.2): bounds the
// memory for a size that damage has made up.
constexpr size_t kMaxPerByte = size_t{32} << 10;

// Contexts are expensive to make; one per thread.
ZSTD_CCtx* CompressContext() {
  thread_local std::unique_ptr<ZSTD_CCtx, FreeContext> context = [] {
    std::unique_ptr<ZSTD_CCtx, FreeContext> c(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(c.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(c.get(), ZSTD_c_checksumFlag, 1);
    return c;
  }();
  return context.get();
}

ZSTD_DCtx* DecompressContext() {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

}  // namespace

bool SealRecord(std::string_view key, std::string_view value, std::string* record) {
  if (value.size() > kMaxRecordBytes) return false;
  std::string content;
  content.reserve(key.size() + value.size());
  content.append(key).append(value);
  record->assign(kMagic);
  record->resize(kMagic.size() + ZSTD_compressBound(content.size()));
  size_t n = ZSTD_compress2(CompressContext(), record->data() + kMagic.size(),
                            record->size() - kMagic.size(), content.data(), content.size());
  if (ZSTD_isError(n)) return false;
  record->resize(kMagic.size() + n);
  return true;
}

bool OpenRecord(std::string_view key, std::string_view record, std::string* value) {
  if (record.substr(0, kMagic.size()) != kMagic) return false;
  record.remove_prefix(kMagic.size());
  unsigned long long size = ZSTD_getFrameContentSize(record.data(), record.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) return false;
  if (size < key.size() || size > kMaxRecordBytes + key.size()) return false;
  if (size / kMaxPerByte > record.size()) return false;
  const auto bytes = static_cast<size_t>(size);
  const auto decompress = [&](char* content) {
    const size_t n =
        ZSTD_decompressDCtx(DecompressContext(), content, bytes, record.data(), record.size());
    return !ZSTD_isError(n) && n == bytes && std::string_view(content, bytes).starts_with(key);
  };
  // A std::string's bytes would be zeroed before they are written, and moved when the key is taken
  // off; for most records, which are small, a copy is cheaper than both.
  if (char small[kSmall]; bytes <= sizeof small) {
    if (!decompress(small)) return false;
    value->assign(small + key.size(), bytes - key.size());
    return true;
  }
  value->resize(bytes);
  if (!decompress(value->data())) return false;
  value->erase(0, key.size());
  return true;
}

bool KeyOfRecord(std::string_view record, size_t key_bytes, std::string* key) {
  if (!OpenRecord("", record, key) || key->size() < key_bytes) return false;
  key->resize(key_bytes);
  return true;
}

}  // namespace kiln::cache
