// Cache keys.
//
// A key is SHA-256 over the hashes of its components, each hashed by itself in canonical form, so
// that two keys can be compared component by component (why was this a miss?). Everything that may
// change the result is in a component; nothing else is. Only the daemon forms keys, from typed
// requests.
//
// Canonical: specialisation constants are bits sorted by id; widths and disabled passes are sorted
// and without repetitions; in pipeline state each attachment and each location that is read is
// hashed by itself, sorted by location, and a default that is given is the same as one that is not.
// Cost: about 2 us a key, without the module's hash (computed once per upload).
#ifndef KILN_SERVER_KEY_KEY_H_
#define KILN_SERVER_KEY_KEY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/spec_type.h"
#include "kiln/v1/compile.pb.h"
#include "server/key/sha256.h"

namespace kiln::cache {

// Components that describe the module and how to compile it, for every target.
struct ShaderComponents {
  Digest module{};
  Digest entry{};  // entry point and stage
  Digest spec_constants{};
  Digest options{};
  // Absent if the state says no more than the defaults, so that compute keys have no such
  // component.
  std::optional<Digest> state;
};

// Components that describe the target and this build of the compiler.
struct TargetComponents {
  Digest target{};
  Digest abi{};
  Digest code_generation{};
  // Names and units of the figures in a result, in their order: a record of another version's
  // figures is not found. Absent if the target declares none.
  std::optional<Digest> statistics;
};

struct SpecValue {
  uint64_t bits = 0;
  SpecType type = SpecType::kBits;  // part of the key: a wrong one is an error, which is cached too
  friend bool operator==(const SpecValue&, const SpecValue&) = default;
};

// Returns values by SpecId: the canonical form of CompileRequest.spec_constants. The last of
// repeated ids counts (requests with repetitions are refused before).
std::map<uint32_t, SpecValue> SpecValues(
    const google::protobuf::RepeatedPtrField<kiln::v1::SpecConstant>& constants);

ShaderComponents HashShader(const Digest& module, std::string_view entry_point,
                            std::string_view stage, const std::map<uint32_t, SpecValue>& spec,
                            const kiln::v1::CompileOptions& options);
TargetComponents HashTarget(const kiln::v1::Capabilities::TargetInfo& target);

Digest ResultKey(const ShaderComponents& shader, const TargetComponents& target);

// Returns the key under which the translation of a source of GLSL or HLSL is stored. `reader`: the
// version of glslang, or of the reader of HLSL.
Digest TranslationKey(const Digest& source, std::string_view reader);

}  // namespace kiln::cache

#endif  // KILN_SERVER_KEY_KEY_H_
