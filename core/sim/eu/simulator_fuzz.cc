// Arbitrary bytes as a program: the simulator must end with a result or a named error.
//
// Byte 0 chooses width, contract and fusion mode; the rest is code.
#include <cstddef>
#include <cstdint>

#include "core/sim/eu/simulator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kiln;  // NOLINT: a fuzz driver, no header
  if (size < 1 || size > 4096) return 0;
  out::LaunchRecord record;
  record.stage = "compute";
  record.dispatch_width = data[0] & 1 ? 8 : 16;
  record.compute.threads_per_group = 2;
  record.compute.last_thread_mask = 0x7f;
  record.shared_bytes = 256;
  record.scratch_bytes_per_thread = 1024;
  out::SurfaceEntry entry;
  entry.kind = out::SurfaceKind::kSsbo;
  record.binding_table.push_back(entry);
  sim::eu::Options options;
  options.contract = data[0] & 2;
  options.fusion = data[0] & 4;
  options.max_instructions = 20000;
  sim::eu::Dispatch dispatch;
  dispatch.buffers.resize(1);
  dispatch.buffers[0].bytes.resize(256);
  sim::eu::Run({data + 1, size - 1}, record, options, dispatch).status().IgnoreError();
  return 0;
}
