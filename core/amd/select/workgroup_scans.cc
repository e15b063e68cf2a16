// Lowers a scan of the workgroup: what each wave stores, the barrier, what it loads and sums.
//
// A workgroup's size is a multiple of 32 and all of it executes the scan (the verifier of MIR, and
// its definition), so that the first 32 lanes of each wave are on: lane i is where the sum of the
// first i + 1 counts is made, and no wave needs more lanes than there are waves. Lanes beyond make
// sums of what is no count, which are not read.
//
// The lane's number and what it selects do not depend on the load: they are written behind it, and
// are ready when it has returned.
#include "core/amd/select/workgroup_scans.h"

#include <algorithm>

#include "core/amd/lir/lanes.h"
#include "core/amd/select/lanes.h"

namespace kiln::amd {
namespace {

constexpr uint16_t kRowShr = 0x110;  // DPP control
constexpr uint32_t kOnes = 0x01010101;
// Selectors of v_perm_b32: the bytes of its second source in order; zeros (ISA guide, V_PERM_B32).
constexpr uint32_t kBytesInOrder = 0x03020100, kZeroBytes = 0x0c0c0c0c;

uint32_t RoundedUp(uint32_t x, uint32_t multiple) {
  return (x + multiple - 1) / multiple * multiple;
}

}  // namespace

WorkgroupScans::Scan WorkgroupScans::ScanOf(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  Scan scan;
  scan.shape.width = e_.width();
  scan.shape.waves = (inst.imm1 + e_.width() - 1) / e_.width();
  scan.shape.streams = inst.num_sources - 2u;
  scan.form = forms_[scan.shape.waves - 1][scan.shape.streams - 1];
  const auto source = [&](int i) { return e_.ToScalar(e_.Src(m_.source(id, i))); };
  scan.wave = source(0);
  scan.present = source(1);
  for (int i = 2; i < inst.num_sources; ++i) scan.counts.push_back(source(i));
  return scan;
}

void WorkgroupScans::Visit(mir::InstId id) {
  Scan scan = ScanOf(id);
  const uint32_t bytes = 4 * LdsDwords(scan.form, scan.shape);
  const auto set = [&](size_t stream, const Sums& sums) {
    e_.Set(m_.result(id, static_cast<int>(2 * stream)), sums.before);
    e_.Set(m_.result(id, static_cast<int>(2 * stream + 1)), sums.total);
  };
  if (bytes == 0) {  // a wave alone, which sees its own accesses in order
    for (size_t s = 0; s < scan.counts.size(); ++s) set(s, {Imm(0), scan.counts[s]});
    return;
  }
  // Aligned for one load of all bytes.
  scan.place = RoundedUp(shared_bytes_, IsOfBytes(scan.form) ? bytes : 4);
  shared_bytes_ = scan.place + bytes;
  // In a loop, all waves have read the counts of one round before any stores those of the next.
  if (f_.block(b_.block()).loop_depth != 0) barriers_.Wait(true);
  Store(scan);
  barriers_.Wait(true);
  if (IsOfBytes(scan.form)) {
    const auto dwords = LoadBytes(scan);
    const size_t each = dwords.size() / scan.counts.size();
    const Operand lane = e_.Pseudo(kLaneNumber, kFileV, 1, {});
    // The bits above lane i's counts.
    const Operand shift = e_.Valu(Opcode::kVMadI32I24, {lane, Imm(static_cast<uint32_t>(-8)),
                                                        Imm(static_cast<uint32_t>(32 * each - 8))});
    const auto selections = Selections(scan, shift);
    for (size_t s = 0; s < scan.counts.size(); ++s) {
      const auto own = absl::MakeConstSpan(dwords).subspan(s * each, each);
      set(s, ReadSums(scan, s, AddBytes(scan, own, selections, shift)));
    }
    return;
  }
  const Operand lane = LaneBelow32(e_);
  const auto counts = LoadDwords(scan, lane);
  for (size_t s = 0; s < counts.size(); ++s) {
    set(s, scan.form == ScanForm::kDwordScalar ? AddScalars(scan, counts[s], lane)
                                               : ReadSums(scan, s, AddLanesBelow(scan, counts[s])));
  }
}

// The first lane stores the wave's counts, those of a second stream behind all of the first.
void WorkgroupScans::Store(const Scan& scan) {
  StoreAux aux;
  aux.whole_wave = m_.local_size[0] * m_.local_size[1] * m_.local_size[2] % e_.width() == 0;
  aux.stride_dwords = static_cast<uint8_t>(LdsDwords(scan.form, scan.shape) / scan.shape.streams);
  Operand address;
  if (IsOfBytes(scan.form)) {
    aux.bytes = 1;
    aux.offset = static_cast<uint16_t>(scan.place);
    address = e_.ToV(scan.wave);
  } else if (scan.place == 0) {
    address = e_.Valu(Opcode::kVLshlrevB32, {Imm(2), scan.wave});
  } else {
    address = e_.Valu(Opcode::kVLshlAddU32, {scan.wave, Imm(2), Imm(scan.place)});
  }
  absl::InlinedVector<Operand, 3> uses = {address};
  for (const Operand& count : scan.counts) uses.push_back(e_.ToV(count));
  e_.EmitRaw(kLaneStore, {}, uses, {}, 0, aux.Pack());
}

// ---- A dword for each wave.

// Loads the i-th count of each stream into lane i.
absl::InlinedVector<Operand, 2> WorkgroupScans::LoadDwords(const Scan& scan, const Operand& lane) {
  const Operand address = scan.place == 0
                              ? e_.Valu(Opcode::kVLshlrevB32, {Imm(2), lane})
                              : e_.Valu(Opcode::kVLshlAddU32, {lane, Imm(2), Imm(scan.place)});
  const int streams = static_cast<int>(scan.shape.streams);
  Extra extra;
  if (streams == 2) extra.offset1 = static_cast<uint8_t>(scan.shape.waves);
  const Operand loaded = Use(e_.New(kFileV, streams), 0, streams);
  e_.EmitRaw(Op(streams == 2 ? Opcode::kDsRead2B32 : Opcode::kDsReadB32), {loaded}, {address},
             extra);
  absl::InlinedVector<Operand, 2> counts;
  for (int s = 0; s < streams; ++s) counts.push_back(e_.Component(loaded, s));
  return counts;
}

// Returns the inclusive sums, in lanes: steps double within the row of 16 lanes.
Operand WorkgroupScans::AddLanesBelow(const Scan& scan, Operand counts) {
  for (uint32_t step = 1; step < scan.shape.waves; step *= 2) {
    counts =
        e_.Valu(Opcode::kVAddNcU32, {counts, counts}, Dpp(static_cast<uint16_t>(kRowShr | step)));
  }
  return counts;
}

// Reads each count and adds. Counts of absent waves are cleared, unless how many there are is
// known.
WorkgroupScans::Sums WorkgroupScans::AddScalars(const Scan& scan, const Operand& counts,
                                                const Operand& lane) {
  Operand cleared = counts;
  uint32_t most = scan.shape.waves;
  if (IsImm(scan.present)) {
    most = std::min(most, scan.present.id);
  } else {
    const Operand present = e_.Compare(Opcode::kVCmpGtU32, scan.present, lane);
    cleared = e_.Valu(Opcode::kVCndmaskB32, {Imm(0), counts, present});
  }
  Sums sums = {Imm(0), Imm(0)};
  for (uint32_t wave = 0; wave < most; ++wave) {
    if (wave != 0) {
      const Operand is_own = e_.SaluScc(Opcode::kSCmpEqU32, {scan.wave, Imm(wave)});
      sums.before = e_.Salu(Opcode::kSCselectB32, {sums.total, sums.before}, is_own);
    }
    const Operand count = e_.Valu(Opcode::kVReadlaneB32, {cleared, Imm(wave)});
    sums.total = wave == 0 ? count : e_.Salu(Opcode::kSAddU32, {sums.total, count});
  }
  return sums;
}

// ---- A byte for each wave.

// Loads the bytes of all streams, one or two dwords of each.
absl::InlinedVector<Operand, 4> WorkgroupScans::LoadBytes(const Scan& scan) {
  const int dwords = static_cast<int>(LdsDwords(scan.form, scan.shape));
  const Opcode op = dwords == 1   ? Opcode::kDsReadB32
                    : dwords == 2 ? Opcode::kDsReadB64
                                  : Opcode::kDsReadB128;
  Extra extra;
  extra.offset = static_cast<int32_t>(scan.place);
  const Operand loaded = Use(e_.New(kFileV, dwords), 0, dwords);
  e_.EmitRaw(Op(op), {loaded}, {e_.ToV(Imm(0))}, extra);
  absl::InlinedVector<Operand, 4> parts;
  for (int d = 0; d < dwords; ++d) parts.push_back(e_.Component(loaded, d));
  return parts;
}

// Returns, for each dword of a stream, what says which of its bytes lane i counts: the second
// source of a dot product, or the selector of a permutation. Nothing for byte_msad.
absl::InlinedVector<Operand, 2> WorkgroupScans::Selections(const Scan& scan, const Operand& shift) {
  if (scan.form == ScanForm::kByteMsad) return {};
  const bool dot = scan.form == ScanForm::kByteDot;
  const uint32_t all = dot ? kOnes : ~0u;
  absl::InlinedVector<Operand, 2> kept;
  if (scan.shape.waves <= 4) {
    kept.push_back(e_.Valu(Opcode::kVLshrrevB32, {shift, Imm(all)}));
  } else {
    const Operand both = dot ? e_.Vector({Imm(all), Imm(all)}, kFileS) : Imm(all);
    const Operand shifted = e_.Valu(Opcode::kVLshrrevB64, {shift, both});
    for (int d = 0; d < 2; ++d) kept.push_back(e_.Component(shifted, d));
  }
  if (dot) return kept;
  const Operand zeros = e_.ToS(Imm(kZeroBytes));
  for (Operand& dword : kept) {
    dword = e_.Valu(Opcode::kVBfiB32, {dword, Imm(kBytesInOrder), zeros});
  }
  return kept;
}

// Returns the inclusive sums of a stream, in lanes.
Operand WorkgroupScans::AddBytes(const Scan& scan, absl::Span<const Operand> dwords,
                                 absl::Span<const Operand> selections, const Operand& shift) {
  absl::InlinedVector<Operand, 2> parts(dwords.begin(), dwords.end());
  if (scan.form == ScanForm::kByteMsad) {
    if (parts.size() == 1) {
      parts[0] = e_.Valu(Opcode::kVLshlrevB32, {shift, parts[0]});
    } else {
      const Operand shifted = e_.Valu(Opcode::kVLshlrevB64, {shift, e_.Vector(dwords, kFileV)});
      for (int d = 0; d < 2; ++d) parts[static_cast<size_t>(d)] = e_.Component(shifted, d);
    }
  }
  Operand sum = Imm(0);
  for (size_t d = 0; d < parts.size(); ++d) {
    switch (scan.form) {
      case ScanForm::kByteDot:
        sum = e_.Valu(Opcode::kVDot4U32U8, {parts[d], selections[d], sum}, WholeDotProduct());
        break;
      case ScanForm::kByteMsad:  // bytes of the second source that are 0 count nothing
        sum = e_.Valu(Opcode::kVMsadU8, {Imm(0), parts[d], sum});
        break;
      default: {
        const Operand kept = e_.Valu(Opcode::kVPermB32, {Imm(0), parts[d], selections[d]});
        sum = e_.Valu(Opcode::kVSadU8, {kept, Imm(0), sum});
      }
    }
  }
  return sum;
}

// Reads a wave's results from the inclusive sums.
WorkgroupScans::Sums WorkgroupScans::ReadSums(const Scan& scan, size_t stream,
                                              const Operand& inclusive) {
  const Operand up_to = e_.Valu(Opcode::kVReadlaneB32, {inclusive, scan.wave});
  const Operand last = IsImm(scan.present) ? Imm((scan.present.id - 1) % scan.shape.waves)
                                           : e_.Salu(Opcode::kSAddU32, {scan.present, Imm(~0u)});
  return {.before = e_.Salu(Opcode::kSSubU32, {up_to, scan.counts[stream]}),
          .total = e_.Valu(Opcode::kVReadlaneB32, {inclusive, last})};
}

}  // namespace kiln::amd
