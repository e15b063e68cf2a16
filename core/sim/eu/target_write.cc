// See target_write.h.
#include "core/sim/eu/target_write.h"

#include <algorithm>
#include <array>
#include <bit>

#include "absl/strings/str_format.h"
#include "core/intel/isa/opcodes.h"
#include "core/sim/scene/fragment_output.h"

namespace kiln::sim::eu {
namespace {

using isa::TargetForm;

constexpr int kLowestEnd = 112;  // lowest register of payloads that end a thread

absl::Status Refuse(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("render target write: ", what));
}

// First payload register of each part; -1: absent.
struct Parts {
  int sample_mask = -1, color = -1, second = -1, depth = -1, stencil = -1;
  int length = 0;
};

bool IsDual(TargetForm form) {
  return form == TargetForm::kDualLow || form == TargetForm::kDualHigh;
}

Parts PartsOf(const Message& m, const out::FragmentLaunch& launch) {
  const int per_value = m.simd / 8;
  Parts p;
  const auto take = [&p](int registers) {
    const int at = p.length;
    p.length += registers;
    return at;
  };
  if (m.header) take(2);
  if (m.alpha0) take(per_value);
  if (launch.writes_sample_mask) p.sample_mask = take(1);
  p.color = take(4 * per_value);
  if (IsDual(m.target_form)) p.second = take(4 * per_value);
  if (launch.depth != out::DepthOutput::kOff) p.depth = take(per_value);
  if (launch.writes_stencil) p.stencil = take(1);
  return p;
}

class Writer {
 public:
  Writer(const Op& op, const Message& m, const MessageRegisters& registers, uint32_t enabled,
         Thread& thread)
      : op_(op),
        m_(m),
        regs_(registers),
        enabled_(enabled),
        t_(thread),
        of_(*thread.fragment),
        launch_(of_.record->fragment),
        parts_(PartsOf(m, launch_)) {}

  absl::Status Run() {
    for (const absl::Status& s : {CheckForm(), CheckState(), CheckEnd()}) {
      if (!s.ok()) return s;
    }
    if (m_.header) {
      if (absl::Status s = TakeHeader(); !s.ok()) return s;
    }
    if (!launch_.uses_discard && (of_.Covered() & op_.lanes & ~enabled_) != 0) {
      return Refuse("lanes that cover something are left out, state says that none is killed");
    }
    absl::StatusOr<scene::RenderTarget*> target = Target();
    if (!target.ok()) return target.status();
    const int first = op_.inst.channel_offset;
    for (int i = 0; i < m_.simd; ++i) {
      if ((enabled_ & of_.Covered()) >> (first + i) & 1) Write(i, first + i, *target);
    }
    if (m_.last_target) t_.finished |= op_.lanes;
    if (m_.ends) t_.state = ThreadState::kEnded;
    return absl::OkStatus();
  }

 private:
  uint32_t Lanes() const {
    const uint32_t width = of_.record->dispatch_width;
    return width == 32 ? ~0u : (1u << width) - 1;
  }

  // Checks form and slot group against the instruction and the thread.
  absl::Status CheckForm() const {
    const uint32_t width = of_.record->dispatch_width;
    const int first = op_.inst.channel_offset;
    if (op_.inst.op != isa::Opcode::kSendc)
      return Refuse("sent without waiting for older threads (sendc)");
    if (m_.target_form == TargetForm::kRepeated)
      return Refuse("one colour for all lanes, which is for clears");
    if (op_.inst.exec_size != m_.simd)
      return Refuse("as many lanes as the instruction has no channels");
    if (m_.target_form == TargetForm::kEight && width != 8) {
      return Refuse("the form of 8 lanes in a thread of more");
    }
    if (m_.target_form == TargetForm::kSixteen && width < 16) {
      return Refuse("the form of 16 lanes in a thread of 8");
    }
    if (IsDual(m_.target_form) && width == 32) {
      return Refuse("two colours in a thread of 32 lanes (Wa_14017468336)");
    }
    const int low = (m_.high_slots ? 16 : 0) + (m_.target_form == TargetForm::kDualHigh ? 8 : 0);
    if (first != low || (op_.lanes & ~Lanes()) != 0) {
      return Refuse(
          absl::StrFormat("for lanes from %d on, the instruction's begin at %d", low, first));
    }
    return absl::OkStatus();
  }

  // Checks the message against the pipeline's state.
  absl::Status CheckState() const {
    if (IsDual(m_.target_form) != launch_.dual_source) {
      return Refuse(launch_.dual_source ? "one colour, state says two"
                                        : "two colours, state says one");
    }
    if (launch_.writes_stencil && m_.simd != 8) return Refuse("stencil for more than 8 lanes");
    if (m_.null_target && launch_.writes_sample_mask) {
      return Refuse("a mask of samples to no target, which the hardware does not read");
    }
    if (m_.per_sample && !launch_.per_sample) return Refuse("per sample, state says per pixel");
    if (m_.mlen + m_.ex_mlen != parts_.length) {
      return Refuse(absl::StrFormat("%d + %d registers, of the parts that state asks for are %d",
                                    m_.mlen, m_.ex_mlen, parts_.length));
    }
    return absl::OkStatus();
  }

  absl::Status CheckEnd() const {
    if ((t_.finished & op_.lanes) != 0) return Refuse("after the last write of its lanes");
    if (!m_.ends) {
      const uint32_t done = t_.finished | (m_.last_target ? op_.lanes : 0);
      return done == Lanes() ? Refuse("the last one does not end the thread") : absl::OkStatus();
    }
    if (!m_.last_target) return Refuse("ends the thread and is not the last one");
    if ((t_.finished | op_.lanes) != Lanes()) {
      return Refuse("ends the thread before the last one of the other lanes");
    }
    if (regs_.src0 < kLowestEnd || (m_.ex_mlen > 0 && regs_.src1 < kLowestEnd)) {
      return Refuse("end of thread below r112");
    }
    if (t_.waiting != 0) return Refuse("ends the thread while channels wait at a branch");
    return absl::OkStatus();
  }

  int Payload(int index) const {
    return kGrfBytes * (index < m_.mlen ? regs_.src0 + index : regs_.src1 + index - m_.mlen);
  }
  uint32_t Value(int part, int lane) const {
    return t_.Read32(Payload(part + lane / 8) + 4 * (lane % 8));
  }

  // Reads the header: it repeats the parts of the message, and its mask replaces the channels.
  absl::Status TakeHeader() {
    const uint32_t says = t_.Read32(Payload(0));
    const uint32_t brings = uint32_t{m_.alpha0} << 11 | uint32_t{parts_.sample_mask >= 0} << 12 |
                            uint32_t{parts_.depth >= 0} << 13 | uint32_t{parts_.stencil >= 0} << 14;
    if ((says & 0x7800) != brings) return Refuse("the header names other parts");
    header_target_ = static_cast<int>(t_.Read32(Payload(0) + 8) & 7);
    enabled_ = t_.Read16(Payload(1) + 28) << (op_.inst.channel_offset & 16);
    return absl::OkStatus();
  }

  // Returns null if nothing is written. A message without render target needs no surface, unless it
  // has depth or stencil, for which the surface must be bound (Mesa 25.0.7, brw_nir.h,
  // brw_nir_fs_needs_null_rt).
  absl::StatusOr<scene::RenderTarget*> Target() const {
    const bool asks = !m_.null_target || parts_.depth >= 0 || parts_.stencil >= 0;
    if (!asks) return nullptr;
    const std::vector<out::SurfaceEntry>& table = out::IntelOf(*of_.record).binding_table;
    const auto entry = std::find_if(table.begin(), table.end(), [this](const out::SurfaceEntry& e) {
      return e.index == m_.surface;
    });
    const bool color = entry != table.end() && (entry->what == out::SurfaceContent::kColorOutput ||
                                                entry->what == out::SurfaceContent::kNull);
    if (!color) return Refuse(absl::StrFormat("surface %d is not a colour output", m_.surface));
    if (m_.null_target || entry->what == out::SurfaceContent::kNull) return nullptr;
    const int number = m_.header ? header_target_ : m_.target;
    if (static_cast<int>(entry->location) != number) {
      return Refuse(
          absl::StrFormat("blend state %d for the target of location %d", number, entry->location));
    }
    for (scene::RenderTarget& t : of_.draw->targets) {
      if (t.location == entry->location) return &t;
    }
    return nullptr;
  }

  // Returns the samples of a lane that are written. Its first message performs the tests, if they
  // are not early. `i`: the lane in the message.
  uint32_t SamplesOf(int i, int lane) {
    uint32_t written = of_.Samples(lane);
    if (parts_.sample_mask >= 0) {
      written &= t_.Read16(Payload(parts_.sample_mask) + 2 * (lane % 16));
    }
    const scene::FragmentPixel at = {&of_.Shape(), of_.Corner(lane)};
    uint32_t& passed = t_.passed_samples[static_cast<size_t>(lane)];
    const bool first = (t_.tested >> lane & 1) == 0;
    t_.tested |= 1u << lane;
    if (first && !launch_.early_tests) {
      scene::FragmentTests tests;
      tests.samples = written;
      if (parts_.stencil >= 0) tests.stencil = t_.regs[Payload(parts_.stencil) + i];
      if (parts_.depth >= 0) tests.depth = std::bit_cast<float>(Value(parts_.depth, i));
      passed = scene::TestFragment(at, tests, *of_.draw);
    }
    if (!launch_.early_tests) written = passed;
    if (first) scene::NoteWritten(at, written, *of_.draw);
    return written;
  }

  std::array<uint32_t, 4> ColorAt(int part, int i) const {
    std::array<uint32_t, 4> color{};
    for (int c = 0; c < 4 && part >= 0; ++c) color[c] = Value(part + c * (m_.simd / 8), i);
    return color;
  }

  void Write(int i, int lane, scene::RenderTarget* target) {
    const uint32_t samples = SamplesOf(i, lane);
    if (target == nullptr) return;
    scene::WriteColor({&of_.Shape(), of_.Corner(lane)}, samples, ColorAt(parts_.color, i),
                      ColorAt(parts_.second, i), *of_.draw, *target);
  }

  const Op& op_;
  const Message& m_;
  const MessageRegisters& regs_;
  uint32_t enabled_;  // channels of the thread
  Thread& t_;
  const FragmentThread& of_;
  const out::FragmentLaunch& launch_;
  const Parts parts_;
  int header_target_ = 0;
};

}  // namespace

absl::Status ExecuteTargetWrite(const Op& op, const Message& message,
                                const MessageRegisters& registers, uint32_t enabled,
                                Thread& thread) {
  if (thread.fragment == nullptr) return Refuse("not in a fragment program");
  const auto beyond = [](int first, int count) { return first < 0 || first + count > kGrfCount; };
  if (beyond(registers.src0, message.mlen) ||
      (message.ex_mlen > 0 && beyond(registers.src1, message.ex_mlen))) {
    return Refuse("payload beyond the register file");
  }
  return Writer(op, message, registers, enabled, thread).Run();
}

}  // namespace kiln::sim::eu
