// See image_address.h. The parts of an address follow from the parts of the mnemonic.
#include "core/sim/rdna2/resource/image_address.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "core/base/float_bits.h"
#include "core/sim/scene/float16.h"

namespace kiln::sim::rdna2 {
namespace isa = ::kiln::amd::isa;
namespace {

std::optional<ImageAction> ActionOf(absl::string_view name) {
  if (absl::StrContains(name, "_pck") || name == "image_gather4h" || name == "image_msaa_load") {
    return std::nullopt;
  }
  if (absl::StartsWith(name, "image_load")) return ImageAction::kLoad;
  if (absl::StartsWith(name, "image_store")) return ImageAction::kStore;
  if (absl::StartsWith(name, "image_atomic")) return ImageAction::kAtomic;
  if (absl::StartsWith(name, "image_sample")) return ImageAction::kSample;
  if (absl::StartsWith(name, "image_gather4")) return ImageAction::kGather;
  if (name == "image_get_lod") return ImageAction::kGetLod;
  if (name == "image_get_resinfo") return ImageAction::kGetSize;
  return std::nullopt;
}

std::optional<ImageOpcode> Parse(const isa::OpcodeInfo& info) {
  if (info.encoding != isa::Encoding::kMimg) return std::nullopt;
  const std::optional<ImageAction> action = ActionOf(info.mnemonic);
  if (!action) return std::nullopt;
  ImageOpcode op;
  op.action = *action;
  op.level = *action == ImageAction::kGetSize;
  for (absl::string_view part : absl::StrSplit(info.mnemonic, '_')) {
    if (part == "o") op.offset = true;
    if (part == "b") op.bias = true;
    if (part == "c") op.compare = true;
    if (part == "d" || part == "cd") op.derivatives = true;
    if (part == "g16") op.half_derivatives = true;
    if (part == "l" || part == "mip") op.level = true;
    if (part == "lz") op.zero = true;
    if (part == "cl") op.min_level = true;
  }
  return op;
}

using Table = std::array<std::optional<ImageOpcode>, isa::kOpcodeCount>;

const Table& Opcodes() {
  static const Table* const kTable = [] {
    auto* table = new Table();
    for (int i = 0; i < isa::kOpcodeCount; ++i) {
      (*table)[static_cast<size_t>(i)] = Parse(isa::Info(i));
    }
    return table;
  }();
  return *kTable;
}

// Components of a derivative in one direction.
int DerivativesOf(AddressDim dim) {
  switch (dim) {
    case AddressDim::k1d:
    case AddressDim::k1dArray: return 1;
    case AddressDim::k3d: return 3;
    default: return 2;
  }
}

// Takes dwords from the front of an address.
class Cursor {
 public:
  explicit Cursor(absl::Span<const uint32_t> dwords) : dwords_(dwords) {}

  uint32_t Next() { return next_ < dwords_.size() ? dwords_[next_++] : 0; }

  // Reads `count` numbers, packed in halves or a register each. Halves of `floats` are widened.
  template <typename Set>
  void Numbers(int count, bool halves, bool floats, Set set) {
    uint32_t dword = 0;
    for (int i = 0; i < count; ++i) {
      if (!halves || i % 2 == 0) dword = Next();
      if (!halves) {
        set(i, dword);
        continue;
      }
      const auto half = static_cast<uint16_t>(dword >> 16 * (i % 2));
      set(i, floats ? AsBits(scene::HalfToFloat(half)) : uint32_t{half});
    }
  }

 private:
  absl::Span<const uint32_t> dwords_;
  size_t next_ = 0;
};

std::array<int, 3> OffsetsOf(uint32_t packed) {
  std::array<int, 3> offset{};
  for (int a = 0; a < 3; ++a) {
    offset[static_cast<size_t>(a)] = static_cast<int32_t>(packed >> 8 * a << 26) >> 26;
  }
  return offset;
}

}  // namespace

absl::StatusOr<ImageOpcode> ImageOpcodeOf(isa::Opcode op) {
  const std::optional<ImageOpcode>& known = Opcodes()[static_cast<size_t>(op)];
  if (known) return *known;
  return absl::UnimplementedError(absl::StrCat(isa::Info(op).mnemonic, " is not simulated"));
}

int CoordinatesOf(AddressDim dim) {
  switch (dim) {
    case AddressDim::k1d: return 1;
    case AddressDim::k2d:
    case AddressDim::k1dArray: return 2;
    case AddressDim::k2dMsaaArray: return 4;
    default: return 3;
  }
}

ImageAddress ReadImageAddress(const isa::Instruction& inst, const ImageOpcode& opcode,
                              absl::Span<const uint32_t> dwords) {
  const auto dim = static_cast<AddressDim>(inst.dim);
  const bool floats = !opcode.integer();
  Cursor cursor(dwords);
  ImageAddress at;
  if (opcode.offset) at.offset = OffsetsOf(cursor.Next());
  if (opcode.bias) {
    cursor.Numbers(1, inst.a16, true, [&](int, uint32_t v) { at.bias = AsFloat(v); });
  }
  if (opcode.compare) at.reference = AsFloat(cursor.Next());
  if (opcode.derivatives) {
    for (std::array<float, 3>* direction : {&at.dx, &at.dy}) {
      cursor.Numbers(DerivativesOf(dim), opcode.half_derivatives, true,
                     [&](int i, uint32_t v) { (*direction)[static_cast<size_t>(i)] = AsFloat(v); });
    }
  }
  const int coordinates = opcode.action == ImageAction::kGetSize ? 0 : CoordinatesOf(dim);
  const int all = coordinates + (opcode.level || opcode.min_level ? 1 : 0);
  cursor.Numbers(all, inst.a16, floats, [&](int i, uint32_t v) {
    (i < coordinates ? at.coordinates[static_cast<size_t>(i)] : at.level) = v;
  });
  return at;
}

}  // namespace kiln::sim::rdna2
