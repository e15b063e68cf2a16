// Arbitrary bytes as a program: the simulator must end with a result or a named error.
//
// Byte 0 chooses lanes, contract mode and memory mode; the rest is code.
#include <cstddef>
#include <cstdint>

#include "core/sim/rdna2/simulator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kiln;  // NOLINT: a fuzz driver, no header
  if (size < 1 || size > 4096) return 0;
  out::LaunchRecord record;
  record.stage = "compute";
  record.dispatch_width = data[0] & 1 ? 32 : 64;
  record.compute.local_size = {70, 1, 1};
  record.shared_bytes = 512;
  record.scratch_bytes_per_thread = 4096;
  record.resources = {{out::ResourceKind::kSsbo}, {out::ResourceKind::kSampledImage, 0, 1}};
  out::DescriptorRange buffer, image;
  buffer.count = image.count = 1;
  buffer.stride = image.stride = image.offset = 32;
  buffer.form = out::DescriptorForm::kBufferResource;
  image.form = out::DescriptorForm::kImageResource;
  image.resource = 1;
  record.descriptor_memory = {buffer, image};
  out::AmdLaunch& amd = record.arch.emplace<out::AmdLaunch>();
  amd.rsrc1 = 31 | 0xc0u << 12;
  amd.rsrc2 = 1 | 4u << 1 | 7u << 7 | 1u << 10 | 2u << 11 | 1u << 15;
  amd.instruction_bytes = static_cast<uint32_t>(size - 1);
  amd.address_high = 0xffff8000;
  amd.user_sgprs = {{0, out::SgprContent::kScratchBase}, {2, out::SgprContent::kDescriptorMemory}};
  sim::scene::Dispatch dispatch;
  dispatch.buffers.resize(1);
  dispatch.buffers[0].bytes.resize(256);
  dispatch.images.resize(1);
  dispatch.images[0].where = {0, 1, 0};
  dispatch.images[0].texels.resize(4);
  sim::rdna2::Options options;
  options.contract = data[0] & 2;
  if (data[0] & 4) options.memory_seed = data[0];
  options.max_instructions = 20000;
  sim::rdna2::Run({data + 1, size - 1}, record, options, dispatch).status().IgnoreError();
  return 0;
}
