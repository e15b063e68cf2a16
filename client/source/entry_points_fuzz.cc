// Fuzz target: arbitrary bytes as a module. Every name found must be one that the API can carry.
#include <cstdint>
#include <cstdlib>

#include "client/cli/paths.h"
#include "client/source/entry_points.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view module(reinterpret_cast<const char*>(data), size);
  const auto entries = kiln::client::EntryPointsOf(module);
  if (entries.size() > kiln::client::kMaxEntryPoints) abort();
  for (const auto& entry : entries) {
    if (kiln::client::ValidUtf8(entry.name) != entry.name) abort();
    if (entry.name.find('\0') != std::string::npos) abort();
  }
  return 0;
}
