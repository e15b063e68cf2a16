// Arbitrary bytes as a program: the simulator must end with a result or a named error.
//
// Byte 0 chooses lanes, modes, stage and whether primitives share waves; the rest is code.
#include <cstddef>
#include <cstdint>

#include "core/sim/rdna2/simulator.h"

namespace {

using namespace kiln;  // NOLINT: a fuzz driver, no header

// One triangle that covers a quad but for one pixel, and a render target.
sim::scene::FragmentInputs Draw() {
  sim::scene::FragmentInputs draw;
  draw.width = draw.height = 2;
  sim::scene::Primitive shape;
  shape.weight = {{{-0.5, -0.5, 1}, {0.5, 0, 0}, {0, 0.5, 0}}};
  shape.values = {{0, 0, {1, 2, 3}}};
  draw.primitives = {shape};
  draw.quads = {{0, 0, 0, {1, 1, 0, 1}}};
  draw.targets.resize(1);
  draw.targets[0].texels.resize(16);
  draw.depth.resize(4);
  return draw;
}

void MakeFragment(out::LaunchRecord& record, out::AmdLaunch& amd) {
  record.stage = "fragment";
  record.shared_bytes = 0;
  record.fragment.inputs = {{}};
  record.fragment.colors = {0};
  record.fragment.samples = 1;
  record.fragment.has_side_effects = true;
  record.fragment.depth = out::DepthOutput::kAny;
  amd.rsrc1 |= 1u << 25;  // MEM_ORDERED, for memory mode
  amd.rsrc2 = 1 | 4u << 1;
  amd.fragment.spi_ps_input_ena = amd.fragment.spi_ps_input_addr = 0xffff;
  amd.fragment.spi_shader_col_format = 0x49;
  amd.fragment.spi_shader_z_format = 9;
  amd.fragment.cb_shader_mask = 0xff;
  amd.fragment.db_shader_control = 0x641;
  amd.fragment.spi_ps_input_cntl = {0};
}

void MakeVertex(out::LaunchRecord& record, out::AmdLaunch& amd) {
  record.stage = "vertex";
  amd.rsrc1 |= 3u << 29 | 1u << 25;
  amd.rsrc2 = 1 | 4u << 1 | 3u << 16 | 1u << 19;
  amd.vertex.ge_cntl = 128 | 128 << 9;
  amd.vertex.spi_shader_pos_format = 0x44;
  amd.vertex.pa_cl_vs_out_cntl = 1 << 16 | 1 << 21;
  amd.vertex.parameters = {{0, "", 0, false}, {0, "primitive_id", 1, true}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
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
  const int stage = data[0] >> 2 & 3;
  if (stage == 1) {
    MakeFragment(record, amd);
    dispatch.draw = Draw();
  } else if (stage == 2) {
    MakeVertex(record, amd);
    dispatch.vertices.emplace();
    dispatch.vertices->count = 70;
  } else {
    amd.rsrc1 |= 1u << 30;  // MEM_ORDERED
  }
  dispatch.buffers.resize(1);
  dispatch.buffers[0].bytes.resize(256);
  dispatch.images.resize(1);
  dispatch.images[0].where = {0, 1, 0};
  dispatch.images[0].texels.resize(4);
  sim::rdna2::Options options;
  options.contract = data[0] & 2;
  if (data[0] & 16) options.memory_seed = data[0];
  options.waves_of_primitives = (data[0] & 32) != 0;
  options.max_instructions = 20000;
  sim::rdna2::Run({data + 1, size - 1}, record, options, dispatch).status().IgnoreError();
  return 0;
}
