#include "core/intel/emit/check_instructions.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "core/intel/isa/messages.h"
#include "core/intel/isa/opcodes.h"

namespace kiln::intel {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Type;

bool HasAll(const Instructions& has) {
  return has.rotate && has.dot4 && has.half_floats && has.addresses && has.software_scoreboard;
}

bool ReadsOrWritesHalfs(const Instruction& inst) {
  if (isa::IsSend(inst.op) || isa::IsBranch(inst.op)) return false;
  if (inst.dst.type == Type::kHF) return true;
  for (int i = 0; i < isa::Info(inst.op).nsrc; ++i) {
    if (inst.src[i].type == Type::kHF) return true;
  }
  return false;
}

// Returns true for a message with addresses of 64 bits. The constant part of a computed descriptor
// names the message.
bool HasAddresses(const Instruction& inst, isa::Generation gen) {
  if (!isa::IsSend(inst.op)) return false;
  const auto fields = isa::ParseDescriptor(gen, inst.send.sfid, inst.send.desc, inst.send.ex_desc);
  if (!fields.ok()) return false;
  switch (isa::Info(fields->message).layout) {
    case isa::MessageLayout::kA64Block:
    case isa::MessageLayout::kA64Channels:
    case isa::MessageLayout::kA64Atomic:
    case isa::MessageLayout::kA64AtomicFloat:
    case isa::MessageLayout::kA64Scattered: return true;
    default: return false;
  }
}

// Returns what the device lacks of the instruction; empty: nothing.
std::string_view Lacking(const Device& device, const Instruction& inst) {
  const Instructions& has = device.instructions;
  if (!has.rotate && (inst.op == Opcode::kRol || inst.op == Opcode::kRor)) return "rotate";
  if (!has.dot4 && inst.op == Opcode::kDp4a) return "dot4";
  if (!has.software_scoreboard && inst.op == Opcode::kSync) return "software_scoreboard";
  if (!has.half_floats && ReadsOrWritesHalfs(inst)) return "half_floats";
  if (!has.addresses && HasAddresses(inst, device.generation)) return "addresses";
  return "";
}

}  // namespace

absl::Status CheckInstructions(const Device& device, const isa::Program& program) {
  if (HasAll(device.instructions)) return absl::OkStatus();
  for (size_t i = 0; i < program.insts.size(); ++i) {
    const Instruction& inst = program.insts[i];
    const std::string_view lacking = Lacking(device, inst);
    if (lacking.empty()) continue;
    return absl::InternalError(absl::StrCat("emit: instruction ", i, ", ",
                                            isa::Info(inst.op).mnemonic, ": the device has no ",
                                            std::string(lacking)));
  }
  return absl::OkStatus();
}

}  // namespace kiln::intel
