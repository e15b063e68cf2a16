// Register footprints, see footprint.h.
#include "core/intel/isa/footprint.h"

#include <algorithm>

#include "core/intel/isa/codes.h"

namespace kiln::intel::isa {
namespace {

// Returns the number of bytes from the operand's first to one past its last, over all channels.
int SourceBytes(const Operand& src, int channels) {
  const int size = ByteSize(src.type);
  const Region& r = src.region;
  const int width = std::min<int>(r.width, channels);
  const int rows = (channels + width - 1) / width;
  const int vstride = r.vstride == Region::kVxH ? 0 : r.vstride;
  return ((rows - 1) * vstride + (width - 1) * r.hstride) * size + size;
}

int DstBytes(const Operand& dst, int channels) {
  const int size = ByteSize(dst.type);
  return ((channels - 1) * dst.region.hstride + 1) * size;
}

uint16_t AccumulatorMask(int first, int count) {
  return static_cast<uint16_t>(((1u << count) - 1) << first);
}

class Collector {
 public:
  Collector(const Instruction& inst, const RegisterRange* indirect)
      : inst_(inst), indirect_(indirect) {}

  Footprint Collect() {
    if (IsSend(inst_.op)) {
      Send();
      return out_;
    }
    for (int i = 0; i < SourceCount(); ++i) Source(inst_.src[i]);
    switch (Info(inst_.op).format) {
      case Format::kBasic:
      case Format::kTernary:
      case Format::kMath:
      case Format::kCall: Destination(inst_.dst); break;
      default: break;
    }
    return out_;
  }

 private:
  int SourceCount() const {
    switch (Info(inst_.op).format) {
      case Format::kMath: return MathIsBinary(inst_.math) ? 2 : 1;
      case Format::kBranchJU:
      case Format::kNullary: return 0;
      case Format::kBranchJ:
      case Format::kCall: return 1;  // a branch target in a register, if any
      default: return Info(inst_.op).nsrc;
    }
  }

  void Indirect(GrfSet& set) {
    out_.reads_address = true;
    if (indirect_ != nullptr) {
      set.Add(indirect_->first, indirect_->count);
    } else {
      set.Add(0, kGrfCount);
    }
  }

  void Source(const Operand& src) {
    if (src.indirect) return Indirect(out_.reads);
    const int count = GrfsOf(src.subnr + SourceBytes(src, inst_.exec_size));
    if (src.file == File::kGrf) return out_.reads.Add(src.nr, count);
    if (src.file != File::kArf) return;
    switch (src.arf) {
      case Arf::kNull: break;
      case Arf::kAddress: out_.reads_address = true; break;
      case Arf::kAccumulator: out_.reads_accumulators |= AccumulatorMask(src.nr, count); break;
      case Arf::kFlag: out_.uses_flags_explicitly = true; break;
      case Arf::kNotification:
      case Arf::kTdr: break;  // kept coherent by the hardware
      default: out_.reads_special = true;
    }
  }

  void Destination(const Operand& dst) {
    if (dst.indirect) return Indirect(out_.writes);
    const int count = GrfsOf(dst.subnr + DstBytes(dst, inst_.exec_size));
    if (dst.file == File::kGrf) return out_.writes.Add(dst.nr, count);
    if (dst.file != File::kArf) return;
    switch (dst.arf) {
      case Arf::kNull: break;
      case Arf::kAddress: out_.writes_address = true; break;
      case Arf::kAccumulator: out_.writes_accumulators |= AccumulatorMask(dst.nr, count); break;
      case Arf::kFlag: out_.uses_flags_explicitly = true; break;
      case Arf::kNotification:
      case Arf::kTdr: break;
      default: out_.writes_special = true;
    }
  }

  void Send() {
    const SendLengths lengths = LengthsOf(inst_);
    const auto add = [](GrfSet& set, const Operand& o, int count) {
      if (o.file == File::kGrf) set.Add(o.nr, count);
    };
    add(out_.reads, inst_.src[0], lengths.mlen);
    add(out_.reads, inst_.src[1], lengths.ex_mlen);
    add(out_.writes, inst_.dst, lengths.rlen);
    out_.reads_address = inst_.send.desc_is_register || inst_.send.ex_desc_is_register;
  }

  const Instruction& inst_;
  const RegisterRange* indirect_;
  Footprint out_;
};

}  // namespace

SendLengths LengthsOf(const Instruction& inst) {
  constexpr int kMaxPayload = 15, kMaxResponse = 31, kMaxSecond = 31;
  const SendFields& send = inst.send;
  SendLengths lengths{static_cast<int>(send.desc >> 25 & 15),
                      static_cast<int>(send.ex_desc >> 6 & 31),
                      static_cast<int>(send.desc >> 20 & 31)};
  if (send.desc_is_register && lengths.mlen == 0) {
    lengths.mlen = kMaxPayload;
    lengths.rlen = kMaxResponse;
  }
  if (send.ex_desc_is_register && lengths.ex_mlen == 0) lengths.ex_mlen = kMaxSecond;
  return lengths;
}

Footprint FootprintOf(const Instruction& inst, const RegisterRange* indirect) {
  return Collector(inst, indirect).Collect();
}

}  // namespace kiln::intel::isa
