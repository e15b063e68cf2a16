// See typed.h.
#include "core/sim/eu/typed.h"

#include <bit>
#include <cstring>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"

namespace kiln::sim::eu {
namespace {

// Returns true for the formats that a program can declare for a storage image and that are read
// typed; the others are written, or sampled, only.
bool CanReadTyped(scene::TexelFormat f) {
  if (f >= scene::TexelFormat::kRgb10a2) return false;
  switch (f) {
    case scene::TexelFormat::kBgra8:
    case scene::TexelFormat::kRgba8Srgb:
    case scene::TexelFormat::kD32f: return false;
    default: return true;
  }
}

bool IsDword(scene::TexelFormat f) {
  return f == scene::TexelFormat::kR32ui || f == scene::TexelFormat::kR32i ||
         f == scene::TexelFormat::kR32f;
}

// Number of data operands of a write or atomic, in registers after the coordinates.
int DataOperands(const Message& m) {
  switch (m.kind) {
    case MessageKind::kTypedWrite: return std::popcount(m.channel_mask);
    case MessageKind::kTypedAtomic: return AtomicOperands(m);
    default: return 0;
  }
}

class Executor {
 public:
  Executor(const Call& c, const scene::ImageView& view) : c_(c), view_(view) {
    first_ = c.m.header ? 1 : 0;
    coordinates_ = c.m.mlen + c.m.ex_mlen - first_ - DataOperands(c.m);
  }

  absl::Status Run() {
    const bool reads = c_.m.kind == MessageKind::kTypedRead;
    const bool null = view_.image->null_surface;
    if (!null && view_.image->samples > 1) {
      return absl::InvalidArgumentError("typed access to an image with several samples");
    }
    if (!null && ((reads && !CanReadTyped(view_.format)) ||
                  (c_.m.kind == MessageKind::kTypedAtomic && !IsDword(view_.format)))) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "typed access to an image of a format that has none: %s", c_.memory.SurfaceText(c_.m)));
    }
    for (int i = 0; i < c_.m.simd; ++i) {
      const int lane = c_.Lane(i);
      if (!c_.Enabled(lane)) continue;
      uint8_t* texel = Locate(lane);
      if (texel == nullptr && !null) c_.NoteOutside();
      if (reads) {
        Read(lane, texel);
      } else if (c_.m.kind == MessageKind::kTypedWrite) {
        Write(lane, texel);
      } else {
        Atomic(lane, texel);
      }
    }
    return absl::OkStatus();
  }

  // Returns the lane's texel, null outside the image.
  uint8_t* Locate(int lane) const {
    const scene::ClientImage& image = *view_.image;
    if (image.null_surface) return nullptr;
    const bool flat = image.dim == scene::ImageDim::k1d || image.dim == scene::ImageDim::kBuffer;
    const bool layered = image.arrayed || image.dim == scene::ImageDim::kCube;
    uint32_t at[3] = {0, 0, 0};
    for (int i = 0; i < 3 && i < coordinates_; ++i) at[i] = Payload(i, lane);
    const uint32_t x = at[0], y = flat ? 0 : at[1];
    const uint32_t layer = layered ? at[flat ? 1 : 2] : 0;
    const uint32_t z = image.dim == scene::ImageDim::k3d ? at[2] : 0;
    if (x >= image.width || y >= image.height || z >= image.depth || layer >= image.layers) {
      return nullptr;
    }
    return view_.texels + image.Offset(0, layer, x, y, z);
  }

 private:
  uint32_t Payload(int index, int lane) const {
    return c_.source.Read32(c_.Payload(first_ + index) + 4 * lane);
  }

  uint32_t Data(int index, int lane) const { return Payload(coordinates_ + index, lane); }

  void Respond(int index, int lane, uint32_t v) {
    c_.thread.Write32(c_.Response(index) + 4 * lane, v);
  }

  void Read(int lane, const uint8_t* texel) {
    static constexpr uint8_t kZeros[16] = {};
    scene::Texel t = {0, 0, 0, 0};
    if (!view_.image->null_surface)
      t = scene::DecodeTexel(view_.format, texel != nullptr ? texel : kZeros);
    int k = 0;
    for (int e = 0; e < 4; ++e) {
      if (c_.m.channel_mask >> e & 1) Respond(k++, lane, t[e]);
    }
  }

  // Components missing from the message are written as 0: partial texels do not exist.
  void Write(int lane, uint8_t* texel) {
    if (texel == nullptr) return;
    scene::Texel t = {0, 0, 0, 0};
    int k = 0;
    for (int e = 0; e < 4; ++e) {
      if (c_.m.channel_mask >> e & 1) t[e] = Data(k++, lane);
    }
    scene::EncodeTexel(view_.format, t, texel);
  }

  void Atomic(int lane, uint8_t* texel) {
    const int operands = DataOperands(c_.m);
    uint32_t old = 0, back = 0;
    if (texel != nullptr) {
      std::memcpy(&old, texel, 4);
      const uint32_t result = IntAtomic<uint32_t, int32_t>(
          c_.m.atomic_op, old, operands > 0 ? Data(0, lane) : 0, operands > 1 ? Data(1, lane) : 0);
      std::memcpy(texel, &result, 4);
      constexpr int kPreDecrement = 15;  // returns the new value, all others the old one
      back = c_.m.atomic_op == kPreDecrement ? result : old;
    }
    if (c_.m.returns) Respond(0, lane, back);
  }

  const Call& c_;
  const scene::ImageView& view_;
  int first_ = 0;
  int coordinates_ = 1;
};

}  // namespace

absl::StatusOr<scene::ImageView> BoundImage(const Call& c) {
  const size_t place = SurfacePlace(c.m);
  if (place >= c.memory.images.size() || c.memory.images[place].image == nullptr) {
    return absl::NotFoundError(
        absl::StrFormat("no image is bound to %s", c.memory.SurfaceText(c.m)));
  }
  return c.memory.images[place];
}

absl::StatusOr<ByteRange> TexelBytesOf(const Call& c, int lane) {
  const absl::StatusOr<scene::ImageView> view = BoundImage(c);
  if (!view.ok()) return view.status();
  uint8_t* texel = Executor(c, *view).Locate(lane);
  if (texel == nullptr) return ByteRange{};
  return ByteRange{texel, static_cast<uint64_t>(scene::TexelBytes(view->format)),
                   static_cast<uint64_t>(texel - view->texels)};
}

absl::Status ExecuteTyped(const Call& c) {
  const absl::StatusOr<scene::ImageView> view = BoundImage(c);
  if (!view.ok()) return view.status();
  return Executor(c, *view).Run();
}

}  // namespace kiln::sim::eu
