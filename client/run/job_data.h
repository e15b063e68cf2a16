// DATA of jobs: bytes written as numbers of a type, hex, files, zeros and addresses.
//
// One of {"f32": [..]} (also f16 f64 u8 u16 u32 u64 i8 i16 i32 i64; a single number works too;
// "nan", "inf", "0x7fc00001" as strings), {"hex": "00ff"}, {"file": "raw.bin"}, {"zero": BYTES},
// {"address": "NAME"} (64-bit device address of the resource with that name), or a list of these,
// concatenated. The format is that of tests/peer (run-peer exec), so that a job runs on lavapipe
// and in the simulator.
#ifndef KILN_CLIENT_RUN_JOB_DATA_H_
#define KILN_CLIENT_RUN_JOB_DATA_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kiln::client::run {

// Device addresses of named resources.
using Addresses = std::map<std::string, uint64_t>;

// Checks that a value is a whole number of the range, or text; `what` names it in the message.
absl::Status CheckCount(const nlohmann::json& value, uint64_t least, uint64_t most,
                        absl::string_view what);
absl::Status CheckText(const nlohmann::json& value, absl::string_view what);

// Returns at most 1 GiB; files are relative to `folder`. InvalidArgument, ResourceExhausted and the
// errors of files.
absl::StatusOr<std::string> DataBytes(const nlohmann::json& data, const std::string& folder,
                                      const Addresses& addresses);

// Returns the bytes of an element of "f32" and the like; 0 for other names.
int ElementBytes(absl::string_view type);

// Returns the bytes as numbers of the type; "hex": as text. Omits a rest shorter than an element.
nlohmann::json Values(absl::string_view type, absl::string_view bytes);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_JOB_DATA_H_
