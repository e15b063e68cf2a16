// The SPIR-V of a module's entry in a capture.
//
// The payload is JSON, {"version", "shaderModules": {HASH: {"codeSize", ...}}}, which has the code
// as base64 ("code"), or a zero byte follows it and then the code's words as base-128 numbers, the
// low 7 bits first ("varintOffset", "varintSize"; Fossilize's varint.cpp).
#ifndef KILN_CLIENT_CAPTURE_MODULE_CODE_H_
#define KILN_CLIENT_CAPTURE_MODULE_CODE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kiln::client {

// Returns the bytes of module `hash`. DataLoss: what is wrong with the payload.
absl::StatusOr<std::string> ModuleCode(absl::string_view payload, uint64_t hash);

// Returns the bytes of `words` little-endian words from their base-128 form, all of `bytes`.
absl::StatusOr<std::string> DecodeVarints(absl::string_view bytes, uint64_t words);

}  // namespace kiln::client

#endif  // KILN_CLIENT_CAPTURE_MODULE_CODE_H_
