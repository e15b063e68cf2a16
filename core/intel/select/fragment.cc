// Selects inputs from the rasteriser (core/intel/ABI.md, "Fragments"), and tracks which lanes may
// have effects.
//
// A component of an attribute is four dwords of setup data: its increase along each of the two
// barycentric coordinates, a dword of no meaning, and its value at vertex 0. So an interpolated
// input is two multiply-adds of uniform dwords. A flat one is the last dword itself, once for the
// thread, since a thread's lanes are of one primitive.
//
// Lanes that cover no sample run as helpers, so that derivatives have neighbours; operations that
// must not happen for them are predicated. A fixed flag holds the mask of dead lanes, which have no
// effects because they cover nothing or were killed. Programs without kills read the coverage from
// the payload. A kill sets the mask's bits by its comparison. Lanes leave when their whole quad is
// dead (demote, discard) or at once (terminate, and kills after which nothing follows).
//
// Sources: Mesa 25.0.7, brw_fs_nir.cpp (emit_fragcoord_interpolation, emit_frontfacing), brw_fs.cpp
// (interpolation), brw_nir.c; the forms were derived from its programs for this generation.
#include "core/intel/select/fragment.h"

#include <algorithm>
#include <bit>

#include "core/intel/lir/message.h"
#include "core/intel/lir/subgroup.h"
#include "core/target/fragment_attributes.h"

namespace kiln::intel {

namespace {

using mir::BuiltIn;

constexpr int kDwords = 8;    // of a register
constexpr int kCoverage = 7;  // dword of the positions: lanes that cover a sample
constexpr int kFacing = 1;    // dword of the first: facing, render target index, viewport
constexpr uint32_t kHalf = 0x3f000000u, kSixteenth = 0x3d800000u;  // 0.5, 1 / 16

}  // namespace

void Fragment::DeclareLiveIns() {
  lir::Value reg;
  reg.file = kFileU;
  reg.comps = kDwords;
  reg.whole_registers = true;
  for (const out::PayloadItem& item : at_width_.payload.items) {
    if (item.what == Part::kPixelPositions) {
      positions_.push_back(b_.AddLiveIn(reg, item.reg * kDwords));
    } else if (item.what == Part::kPositionOffsets) {
      offsets_.push_back(b_.AddLiveIn(reg, item.reg * kDwords));
    }
  }
  if (!fragment().kills) return;
  lir::Reserved dead;
  dead.pool = kPoolFlag;
  dead.first = kDeadMask;
  dead.units = width_ > 16 ? 2 : 1;
  f_.reserved.push_back(dead);
  std::vector<Operand> uses;
  for (size_t i = 0; i < positions_.size(); ++i) {
    uses.push_back(Positions(static_cast<int>(i), Type::kUW, kCoverage));
  }
  b_.Emit(kStartDead, e_.UniformFields(width_), {}, uses);
}

Operand Fragment::Positions(int half, Type t, int dword) const {
  return Use(positions_[static_cast<size_t>(half)], t, dword);
}

// ---- payload

// Returns a part with one dword per lane.
Operand Fragment::LanesOf(Part part) {
  const auto found = lanes_of_.find(part);
  if (found != lanes_of_.end()) return found->second;
  Operand all;
  if (width_ <= 16) {
    lir::Value lanes;
    lanes.file = kFileG;
    const uint32_t reg = at_width_.payload.RegisterOf(part, 0);
    all = Use(b_.AddLiveIn(lanes, reg * kDwords), Type::kF);
  } else {
    lir::Value half;
    half.file = kFileU;
    half.comps = 2 * kDwords;
    half.whole_registers = true;
    std::array<Operand, 2> halves;
    for (uint32_t i = 0; i < 2; ++i) {
      const uint32_t reg = at_width_.payload.RegisterOf(part, 16 * i);
      halves[i] = Use(b_.AddLiveIn(half, reg * kDwords), Type::kUD, 0, 2 * kDwords);
    }
    all = Use(e_.NewG(), Type::kF);
    const lir::SelectionBuilder::Prologue prologue(b_);
    lir::InstFields fields = e_.Fields(Where::kLanes);
    fields.flags |= lir::kNoMask;
    e_.EmitRaw(kJoin, fields, {Retype(all, Type::kUD)}, {halves[0], halves[1]});
  }
  return lanes_of_[part] = all;
}

// The payload has the two coordinates of 8 lanes one after the other.
Fragment::Barycentrics Fragment::BarycentricsOf(Part part) {
  const auto found = barycentrics_.find(part);
  if (found != barycentrics_.end()) return found->second;
  Barycentrics b;
  if (width_ == 8) {
    lir::Value lanes;
    lanes.file = kFileG;
    const uint32_t reg = at_width_.payload.RegisterOf(part, 0);
    b.i = Use(b_.AddLiveIn(lanes, reg * kDwords), Type::kF);
    b.j = Use(b_.AddLiveIn(lanes, (reg + 1) * kDwords), Type::kF);
  } else {
    lir::Value eight;
    eight.file = kFileU;
    eight.comps = 2 * kDwords;
    eight.whole_registers = true;
    std::array<Operand, 4> parts;
    const int count = width_ / 8;
    for (int i = 0; i < count; ++i) {
      const uint32_t reg = at_width_.payload.RegisterOf(part, static_cast<uint32_t>(i / 2 * 16)) +
                           static_cast<uint32_t>(i % 2 * 2);
      parts[static_cast<size_t>(i)] =
          Use(b_.AddLiveIn(eight, reg * kDwords), Type::kUD, 0, 2 * kDwords);
    }
    const lir::ValueId both = e_.NewG(2);
    const lir::SelectionBuilder::Prologue prologue(b_);
    lir::InstFields fields = e_.Fields(Where::kLanes);
    fields.flags |= lir::kNoMask;
    if (count == 2) {
      e_.EmitRaw(kJoin, fields, {e_.Def(both, Type::kUD)}, {parts[0], parts[1]});
    } else {
      e_.EmitRaw(kJoin, fields, {e_.Def(both, Type::kUD)},
                 {parts[0], parts[1], parts[2], parts[3]});
    }
    b = {Use(both, Type::kF, 0), Use(both, Type::kF, 1)};
  }
  return barycentrics_[part] = b;
}

// Offsets are 16ths of a pixel in four bits: truncated, and at most 7 (Mesa 25.0.7, nir_lower_wpos
// and brw_nir's lowering of offsets; Vulkan leaves offsets below -8 undefined).
Fragment::Barycentrics Fragment::BarycentricsAtOffset(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  constexpr int kMax = 7, kLeast = -8;
  constexpr uint32_t kSixteen = 0x41800000u;
  isa::MessageFields message;
  message.linear = m_.inputs[inst.imm0].interpolation == mir::Interpolation::kNoPerspective;
  const int first = inst.num_sources - 2;  // after an element index
  const mir::ValueId x = m_.source(id, first), y = m_.source(id, first + 1);
  if (m_.IsConstant(x) && m_.IsConstant(y)) {
    const auto sixteenths = [&](mir::ValueId v) {
      const float f = std::bit_cast<float>(static_cast<uint32_t>(m_.value(v).bits)) * 16.0f;
      if (!(f > static_cast<float>(kLeast))) return static_cast<int8_t>(kLeast);
      return static_cast<int8_t>(f < static_cast<float>(kMax) ? static_cast<int>(f) : kMax);
    };
    message.message = isa::Message::kInterpolateOffset;
    message.offset_x = sixteenths(x);
    message.offset_y = sixteenths(y);
    return Interpolator(message, Use(launch_.r0(), Type::kUD, 0, kDwords));
  }
  message.message = isa::Message::kInterpolateOffsets;
  std::array<Operand, 2> parts;
  for (int i = 0; i < 2; ++i) {
    const Operand scaled =
        e_.Alu(Opcode::kMul, Type::kF, Where::kLanes,
               {e_.Src(m_.source(id, first + i), Type::kF), Imm(kSixteen, Type::kF)});
    const Operand cut = e_.Mov(Type::kD, Where::kLanes, scaled);
    parts[static_cast<size_t>(i)] =
        Retype(e_.MinMax(Where::kLanes, Type::kD, false, cut, Imm(kMax, Type::kD)), Type::kUD);
  }
  return Interpolator(message, e_.Payload(parts));
}

// A message has one sample for all its lanes. If they differ, a message is sent for each existing
// sample, and lanes take theirs (Mesa's code loops over the different ones, which are no fewer at
// worst). Numbers beyond the last have no defined result (GLSL, interpolateAtSample), but must not
// reach the message's other fields.
Fragment::Barycentrics Fragment::BarycentricsAtSample(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId number = m_.source(id, inst.num_sources - 1);  // after an element index
  const uint32_t last = fragment().samples - 1;
  const Operand ignored = Use(launch_.r0(), Type::kUD, 0, kDwords);  // the payload may not be empty
  isa::MessageFields message;
  message.message = isa::Message::kInterpolateSample;
  message.linear = m_.inputs[inst.imm0].interpolation == mir::Interpolation::kNoPerspective;
  if (m_.IsConstant(number)) {
    const auto known = static_cast<uint32_t>(m_.value(number).bits);
    message.sample = static_cast<uint8_t>(std::min(known, last));
    return Interpolator(message, ignored);
  }
  if (e_.IsUniform(number)) {
    const Operand there = e_.MinMax(Where::kUniform, Type::kUD, false, e_.Src(number, Type::kUD),
                                    Imm(last, Type::kUD));
    return Interpolator(message, ignored,
                        e_.Alu(Opcode::kShl, Type::kUD, Where::kUniform,
                               {there, Imm(isa::kSampleShift, Type::kUD)}));
  }
  Barycentrics chosen = Interpolator(message, ignored);
  for (uint32_t sample = 1; sample <= last; ++sample) {
    message.sample = static_cast<uint8_t>(sample);
    const Barycentrics here = Interpolator(message, ignored);
    const Flag is_it = e_.CompareFlag(Where::kLanes, CondMod::kZ, e_.Src(number, Type::kUD),
                                      Imm(sample, Type::kUD));
    const auto choose = [&](const Operand& a, const Operand& b) {
      return Retype(e_.SelectByFlag(Where::kLanes, Type::kUD, is_it, Retype(a, Type::kUD),
                                    Retype(b, Type::kUD)),
                    Type::kF);
    };
    chosen = {choose(here.i, chosen.i), choose(here.j, chosen.j)};
  }
  return chosen;
}

// The response has the layout of the payload's coordinates.
Fragment::Barycentrics Fragment::Interpolator(const isa::MessageFields& given,
                                              const Operand& payload,
                                              std::optional<Operand> sample) {
  isa::MessageFields message = given;
  message.lanes = static_cast<uint8_t>(width_);
  lir::InstFields fields = e_.Fields(Where::kLanes);
  fields.aux = AddMessage(f_, {message, /*indirect=*/sample.has_value(), /*bindless=*/false});
  const auto send = [&](const Operand& answer) {
    std::vector<Operand> uses = {payload};
    if (sample) uses.push_back(*sample);
    b_.Emit(kSend, fields, absl::Span<const Operand>(&answer, 1), uses);
  };
  const lir::ValueId both = e_.NewG(2);
  if (width_ == 8) {
    send(e_.Def(both, Type::kUD));
  } else {
    const lir::ValueId answer = e_.NewRegisters(width_ / 4);
    send(e_.Def(answer, Type::kUD));
    e_.EmitRaw(
        kJoin, e_.Fields(Where::kLanes), {e_.Def(both, Type::kUD)},
        {Use(answer, Type::kUD, 0, 2 * kDwords), Use(answer, Type::kUD, 2 * kDwords, 2 * kDwords)});
  }
  return {Use(both, Type::kF, 0), Use(both, Type::kF, 1)};
}

// Returns a dword of setup data. Dwords 0, 1: increases along the coordinates; 3: the value at
// vertex 0.
Operand Fragment::SetupDword(uint32_t slot, uint32_t component, int dword) {
  const uint32_t first = at_width_.first_push_register + abi_.cross_thread_registers;
  const uint32_t reg = first + slot * kSetupRegisters + component / 2;
  const auto [it, added] = setup_.try_emplace(reg);
  if (added) {
    lir::Value all;
    all.file = kFileU;
    all.comps = kDwords;
    all.whole_registers = true;
    it->second = b_.AddLiveIn(all, reg * kDwords);
  }
  return Use(it->second, Type::kF, static_cast<int>(component % 2 * 4) + dword);
}

Operand Fragment::Interpolated(uint32_t slot, uint32_t component, const Barycentrics& at) {
  const Operand along_j =
      e_.Alu(Opcode::kMad, Type::kF, Where::kLanes,
             {SetupDword(slot, component, 3), at.j, SetupDword(slot, component, 1)});
  return e_.Alu(Opcode::kMad, Type::kF, Where::kLanes,
                {along_j, at.i, SetupDword(slot, component, 0)});
}

// ---- inputs

absl::Status Fragment::VisitInput(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::Interface& v = m_.inputs[inst.imm0];
  const bool attribute = v.builtin == BuiltIn::kNone || v.builtin == BuiltIn::kPrimitiveId ||
                         v.builtin == BuiltIn::kPointCoord || v.builtin == BuiltIn::kClipDistance ||
                         v.builtin == BuiltIn::kCullDistance;
  if (!attribute) return ReadBuiltIn(id);
  const bool flat =
      v.builtin == BuiltIn::kPrimitiveId || v.interpolation == mir::Interpolation::kFlat;
  if (flat) return ReadAttribute(id, {});
  if (inst.op == mir::Op::kLoadInput) {
    return ReadAttribute(id, BarycentricsOf(fragment().BarycentricsOf(v)));
  }
  using mir::InterpolateAt;
  switch (static_cast<InterpolateAt>(mir::InterpolateAtOf(inst.imm1))) {
    case InterpolateAt::kCentroid:
      return ReadAttribute(id, BarycentricsOf(fragment().BarycentricsAt(
                                   v.interpolation, mir::Auxiliary::kCentroid)));
    case InterpolateAt::kSample:
      if (fragment().several_samples) return ReadAttribute(id, BarycentricsAtSample(id));
      return ReadAttribute(
          id, BarycentricsOf(fragment().BarycentricsAt(v.interpolation, mir::Auxiliary::kSample)));
    case InterpolateAt::kOffset: return ReadAttribute(id, BarycentricsAtOffset(id));
    default: return e_.Unexpected(inst, "no position in the pixel");
  }
}

absl::Status Fragment::ReadAttribute(mir::InstId id, const Barycentrics& at) {
  const mir::Inst& inst = m_.inst(id);
  const uint32_t first =
      inst.op == mir::Op::kInterpolate ? mir::InterpolatedComponent(inst.imm1) : inst.imm1;
  for (int i = 0; i < inst.num_results; ++i) {
    if (!e_.Used(m_.result(id, i))) continue;
    e_.Set(m_.result(id, i), ElementOf(id, first + static_cast<uint32_t>(i), at));
  }
  return absl::OkStatus();
}

// Returns a component of the element that the instruction names; flat without coordinates. If a
// value selects among several elements, an index beyond the last selects the first, since none is
// defined.
Operand Fragment::ElementOf(mir::InstId id, uint32_t component, const Barycentrics& at) {
  const mir::Inst& inst = m_.inst(id);
  const mir::Interface& v = m_.inputs[inst.imm0];
  const std::vector<uint32_t>& slots = fragment().slots[inst.imm0];
  const auto element = [&](uint32_t n) {
    uint32_t c = v.component + component;
    if (v.builtin == BuiltIn::kClipDistance || v.builtin == BuiltIn::kCullDistance) {
      c = DistanceComponent(m_, v, n);
    }
    if (at.i.kind == Operand::Kind::kNone) return Retype(SetupDword(slots[n], c, 3), Type::kUD);
    return Interpolated(slots[n], c, at);
  };
  if ((inst.flags & mir::kIndexed) == 0) return element(0);
  const mir::ValueId index = m_.source(id, 0);
  if (m_.IsConstant(index)) {
    const uint64_t n = m_.value(index).bits;
    return n < slots.size() ? element(static_cast<uint32_t>(n)) : Imm(0, Type::kUD);
  }
  Operand chosen = element(0);
  for (uint32_t n = 1; n < slots.size(); ++n) {
    const Flag is_it =
        e_.CompareFlag(Where::kLanes, CondMod::kZ, e_.Src(index, Type::kUD), Imm(n, Type::kUD));
    chosen = e_.SelectByFlag(Where::kLanes, Type::kUD, is_it, Retype(element(n), Type::kUD),
                             Retype(chosen, Type::kUD));
  }
  return chosen;
}

// ---- built-ins

// Computed for all lanes, at the start of the program.
Operand Fragment::WordsOf(uint16_t op, uint32_t aux, const std::vector<lir::ValueId>& registers) {
  const Operand words = Use(e_.NewG(1, 2), Type::kUW);
  const lir::SelectionBuilder::Prologue prologue(b_);
  lir::InstFields fields = e_.Fields(Where::kLanes);
  fields.flags |= lir::kNoMask;
  fields.aux = aux;
  const auto all = [&](size_t i) { return Use(registers[i], Type::kUW, 0, kDwords); };
  if (registers.size() == 1) {
    e_.EmitRaw(op, fields, {words}, {all(0)});
  } else {
    e_.EmitRaw(op, fields, {words}, {all(0), all(1)});
  }
  return words;
}

Operand Fragment::PixelPlace(bool y) {
  std::optional<Operand>& place = pixel_place_[y ? 1 : 0];
  if (!place) place = WordsOf(kPixelPlaces, y ? 1 : 0, positions_);
  return *place;
}

// Returns the offset of the lane's sample in its pixel; the only sample of a pixel is at its
// centre.
Operand Fragment::SampleOffset(bool y) {
  if (!fragment().per_sample) return Imm(kHalf, Type::kF);
  std::optional<Operand>& offset = sample_offset_[y ? 1 : 0];
  if (!offset) offset = WordsOf(kSampleOffsets, y ? 1 : 0, offsets_);
  return e_.Alu(Opcode::kMul, Type::kF, Where::kLanes,
                {e_.Mov(Type::kF, Where::kLanes, *offset), Imm(kSixteenth, Type::kF)});
}

Operand Fragment::SampleId() {
  if (!fragment().per_sample) return Imm(0, Type::kUD);
  if (!sample_id_) sample_id_ = WordsOf(kSampleIds, 0, positions_);
  return e_.Mov(Type::kUD, Where::kLanes, *sample_id_);
}

// Returns the samples that the lane covers, among those that it is for.
Operand Fragment::SampleMask() {
  if (!fragment().several_samples) {
    return e_.SelectByFlag(Where::kLanes, Type::kUD, Flag{Dispatched()}, Imm(1, Type::kUD),
                           Imm(0, Type::kUD));
  }
  const Operand covered = Retype(LanesOf(Part::kInputCoverage), Type::kUD);
  if (!fragment().per_sample) return covered;
  const Operand own =
      e_.Alu(Opcode::kShl, Type::kUD, Where::kLanes, {Imm(1, Type::kUD), SampleId()});
  return e_.Alu(Opcode::kAnd, Type::kUD, Where::kLanes, {covered, own});
}

// Returns x and y of the pixel's centre, or of the sample, then depth, and the inverse of the clip
// w.
Operand Fragment::FragCoord(uint32_t component) {
  switch (component) {
    case 0:
    case 1:
      return e_.Alu(Opcode::kAdd, Type::kF, Where::kLanes,
                    {e_.Mov(Type::kF, Where::kLanes, PixelPlace(component == 1)),
                     SampleOffset(component == 1)});
    case 2: return LanesOf(Part::kSourceDepth);
    default: return e_.Math(MathFunction::kInv, Type::kF, Where::kLanes, LanesOf(Part::kSourceW));
  }
}

// Returns 0 / -1: bit 15 is set for back-facing primitives.
Operand Fragment::Facing() {
  constexpr uint32_t kBack = 0x8000;
  const Operand back = e_.Alu(Opcode::kAnd, Type::kUD, Where::kUniform,
                              {Positions(0, Type::kUD, kFacing), Imm(kBack, Type::kUD)});
  return e_.CompareStored(Where::kUniform, CondMod::kZ, Type::kD, Retype(back, Type::kD),
                          Imm(0, Type::kD));
}

Operand Fragment::TargetIndexBits(int shift, uint32_t mask) {
  const Operand shifted =
      e_.Alu(Opcode::kShr, Type::kUD, Where::kUniform,
             {Positions(0, Type::kUD, kFacing), Imm(static_cast<uint32_t>(shift), Type::kUD)});
  return e_.Alu(Opcode::kAnd, Type::kUD, Where::kUniform, {shifted, Imm(mask, Type::kUD)});
}

absl::Status Fragment::ReadBuiltIn(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const BuiltIn builtin = m_.inputs[inst.imm0].builtin;
  const auto give = [&](const Operand& o) { e_.Set(m_.result(id), o); };
  switch (builtin) {
    case BuiltIn::kFragCoord:
      for (int i = 0; i < inst.num_results; ++i) {
        if (!e_.Used(m_.result(id, i))) continue;
        e_.Set(m_.result(id, i), FragCoord(inst.imm1 + static_cast<uint32_t>(i)));
      }
      return absl::OkStatus();
    case BuiltIn::kFrontFacing: give(Facing()); return absl::OkStatus();
    // Multiview draws each view to the layer of its number; without it the only view is 0.
    case BuiltIn::kViewIndex:
      if (const std::optional<uint32_t> only = abi_.views.only()) {
        give(Imm(*only, Type::kUD));
        return absl::OkStatus();
      }
      [[fallthrough]];
    case BuiltIn::kLayer: give(TargetIndexBits(16, 0x7ff)); return absl::OkStatus();
    case BuiltIn::kViewportIndex: give(TargetIndexBits(27, 15)); return absl::OkStatus();
    case BuiltIn::kSampleId: give(SampleId()); return absl::OkStatus();
    case BuiltIn::kSamplePosition:
      for (int i = 0; i < inst.num_results; ++i) {
        e_.Set(m_.result(id, i), SampleOffset(inst.imm1 + static_cast<uint32_t>(i) == 1));
      }
      return absl::OkStatus();
    case BuiltIn::kSampleMask: give(SampleMask()); return absl::OkStatus();
    default: return e_.Unexpected(inst, "not a built-in of fragments");
  }
}

// ---- derivatives

absl::Status Fragment::VisitDerivative(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const Type t = e_.FloatType(m_.result(id));
  Operand value = e_.Src(m_.source(id, 0), t);
  if (IsImm(value) || e_.FileOf(value) == kFileU) {  // the same in all lanes
    e_.Set(m_.result(id), Imm(0, t));
    return absl::OkStatus();
  }
  const bool packed = f_.value(value.value()).elem_bytes == isa::ByteSize(t);
  if (value.mods != 0 || value.sub != 0 || !packed) value = e_.Mov(t, Where::kLanes, value);
  DifferenceAux aux;
  aux.down = inst.op == mir::Op::kDdy;
  aux.fine = static_cast<mir::DerivativeMode>(inst.imm0) == mir::DerivativeMode::kFine;
  lir::InstFields fields = e_.Fields(Where::kLanes);
  fields.aux = aux.Pack();
  const Operand d = Use(e_.New(Where::kLanes, t), t);
  e_.EmitRaw(kQuadDifference, fields, {d}, {value});
  e_.Set(m_.result(id), d);
  return absl::OkStatus();
}

// ---- who has effects

Operand Fragment::Dispatched() {
  const Operand flag = Use(e_.NewF(), width_ > 16 ? Type::kUD : Type::kUW);
  std::vector<Operand> uses;
  for (size_t i = 0; i < positions_.size(); ++i) {
    uses.push_back(Positions(static_cast<int>(i), Type::kUW, kCoverage));
  }
  b_.Emit(kDispatched, e_.UniformFields(width_), absl::Span<const Operand>(&flag, 1), uses);
  return flag;
}

std::optional<Operand> Fragment::LiveLanes() {
  if (!abi_.fragment) return std::nullopt;
  if (!*live_) {
    if (!fragment().kills) {
      *live_ = Dispatched();
    } else {
      *live_ = Use(e_.NewF(), width_ > 16 ? Type::kUD : Type::kUW);
      e_.EmitRaw(kLive, e_.UniformFields(width_), {**live_}, {});
    }
  }
  return *live_;
}

void Fragment::VisitHelperInvocation(mir::InstId id) {
  const Flag helps{*LiveLanes(), /*inverse=*/true};
  e_.Set(m_.result(id), Retype(e_.SelectByFlag(Where::kLanes, Type::kUD, helps, Imm(~0u, Type::kUD),
                                               Imm(0, Type::kUD)),
                               Type::kD));
}

absl::Status Fragment::VisitKill(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId condition = m_.source(id, 0);
  const mir::Value& value = m_.value(condition);
  if (value.kind == mir::Value::Kind::kUndef) return absl::OkStatus();
  const bool all = value.kind == mir::Value::Kind::kConstant;
  if (all && value.bits == 0) return absl::OkStatus();
  const bool leaves = inst.op == mir::Op::kTerminate || (all && inst.op == mir::Op::kDiscard);
  lir::InstFields jump = e_.Fields(Where::kLanes);
  std::vector<Operand> leaving;
  if (leaves && !all) {
    const Flag flag = bools_.FlagOf(condition, Where::kLanes);
    leaving.push_back(flag.operand);
    jump.predicate_mode = static_cast<uint8_t>(isa::PredCtrl::kNormal);
    if (flag.inverse) jump.flags |= lir::kPredicateInverse;
  }
  lir::InstFields fields = e_.Fields(Where::kLanes);
  if (all) {
    const Operand any = Use(launch_.r0(), Type::kUD, 0);
    fields.cmod = static_cast<uint8_t>(CondMod::kZ);
    e_.EmitRaw(kKill, fields, {}, {any, any});
  } else {
    const Bools::Comparands c = bools_.ComparandsOf(condition);
    fields.cmod = static_cast<uint8_t>(c.cmod);
    e_.EmitRaw(kKill, fields, {}, {c.a, c.b});
  }
  jump.aux = leaves ? 0 : 1;
  b_.Emit(kDiscardJump, jump, {}, leaving);
  exits_ = true;
  e_.scopes().Exit();  // now other lanes are on, and others are live
  return absl::OkStatus();
}

}  // namespace kiln::intel
