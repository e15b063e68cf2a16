#include "core/amd/pipeline/testing.h"

#include "core/amd/perf/testing.h"

namespace kiln::amd::testing {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Sgpr;
using isa::Vgpr;

constexpr uint32_t kLanes = 32;
constexpr uint32_t kVgprs = 3;
constexpr uint32_t kAddressHigh = 0xffff8000;

// s0 is the low half of the address of the V#, s1 becomes the high one; v0 is the local id.
std::vector<Instruction> Store(int value) {
  Instruction high = Make(Opcode::kSMovB32, Sgpr(1), isa::Source(isa::kLiteralCode));
  high.literal = kAddressHigh;
  Instruction store =
      Make(Opcode::kBufferStoreDword, Vgpr(2), Vgpr(1), Sgpr(8), isa::Source(isa::kInt0));
  store.offen = true;
  return {high,
          Make(Opcode::kSLoadDwordx4, Sgpr(8), Sgpr(0)),
          Make(Opcode::kVLshlrevB32, Vgpr(1), isa::Source(isa::kInt0 + 2), Vgpr(0)),
          Make(Opcode::kVMovB32, Vgpr(2), isa::Source(isa::kInt0 + value)),
          WaitFor(63, 7, 0),
          store,
          End()};
}

out::AmdLaunch AmdPart(size_t code_bytes) {
  out::AmdLaunch amd;
  amd.vgprs = kVgprs;
  // 8 VGPRs, FLOAT_MODE, DX10_CLAMP, MEM_ORDERED
  amd.rsrc1 = 0xc0 << 12 | 1u << 21 | 1u << 30;
  amd.rsrc2 = 2u << 1 | 1u << 7;  // two user SGPRs, workgroup id x
  amd.instruction_bytes = static_cast<uint32_t>(code_bytes);
  amd.address_high = kAddressHigh;
  amd.user_sgprs = {{0, out::SgprContent::kDescriptorMemory, 0}};
  return amd;
}

}  // namespace

StoreProgram MakeStoreProgram(int value) {
  StoreProgram made;
  made.code = Bytes(Store(value));
  out::LaunchRecord& record = made.record;
  record.target = "gfx1030";
  record.stage = "compute";
  record.code_bytes = static_cast<uint32_t>(made.code.size());
  record.dispatch_width = kLanes;
  record.compute.local_size = {kLanes, 1, 1};
  record.resources = {{out::ResourceKind::kSsbo, 0, 0, 1, ""}};
  out::DescriptorRange range;
  range.count = 1;
  range.stride = 16;
  range.form = out::DescriptorForm::kBufferResource;
  record.descriptor_memory = {range};
  record.arch = AmdPart(made.code.size());
  made.dispatch.buffers.resize(1);
  made.dispatch.buffers[0].where = {0, 0, 0};
  made.dispatch.buffers[0].bytes.resize(4 * kLanes);
  return made;
}

}  // namespace kiln::amd::testing
