#include "core/front/spirv/spirv_preamble.h"

#include <string>
#include <utility>

#include "core/base/utf8.h"
#include "core/front/check/newer.h"
#include "core/front/check/refusal.h"

namespace kiln::front {
namespace {

// Reads the string that begins at word `first`; `next`: the word after it, 0 if it does not end.
std::string String(const SpirvInst& inst, size_t first, size_t* next) {
  std::string text;
  for (size_t i = first; i < inst.size(); ++i) {
    for (int byte = 0; byte < 4; ++byte) {
      const char c = static_cast<char>(inst.words[i] >> (8 * byte));
      if (c == 0) {
        *next = i + 1;
        return text;
      }
      text.push_back(c);
    }
  }
  *next = 0;  // not terminated
  return text;
}

absl::Status ReadEntryPoint(SpirvModule& m, const SpirvInst& inst) {
  SpirvEntryPoint entry;
  entry.model = static_cast<spv::ExecutionModel>(inst.operand(1));
  entry.function = inst.operand(2);
  size_t next = 0;
  entry.name = String(inst, 3, &next);
  if (next == 0) return Invalid("entry point name has no end", entry.function);
  if (!IsUtf8(entry.name)) return Invalid("entry point name is not UTF-8", entry.function);
  entry.interface.assign(inst.words.begin() + next, inst.words.end());
  m.entry_points.push_back(std::move(entry));
  return absl::OkStatus();
}

absl::Status ReadImport(SpirvModule& m, const SpirvInst& inst) {
  size_t next = 0;
  const std::string name = String(inst, 2, &next);
  if (next == 0) return Invalid("extended instruction set name has no end", inst.result);
  ExtInstSet set = ExtInstSet::kUnknown;
  if (name == "GLSL.std.450") set = ExtInstSet::kGlsl450;
  if (name == "SPV_AMD_shader_trinary_minmax") set = ExtInstSet::kTrinary;
  if (name == "SPV_AMD_shader_ballot") set = ExtInstSet::kVendorBallot;
  if (name == "SPV_AMD_gcn_shader") set = ExtInstSet::kGcn;
  if (name.rfind("NonSemantic.", 0) == 0 || name == "OpenCL.DebugInfo.100" || name == "DebugInfo") {
    set = ExtInstSet::kNonSemantic;
  }
  return m.Define(inst.result, {SpirvDef::kExtInstSet, static_cast<uint32_t>(set)});
}

}  // namespace

absl::Status ReadPreamble(SpirvModule& m, const SpirvInst& inst, bool* handled) {
  *handled = true;
  switch (inst.op) {
    case spv::Op::OpCapability:
      m.capabilities.push_back(static_cast<spv::Capability>(inst.operand(1)));
      return CheckDeclared(m.capabilities.back());
    case spv::Op::OpExtension: {
      size_t next = 0;
      m.extensions.push_back(String(inst, 1, &next));
      return absl::OkStatus();
    }
    case spv::Op::OpExtInstImport: return ReadImport(m, inst);
    case spv::Op::OpMemoryModel:
      m.addressing = static_cast<spv::AddressingModel>(inst.operand(1));
      m.memory_model = static_cast<spv::MemoryModel>(inst.operand(2));
      return absl::OkStatus();
    case spv::Op::OpEntryPoint: return ReadEntryPoint(m, inst);
    case spv::Op::OpExecutionMode:
    case spv::Op::OpExecutionModeId:
      m.execution_modes.push_back({inst.operand(1),
                                   static_cast<spv::ExecutionMode>(inst.operand(2)),
                                   {inst.words.begin() + 3, inst.words.end()},
                                   inst.op == spv::Op::OpExecutionModeId});
      return absl::OkStatus();
    case spv::Op::OpString: return m.Define(inst.result, {SpirvDef::kString});
    default: *handled = false; return absl::OkStatus();
  }
}

}  // namespace kiln::front
