// See atomic.h.
#include "core/sim/rdna2/resource/atomic.h"

#include <bit>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace kiln::sim::rdna2 {
namespace {

struct Name {
  absl::string_view text;
  AtomicOp op;
};
constexpr Name kNames[] = {
    {"swap", AtomicOp::kSwap},
    {"cmpswap", AtomicOp::kCompareSwap},
    {"add", AtomicOp::kAdd},
    {"sub", AtomicOp::kSub},
    {"csub", AtomicOp::kClampedSub},
    {"smin", AtomicOp::kSignedMin},
    {"umin", AtomicOp::kUnsignedMin},
    {"smax", AtomicOp::kSignedMax},
    {"umax", AtomicOp::kUnsignedMax},
    {"and", AtomicOp::kAnd},
    {"or", AtomicOp::kOr},
    {"xor", AtomicOp::kXor},
    {"inc", AtomicOp::kIncrement},
    {"dec", AtomicOp::kDecrement},
    {"fcmpswap", AtomicOp::kFloatCompareSwap},
    {"fmin", AtomicOp::kFloatMin},
    {"fmax", AtomicOp::kFloatMax},
};

// U, S and F have the same size.
template <typename U, typename S, typename F>
U Apply(AtomicOp op, U old, U data, U compare) {
  const auto number = [](U bits) { return std::bit_cast<F>(bits); };
  switch (op) {
    case AtomicOp::kSwap: return data;
    case AtomicOp::kCompareSwap: return old == compare ? data : old;
    case AtomicOp::kAdd: return old + data;
    case AtomicOp::kSub: return old - data;
    case AtomicOp::kClampedSub: return old < data ? 0 : old - data;
    case AtomicOp::kSignedMin: return static_cast<S>(data) < static_cast<S>(old) ? data : old;
    case AtomicOp::kUnsignedMin: return data < old ? data : old;
    case AtomicOp::kSignedMax: return static_cast<S>(data) > static_cast<S>(old) ? data : old;
    case AtomicOp::kUnsignedMax: return data > old ? data : old;
    case AtomicOp::kAnd: return old & data;
    case AtomicOp::kOr: return old | data;
    case AtomicOp::kXor: return old ^ data;
    case AtomicOp::kIncrement: return old >= data ? 0 : old + 1;
    case AtomicOp::kDecrement: return old == 0 || old > data ? data : old - 1;
    case AtomicOp::kFloatCompareSwap: return number(old) == number(compare) ? data : old;
    case AtomicOp::kFloatMin: return number(data) < number(old) ? data : old;
    case AtomicOp::kFloatMax: return number(data) > number(old) ? data : old;
    case AtomicOp::kFloatAdd: return std::bit_cast<U>(number(old) + number(data));
    case AtomicOp::kReverseSub: return data - old;
    case AtomicOp::kMaskedOr: return (old & ~data) | compare;
    case AtomicOp::kWrap: return old >= data ? old - data : old + compare;
  }
  return old;
}

}  // namespace

std::optional<AtomicOp> AtomicOpOf(amd::isa::Opcode op) {
  const amd::isa::OpcodeInfo& info = amd::isa::Info(op);
  constexpr absl::string_view kMark = "_atomic_";
  const size_t at = info.mnemonic.find(kMark);
  if (at == absl::string_view::npos) return std::nullopt;
  const absl::string_view text = absl::StripSuffix(info.mnemonic.substr(at + kMark.size()), "_x2");
  for (const Name& n : kNames) {
    if (n.text == text) return n.op;
  }
  return std::nullopt;
}

uint64_t ApplyAtomic(AtomicOp op, int bits, uint64_t old, uint64_t data, uint64_t compare) {
  if (bits == 64) return Apply<uint64_t, int64_t, double>(op, old, data, compare);
  return Apply<uint32_t, int32_t, float>(
      op, static_cast<uint32_t>(old), static_cast<uint32_t>(data), static_cast<uint32_t>(compare));
}

}  // namespace kiln::sim::rdna2
