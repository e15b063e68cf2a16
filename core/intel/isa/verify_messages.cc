// Rules about messages: see verify_messages.h.
#include "core/intel/isa/verify_messages.h"

#include <algorithm>

#include "core/intel/isa/messages.h"

namespace kiln::intel::isa {
namespace {

bool Judged(const Instruction& inst) {
  return IsSend(inst.op) && !inst.send.desc_is_register && !inst.send.ex_desc_is_register;
}

absl::StatusOr<MessageFields> FieldsOf(Generation gen, const Instruction& inst) {
  return ParseDescriptor(gen, inst.send.sfid, inst.send.desc, inst.send.ex_desc);
}

}  // namespace

bool UnknownMessage(Generation gen, const Instruction& inst) {
  // Sends to a shared function without a message in the table are not judged.
  return Judged(inst) && HasMessages(inst.send.sfid) && !FieldsOf(gen, inst).ok();
}

bool MessageHeader(Generation gen, const Instruction& inst) {
  if (!Judged(inst)) return false;
  const auto fields = FieldsOf(gen, inst);
  if (!fields.ok()) return false;
  const HeaderNeed need = Info(fields->message).header;
  return (need == HeaderNeed::kRequired && !fields->header) ||
         (need == HeaderNeed::kForbidden && fields->header);
}

bool SamplerPayload(Generation gen, const Instruction& inst) {
  if (!Judged(inst) || inst.send.sfid != Sfid::kSampler) return false;
  const auto fields = FieldsOf(gen, inst);
  return fields.ok() && fields->mlen + fields->ex_mlen > kMaxSamplerPayload;
}

bool TargetWriteUnordered(Generation, const Instruction& inst) {
  return inst.op == Opcode::kSend && inst.send.sfid == Sfid::kRenderCache;
}

bool MessageChannels(Generation gen, const Instruction& inst) {
  if (!Judged(inst)) return false;
  const auto fields = FieldsOf(gen, inst);
  if (!fields.ok()) return false;
  const int first = inst.channel_offset;
  const bool halves = fields->high_slots == (first >= 16);
  switch (Info(fields->message).layout) {
    case MessageLayout::kTarget:
      if (inst.exec_size != fields->lanes || !halves) return true;
      switch (fields->form) {
        case TargetForm::kSixteen: return false;
        case TargetForm::kDualLow:
        case TargetForm::kDualHigh:
          return (first % 16 != 0) != (fields->form == TargetForm::kDualHigh);
        case TargetForm::kRepeated:
        case TargetForm::kEight: return first != 0;
      }
      return true;
    case MessageLayout::kInterpolator: return inst.exec_size != fields->lanes || !halves;
    case MessageLayout::kUrb: return inst.exec_size != fields->lanes || first != 0;
    default: return false;
  }
}

bool EndMessage(Generation, const Instruction& inst) {
  return EndsThread(inst) && inst.send.sfid != Sfid::kRenderCache && inst.send.sfid != Sfid::kUrb &&
         inst.send.sfid != Sfid::kThreadSpawner;
}

bool BlockChannels(Generation gen, const Instruction& inst) {
  if (!Judged(inst) || inst.exec_size >= 16) return false;
  const auto fields = FieldsOf(gen, inst);
  if (!fields.ok()) return false;
  const MessageLayout layout = Info(fields->message).layout;
  const bool block = layout == MessageLayout::kBlock || layout == MessageLayout::kA64Block ||
                     layout == MessageLayout::kScratch;
  return block && std::max<int>(fields->rlen, fields->mlen + fields->ex_mlen - 1) > 1;
}

bool MessageLengths(Generation gen, const Instruction& inst) {
  if (!Judged(inst)) return false;
  const auto fields = FieldsOf(gen, inst);
  if (!fields.ok()) return false;
  const int payload = fields->mlen + fields->ex_mlen;
  if (Info(fields->message).layout == MessageLayout::kTarget) {
    // The parts before and after the four components depend on state that is not in the message.
    const int colours = fields->form == TargetForm::kRepeated ? 1 : 4 * (fields->lanes / 8);
    const int least = (fields->header ? 2 : 0) + colours;
    constexpr int kMax = 2 + 12 * 2;
    return fields->rlen != 0 || payload < least || payload > kMax;
  }
  if (Info(fields->message).layout == MessageLayout::kUrb) {
    // The payload has the handles, the lanes' own masks and offsets, and 1 to 8 registers of data.
    const int data = payload - 1 - fields->urb_masks - fields->urb_lane_offsets;
    return fields->rlen != 0 || data < 1 || data > 8;
  }
  const bool samples = Info(fields->message).layout == MessageLayout::kSample;
  const int params = static_cast<int>(Params(gen, fields->message).size());
  const int fewest = AnswersWhole(fields->message) ? 4 : 1;
  for (int p = samples ? 0 : 1; p <= std::max(params, 1); ++p) {
    for (int components = fewest; components <= (samples ? 4 : 1); ++components) {
      MessageFields good = *fields;
      SetLengths(gen, good, p, components);
      // The payload may be split anywhere: the shared function sees one.
      if (payload != good.mlen + good.ex_mlen) continue;
      // A header may request one more register: which lanes' texels are resident (Mesa 25.0.7,
      // brw_lower_logical_sends.cpp, lower_sampler_logical_send).
      const int residency = samples && fields->header ? 1 : 0;
      if (fields->rlen == good.rlen || fields->rlen == good.rlen + residency) return false;
    }
  }
  return true;
}

}  // namespace kiln::intel::isa
