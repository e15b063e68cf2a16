// Rules about writes to render targets: see verify_targets.h.
#include "core/intel/isa/verify_targets.h"

#include <algorithm>
#include <array>
#include <optional>

namespace kiln::intel::isa {
namespace {

struct Write {
  size_t index;
  const Instruction* inst;
  MessageFields fields;
};

// Returns the writes whose descriptors are immediate, in program order.
std::vector<Write> WritesOf(Generation gen, absl::Span<const PlacedInstruction> program) {
  std::vector<Write> writes;
  for (size_t i = 0; i < program.size(); ++i) {
    const Instruction& inst = program[i].inst;
    if (!IsSend(inst.op) || inst.send.sfid != Sfid::kRenderCache || inst.send.desc_is_register ||
        inst.send.ex_desc_is_register) {
      continue;
    }
    const auto fields = ParseDescriptor(gen, inst.send.sfid, inst.send.desc, inst.send.ex_desc);
    if (fields.ok() && fields->message == Message::kTargetWrite) {
      writes.push_back({i, &inst, *fields});
    }
  }
  return writes;
}

int LengthOf(const Write& w) { return w.fields.mlen + w.fields.ex_mlen; }

// Returns the length without the parts that single writes may have in addition.
int CommonLength(const Write& w) {
  return LengthOf(w) - (w.fields.header ? 2 : 0) - (w.fields.alpha0 ? w.fields.lanes / 8 : 0);
}

}  // namespace

std::vector<size_t> MisplacedLastTargets(Generation gen,
                                         absl::Span<const PlacedInstruction> program) {
  std::vector<size_t> bad;
  const std::vector<Write> writes = WritesOf(gen, program);
  if (writes.empty()) return bad;
  std::array<std::optional<size_t>, 8> last;  // by first channel
  for (const Write& w : writes) last[w.inst->channel_offset / 4 % 8] = w.index;
  for (const Write& w : writes) {
    const bool is_last = last[w.inst->channel_offset / 4 % 8] == w.index;
    const bool misplaced = w.fields.last_target != is_last || (w.inst->send.eot && !is_last);
    if (misplaced) bad.push_back(w.index);
  }
  for (size_t i = 0; i < program.size(); ++i) {
    const Instruction& inst = program[i].inst;
    if (EndsThread(inst) && inst.send.sfid != Sfid::kRenderCache) bad.push_back(i);
  }
  std::sort(bad.begin(), bad.end());
  return bad;
}

std::vector<size_t> UnequalTargetWrites(Generation gen,
                                        absl::Span<const PlacedInstruction> program) {
  std::vector<size_t> bad;
  std::array<std::optional<int>, 5> length;  // by form
  for (const Write& w : WritesOf(gen, program)) {
    std::optional<int>& first = length[static_cast<size_t>(w.fields.form)];
    if (!first) first = CommonLength(w);
    if (*first != CommonLength(w)) bad.push_back(w.index);
  }
  return bad;
}

int TargetPayload(const MessageFields& fields, const TargetParts& parts) {
  const bool dual = fields.form == TargetForm::kDualLow || fields.form == TargetForm::kDualHigh;
  if (dual != parts.dual_source || (parts.stencil && fields.lanes != 8)) return 0;
  const int registers = fields.lanes / 8;
  // One colour for all lanes takes four dwords of one register (Mesa, brw_compile_fs.cpp,
  // brw_emit_repclear_shader).
  const int colours = fields.form == TargetForm::kRepeated ? 1 : (dual ? 8 : 4) * registers;
  return (fields.header ? 2 : 0) + (fields.alpha0 ? registers : 0) + (parts.sample_mask ? 1 : 0) +
         colours + (parts.depth ? registers : 0) + (parts.stencil ? 1 : 0);
}

std::vector<size_t> TargetWritesUnlike(Generation gen, absl::Span<const PlacedInstruction> program,
                                       const TargetParts& parts) {
  std::vector<size_t> bad;
  for (const Write& w : WritesOf(gen, program)) {
    if (LengthOf(w) != TargetPayload(w.fields, parts)) bad.push_back(w.index);
  }
  return bad;
}

}  // namespace kiln::intel::isa
