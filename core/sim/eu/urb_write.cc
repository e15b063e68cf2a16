// See urb_write.h.
#include "core/sim/eu/urb_write.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/sim/eu/vertex_launch.h"

namespace kiln::sim::eu {
namespace {

constexpr int kLowestEnd = 112;  // lowest register of payloads that end a thread
constexpr int kMaskBit = 16;     // bit of the first dword in a lane's mask

absl::Status Refuse(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("URB write: ", what));
}

class Writer {
 public:
  Writer(const Op& op, const Message& m, const MessageRegisters& registers, uint32_t enabled,
         Thread& thread)
      : op_(op), m_(m), regs_(registers), enabled_(enabled), t_(thread), of_(*thread.vertex) {}

  absl::Status Run() {
    if (absl::Status s = CheckForm(); !s.ok()) return s;
    for (int lane = 0; lane < static_cast<int>(kVertexLanes); ++lane) {
      if (!(enabled_ >> lane & 1)) continue;
      if (absl::Status s = WriteLane(lane); !s.ok()) return s;
    }
    if (!m_.ends) return absl::OkStatus();
    if (absl::Status s = CheckEnd(); !s.ok()) return s;
    t_.state = ThreadState::kEnded;
    return absl::OkStatus();
  }

 private:
  absl::Status CheckForm() const {
    const auto beyond = [](int first, int count) { return first < 0 || first + count > kGrfCount; };
    if (beyond(regs_.src0, m_.mlen) || (m_.ex_mlen > 0 && beyond(regs_.src1, m_.ex_mlen))) {
      return Refuse("payload beyond the register file");
    }
    if (op_.inst.exec_size != kVertexLanes || op_.inst.channel_offset != 0) {
      return Refuse("is for 8 lanes from the first on");
    }
    if ((enabled_ & ~t_.dispatch) != 0) return Refuse("for lanes that have no vertex");
    if (!m_.ends) return absl::OkStatus();
    if (regs_.src0 < kLowestEnd || (m_.ex_mlen > 0 && regs_.src1 < kLowestEnd)) {
      return Refuse("end of thread below r112");
    }
    if (t_.waiting != 0) return Refuse("ends the thread while channels wait at a branch");
    if (enabled_ != t_.dispatch) {
      return Refuse(
          absl::StrFormat("ends the thread with lanes 0x%02x of 0x%02x", enabled_, t_.dispatch));
    }
    return absl::OkStatus();
  }

  uint32_t Value(int index, int lane) const {
    const int reg = index < m_.mlen ? regs_.src0 + index : regs_.src1 + index - m_.mlen;
    return t_.Read32(kGrfBytes * reg + 4 * lane);
  }

  size_t Place(int lane, uint32_t slot, uint32_t component) const {
    return of_.draw->At(of_.first + static_cast<uint32_t>(lane), slot, component);
  }

  absl::Status WriteLane(int lane) {
    if (Value(0, lane) != of_.Handle(lane)) {
      return Refuse(absl::StrFormat("handle 0x%x of lane %d, delivered was 0x%x", Value(0, lane),
                                    lane, of_.Handle(lane)));
    }
    int next = 1;
    uint64_t slot = m_.urb_offset;
    if (m_.urb_lane_offsets) slot += Value(next++, lane);
    const uint32_t mask = m_.urb_masks ? Value(next++, lane) >> kMaskBit : ~0u;
    for (int k = 0; k < UrbData(m_); ++k) {
      if (!(mask >> k & 1)) continue;
      const uint64_t to = slot + static_cast<uint64_t>(k / 4);
      if (to >= of_.draw->slots) {
        return Refuse(
            absl::StrFormat("slot %d of an entry of %d, lane %d", to, of_.draw->slots, lane));
      }
      const size_t at = Place(lane, static_cast<uint32_t>(to), static_cast<uint32_t>(k % 4));
      of_.draw->entries[at] = Value(next + k, lane);
      of_.draw->written[at] = 1;
    }
    return absl::OkStatus();
  }

  absl::Status CheckEnd() const {
    for (int lane = 0; lane < static_cast<int>(of_.count); ++lane) {
      if (absl::Status s = CheckHeader(lane); !s.ok()) return s;
      if (absl::Status s = CheckDistances(lane); !s.ok()) return s;
      for (const out::VueSlot& slot : out::IntelOf(*of_.record).vertex.vue) {
        bool any = false;
        for (uint32_t c = 0; c < 4; ++c) any |= of_.draw->written[Place(lane, slot.slot, c)] != 0;
        if (slot.written && !any) {
          return Refuse(absl::StrFormat(
              "slot %d of lane %d was never written, the record says that it is", slot.slot, lane));
        }
      }
    }
    return absl::OkStatus();
  }

  // Dword 0 must be zero on this generation; layer and viewport are taken from the header whether
  // or not the shader sets them. The point width is not, unless state says so (3DSTATE_SF).
  absl::Status CheckHeader(int lane) const {
    bool free[4] = {false, false, false, true};
    for (const out::VuePart& p : out::IntelOf(*of_.record).vertex.vue[0].parts) {
      if (p.component != 0) free[p.component] |= p.from_shader;
    }
    for (uint32_t c = 0; c < 4; ++c) {
      const size_t at = Place(lane, 0, c);
      if (of_.draw->written[at] == 0) {
        return Refuse(
            absl::StrFormat("dword %d of the header of lane %d was never written", c, lane));
      }
      if (!free[c] && of_.draw->entries[at] != 0) {
        return Refuse(absl::StrFormat("0x%x in dword %d of the header of lane %d, which must be 0",
                                      of_.draw->entries[at], c, lane));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckDistances(int lane) const {
    const out::IntelVertex& launch = out::IntelOf(*of_.record).vertex;
    const uint32_t tested = launch.clip_distance_mask | launch.cull_distance_mask;
    for (uint32_t n = 0; n < kDistances; ++n) {
      if ((tested >> n & 1) == 0 ||
          of_.draw->written[Place(lane, kDistanceSlot + n / 4, n % 4)] != 0) {
        continue;
      }
      return Refuse(absl::StrFormat(
          "distance %d of lane %d was never written, a mask of the record has it", n, lane));
    }
    return absl::OkStatus();
  }

  const Op& op_;
  const Message& m_;
  const MessageRegisters& regs_;
  const uint32_t enabled_;  // channels of the thread
  Thread& t_;
  const VertexThread& of_;
};

}  // namespace

absl::Status ExecuteUrbWrite(const Op& op, const Message& message,
                             const MessageRegisters& registers, uint32_t enabled, Thread& thread) {
  if (thread.vertex == nullptr) return Refuse("not in a vertex program");
  return Writer(op, message, registers, enabled, thread).Run();
}

}  // namespace kiln::sim::eu
