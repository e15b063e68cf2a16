// See image.h. All lanes are answered before any register is written: the result may lie over the
// addresses.
#include "core/sim/rdna2/image.h"

#include <array>
#include <cstring>
#include <vector>

#include "core/sim/rdna2/resource/descriptor.h"
#include "core/sim/rdna2/resource/image_operation.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr size_t kMaxAddress = 13;
using LaneAddress = std::array<uint32_t, kMaxAddress>;

LaneAddress AddressOf(const Op& op, const WaveState& w, int dwords, size_t lane) {
  LaneAddress address{};
  for (int i = 0; i < dwords; ++i) {
    int vgpr = op.inst.src[0].vgpr() + i;
    if (op.inst.nsa_dwords != 0 && i > 0) vgpr = op.inst.address[static_cast<size_t>(i - 1)];
    address[static_cast<size_t>(i)] = w.vector[static_cast<size_t>(vgpr)][lane];
  }
  return address;
}

// The T# or S# in the registers from `code` on.
template <typename Words>
Words DescriptorAt(const WaveState& w, isa::Operand operand, size_t dwords) {
  Words words{};
  if (operand.exists()) std::memcpy(words.data(), &w.scalar[operand.code], 4 * dwords);
  return words;
}

struct ImageAccess {
  const Op& op;
  const ImageOperation& operation;
  Context& context;
  WaveState& wave;
  std::array<LaneAddress, kMaxLanes> addresses;
  std::array<ImageResult, kMaxLanes> results;

  absl::Span<const uint32_t> Address(int lane) const {
    return addresses[static_cast<size_t>(lane)];
  }

  // Texels have no address but that of their bytes here; only which ones are the same matters.
  void NoteTexel(absl::Span<uint8_t> bytes, ImageAction action) const {
    if (bytes.empty()) {
      ++context.outside;
      return;
    }
    context.Note(Space::kImages, reinterpret_cast<uintptr_t>(bytes.data()),
                 static_cast<uint32_t>(bytes.size()),
                 action == ImageAction::kLoad    ? Use::kRead
                 : action == ImageAction::kStore ? Use::kWrite
                                                 : Use::kAtomic);
  }

  absl::Status Run(int lane) {
    const ImageAction action = operation.opcode().action;
    const bool texel = action <= ImageAction::kAtomic;
    if (texel && !operation.null()) NoteTexel(operation.TexelOf(Address(lane)), action);
    if (action == ImageAction::kStore || action == ImageAction::kAtomic) {
      std::array<uint32_t, 5> data{};
      for (int i = 0; i < operation.DataDwords(); ++i) {
        data[static_cast<size_t>(i)] =
            wave.vector[static_cast<size_t>(op.inst.dst.vgpr()) + i][static_cast<size_t>(lane)];
      }
      if (action == ImageAction::kStore) return operation.Store(Address(lane), data);
      results[static_cast<size_t>(lane)] = operation.Atomic(Address(lane), data);
      return absl::OkStatus();
    }
    std::array<absl::Span<const uint32_t>, 4> quad;
    for (int i = 0; i < 4; ++i) quad[static_cast<size_t>(i)] = Address(lane / 4 * 4 + i);
    const absl::StatusOr<ImageResult> result = operation.Read(Address(lane), quad);
    if (!result.ok()) return result.status();
    results[static_cast<size_t>(lane)] = *result;
    return absl::OkStatus();
  }
};

bool Writes(const Op& op, ImageAction action) {
  return action != ImageAction::kStore && (action != ImageAction::kAtomic || op.inst.glc);
}

}  // namespace

absl::Status ExecuteImage(const Op& op, Context& context, WaveState& w) {
  const auto words =
      DescriptorAt<ImageWords>(w, op.inst.src[1], op.inst.r128 ? size_t{4} : size_t{8});
  const auto sampler = DescriptorAt<SamplerWords>(w, op.inst.src[2], 4);
  const ImageResource resource = DecodeImage(words);
  BoundTexels bound;
  if (const PlacedImage* placed = context.memory->ImageAt(resource.base)) {
    bound = {placed->image, placed->texels.data()};
  }
  const absl::StatusOr<ImageOperation> operation =
      ImageOperation::Make(op.inst, words, sampler, bound);
  if (!operation.ok()) {
    return OpError(operation.status().code(), op, w.size, operation.status().message());
  }
  ImageAccess access{op, *operation, context, w, {}, {}};
  const int dwords = isa::ImageAddressDwords(op.inst);
  for (int lane = 0; lane < w.lanes(); ++lane) {
    const auto at = static_cast<size_t>(lane);
    access.addresses[at] = AddressOf(op, w, dwords, at);
  }
  absl::Status status;
  ForLanes(w.Exec(), context.order, [&](int lane) {
    if (status.ok()) status = access.Run(lane);
  });
  if (!status.ok()) return OpError(status.code(), op, w.size, status.message());
  if (!Writes(op, operation->opcode().action)) return status;
  ForLanes(w.Exec(), context.order, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    const ImageResult& result = access.results[at];
    for (int i = 0; i < result.count; ++i) {
      w.vector[static_cast<size_t>(op.inst.dst.vgpr()) + i][at] =
          result.dwords[static_cast<size_t>(i)];
    }
  });
  return status;
}

}  // namespace kiln::sim::rdna2
