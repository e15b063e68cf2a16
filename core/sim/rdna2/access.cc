// See access.h. The mnemonics say everything; they are read once.
#include "core/sim/rdna2/access.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::opcode_flag::kAtomic;
using isa::opcode_flag::kLoad;
using isa::opcode_flag::kStore;
using isa::opcode_flag::kTwo;

// Operations of DS by their names; minimum, maximum, sum and comparison of floats by type.
std::optional<AtomicOp> LdsOperation(absl::string_view word, absl::string_view type) {
  constexpr std::pair<absl::string_view, AtomicOp> kNames[] = {
      {"wrxchg", AtomicOp::kSwap},
      {"wrxchg2", AtomicOp::kSwap},
      {"wrxchg2st64", AtomicOp::kSwap},
      {"cmpst", AtomicOp::kCompareSwap},
      {"add", AtomicOp::kAdd},
      {"sub", AtomicOp::kSub},
      {"rsub", AtomicOp::kReverseSub},
      {"and", AtomicOp::kAnd},
      {"or", AtomicOp::kOr},
      {"xor", AtomicOp::kXor},
      {"inc", AtomicOp::kIncrement},
      {"dec", AtomicOp::kDecrement},
      {"mskor", AtomicOp::kMaskedOr},
      {"wrap", AtomicOp::kWrap},
  };
  const bool real = type[0] == 'f', is_signed = type[0] == 'i';
  if (word == "min") {
    return real ? AtomicOp::kFloatMin : is_signed ? AtomicOp::kSignedMin : AtomicOp::kUnsignedMin;
  }
  if (word == "max") {
    return real ? AtomicOp::kFloatMax : is_signed ? AtomicOp::kSignedMax : AtomicOp::kUnsignedMax;
  }
  if (word == "add" && real) return AtomicOp::kFloatAdd;
  if (word == "cmpst" && real) return AtomicOp::kFloatCompareSwap;
  for (const auto& [name, op] : kNames) {
    if (name == word) return op;
  }
  return std::nullopt;
}

// Bytes named by the last words of loads and stores.
uint8_t BytesNamed(absl::string_view word) {
  constexpr std::pair<absl::string_view, uint8_t> kNames[] = {
      {"ubyte", 1}, {"sbyte", 1},    {"byte", 1},   {"u8", 1},       {"i8", 1},
      {"b8", 1},    {"short", 2},    {"ushort", 2}, {"sshort", 2},   {"u16", 2},
      {"i16", 2},   {"b16", 2},      {"dword", 4},  {"b32", 4},      {"dwordx2", 8},
      {"b64", 8},   {"dwordx3", 12}, {"b96", 12},   {"dwordx4", 16}, {"b128", 16}};
  for (const auto& [name, bytes] : kNames) {
    if (name == word) return bytes;
  }
  return 0;
}

Access MakeAccess(const isa::OpcodeInfo& info) {
  Access access;
  const bool ds = info.encoding == isa::Encoding::kDs;
  if (!ds && !isa::IsBuffer(info.encoding) && !isa::IsFlatFormat(info.encoding)) return access;
  if (absl::StrContains(info.mnemonic, "addtid") || info.Has(isa::opcode_flag::kGds)) return access;
  const std::vector<absl::string_view> words = absl::StrSplit(info.mnemonic, '_');
  access.two = info.Has(kTwo);
  access.stride64 = absl::StrContains(info.mnemonic, "st64");
  access.d16 = absl::StrContains(info.mnemonic, "d16");
  access.high = absl::StrContains(info.mnemonic, "d16_hi");
  if (info.Has(kAtomic)) {
    const absl::string_view type = words.back();
    const bool wide = ds ? absl::EndsWith(type, "64") : type == "x2";
    if (!ds) access.atomic = AtomicOpOf(info.op);
    for (absl::string_view word : words) {
      if (ds && !access.atomic) access.atomic = LdsOperation(word, type);
    }
    access.bytes = wide ? 8 : 4;
    if (access.atomic) access.kind = AccessKind::kAtomic;
    return access;
  }
  if (!info.Has(kLoad) && !info.Has(kStore)) return access;
  const bool load = info.Has(kLoad);
  if (absl::StrContains(info.mnemonic, "format")) {
    access.kind = load ? AccessKind::kFormatLoad : AccessKind::kFormatStore;
    access.bytes = static_cast<uint8_t>(words.back().size());
    return access;
  }
  access.kind = load ? AccessKind::kLoad : AccessKind::kStore;
  for (absl::string_view word : words) {
    const uint8_t bytes = BytesNamed(word);
    if (bytes == 0) continue;
    access.bytes = bytes;
    access.sign = word[0] == 's' || word[0] == 'i';
  }
  return access;
}

}  // namespace

const Access& AccessOf(isa::Opcode op) {
  static const auto* const kAccesses = [] {
    auto* accesses = new std::array<Access, isa::kOpcodeCount>();
    for (int i = 0; i < isa::kOpcodeCount; ++i) {
      (*accesses)[static_cast<size_t>(i)] = MakeAccess(isa::Info(i));
    }
    return accesses;
  }();
  return (*kAccesses)[static_cast<size_t>(op)];
}

}  // namespace kiln::sim::rdna2
