// Message rows, parameter lists and descriptors: see messages.h.
#include "core/intel/isa/messages.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace kiln::intel::isa {
namespace {

// Names of parameter lists; the lists are below.
enum class ParamList : uint8_t {
  kOffset,
  kOffsetData,
  kTexel,
  kTexelData,
  kAddress,
  kAddressData,
  kBlock,
  kBlockData,
  kHeaderOnly,
  kPayload,
  kSample,
  kSampleBias,
  kSampleLod,
  kSampleRef,
  kSampleGrad,
  kSampleRefBias,
  kSampleRefLod,
  kSampleRefGrad,
  kLd,
  kLdLz,
  kLodQuery,
  kResinfo,
  kGatherPo,
  kGatherPoRef,
  kLd2dmsW,
  kLdMcs,
  kLd2dms,
  kTarget,
  kOffsets,
  kUrbData,
};

struct Row {
  MessageInfo info;
  ParamList params;
};

constexpr Row kRows[] = {
#define KILN_EU_MESSAGE(name, text, sfid, type, from, layout, header, params, lanes, cost)      \
  {{Message::k##name, text, Sfid::k##sfid, type, Generation::k##from, MessageLayout::k##layout, \
    HeaderNeed::k##header, lanes, MessageCost::k##cost},                                        \
   ParamList::k##params},
#include "core/intel/isa/messages.def"
#undef KILN_EU_MESSAGE
};

using K = ParamKind;
constexpr bool kDrop = true;

constexpr MessageParam kOffset[] = {{K::kOffset}};
constexpr MessageParam kOffsetData[] = {{K::kOffset}, {K::kData}};
constexpr MessageParam kTexel[] = {{K::kU}, {K::kV, kDrop}, {K::kR, kDrop}, {K::kLod, kDrop}};
constexpr MessageParam kTexelData[] = {
    {K::kU}, {K::kV, kDrop}, {K::kR, kDrop}, {K::kLod, kDrop}, {K::kData}};
constexpr MessageParam kAddress[] = {{K::kAddress}};
constexpr MessageParam kAddressData[] = {{K::kAddress}, {K::kData}};
constexpr MessageParam kBlockData[] = {{K::kData}};
constexpr MessageParam kPayload[] = {{K::kRaw}};

// Parameters of sampler messages: every one but the first may be dropped from the end if it is
// zero.
constexpr MessageParam kSample[] = {
    {K::kU}, {K::kV, kDrop}, {K::kR, kDrop}, {K::kArrayIndex, kDrop}, {K::kMinLod, kDrop}};
constexpr MessageParam kSampleBias[] = {
    {K::kBias},     {K::kU, kDrop},          {K::kV, kDrop},
    {K::kR, kDrop}, {K::kArrayIndex, kDrop}, {K::kMinLod, kDrop}};
constexpr MessageParam kSampleLod[] = {
    {K::kLod}, {K::kU, kDrop}, {K::kV, kDrop}, {K::kR, kDrop}, {K::kArrayIndex, kDrop}};
constexpr MessageParam kSampleRef[] = {
    {K::kRef},      {K::kU, kDrop},          {K::kV, kDrop},
    {K::kR, kDrop}, {K::kArrayIndex, kDrop}, {K::kMinLod, kDrop}};
constexpr MessageParam kSampleRefBias[] = {
    {K::kRef},      {K::kBias, kDrop},       {K::kU, kDrop},     {K::kV, kDrop},
    {K::kR, kDrop}, {K::kArrayIndex, kDrop}, {K::kMinLod, kDrop}};
constexpr MessageParam kSampleRefLod[] = {{K::kRef},      {K::kLod, kDrop},
                                          {K::kU, kDrop}, {K::kV, kDrop},
                                          {K::kR, kDrop}, {K::kArrayIndex, kDrop}};
constexpr MessageParam kSampleGrad[] = {
    {K::kU},           {K::kDuDx, kDrop},       {K::kDuDy, kDrop},  {K::kV, kDrop},
    {K::kDvDx, kDrop}, {K::kDvDy, kDrop},       {K::kR, kDrop},     {K::kDrDx, kDrop},
    {K::kDrDy, kDrop}, {K::kArrayIndex, kDrop}, {K::kMinLod, kDrop}};
constexpr MessageParam kSampleRefGrad[] = {
    {K::kRef},         {K::kU, kDrop},    {K::kDuDx, kDrop},      {K::kDuDy, kDrop},
    {K::kV, kDrop},    {K::kDvDx, kDrop}, {K::kDvDy, kDrop},      {K::kR, kDrop},
    {K::kDrDx, kDrop}, {K::kDrDy, kDrop}, {K::kArrayIndex, kDrop}};
// Gen9 moved the level of detail after v; v is present even in one dimension.
constexpr MessageParam kLd[] = {{K::kU}, {K::kV, kDrop}, {K::kLod, kDrop}, {K::kR, kDrop}};
constexpr MessageParam kLdGen7p5[] = {{K::kU}, {K::kLod, kDrop}, {K::kV, kDrop}, {K::kR, kDrop}};
constexpr MessageParam kLdLz[] = {{K::kU}, {K::kV, kDrop}, {K::kR, kDrop}};
constexpr MessageParam kLodQuery[] = {
    {K::kU}, {K::kV, kDrop}, {K::kR, kDrop}, {K::kArrayIndex, kDrop}};
constexpr MessageParam kResinfo[] = {{K::kLod}};
constexpr MessageParam kGatherPo[] = {
    {K::kU}, {K::kV, kDrop}, {K::kOffsetU, kDrop}, {K::kOffsetV, kDrop}, {K::kR, kDrop}};
constexpr MessageParam kGatherPoRef[] = {
    {K::kRef},     {K::kU, kDrop}, {K::kV, kDrop}, {K::kOffsetU, kDrop}, {K::kOffsetV, kDrop},
    {K::kR, kDrop}};
constexpr MessageParam kLd2dmsW[] = {{K::kSampleIndex}, {K::kMcs, kDrop}, {K::kMcsHigh, kDrop},
                                     {K::kU, kDrop},    {K::kV, kDrop},   {K::kR, kDrop}};
constexpr MessageParam kLd2dms[] = {
    {K::kSampleIndex}, {K::kMcs, kDrop}, {K::kU, kDrop}, {K::kV, kDrop}, {K::kR, kDrop}};
constexpr MessageParam kTarget[] = {{K::kTargetAlpha}, {K::kSampleMask},  {K::kRed},
                                    {K::kGreen},       {K::kBlue},        {K::kAlpha},
                                    {K::kSecondRed},   {K::kSecondGreen}, {K::kSecondBlue},
                                    {K::kSecondAlpha}, {K::kDepth},       {K::kStencil}};
constexpr MessageParam kOffsets[] = {{K::kOffsetX}, {K::kOffsetY}};
constexpr MessageParam kUrbData[] = {{K::kLaneOffset}, {K::kLaneMask}, {K::kData}};
constexpr MessageParam kLdMcs[] = {{K::kU}, {K::kV, kDrop}, {K::kR, kDrop}};

absl::Span<const MessageParam> ListOf(Generation gen, ParamList list) {
  switch (list) {
    case ParamList::kOffset: return kOffset;
    case ParamList::kOffsetData: return kOffsetData;
    case ParamList::kTexel: return kTexel;
    case ParamList::kTexelData: return kTexelData;
    case ParamList::kAddress: return kAddress;
    case ParamList::kAddressData: return kAddressData;
    case ParamList::kBlock:
    case ParamList::kHeaderOnly: return {};
    case ParamList::kBlockData: return kBlockData;
    case ParamList::kPayload: return kPayload;
    case ParamList::kSample: return kSample;
    case ParamList::kSampleBias: return kSampleBias;
    case ParamList::kSampleLod: return kSampleLod;
    case ParamList::kSampleRef: return kSampleRef;
    case ParamList::kSampleGrad: return kSampleGrad;
    case ParamList::kSampleRefBias: return kSampleRefBias;
    case ParamList::kSampleRefLod: return kSampleRefLod;
    case ParamList::kSampleRefGrad: return kSampleRefGrad;
    case ParamList::kLd:
      return gen == Generation::kGen7p5 ? absl::Span<const MessageParam>(kLdGen7p5)
                                        : absl::Span<const MessageParam>(kLd);
    case ParamList::kLdLz: return kLdLz;
    case ParamList::kLodQuery: return kLodQuery;
    case ParamList::kResinfo: return kResinfo;
    case ParamList::kGatherPo: return kGatherPo;
    case ParamList::kGatherPoRef: return kGatherPoRef;
    case ParamList::kLd2dmsW: return kLd2dmsW;
    case ParamList::kLdMcs: return kLdMcs;
    case ParamList::kLd2dms: return kLd2dms;
    case ParamList::kTarget: return kTarget;
    case ParamList::kOffsets: return kOffsets;
    case ParamList::kUrbData: return kUrbData;
  }
  return {};
}

constexpr ColumnTable kTable = {"message", std::size(kRows),
                                [](size_t row) { return kRows[row].info.name; },
                                [](Generation gen, size_t row) {
                                  if (kRows[row].info.first > gen) return Cell::kAbsent;
                                  return gen == Generation::kGen12 ? Cell::kValue : Cell::kUnfilled;
                                }};

constexpr bool kFilled[] = {IsFilled(kTable, Generation::kGen7p5),
                            IsFilled(kTable, Generation::kGen9),
                            IsFilled(kTable, Generation::kGen12)};

// The check that BuildDescriptor and ParseDescriptor make first: the generation's rows are filled.
absl::Status Door(Generation gen) {
  return kFilled[Index(gen)] ? absl::OkStatus() : CheckColumn(kTable, gen);
}

constexpr uint32_t Bits(uint32_t word, int high, int low) {
  return word >> low & ((1u << (high - low + 1)) - 1);
}

// Writes the fields of one descriptor, or reads them: one function per layout does both, so that
// the two directions cannot disagree. Reading clears the bits read; bits left over are reserved.
class Coder {
 public:
  Coder(bool reading, uint32_t desc) : reading_(reading), desc_(desc) {}

  template <typename T>
  void Field(T& value, int high, int low) {
    const uint32_t mask = (1u << (high - low + 1)) - 1;
    if (reading_) {
      value = static_cast<T>(Bits(desc_, high, low));
      desc_ &= ~(mask << low);
    } else {
      const auto v = static_cast<uint32_t>(value);
      if ((v & ~mask) != 0) Fail("a field is too large");
      desc_ |= (v & mask) << low;
    }
  }

  // Codes a field; `codes` lists the meaning of each code, in code order.
  template <typename T>
  void Coded(T& value, int high, int low, absl::Span<const int> codes) {
    uint32_t code = 0;
    if (!reading_) {
      while (code < codes.size() && codes[code] != static_cast<int>(value)) ++code;
    }
    if (code == codes.size()) return Fail("a field has no code");
    Field(code, high, low);
    if (!reading_) return;
    if (code >= codes.size() || codes[code] < 0) return Fail("a field has a reserved code");
    value = static_cast<T>(codes[code]);
  }

  void Fixed(uint32_t value, int high, int low) {
    uint32_t v = value;
    Field(v, high, low);
    if (v != value) Fail("a constant field differs");
  }

  void Fail(const char* why) {
    if (error_ == nullptr) error_ = why;
  }

  bool reading() const { return reading_; }
  uint32_t desc() const { return desc_; }
  const char* error() const { return error_; }

 private:
  bool reading_;
  uint32_t desc_;
  const char* error_ = nullptr;
};

// Channel masks are stored inverted: 1 switches a component off.
void CodeChannels(Coder& c, MessageFields& f) {
  uint8_t off = f.channels ^ 15;
  c.Field(off, 11, 8);
  f.channels = off ^ 15;
  if (f.channels == 0) c.Fail("no component is transferred");
}

// Operation 0 is a compare-exchange on 64 bits, whose payload and response have other lengths.
void CodeIntegerOp(Coder& c, MessageFields& f) {
  c.Field(f.op, 11, 8);
  if (f.op == 0) c.Fail("an unknown atomic operation");
}

// Codes a fence: of the data port's caches, or of shared local memory's order.
void CodeFence(Coder& c, MessageFields& f) {
  if (f.bti != 0 && f.bti != kBtiSlm) c.Fail("a fence names no memory");
  c.Field(f.commit, 13, 13);
}

void CodeBlockSize(Coder& c, MessageFields& f) {
  // 1 oword in the lower half, 1 in the upper half, 2, 4, 8.
  constexpr int kSizes[] = {1, 1 | 16, 2, 4, 8};
  int size = f.owords | (f.oword_high ? 16 : 0);
  c.Coded(size, 10, 8, kSizes);
  f.owords = size & 15;
  f.oword_high = (size & 16) != 0;
}

void CodeSampler(Coder& c, MessageFields& f) {
  constexpr int kLanes[] = {-1, 8, 16};
  c.Field(f.bti, 7, 0);
  c.Field(f.sampler, 11, 8);
  c.Coded(f.lanes, 18, 17, kLanes);
  c.Field(f.half_params, 29, 29);
  c.Field(f.half_result, 30, 30);
}

void CodeScratch(Generation gen, Coder& c, MessageFields& f) {
  constexpr int kLog2[] = {1, 2, 4, 8};
  constexpr int kGen7p5[] = {1, 2, -1, 4};
  c.Field(f.scratch_offset, 11, 0);
  c.Coded(f.scratch_registers, 13, 12,
          gen == Generation::kGen7p5 ? absl::MakeSpan(kGen7p5) : absl::MakeSpan(kLog2));
  c.Field(f.dword_mode, 16, 16);
}

void CodeTarget(Coder& c, MessageFields& f) {
  constexpr int kForms[] = {0, 1, 2, 3, 4};
  c.Coded(f.form, 10, 8, kForms);
  c.Field(f.high_slots, 11, 11);
  c.Field(f.last_target, 12, 12);
  c.Field(f.per_sample, 13, 13);
  if (!c.reading() && f.lanes != LanesOf(f.form)) c.Fail("the form is for another number of lanes");
  f.lanes = LanesOf(f.form);
}

// Signed sixteenths of a pixel.
void CodeSixteenths(Coder& c, int8_t& value, int high, int low) {
  if (value < -8 || value > 7) return c.Fail("an offset exceeds half a pixel");
  uint8_t bits = static_cast<uint8_t>(value) & 15;
  c.Field(bits, high, low);
  value = static_cast<int8_t>((bits ^ 8) - 8);
}

void CodeInterpolator(Coder& c, MessageFields& f) {
  constexpr int kSixteen[] = {8, 16};  // a bit that means 16 lanes
  if (f.message == Message::kInterpolateOffset) {
    CodeSixteenths(c, f.offset_x, 3, 0);
    CodeSixteenths(c, f.offset_y, 7, 4);
  }
  if (f.message == Message::kInterpolateSample) c.Field(f.sample, kSampleShift + 3, kSampleShift);
  c.Field(f.high_slots, 11, 11);
  c.Field(f.linear, 14, 14);
  c.Coded(f.lanes, 16, 16, kSixteen);
}

void CodeUrb(Coder& c, MessageFields& f) {
  c.Field(f.urb_offset, 14, 4);
  c.Field(f.urb_masks, 15, 15);
  c.Field(f.urb_lane_offsets, 17, 17);
}

// The extended descriptor's fields, as Coder does them.
void CodeExtended(MessageLayout layout, Coder& c, MessageFields& f) {
  c.Field(f.ex_mlen, 9, 6);
  if (layout != MessageLayout::kTarget) return;
  c.Field(f.target, 14, 12);
  c.Field(f.alpha0, 15, 15);
  c.Field(f.null_target, 20, 20);
}

// Checks which surfaces the message reaches. Mesa 25.0, brw_lower_logical_sends.cpp
// (lower_hdc_memory_logical_send: stateless messages of 32-bit addresses have a header, and surface
// messages no stateless form; blocks of shared memory are aligned) and brw_eu.h
// (brw_dp_a64_oword_block_rw_desc: writes are aligned to owords).
void CheckSurface(MessageLayout layout, Coder& c, const MessageFields& f) {
  const bool stateless = f.bti == kBtiStatelessNonCoherent || f.bti == kBtiStatelessCoherent;
  switch (layout) {
    case MessageLayout::kA64Block:
      if (f.unaligned && f.message == Message::kA64BlockWrite)
        c.Fail("the message writes aligned blocks only");
      [[fallthrough]];
    case MessageLayout::kA64Channels:
    case MessageLayout::kA64Atomic:
    case MessageLayout::kA64AtomicFloat:
    case MessageLayout::kA64Scattered:
      if (!stateless) c.Fail("a message with 64-bit addresses names a surface");
      return;
    case MessageLayout::kChannels:
    case MessageLayout::kAtomic:
    case MessageLayout::kAtomicFloat:
    case MessageLayout::kTypedChannels:
    case MessageLayout::kTypedAtomic:
      if (stateless) c.Fail("a surface message names no surface");
      return;
    case MessageLayout::kByteScattered:
    case MessageLayout::kDwordScattered:
      if (stateless && !f.header) c.Fail("a stateless access has no header");
      return;
    case MessageLayout::kBlock:
      if (f.message == Message::kBlockReadUnaligned && f.bti == kBtiSlm) {
        c.Fail("shared memory has only aligned blocks");
      }
      return;
    default: return;
  }
}

// Codes the bits that follow from the layout: all but lengths, header bit and message type.
void CodeLayout(Generation gen, MessageLayout layout, Coder& c, MessageFields& f) {
  constexpr int kSimd3[] = {-1, 16, 8};     // 13:12 of surface messages
  constexpr int kSlotGroup[] = {-1, 0, 1};  // 13:12 of typed messages
  constexpr int kEight[] = {16, 8};         // a bit that means 8 lanes
  constexpr int kSixteen[] = {8, 16};       // a bit that means 16 lanes
  constexpr int kBytes[] = {1, 2, 4};
  constexpr int kFloatOps[] = {-1, 1, 2, 3};  // maximum, minimum, compare and exchange
  if (layout != MessageLayout::kScratch && layout != MessageLayout::kBarrier &&
      layout != MessageLayout::kEndOfThread && layout != MessageLayout::kSample &&
      layout != MessageLayout::kInterpolator && layout != MessageLayout::kUrb) {
    c.Field(f.bti, 7, 0);
  }
  CheckSurface(layout, c, f);
  switch (layout) {
    case MessageLayout::kChannels:
    case MessageLayout::kA64Channels: CodeChannels(c, f); return c.Coded(f.lanes, 13, 12, kSimd3);
    case MessageLayout::kTypedChannels:
      CodeChannels(c, f);
      return c.Coded(f.high_slots, 13, 12, kSlotGroup);
    case MessageLayout::kAtomic:
      CodeIntegerOp(c, f);
      c.Coded(f.lanes, 12, 12, kEight);
      return c.Field(f.returns, 13, 13);
    case MessageLayout::kAtomicFloat:
      c.Coded(f.op, 10, 8, kFloatOps);
      c.Coded(f.lanes, 12, 12, kEight);
      return c.Field(f.returns, 13, 13);
    case MessageLayout::kA64AtomicFloat:
      c.Coded(f.op, 10, 8, kFloatOps);
      c.Fixed(0, 12, 12);
      return c.Field(f.returns, 13, 13);
    case MessageLayout::kTypedAtomic:
      CodeIntegerOp(c, f);
      c.Field(f.high_slots, 12, 12);
      return c.Field(f.returns, 13, 13);
    case MessageLayout::kA64Atomic:
      CodeIntegerOp(c, f);
      c.Field(f.data64, 12, 12);
      return c.Field(f.returns, 13, 13);
    case MessageLayout::kByteScattered:
      c.Coded(f.lanes, 8, 8, kSixteen);
      return c.Coded(f.element_bytes, 11, 10, kBytes);
    case MessageLayout::kDwordScattered: c.Coded(f.lanes, 8, 8, kSixteen); return c.Fixed(1, 9, 9);
    case MessageLayout::kA64Scattered:
      c.Fixed(0, 9, 8);
      c.Coded(f.element_bytes, 11, 10, kBytes);
      return c.Coded(f.lanes, 12, 12, kSixteen);
    case MessageLayout::kBlock: return CodeBlockSize(c, f);
    case MessageLayout::kA64Block: {
      constexpr int kAlignment[] = {0, 1};
      CodeBlockSize(c, f);
      return c.Coded(f.unaligned, 12, 11, kAlignment);
    }
    case MessageLayout::kScratch: return CodeScratch(gen, c, f);
    case MessageLayout::kFence: return CodeFence(c, f);
    case MessageLayout::kBarrier: return c.Fixed(4, 2, 0);
    case MessageLayout::kEndOfThread: return;
    case MessageLayout::kTarget: return CodeTarget(c, f);
    case MessageLayout::kInterpolator: return CodeInterpolator(c, f);
    case MessageLayout::kUrb: return CodeUrb(c, f);
    case MessageLayout::kSample: return CodeSampler(c, f);
  }
}

// Codes the bits of the message type: 18:14 on the data ports (scratch messages use the low three
// otherwise), 16:12 on the sampler, 13:12 on the pixel interpolator, 3:0 on the URB.
void CodeType(const MessageInfo& info, Coder& c) {
  switch (info.layout) {
    case MessageLayout::kBarrier:
    case MessageLayout::kEndOfThread: return;
    case MessageLayout::kSample: return c.Fixed(info.type, 16, 12);
    case MessageLayout::kScratch: return c.Fixed(info.type >> 3, 18, 17);
    case MessageLayout::kInterpolator: return c.Fixed(info.type, 13, 12);
    case MessageLayout::kUrb: return c.Fixed(info.type, 3, 0);
    default: return c.Fixed(info.type, 18, 14);
  }
}

void CodeLengths(Coder& c, MessageFields& f) {
  c.Field(f.mlen, 28, 25);
  c.Field(f.rlen, 24, 20);
  c.Field(f.header, 19, 19);
}

const MessageInfo* FindMessage(Generation gen, Sfid sfid, uint32_t desc) {
  for (const Row& row : kRows) {
    const MessageInfo& info = row.info;
    if (info.sfid != sfid || info.first > gen) continue;
    switch (info.layout) {
      case MessageLayout::kBarrier:
        if (Bits(desc, 2, 0) == 4) return &info;
        break;
      case MessageLayout::kEndOfThread: return &info;
      case MessageLayout::kSample:
        if (Bits(desc, 16, 12) == info.type) return &info;
        break;
      case MessageLayout::kScratch:
        if (Bits(desc, 18, 17) == info.type >> 3u) return &info;
        break;
      case MessageLayout::kInterpolator:
        if (Bits(desc, 13, 12) == info.type) return &info;
        break;
      case MessageLayout::kUrb:
        if (Bits(desc, 3, 0) == info.type) return &info;
        break;
      default:
        if (Bits(desc, 18, 14) == info.type) return &info;
    }
  }
  return nullptr;
}

bool HasData(ParamList list) {
  for (const MessageParam& p : ListOf(Generation::kGen12, list)) {
    if (p.kind == ParamKind::kData) return true;
  }
  return false;
}

// Returns the number of registers of data sent or returned.
int DataRegisters(const MessageFields& f, MessageLayout layout, bool response) {
  const int per_component = f.lanes / 8;
  const auto atomic = [&](int operands) {
    if (response) return f.returns ? per_component : 0;
    return operands * per_component;
  };
  switch (layout) {
    case MessageLayout::kChannels:
    case MessageLayout::kA64Channels:
    case MessageLayout::kTypedChannels: return std::popcount(f.channels) * per_component;
    case MessageLayout::kAtomic:
    case MessageLayout::kTypedAtomic: return atomic(AtomicOperands(static_cast<AtomicOp>(f.op)));
    case MessageLayout::kAtomicFloat:
    case MessageLayout::kA64AtomicFloat:
      return atomic(AtomicOperands(static_cast<AtomicFloatOp>(f.op)));
    case MessageLayout::kA64Atomic:
      return atomic(AtomicOperands(static_cast<AtomicOp>(f.op))) * (f.data64 ? 2 : 1);
    case MessageLayout::kByteScattered:
    case MessageLayout::kDwordScattered:
    case MessageLayout::kA64Scattered: return per_component;
    case MessageLayout::kBlock:
    case MessageLayout::kA64Block: return f.owords <= 2 ? 1 : f.owords / 2;
    case MessageLayout::kScratch: return f.scratch_registers;
    case MessageLayout::kFence: return response && f.commit ? 1 : 0;
    case MessageLayout::kInterpolator: return response ? 2 * per_component : 0;
    case MessageLayout::kBarrier:
    case MessageLayout::kEndOfThread:
    case MessageLayout::kTarget:
    case MessageLayout::kUrb:     // the caller knows the number
    case MessageLayout::kSample:  // the caller knows the response's components
      return 0;
  }
  return 0;
}

int AddressRegisters(const MessageFields& f, MessageLayout layout, int address_params) {
  switch (layout) {
    case MessageLayout::kA64Channels:
    case MessageLayout::kA64Atomic:
    case MessageLayout::kA64AtomicFloat:
    case MessageLayout::kA64Scattered: return 2 * (f.lanes / 8);
    case MessageLayout::kChannels:
    case MessageLayout::kAtomic:
    case MessageLayout::kAtomicFloat:
    case MessageLayout::kByteScattered:
    case MessageLayout::kDwordScattered: return f.lanes / 8;
    case MessageLayout::kTypedChannels:
    case MessageLayout::kTypedAtomic: return address_params * (f.lanes / 8);
    case MessageLayout::kTarget:  // a header of two registers
      return address_params * (f.lanes / 8) + (f.header ? 1 : 0);
    case MessageLayout::kSample:  // of 16 bits, a register at 8 lanes as at 16 (Mesa, the same
                                  // file: lower_sampler_logical_send)
      return address_params * (f.half_params ? 1 : f.lanes / 8);
    case MessageLayout::kInterpolator:  // the payload may not be empty
      return f.message == Message::kInterpolateOffsets ? 2 * (f.lanes / 8) : 1;
    case MessageLayout::kUrb: return (f.urb_masks ? 1 : 0) + (f.urb_lane_offsets ? 1 : 0);
    case MessageLayout::kBarrier:
    case MessageLayout::kEndOfThread: return 1;
    case MessageLayout::kBlock:
    case MessageLayout::kA64Block:
    case MessageLayout::kScratch:
    case MessageLayout::kFence: return 0;  // the header has the offset
  }
  return 0;
}

}  // namespace

const MessageInfo& Info(Message message) {
  assert(static_cast<int>(message) < kMessageCount);
  return kRows[static_cast<int>(message)].info;
}

const ColumnTable& MessageTable() { return kTable; }

bool HasMessages(Sfid sfid) {
  return std::any_of(std::begin(kRows), std::end(kRows),
                     [&](const Row& row) { return row.info.sfid == sfid; });
}

bool DifferInIndexOnly(Sfid sfid, uint32_t a, uint32_t b) {
  const uint32_t index = sfid == Sfid::kSampler             ? 0xfff
                         : sfid == Sfid::kPixelInterpolator ? 0xfu << kSampleShift
                                                            : 0xff;
  return ((a ^ b) & ~index) == 0;
}

bool AnswersWhole(Message message) {
  switch (message) {
    case Message::kLdMcs:
    case Message::kGather4:
    case Message::kGather4C:
    case Message::kGather4Po:
    case Message::kGather4PoC: return true;
    default: return false;
  }
}

absl::Span<const MessageParam> Params(Generation gen, Message message) {
  return ListOf(gen, kRows[static_cast<int>(message)].params);
}

int AtomicOperands(AtomicOp op) {
  switch (op) {
    case AtomicOp::kIncrement:
    case AtomicOp::kDecrement:
    case AtomicOp::kPreDecrement: return 0;
    case AtomicOp::kCompareExchange: return 2;
    default: return 1;
  }
}

int AtomicOperands(AtomicFloatOp op) { return op == AtomicFloatOp::kCompareExchange ? 2 : 1; }

void SetLengths(Generation gen, MessageFields& f, int address_params, int response_components) {
  const Row& row = kRows[static_cast<int>(f.message)];
  const MessageLayout layout = row.info.layout;
  f.header = f.header || row.info.header == HeaderNeed::kRequired;
  const int address = AddressRegisters(f, layout, address_params);
  const bool writes = HasData(row.params);
  const int data = layout == MessageLayout::kUrb ? address_params
                   : writes                      ? DataRegisters(f, layout, false)
                                                 : 0;
  int response = 0;
  switch (layout) {
    case MessageLayout::kAtomic:
    case MessageLayout::kAtomicFloat:
    case MessageLayout::kTypedAtomic:
    case MessageLayout::kA64Atomic:
    case MessageLayout::kA64AtomicFloat: response = DataRegisters(f, layout, true); break;
    case MessageLayout::kSample:
      response = response_components * (f.half_result ? (f.lanes + 15) / 16 : f.lanes / 8);
      break;
    default: response = writes ? 0 : DataRegisters(f, layout, true);
  }
  const bool split = gen != Generation::kGen7p5;
  f.mlen = static_cast<uint8_t>((f.header ? 1 : 0) + address + (split ? 0 : data));
  f.ex_mlen = static_cast<uint8_t>(split ? data : 0);
  f.rlen = static_cast<uint8_t>(response);
}

absl::StatusOr<uint32_t> BuildDescriptor(Generation gen, const MessageFields& fields) {
  const MessageInfo& info = Info(fields.message);
  const auto error = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(info.name, ": ", why));
  };
  if (absl::Status s = Door(gen); !s.ok()) return s;
  if (info.first > gen) return error("the generation does not have this message");
  if (info.header == HeaderNeed::kRequired && !fields.header) return error("needs a header");
  if (info.header == HeaderNeed::kForbidden && fields.header) return error("takes no header");
  if (fields.lanes > info.most_lanes) return error("takes fewer lanes");
  MessageFields copy = fields;
  Coder c(false, 0);
  CodeLayout(gen, info.layout, c, copy);
  CodeType(info, c);
  CodeLengths(c, copy);
  if (c.error() != nullptr) return error(c.error());
  return c.desc();
}

uint8_t LanesOf(TargetForm form) {
  return form == TargetForm::kSixteen || form == TargetForm::kRepeated ? 16 : 8;
}

uint32_t BuildExDescriptor(const MessageFields& fields) {
  MessageFields copy = fields;
  Coder c(false, 0);
  CodeExtended(Info(fields.message).layout, c, copy);
  return c.desc();
}

absl::StatusOr<MessageFields> ParseDescriptor(Generation gen, Sfid sfid, uint32_t desc,
                                              uint32_t ex_desc) {
  if (absl::Status s = Door(gen); !s.ok()) return s;
  const MessageInfo* info = FindMessage(gen, sfid, desc);
  const auto error = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("shared function ", static_cast<int>(sfid),
                                                   ", descriptor 0x", absl::Hex(desc), ": ", why));
  };
  if (info == nullptr) return error("the message is unknown");
  MessageFields f;
  f.message = info->message;
  Coder c(true, desc);
  CodeType(*info, c);
  CodeLengths(c, f);
  CodeLayout(gen, info->layout, c, f);
  if (c.error() != nullptr) return error(c.error());
  if (f.lanes > info->most_lanes) return error("the message takes fewer lanes");
  if (c.desc() != 0) return error(absl::StrCat("reserved bits 0x", absl::Hex(c.desc())));
  Coder extended(true, ex_desc);
  CodeExtended(info->layout, extended, f);
  if (extended.desc() != 0) return error("the extended descriptor has unknown bits");
  return f;
}

absl::StatusOr<SendFields> BuildSend(Generation gen, const MessageFields& fields) {
  const absl::StatusOr<uint32_t> desc = BuildDescriptor(gen, fields);
  if (!desc.ok()) return desc.status();
  SendFields send;
  send.sfid = Info(fields.message).sfid;
  send.eot = fields.message == Message::kEndOfThread;
  send.desc = *desc;
  send.ex_desc = BuildExDescriptor(fields);
  return send;
}

uint32_t ExDescriptorInRegister(const SendFields& send) {
  return send.ex_desc | static_cast<uint32_t>(send.sfid);
}

absl::StatusOr<Instruction> MakeSend(Generation gen, const MessageFields& fields) {
  const absl::StatusOr<SendFields> send = BuildSend(gen, fields);
  if (!send.ok()) return send.status();
  Instruction inst;
  inst.op = Opcode::kSend;
  inst.exec_size = fields.lanes;
  inst.send = *send;
  inst.dst.file = File::kArf;
  inst.src[0].file = File::kArf;
  inst.src[1].file = File::kArf;
  return inst;
}

}  // namespace kiln::intel::isa
