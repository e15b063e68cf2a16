// Fuzzes the parsers of traceparent and tracestate: what they take is written as it was read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/trace/context.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto context = kiln::trace::ParseTraceparent(text); context.has_value()) {
    const std::string written = kiln::trace::FormatTraceparent(*context);
    if (written.size() != 55 || written.substr(2, 51) != text.substr(2, 51)) abort();
    if (!kiln::trace::ParseTraceparent(written).has_value()) abort();
  }
  const std::string state = kiln::trace::CheckedTracestate(text);
  if (state.size() > 512 || kiln::trace::CheckedTracestate(state) != state) abort();
  return 0;
}
