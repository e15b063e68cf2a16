// Arbitrary bytes as a program: the simulator must end with a result or a named error.
//
// Byte 0 chooses width, contract and fusion mode, compute or vertex; the rest is code.
#include <cstddef>
#include <cstdint>

#include "core/sim/eu/simulator.h"

// Three vertices without attributes; only the header is to be written.
static void MakeVertex(kiln::out::LaunchRecord& record, kiln::sim::scene::Dispatch& dispatch) {
  record.stage = "vertex";
  record.dispatch_width = 8;
  record.shared_bytes = 0;
  kiln::out::IntelLaunch& intel = kiln::out::IntelOf(record);
  intel.push_first_register = intel.vertex.setup_first_register = 2;
  intel.vertex.vue_slots = intel.vertex.urb_entry_size = 1;
  intel.vertex.vue.resize(1);
  intel.vertex.vue[0].written = true;
  dispatch.vertices.emplace();
  dispatch.vertices->count = 3;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kiln;  // NOLINT: a fuzz driver, no header
  if (size < 1 || size > 4096) return 0;
  out::LaunchRecord record;
  record.stage = "compute";
  record.dispatch_width = data[0] & 1 ? 8 : 16;
  record.compute.uses_barrier = true;
  out::IntelLaunch& intel = record.arch.emplace<out::IntelLaunch>();
  intel.compute.threads_per_group = 2;
  intel.compute.last_thread_mask = 0x7f;
  record.shared_bytes = 256;
  record.scratch_bytes_per_thread = 1024;
  record.resources = {{out::ResourceKind::kSsbo}};
  intel.binding_table = {{0, out::SurfaceContent::kResource}};
  sim::scene::Dispatch dispatch;
  if (data[0] & 8) MakeVertex(record, dispatch);
  sim::eu::Options options;
  options.contract = data[0] & 2;
  options.fusion = data[0] & 4;
  options.max_instructions = 20000;
  dispatch.buffers.resize(1);
  dispatch.buffers[0].bytes.resize(256);
  sim::eu::Run({data + 1, size - 1}, record, options, dispatch).status().IgnoreError();
  return 0;
}
