// The digest of a source, as a client sends it instead of the source (SourceDigest.sha256).
//
// SPIR-V: SHA-256 of the module's bytes as they would be sent.
// GLSL: SHA-256 of this sequence of fields, where a string is its length as 8 bytes little-endian
// followed by its bytes, and a count is 8 bytes little-endian:
//     "kiln.glsl.1", name, stage, text,
//     count of defines, then name and value of each, in order,
//     count of includes, then spelled, includer, resolved and text of each, in order.
// HLSL: the same with "kiln.hlsl.1" as its first field, and after the includes
//     entry point ("main" if it is empty), 1 if matrices are row_major, otherwise 0,
//     count of register shifts, then of each, in order, the kind, 0 for all spaces, otherwise 1
//     more than the space, and the shift.
#ifndef KILN_SERVER_KEY_SOURCE_DIGEST_H_
#define KILN_SERVER_KEY_SOURCE_DIGEST_H_

#include <string_view>

#include "kiln/v1/compile.pb.h"
#include "server/key/sha256.h"

namespace kiln::cache {

Digest SpirvDigest(std::string_view module);
// Returns the digest of a source of either language.
Digest GlslDigest(const kiln::v1::GlslSource& source);

}  // namespace kiln::cache

#endif  // KILN_SERVER_KEY_SOURCE_DIGEST_H_
