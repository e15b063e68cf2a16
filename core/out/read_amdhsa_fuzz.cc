// Reads code objects made of any bytes, and of a good file with some bytes replaced. None may
// crash; what is read lies within the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "core/out/amdhsa.h"
#include "core/out/read_amdhsa.h"

namespace {

const std::vector<uint8_t>& GoodFile() {
  static const std::vector<uint8_t> file = [] {
    kiln::out::AmdHsaKernel k;
    k.name = "main";
    k.code = {0, 0, 0x81, 0xbf};
    k.kernarg_bytes = 32;
    k.arguments = {{"buffer_0_0_0", 0, 8, true, false}, {"buffer_0_0_0_bytes", 8, 4, false, false}};
    return kiln::out::AmdHsaCodeObject(k);
  }();
  return file;
}

void Read(const std::vector<uint8_t>& file) {
  const auto kernels = kiln::out::ReadAmdHsa(file);
  if (!kernels.ok()) return;
  if (kernels->empty()) std::abort();
  for (const auto& each : *kernels) {
    if (each.kernel.code.empty() || each.kernel.code.size() > file.size()) std::abort();
    for (const auto& a : each.kernel.arguments) {
      if (uint64_t{a.offset} + a.bytes > each.kernel.kernarg_bytes) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Read({data, data + size});
  // Each three bytes are a place and a value.
  std::vector<uint8_t> file = GoodFile();
  for (size_t i = 0; i + 3 <= size; i += 3) {
    file[(data[i] | size_t{data[i + 1]} << 8) % file.size()] = data[i + 2];
  }
  Read(file);
  return 0;
}
