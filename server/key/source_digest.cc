// Computes the digest of a source: see source_digest.h.
#include "server/key/source_digest.h"

namespace kiln::cache {

namespace {

void AddHlsl(const kiln::v1::GlslSource::Hlsl& hlsl, CanonicalWriter* w) {
  w->Add(hlsl.entry_point().empty() ? "main" : std::string_view(hlsl.entry_point()));
  w->Add(static_cast<uint64_t>(hlsl.row_major() ? 1 : 0));
  w->Add(static_cast<uint64_t>(hlsl.register_shifts_size()));
  for (const auto& shift : hlsl.register_shifts()) {
    w->Add(static_cast<uint64_t>(shift.kind()));
    w->Add(shift.has_space() ? uint64_t{1} + shift.space() : 0);
    w->Add(static_cast<uint64_t>(shift.shift()));
  }
}

}  // namespace

Digest SpirvDigest(std::string_view module) { return Sha256(module); }

Digest GlslDigest(const kiln::v1::GlslSource& source) {
  CanonicalWriter w(source.has_hlsl() ? "kiln.hlsl.1" : "kiln.glsl.1");
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
  if (source.has_hlsl()) AddHlsl(source.hlsl(), &w);
  return w.Finish();
}

}  // namespace kiln::cache
