// Computes the digest of a source: see source_digest.h.
#include "server/key/source_digest.h"

namespace kiln::cache {

Digest SpirvDigest(std::string_view module) { return Sha256(module); }

Digest GlslDigest(const kiln::v1::GlslSource& source) {
  CanonicalWriter w("kiln.glsl.1");
  w.Add(source.name());
  w.Add(source.stage());
  w.Add(source.text());
  w.Add(static_cast<uint64_t>(source.defines_size()));
  for (const auto& define : source.defines()) {
    w.Add(define.name());
    w.Add(define.value());
  }
  w.Add(static_cast<uint64_t>(source.includes_size()));
  for (const auto& include : source.includes()) {
    w.Add(include.spelled());
    w.Add(include.includer());
    w.Add(include.resolved());
    w.Add(include.text());
  }
  return w.Finish();
}

}  // namespace kiln::cache
