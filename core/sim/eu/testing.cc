// See testing.h.
#include "core/sim/eu/testing.h"

#include <cstring>

#include "core/intel/isa/encode.h"
#include "core/sim/eu/alu.h"
#include "core/sim/eu/program.h"

namespace kiln::sim::eu::testing {
namespace {

constexpr auto kGen = kGeneration;

}  // namespace

isa::Operand Grf(int nr, isa::Type type, int byte) {
  isa::Operand o;
  o.file = isa::File::kGrf;
  o.type = type;
  o.nr = static_cast<uint8_t>(nr);
  o.subnr = static_cast<uint8_t>(byte);
  o.region = {8, 8, 1};
  return o;
}

isa::Operand Scalar(int nr, isa::Type type, int byte) {
  isa::Operand o = Grf(nr, type, byte);
  o.region = {0, 1, 0};
  return o;
}

isa::Operand Dst(int nr, isa::Type type, int byte, int hstride) {
  isa::Operand o = Grf(nr, type, byte);
  o.region = {0, 1, static_cast<uint8_t>(hstride)};
  return o;
}

isa::Operand Register(isa::Arf arf, isa::Type type, int nr, int byte) {
  isa::Operand o;
  o.file = isa::File::kArf;
  o.arf = arf;
  o.type = type;
  o.nr = static_cast<uint8_t>(nr);
  o.subnr = static_cast<uint8_t>(byte);
  o.region = {0, 1, 1};
  return o;
}

isa::Operand Null(isa::Type type) { return Register(isa::Arf::kNull, type); }

isa::Operand Imm(isa::Type type, uint64_t bits) {
  isa::Operand o;
  o.file = isa::File::kImm;
  o.type = type;
  o.imm = bits;
  return o;
}

isa::Operand ImmF(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return Imm(isa::Type::kF, bits);
}

isa::Operand Ternary(int nr, isa::Type type) { return Grf(nr, type); }

isa::Instruction Make(isa::Opcode op, int exec_size, const isa::Operand& dst,
                      const isa::Operand& src0, const isa::Operand& src1,
                      const isa::Operand& src2) {
  isa::Instruction i;
  i.op = op;
  i.exec_size = static_cast<uint8_t>(exec_size);
  i.dst = dst;
  i.src = {src0, src1, src2};
  return i;
}

isa::Instruction EndOfThread() {
  isa::Instruction i = SendTo(isa::Sfid::kThreadSpawner, 0x02000000, 0, 8, -1, 127, -1);
  i.no_mask = true;
  i.send.eot = true;
  return i;
}

isa::Instruction SendTo(isa::Sfid sfid, uint32_t desc, uint32_t ex_desc, int exec_size, int dst,
                        int src0, int src1) {
  const auto reg = [](int nr) {
    isa::Operand o;
    o.file = nr < 0 ? isa::File::kArf : isa::File::kGrf;
    o.nr = nr < 0 ? 0 : static_cast<uint8_t>(nr);
    return o;
  };
  isa::Instruction i;
  i.op = isa::Opcode::kSend;
  i.exec_size = static_cast<uint8_t>(exec_size);
  i.send.sfid = sfid;
  i.send.desc = desc;
  i.send.ex_desc = ex_desc;
  i.dst = reg(dst);
  i.src[0] = reg(src0);
  i.src[1] = reg(src1);
  return i;
}

absl::Status Execute(const isa::Instruction& inst, Thread& thread) {
  const auto bytes = isa::Encode(kGen, inst);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<Program> program = Load(*bytes);
  if (!program.ok()) return program.status();
  return ExecuteAlu(program->ops[0], thread);
}

out::LaunchRecord Record(int width, uint32_t shared_bytes) {
  out::LaunchRecord r;
  r.stage = "compute";
  r.dispatch_width = static_cast<uint32_t>(width);
  r.compute.local_size = {r.dispatch_width, 1, 1};
  out::IntelLaunch& intel = r.arch.emplace<out::IntelLaunch>();
  intel.compute.last_thread_mask = width == 32 ? ~0u : (1u << width) - 1;
  r.resources = {{out::ResourceKind::kSsbo}};
  intel.binding_table = {{0, out::SurfaceContent::kResource}};
  r.shared_bytes = shared_bytes;
  return r;
}

void AddSecondThread(int number_register, out::LaunchRecord& record) {
  record.compute.uses_barrier = true;
  record.push = {{0, 4, out::PushSource::kSubgroupId}};
  out::IntelLaunch& intel = out::IntelOf(record);
  intel.push_first_register = static_cast<uint32_t>(number_register);
  intel.push_registers = intel.compute.per_thread_registers = 1;
  intel.compute.threads_per_group = 2;
}

void AddSampledImage(out::LaunchRecord& record) {
  const auto number = static_cast<uint32_t>(record.resources.size());
  record.resources.push_back({out::ResourceKind::kCombinedImageSampler});
  out::IntelOf(record).binding_table.push_back({2, out::SurfaceContent::kResource, number});
  out::IntelOf(record).sampler_table = {{0, number}};
}

absl::StatusOr<std::vector<uint32_t>> RunProgram(const isa::Program& program,
                                                 const out::LaunchRecord& record,
                                                 const Options& options,
                                                 const std::vector<uint32_t>& buffer) {
  absl::StatusOr<std::vector<uint8_t>> code = isa::Finalise(program);
  if (!code.ok()) return code.status();
  scene::Dispatch dispatch;
  dispatch.buffers.resize(1);
  std::vector<uint8_t>& bytes = dispatch.buffers[0].bytes;
  bytes.resize(4 * buffer.size());
  std::memcpy(bytes.data(), buffer.data(), bytes.size());
  absl::StatusOr<RunStats> stats = Run(*code, record, options, dispatch);
  if (!stats.ok()) return stats.status();
  std::vector<uint32_t> result(buffer.size());
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

void AppendLaneIds(isa::Program& program, int nr, int width) {
  // 0..7 as packed words, then widened; the upper half adds 8.
  isa::Instruction ids =
      Make(isa::Opcode::kMov, 8, Dst(nr, isa::Type::kUD), Imm(isa::Type::kUV, 0x76543210));
  ids.no_mask = true;
  program.Append(ids);
  for (int half = 1; half < width / 8; ++half) {
    isa::Instruction add =
        Make(isa::Opcode::kAdd, 8, Dst(nr + half, isa::Type::kUD), Grf(nr, isa::Type::kUD),
             Imm(isa::Type::kUD, static_cast<uint64_t>(8 * half)));
    add.no_mask = true;
    add.swsb = 1;
    program.Append(add);
  }
}

void AppendStore(isa::Program& program, int value, int address, int width) {
  AppendLaneIds(program, address, width);
  isa::Instruction shift = Make(isa::Opcode::kShl, width, Dst(address, isa::Type::kUD),
                                Grf(address, isa::Type::kUD), Imm(isa::Type::kUD, 2));
  shift.no_mask = true;
  shift.swsb = 1;
  program.Append(shift);
  const int regs = width / 8;
  const uint32_t simd = width == 16 ? 1 : 2;
  const uint32_t desc =
      (static_cast<uint32_t>(regs) << 25) | (9u << 14) | (simd << 12) | (0xeu << 8);
  isa::Instruction send = SendTo(isa::Sfid::kDataCache1, desc, static_cast<uint32_t>(regs) << 6,
                                 width, -1, address, value);
  send.swsb = 0x80 | 1 << 4 | 15;
  program.Append(send);
}

}  // namespace kiln::sim::eu::testing
