#include "core/mir/interp.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/mir/immediates.h"
#include "core/mir/interp_subgroup.h"
#include "core/mir/print.h"
#include "core/mir/semantics.h"

namespace kiln::mir {
namespace {

using semantics::AsFloat;
using semantics::In;
using semantics::Out;

// Ops whose accuracy is the target's affair.
template <bool kFlush, class Visitor>
bool VisitApproximate(Op op, Visitor&& v) {
  using U = uint32_t;
  constexpr auto in = [](U x) { return static_cast<double>(In<kFlush>(x)); };
  constexpr auto out = [](double x) { return Out<kFlush>(static_cast<float>(x)); };
  switch (op) {
    case Op::kFrsq: v([=](U a) { return out(1.0 / std::sqrt(in(a))); }); return true;
    case Op::kFexp2: v([=](U a) { return out(std::exp2(in(a))); }); return true;
    case Op::kFlog2: v([=](U a) { return out(std::log2(in(a))); }); return true;
    case Op::kFsin: v([=](U a) { return out(std::sin(in(a))); }); return true;
    case Op::kFcos: v([=](U a) { return out(std::cos(in(a))); }); return true;
    case Op::kFpow: v([=](U a, U b) { return out(std::pow(in(a), in(b))); }); return true;
    default: return false;
  }
}

// Who accessed a dword last. Moments are numbered from 1, a new one with each barrier and group.
struct Access {
  uint32_t reader = 0;
  uint32_t read_moment = 0;
  uint32_t writer = 0;
  uint32_t write_moment = 0;
  bool write_was_atomic = false;
  bool read_by_several = false;    // in read_moment
};

// A run of bytes with the rules for what lies outside.
struct Memory {
  uint8_t* bytes = nullptr;
  uint64_t size = 0;
  std::vector<Access>* accesses = nullptr;   // per dword, if races are looked for
  bool local = false;
};

enum class AccessKind : uint8_t { kRead, kWrite, kAtomic };

uint32_t AtomicResult(AtomicOp op, uint32_t old, uint32_t value, uint32_t comparator) {
  using semantics::AsInt;
  switch (op) {
    case AtomicOp::kAdd: return old + value;
    case AtomicOp::kSub: return old - value;
    case AtomicOp::kSmin: return AsInt(old) < AsInt(value) ? old : value;
    case AtomicOp::kUmin: return std::min(old, value);
    case AtomicOp::kSmax: return AsInt(old) > AsInt(value) ? old : value;
    case AtomicOp::kUmax: return std::max(old, value);
    case AtomicOp::kAnd: return old & value;
    case AtomicOp::kOr: return old | value;
    case AtomicOp::kXor: return old ^ value;
    case AtomicOp::kExchange: return value;
    case AtomicOp::kCompareExchange: return old == comparator ? value : old;
    case AtomicOp::kIncrement: return old + 1;
    case AtomicOp::kDecrement: return old - 1;
    case AtomicOp::kLoad: return old;
    case AtomicOp::kStore: return value;
  }
  assert(false);
  return 0;
}

template <bool kFlush>
class Interpreter {
 public:
  Interpreter(const Module& module, LaunchInputs& inputs, const InterpLimits& limits)
      : m_(module), in_(inputs), limits_(limits) {}

  absl::StatusOr<InterpStatistics> Run() {
    absl::Status status = Prepare();
    const uint64_t plane = uint64_t{in_.groups[0]} * in_.groups[1];
    const uint64_t total = plane * in_.groups[2];
    for (uint64_t n = 0; n < total && status.ok(); ++n) {
      const uint64_t at = in_.opposite_order ? total - 1 - n : n;
      group_ = {static_cast<uint32_t>(at % in_.groups[0]),
                static_cast<uint32_t>(at / in_.groups[0] % in_.groups[1]),
                static_cast<uint32_t>(at / plane)};
      status = RunGroup();
    }
    if (!status.ok()) return status;
    return statistics_;
  }

 private:
  struct LoopFrame {
    InstId loop;
    BitSet continued;
    BitSet broke;
  };

  absl::Status Prepare() {
    const uint64_t lanes = uint64_t{m_.local_size[0]} * m_.local_size[1] * m_.local_size[2];
    uint64_t dwords = m_.values.size();
    for (const PrivateArray& a : m_.private_arrays) dwords += a.bytes / 4;
    if (lanes > 65536 ||
        dwords * lanes * 4 > static_cast<uint64_t>(limits_.max_register_bytes)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("interpreter: ", dwords, " values of ", lanes, " lanes are too many"));
    }
    lanes_ = static_cast<uint32_t>(lanes);
    if (in_.detect_races) accesses_.resize(in_.buffers.size());
    for (const Resource& r : m_.resources) {
      const auto same_binding = [&](const BoundBuffer& b) {
        return b.set == r.set && b.binding == r.binding;
      };
      auto found = std::find_if(in_.buffers.begin(), in_.buffers.end(), [&](const BoundBuffer& b) {
        return same_binding(b) && b.element == r.element;
      });
      if (found == in_.buffers.end()) {
        found = std::find_if(in_.buffers.begin(), in_.buffers.end(), same_binding);
      }
      if (found == in_.buffers.end()) {
        return absl::InvalidArgumentError(absl::StrCat("interpreter: nothing is bound to ", r.set,
                                                       ".", r.binding, ".", r.element));
      }
      buffers_.push_back({found->bytes.data(), found->bytes.size(), nullptr, false});
      if (in_.detect_races && r.kind == ResourceKind::kStorageBuffer) {
        std::vector<Access>& accesses = accesses_[found - in_.buffers.begin()];
        accesses.resize(found->bytes.size() / 4);
        buffers_.back().accesses = &accesses;
      }
    }
    constant_data_ = m_.constant_data;
    shared_.resize(m_.shared_bytes);
    shared_memory_ = {shared_.data(), shared_.size(), nullptr, true};
    if (in_.detect_races) {
      shared_accesses_.resize(m_.shared_bytes / 4);
      shared_memory_.accesses = &shared_accesses_;
    }
    registers_.resize(m_.values.size() * lanes_);
    for (size_t i = 0; i < m_.values.size(); ++i) {
      if (m_.values[i].kind != Value::Kind::kConstant) continue;
      std::fill_n(Lanes(ValueId(i)), lanes_, m_.values[i].bits);
    }
    size_t at = 0;
    for (const PrivateArray& a : m_.private_arrays) {
      private_start_.push_back(at);
      at += size_t{a.bytes / 4} * lanes_;
    }
    private_.resize(at);
    return absl::OkStatus();
  }

  absl::Status RunGroup() {
    std::fill(shared_.begin(), shared_.end(), uint8_t{0});
    std::fill(private_.begin(), private_.end(), 0u);
    std::fill(shared_accesses_.begin(), shared_accesses_.end(), Access());
    group_start_ = workgroup_moment_ = ++moment_;
    ++groups_run_;
    BitSet all(lanes_);
    for (uint32_t i = 0; i < lanes_; ++i) all.set(i);
    loops_.clear();
    ExecRegion(m_.body, InstId(), all, nullptr);
    return error_;
  }

  uint32_t* Lanes(ValueId v) { return registers_.data() + size_t{v.index} * lanes_; }

  void Fail(absl::Status status) {
    if (error_.ok()) error_ = std::move(status);
  }

  // ---- Control ----

  // Executes a region for the active lanes. Lanes that reach a yield are added to *yielded.
  void ExecRegion(RegionId region, InstId owner, BitSet active, BitSet* yielded) {
    for (InstId id : m_.region(region).insts) {
      statistics_.lane_steps += lanes_;
      if (statistics_.lane_steps > limits_.max_lane_steps) {
        return Fail(absl::DeadlineExceededError(absl::StrCat(
            "interpreter: more than ", limits_.max_lane_steps, " lane steps")));
      }
      switch (m_.inst(id).op) {
        case Op::kIf: ExecIf(id, &active); break;
        case Op::kLoop: ExecLoop(id, &active); break;
        case Op::kYield:
          for (int i = 0; i < m_.inst(id).num_sources; ++i) {
            Copy(m_.result(owner, i), m_.source(id, i), active);
          }
          yielded->unite(active);
          return;
        case Op::kBreak:
          for (int i = 0; i < m_.inst(id).num_sources; ++i) {
            Copy(m_.result(loops_.back().loop, i), m_.source(id, i), active);
          }
          loops_.back().broke.unite(active);
          return;
        case Op::kContinue:
          Continue(id, active);
          return;
        case Op::kReturn: return;
        case Op::kUnreachable:
          return Fail(absl::FailedPreconditionError("interpreter: unreachable was reached"));
        default: Exec(id, active); break;
      }
      if (!error_.ok() || active.count() == 0) return;
      if (in_.observer != nullptr) {
        for (int i = 0; i < m_.inst(id).num_results; ++i) Observe(m_.result(id, i), active);
      }
    }
  }

  void Observe(ValueId v, const BitSet& active) {
    in_.observer->OnValue(v, active, absl::MakeConstSpan(Lanes(v), lanes_));
  }

  void Copy(ValueId to, ValueId from, const BitSet& active) {
    uint32_t* t = Lanes(to);
    const uint32_t* f = Lanes(from);
    active.for_each([&](size_t lane) { t[lane] = f[lane]; });
  }

  // Parameters may be each other's next values, hence the detour.
  void Continue(InstId id, const BitSet& active) {
    LoopFrame& frame = loops_.back();
    const std::vector<ValueId>& params = m_.region(m_.inst(frame.loop).regions[0]).params;
    scratch_.resize(params.size());
    active.for_each([&](size_t lane) {
      for (size_t i = 0; i < params.size(); ++i) {
        scratch_[i] = Lanes(m_.source(id, static_cast<int>(i)))[lane];
      }
      for (size_t i = 0; i < params.size(); ++i) Lanes(params[i])[lane] = scratch_[i];
    });
    frame.continued.unite(active);
  }

  void ExecIf(InstId id, BitSet* active) {
    const uint32_t* condition = Lanes(m_.source(id, 0));
    BitSet taken(lanes_);
    active->for_each([&](size_t lane) {
      if (condition[lane] != 0) taken.set(lane);
    });
    BitSet rest = *active;
    rest.subtract(taken);
    BitSet yielded(lanes_);
    if (taken.count() != 0) ExecRegion(m_.inst(id).regions[0], id, std::move(taken), &yielded);
    if (rest.count() != 0 && error_.ok()) {
      ExecRegion(m_.inst(id).regions[1], id, std::move(rest), &yielded);
    }
    *active = std::move(yielded);
  }

  void ExecLoop(InstId id, BitSet* active) {
    const RegionId body = m_.inst(id).regions[0];
    const std::vector<ValueId>& params = m_.region(body).params;
    for (size_t i = 0; i < params.size(); ++i) {
      Copy(params[i], m_.source(id, static_cast<int>(i)), *active);
    }
    loops_.push_back({id, BitSet(lanes_), BitSet(lanes_)});
    BitSet running = *active;
    while (running.count() != 0 && error_.ok()) {
      if (in_.observer != nullptr) {
        for (ValueId p : params) Observe(p, running);
      }
      loops_.back().continued.clear();
      ExecRegion(body, id, running, nullptr);
      running = loops_.back().continued;
    }
    *active = std::move(loops_.back().broke);
    loops_.pop_back();
  }

  // ---- Straight-line ops ----

  void Exec(InstId id, const BitSet& active) {
    const auto visit = [&](auto f) { ForLanes(id, f); };
    const Op op = m_.inst(id).op;
    if (op == Op::kNot) return Not(id);
    if (in_.perturb_seed != 0) {
      if (Perturbed(id, op)) return Loosen(id);
      if (semantics::VisitExact<kFlush>(op, visit)) return Loosen(id);
    }
    if (semantics::VisitExact<kFlush>(op, visit) || VisitApproximate<kFlush>(op, visit)) return;
    const Inst& inst = m_.inst(id);
    switch (op) {
      case Op::kWorkgroupId: return Broadcast(id, group_[inst.imm0]);
      case Op::kNumWorkgroups: return Broadcast(id, in_.groups[inst.imm0]);
      case Op::kBaseWorkgroup: return Broadcast(id, in_.base_workgroup[inst.imm0]);
      case Op::kLocalIndex: return Number(id, [](uint32_t lane) { return lane; });
      case Op::kSubgroupId:
        return Number(id, [&](uint32_t lane) { return lane / in_.subgroup_size; });
      case Op::kSubgroupInvocation:
        return Number(id, [&](uint32_t lane) { return lane % in_.subgroup_size; });
      case Op::kSubgroupSize: return Broadcast(id, in_.subgroup_size);
      case Op::kNumSubgroups:
        return Broadcast(id, (lanes_ + in_.subgroup_size - 1) / in_.subgroup_size);
      case Op::kLaneMask: return LaneMasks(id);
      case Op::kSubgroupElect:
      case Op::kSubgroupAny:
      case Op::kSubgroupAll:
      case Op::kBallot: return ForSubgroups(active, [&](uint32_t first) { Vote(id, active, first); });
      case Op::kReadFirst:
      case Op::kReadLane:
      case Op::kShuffle:
      case Op::kQuadBroadcast:
      case Op::kQuadSwap:
        return ForSubgroups(active, [&](uint32_t first) { ReadLanes(id, active, first); });
      case Op::kReduce:
      case Op::kInclusiveScan:
      case Op::kExclusiveScan:
        return ForSubgroups(active, [&](uint32_t first) { Reduce(id, active, first); });
      case Op::kSsboSize:
        return Broadcast(id, static_cast<uint32_t>(buffers_[inst.imm0].size));
      case Op::kLoadUbo:
      case Op::kLoadSsbo: return Load(id, buffers_[inst.imm0], active);
      case Op::kLoadPush: return Load(id, Of(in_.push_constants), active);
      case Op::kLoadShared: return Load(id, shared_memory_, active);
      case Op::kLoadConstant: return Load(id, Of(constant_data_), active);
      case Op::kStoreSsbo: return Store(id, buffers_[inst.imm0], active);
      case Op::kStoreShared: return Store(id, shared_memory_, active);
      case Op::kSsboAtomic: return Atomic(id, buffers_[inst.imm0], active);
      case Op::kSharedAtomic: return Atomic(id, shared_memory_, active);
      case Op::kLoadPrivate: return LoadPrivate(id, active);
      case Op::kStorePrivate: return StorePrivate(id, active);
      case Op::kControlBarrier:
        ++moment_;
        if (inst.imm1 == static_cast<uint32_t>(Scope::kWorkgroup)) workgroup_moment_ = moment_;
        return;
      case Op::kMemoryBarrier: return;
      default:
        Fail(absl::InternalError(absl::StrCat("interpreter: no meaning for ", PrintInst(m_, id))));
    }
  }

  template <class F>
  void ForLanes(InstId id, F f) {
    const uint32_t n = lanes_;
    uint32_t* r = Lanes(m_.result(id));
    const uint32_t* a = Lanes(m_.source(id, 0));
    if constexpr (std::is_invocable_v<F, uint32_t>) {
      for (uint32_t i = 0; i < n; ++i) r[i] = f(a[i]);
    } else {
      const uint32_t* b = Lanes(m_.source(id, 1));
      if constexpr (std::is_invocable_v<F, uint32_t, uint32_t>) {
        for (uint32_t i = 0; i < n; ++i) r[i] = f(a[i], b[i]);
      } else {
        const uint32_t* c = Lanes(m_.source(id, 2));
        if constexpr (std::is_invocable_v<F, uint32_t, uint32_t, uint32_t>) {
          for (uint32_t i = 0; i < n; ++i) r[i] = f(a[i], b[i], c[i]);
        } else {
          const uint32_t* d = Lanes(m_.source(id, 3));
          for (uint32_t i = 0; i < n; ++i) r[i] = f(a[i], b[i], c[i], d[i]);
        }
      }
    }
  }

  // Executes a float op with random rounding.
  bool Perturbed(InstId id, Op op) {
    const auto visit = [&](auto f) { ForLanes(id, f); };
    const bool sum = op == Op::kFadd || op == Op::kFsub || op == Op::kFmul || op == Op::kFfma;
    if (sum && (m_.inst(id).flags & kNoContraction) != 0) return false;
    if (!sum && op != Op::kFdiv && op != Op::kFsqrt && op != Op::kFrcp) {
      if (!VisitApproximate<kFlush>(op, visit)) return false;
    } else {
      semantics::VisitExact<kFlush>(op, visit);
    }
    uint32_t* r = Lanes(m_.result(id));
    for (uint32_t i = 0; i < lanes_; ++i) {
      const uint32_t exponent = r[i] & 0x7f800000u;
      if (exponent == 0 || exponent >= 0x7f000000u) continue;
      double x[3] = {0, 0, 0};
      for (int s = 0; s < m_.inst(id).num_sources; ++s) x[s] = AsFloat(Lanes(m_.source(id, s))[i]);
      r[i] += Noise(AllowedUlps(op, x[0], x[1], x[2], AsFloat(r[i])));
    }
    return true;
  }

  void Loosen(InstId id) {
    if (id.index >= in_.loose_ulps.size() || in_.loose_ulps[id.index] == 0) return;
    uint32_t* r = Lanes(m_.result(id));
    for (uint32_t i = 0; i < lanes_; ++i) {
      if (Roomy(r[i])) r[i] += Noise(in_.loose_ulps[id.index]);
    }
  }

  // Whether a float may move by some units in the last place without leaving its kind.
  static bool Roomy(uint32_t bits) {
    const uint32_t exponent = bits & 0x7f800000u;
    return exponent >= 0x08000000u && exponent < 0x7f000000u;
  }

  // A random integer between -ulps and ulps, as bits to add to those of a float.
  uint32_t Noise(double ulps) {
    noise_ = noise_ * 1664525u + 1013904223u;   // Numerical Recipes
    const double unit = static_cast<double>(noise_ >> 8) / 8388608.0 - 1.0;
    return static_cast<uint32_t>(static_cast<int32_t>(std::lround(unit * ulps)));
  }

  // Units in the last place by which targets may differ; 0 where the result is exact.
  // Source: Vulkan specification, "Precision and Operation of SPIR-V Instructions"; sine and cosine
  // are held to less than the 2^-11 absolute it allows.
  static double AllowedUlps(Op op, double a, double b, double c, double result) {
    switch (op) {
      case Op::kFadd: return a + b == result ? 0 : 1;
      case Op::kFsub: return a - b == result ? 0 : 1;
      case Op::kFmul: return a * b == result ? 0 : 1;
      case Op::kFfma: return a * b + c == result ? 0 : 1;
      case Op::kFdiv: return b * result == a ? 0 : 2.5;
      case Op::kFrcp: return a * result == 1 ? 0 : 2.5;
      case Op::kFsqrt: return result * result == a ? 0 : 3;
      case Op::kFexp2: return a == std::floor(a) ? 0 : 3 + 2 * std::fabs(a);
      case Op::kFpow: return 3 + 4 * std::fabs(std::log2(std::fabs(result)));
      case Op::kFlog2: return a < 0.5 || a > 2 ? 3 : 3 + 4 / std::fabs(result);
      case Op::kFsin:
      case Op::kFcos: return 4 + 2 / std::fabs(result);
      default: return 2;
    }
  }

  // The one pure op whose meaning depends on the type: bools stay 0 or 1.
  void Not(InstId id) {
    const uint32_t ones = m_.value(m_.result(id)).type == Type::kBool ? 1 : ~0u;
    ForLanes(id, [=](uint32_t a) { return a ^ ones; });
  }

  void Broadcast(InstId id, uint32_t x) { std::fill_n(Lanes(m_.result(id)), lanes_, x); }

  template <class F>
  void Number(InstId id, F f) {
    uint32_t* r = Lanes(m_.result(id));
    for (uint32_t i = 0; i < lanes_; ++i) r[i] = f(i);
  }

  // ---- Subgroups ----

  // Calls f with the first lane of each subgroup that has an active one.
  template <class F>
  void ForSubgroups(const BitSet& active, F f) {
    for (uint32_t first = 0; first < lanes_; first += in_.subgroup_size) {
      if (FirstActive(active, first) < SubgroupEnd(first)) f(first);
    }
  }

  uint32_t SubgroupEnd(uint32_t first) const { return std::min(first + in_.subgroup_size, lanes_); }

  uint32_t FirstActive(const BitSet& active, uint32_t first) const {
    uint32_t lane = first;
    while (lane < SubgroupEnd(first) && !active.test(lane)) ++lane;
    return lane;
  }

  void LaneMasks(InstId id) {
    const LaneMask mask = static_cast<LaneMask>(m_.inst(id).imm0);
    for (uint32_t lane = 0; lane < lanes_; ++lane) {
      const auto bits = LaneMaskBits(mask, lane % in_.subgroup_size, in_.subgroup_size);
      for (int i = 0; i < 4; ++i) Lanes(m_.result(id, i))[lane] = bits[i];
    }
  }

  void Vote(InstId id, const BitSet& active, uint32_t first) {
    const Op op = m_.inst(id).op;
    std::array<uint32_t, 4> ballot = {0, 0, 0, 0};
    bool all = true;
    for (uint32_t lane = first; lane < SubgroupEnd(first); ++lane) {
      if (!active.test(lane)) continue;
      const bool yes = op == Op::kSubgroupElect || Lanes(m_.source(id, 0))[lane] != 0;
      all &= yes;
      if (yes) ballot[(lane - first) / 32] |= 1u << ((lane - first) % 32);
    }
    const bool any = (ballot[0] | ballot[1] | ballot[2] | ballot[3]) != 0;
    const uint32_t elected = FirstActive(active, first);
    for (uint32_t lane = first; lane < SubgroupEnd(first); ++lane) {
      for (int i = 0; i < m_.inst(id).num_results; ++i) {
        Lanes(m_.result(id, i))[lane] = op == Op::kBallot        ? ballot[i]
                                        : op == Op::kSubgroupAny ? any
                                        : op == Op::kSubgroupAll ? all
                                                                 : lane == elected;
      }
    }
  }

  void ReadLanes(InstId id, const BitSet& active, uint32_t first) {
    const Inst& inst = m_.inst(id);
    const uint32_t elected = FirstActive(active, first);
    const auto* value = Lanes(m_.source(id, 0));
    for (uint32_t lane = elected; lane < SubgroupEnd(first); ++lane) {
      uint32_t from = elected - first;
      if (inst.op == Op::kReadLane) {
        from = Lanes(m_.source(id, 1))[elected];
      } else if (inst.op != Op::kReadFirst) {
        const uint32_t index = inst.op == Op::kShuffle ? Lanes(m_.source(id, 1))[lane] : 0;
        from = SourceLane(inst, lane - first, index);
      }
      const bool there = from < SubgroupEnd(first) - first && active.test(first + from);
      Lanes(m_.result(id))[lane] = there ? value[first + from] : 0;
    }
  }

  void Reduce(InstId id, const BitSet& active, uint32_t first) {
    const Inst& inst = m_.inst(id);
    const ReduceOp op = static_cast<ReduceOp>(inst.imm0);
    SubgroupValues<uint32_t> lanes(in_.subgroup_size);
    for (uint32_t lane = first; lane < SubgroupEnd(first); ++lane) {
      if (active.test(lane)) lanes[lane - first] = Lanes(m_.source(id, 0))[lane];
    }
    const bool rounds = op == ReduceOp::kFadd || op == ReduceOp::kFmul;
    semantics::VisitExact<kFlush>(OpOf(op), [&](auto exact) {
      if constexpr (std::is_invocable_v<decltype(exact), uint32_t, uint32_t>) {
        const auto combine = [&](uint32_t a, uint32_t b) {
          const uint32_t x = exact(a, b);
          return rounds && in_.perturb_seed != 0 && Roomy(x) ? x + Noise(1) : x;
        };
        const uint32_t size = in_.subgroup_size;
        if (inst.op == Op::kReduce) {
          ReduceLanes(combine, inst.imm1 == 0 ? size : std::min(inst.imm1, size), lanes);
        } else if (inst.op == Op::kInclusiveScan) {
          ScanLanes(combine, size, lanes);
        } else {
          const Type type = m_.value(m_.result(id)).type;
          ExclusiveScanLanes(combine, ScanIdentity(op, type), lanes);
        }
      }
    });
    for (uint32_t lane = first; lane < SubgroupEnd(first); ++lane) {
      Lanes(m_.result(id))[lane] = lanes[lane - first].value_or(0);
    }
  }

  // ---- Memory ----

  static Memory Of(std::vector<uint8_t>& bytes) {
    return {bytes.data(), bytes.size(), nullptr, false};
  }

  // The byte offset of a lane's dword number i, or false if the dword is outside.
  bool Inside(uint32_t offset, int i, const Memory& memory, uint64_t* at) {
    if (i == 0 && (offset & 3) != 0) ++statistics_.misaligned_accesses;
    *at = uint64_t{offset & ~3u} + 4 * static_cast<uint64_t>(i);
    if (*at + 4 <= memory.size) return true;
    ++statistics_.outside_accesses;
    statistics_.outside_local_accesses += memory.local;
    return false;
  }

  // Looks for a race of this access with earlier ones, and remembers it.
  void Note(InstId id, const Memory& memory, uint64_t at, size_t lane, AccessKind kind, bool same) {
    if (memory.accesses == nullptr) return;
    Access& a = (*memory.accesses)[at / 4];
    const uint32_t me = groups_run_ * lanes_ + static_cast<uint32_t>(lane);
    // An earlier access is ordered before this one if a barrier of this group lies between, or one
    // of the subgroup if both are of one subgroup.
    const auto together = [&](uint32_t who) {
      return who / lanes_ == me / lanes_ &&
             who % lanes_ / in_.subgroup_size == me % lanes_ / in_.subgroup_size;
    };
    const auto unordered = [&](uint32_t who, uint32_t moment) {
      if (moment == 0 || who == me) return false;
      return moment < group_start_ ||
             moment >= (together(who) ? moment_ : workgroup_moment_);
    };
    const bool atomic = kind == AccessKind::kAtomic;
    bool race = unordered(a.writer, a.write_moment) && !(atomic && a.write_was_atomic);
    if (kind != AccessKind::kRead) {
      race |= unordered(a.reader, a.read_moment) ||
              (a.read_by_several && a.read_moment >= workgroup_moment_);
    }
    if (race && !same) {
      if (statistics_.races++ == 0) statistics_.first_race_spirv_id = m_.inst(id).spirv_id;
    }
    if (kind == AccessKind::kRead) {
      a.read_by_several = a.read_moment >= workgroup_moment_ && a.read_moment != 0 && (a.reader != me || a.read_by_several);
      a.reader = me;
      a.read_moment = moment_;
    } else if (!same) {
      a.writer = me;
      a.write_moment = moment_;
      a.write_was_atomic = atomic;
    }
  }

  template <class F>
  void ForActive(const BitSet& active, F f) {
    if (!in_.opposite_order) return active.for_each(f);
    for (size_t lane = lanes_; lane-- > 0;) {
      if (active.test(lane)) f(lane);
    }
  }

  void Load(InstId id, const Memory& memory, const BitSet& active) {
    const uint32_t* offset = Lanes(m_.source(id, 0));
    ForActive(active, [&](size_t lane) {
      for (int i = 0; i < m_.inst(id).num_results; ++i) {
        uint32_t x = 0;
        uint64_t at;
        if (Inside(offset[lane], i, memory, &at)) {
          std::memcpy(&x, memory.bytes + at, 4);
          Note(id, memory, at, lane, AccessKind::kRead, false);
        }
        Lanes(m_.result(id, i))[lane] = x;
      }
    });
  }

  void Store(InstId id, const Memory& memory, const BitSet& active) {
    const uint32_t* offset = Lanes(m_.source(id, 0));
    ForActive(active, [&](size_t lane) {
      for (int i = 0; i + 1 < m_.inst(id).num_sources; ++i) {
        uint64_t at;
        if (!Inside(offset[lane], i, memory, &at)) continue;
        const uint32_t* value = &Lanes(m_.source(id, i + 1))[lane];
        Note(id, memory, at, lane, AccessKind::kWrite,
             std::memcmp(memory.bytes + at, value, 4) == 0);
        std::memcpy(memory.bytes + at, value, 4);
      }
    });
  }

  void Atomic(InstId id, const Memory& memory, const BitSet& active) {
    const AtomicOp op = static_cast<AtomicOp>(m_.inst(id).imm1);
    const int operands = AtomicOperands(op);
    const uint32_t* offset = Lanes(m_.source(id, 0));
    uint32_t* result = Lanes(m_.result(id));
    ForActive(active, [&](size_t lane) {
      const uint32_t value = operands == 0 ? 0 : Lanes(m_.source(id, operands))[lane];
      const uint32_t comparator = operands < 2 ? 0 : Lanes(m_.source(id, 1))[lane];
      uint32_t old = 0;
      uint64_t at;
      if (Inside(offset[lane], 0, memory, &at)) {
        std::memcpy(&old, memory.bytes + at, 4);
        Note(id, memory, at, lane, AccessKind::kAtomic, false);
        const uint32_t next = AtomicResult(op, old, value, comparator);
        std::memcpy(memory.bytes + at, &next, 4);
      }
      result[lane] = old;
    });
  }

  // Private arrays are kept dword by dword, all lanes of a dword together.
  uint32_t* PrivateDword(InstId id, uint32_t offset, int i, size_t lane) {
    const uint32_t array = m_.inst(id).imm0;
    uint64_t at;
    if (!Inside(offset, i, {nullptr, m_.private_arrays[array].bytes, nullptr, true}, &at)) return nullptr;
    return &private_[private_start_[array] + at / 4 * lanes_ + lane];
  }

  void LoadPrivate(InstId id, const BitSet& active) {
    const uint32_t* offset = Lanes(m_.source(id, 0));
    active.for_each([&](size_t lane) {
      for (int i = 0; i < m_.inst(id).num_results; ++i) {
        const uint32_t* dword = PrivateDword(id, offset[lane], i, lane);
        Lanes(m_.result(id, i))[lane] = dword == nullptr ? 0 : *dword;
      }
    });
  }

  void StorePrivate(InstId id, const BitSet& active) {
    const uint32_t* offset = Lanes(m_.source(id, 0));
    active.for_each([&](size_t lane) {
      for (int i = 0; i + 1 < m_.inst(id).num_sources; ++i) {
        uint32_t* dword = PrivateDword(id, offset[lane], i, lane);
        if (dword != nullptr) *dword = Lanes(m_.source(id, i + 1))[lane];
      }
    });
  }

  const Module& m_;
  LaunchInputs& in_;
  const InterpLimits limits_;
  InterpStatistics statistics_;
  absl::Status error_;
  uint32_t noise_ = in_.perturb_seed;

  uint32_t lanes_ = 0;
  std::array<uint32_t, 3> group_ = {0, 0, 0};
  std::vector<uint32_t> registers_;        // value by value, all lanes of a value together
  std::vector<Memory> buffers_;            // by resource
  std::vector<uint8_t> shared_;
  Memory shared_memory_;
  std::vector<std::vector<Access>> accesses_;   // by buffer
  std::vector<Access> shared_accesses_;
  uint32_t moment_ = 0;
  uint32_t workgroup_moment_ = 0;          // of the last barrier of the workgroup
  uint32_t group_start_ = 0;               // the moment at which the group began
  uint32_t groups_run_ = 0;
  std::vector<uint8_t> constant_data_;
  std::vector<uint32_t> private_;
  std::vector<size_t> private_start_;
  std::vector<uint32_t> scratch_;
  std::vector<LoopFrame> loops_;
};

}  // namespace

absl::StatusOr<InterpStatistics> Interpret(const Module& module, LaunchInputs& inputs,
                                           const InterpLimits& limits) {
  if (inputs.denormals == Denormals::kFlush) {
    return Interpreter<true>(module, inputs, limits).Run();
  }
  return Interpreter<false>(module, inputs, limits).Run();
}

}  // namespace kiln::mir
