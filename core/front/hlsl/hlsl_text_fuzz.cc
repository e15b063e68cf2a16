// Fuzz target: arbitrary bytes as preprocessed HLSL. Property: the reader ends, what it refuses has
// a file and a line, and what it lists are names.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/cause.h"
#include "core/front/hlsl/hlsl_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto segments = kiln::front::SegmentsOf(text, "a.hlsl");
  const auto reading = kiln::front::ReadHlsl(&segments);
  if (!reading.refusal.ok() && kiln::SourceOf(reading.refusal).file.empty()) abort();
  for (const std::string& name : reading.explicit_set) {
    if (name.empty()) abort();
  }
  return 0;
}
