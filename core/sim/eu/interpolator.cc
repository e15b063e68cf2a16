// See interpolator.h.
#include "core/sim/eu/interpolator.h"

#include <array>
#include <bit>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/sim/eu/fragment_launch.h"

namespace kiln::sim::eu {
namespace {

absl::Status Refuse(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("pixel interpolator: ", what));
}

class Interpolator {
 public:
  Interpolator(const Op& op, const Message& m, const MessageRegisters& registers, Thread& thread)
      : op_(op), m_(m), regs_(registers), t_(thread), of_(*thread.fragment) {}

  absl::Status Run(uint32_t enabled) {
    if (absl::Status s = Check(); !s.ok()) return s;
    // All offsets are read before any result is written: their registers may be the same.
    std::array<std::array<float, 2>, 16> values{};
    const uint32_t lanes = enabled & of_.Quads();
    for (int i = 0; i < m_.simd; ++i) {
      if (!(lanes >> (op_.inst.channel_offset + i) & 1)) continue;
      const absl::StatusOr<scene::Point> at = PointOf(i);
      if (!at.ok()) return at.status();
      values[i] = of_.Shape().Barycentrics(*at, !m_.linear);
    }
    for (int i = 0; i < m_.simd; ++i) {
      if (!(lanes >> (op_.inst.channel_offset + i) & 1)) continue;
      for (int k = 0; k < 2; ++k) {
        t_.Write32(kGrfBytes * (regs_.dst + 2 * (i / 8) + k) + 4 * (i % 8),
                   std::bit_cast<uint32_t>(values[i][k]));
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Check() const {
    const out::IntelFragment& launch = out::IntelOf(*of_.record).fragment;
    if (!launch.interpolator_messages) {
      return Refuse("the state does not enable pulled interpolation");
    }
    if (m_.linear && !launch.nonperspective) {
      return Refuse("without perspective, which the clipper is not configured for");
    }
    const int group = op_.inst.channel_offset & 16;
    if (op_.inst.exec_size != m_.simd || group != (m_.high_slots ? 16 : 0) ||
        op_.inst.channel_offset % m_.simd != 0) {
      return Refuse("for other lanes than the instruction's");
    }
    // A message of 8 lanes cannot say which half of 16 lanes it is for.
    if ((op_.inst.channel_offset & 8) != 0) return Refuse("lanes 8 to 15 by themselves");
    if (m_.location == InterpolatedLocation::kSample && m_.sample >= of_.draw->samples) {
      return Refuse(absl::StrFormat("sample %d of %d", m_.sample, of_.draw->samples));
    }
    return absl::OkStatus();
  }

  // The point for lane `i` of the message.
  absl::StatusOr<scene::Point> PointOf(int i) const {
    const int lane = op_.inst.channel_offset + i;
    scene::Point in = {0.5, 0.5};
    const absl::Span<const scene::Point> samples = scene::SamplePositions(of_.draw->samples);
    switch (m_.location) {
      case InterpolatedLocation::kOffset:
        in = {0.5 + m_.offset_x / 16.0, 0.5 + m_.offset_y / 16.0};
        break;
      case InterpolatedLocation::kSample: in = samples[m_.sample]; break;
      case InterpolatedLocation::kCentroid:
        in = scene::Centroid(of_.Coverage(lane), of_.draw->samples);
        break;
      case InterpolatedLocation::kOffsets: {
        const auto x = static_cast<int32_t>(Parameter(0, i)),
                   y = static_cast<int32_t>(Parameter(1, i));
        if (x < -8 || x > 7 || y < -8 || y > 7) {
          return Refuse(absl::StrFormat("offset %d, %d sixteenths", x, y));
        }
        in = {0.5 + x / 16.0, 0.5 + y / 16.0};
        break;
      }
    }
    const scene::Point corner = of_.Corner(lane);
    return scene::Point{corner.x + in.x, corner.y + in.y};
  }

  uint32_t Parameter(int number, int i) const {
    const int index = number * (m_.simd / 8) + i / 8;
    const int reg = index < m_.mlen ? regs_.src0 + index : regs_.src1 + index - m_.mlen;
    return t_.Read32(kGrfBytes * reg + 4 * (i % 8));
  }

  const Op& op_;
  const Message& m_;
  const MessageRegisters& regs_;
  Thread& t_;
  const FragmentThread& of_;
};

}  // namespace

absl::Status ExecuteInterpolator(const Op& op, const Message& message,
                                 const MessageRegisters& registers, uint32_t enabled,
                                 Thread& thread) {
  if (thread.fragment == nullptr) return Refuse("not in a fragment program");
  const auto beyond = [](int first, int count) { return first < 0 || first + count > kGrfCount; };
  if (beyond(registers.src0, message.mlen) || beyond(registers.dst, message.rlen) ||
      (message.ex_mlen > 0 && beyond(registers.src1, message.ex_mlen))) {
    return Refuse("registers beyond the register file");
  }
  return Interpolator(op, message, registers, thread).Run(enabled);
}

}  // namespace kiln::sim::eu
