// Fuzz target: arbitrary words into the importer. It must end in an error or in MIR that verifies;
// an INTERNAL error is a bug too.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/front/import.h"
#include "core/mir/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint32_t> words(size / 4);
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * 4);
  kiln::front::ImportOptions options;
  options.max_instructions = 20000;
  const auto module = kiln::front::ImportSpirv(words, options);
  absl::Status status = module.status();
  if (module.ok()) {
    status = kiln::mir::Verify(*module);
  } else if (status.code() != absl::StatusCode::kInternal) {
    return 0;
  }
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::abort();
  }
  return 0;
}
