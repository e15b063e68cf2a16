// Filters a serialised TargetResult down to the outputs asked for, without parsing it.
//
// A hit from disk needs a few fields of a message with dozens of sub-messages: the bytes of those
// fields are copied as they are. Length-delimited wire format only; one pass. Only sums of pass
// records are computed here; a later request for them finds them in memory.
#ifndef KILN_SERVER_CACHE_RESULT_FILTER_H_
#define KILN_SERVER_CACHE_RESULT_FILTER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "server/cache/result_tag.h"

namespace kiln::cache {

// Outputs, as bits.
inline constexpr uint8_t kBinaryBit = 1, kAssemblyBit = 2, kLaunchBit = 4, kPassesBit = 8,
                         kRemarksBit = 16, kPassSumsBit = 64;

// Appends to `out` the fields of `result` that `bits` asks for and fills in its tag.
// Fields of a single request (`cache`, Timings.queue_ns and service_ns) are not in stored results.
// Returns false if the bytes are no serialised TargetResult.
bool FilterResult(std::string_view result, uint8_t bits, std::string* out, ResultTag* tag);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_RESULT_FILTER_H_
