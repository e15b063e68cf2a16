#include "core/oracle/interp.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/mir/build.h"
#include "core/mir/immediates.h"
#include "core/mir/print.h"
#include "core/mir/semantics.h"
#include "core/oracle/descriptors.h"
#include "core/oracle/interp_subgroup.h"
#include "core/oracle/interp_texel.h"

namespace kiln::oracle {
namespace {

namespace semantics = mir::semantics;
using mir::AtomicOp;
using mir::AtomicOperands;
using mir::DenormMode;
using mir::Info;
using mir::Inst;
using mir::InstId;
using mir::kIndexed;
using mir::kNoContraction;
using mir::kNonUniform;
using mir::LaneMask;
using mir::Module;
using mir::Op;
using mir::OpInfo;
using mir::OpOf;
using mir::PrivateArray;
using mir::ReduceOp;
using mir::RegionId;
using mir::Resource;
using mir::ResourceKind;
using mir::Scope;
using mir::TexelOp;
using mir::TexelSources;
using mir::TexelSourcesOf;
using mir::Type;
using mir::Value;
using mir::ValueId;

// Ops whose accuracy is the target's affair.
template <class Visitor>
bool VisitApproximate(Op op, Type type, semantics::Flush flush, Visitor&& v) {
  double (*f)(double) = nullptr;
  switch (op) {
    case Op::kFrsq: f = [](double a) { return 1.0 / std::sqrt(a); }; break;
    case Op::kFexp2: f = [](double a) { return std::exp2(a); }; break;
    case Op::kFlog2: f = [](double a) { return std::log2(a); }; break;
    case Op::kFsin: f = [](double a) { return std::sin(a); }; break;
    case Op::kFcos: f = [](double a) { return std::cos(a); }; break;
    case Op::kFpow: break;
    default: return false;
  }
  semantics::VisitFloat(type, flush, [&](auto precision) {
    using F = decltype(precision);
    using U = typename F::U;
    if (op == Op::kFpow) {
      v([](U a, U b) { return F::OutDouble(std::pow(double{F::In(a)}, double{F::In(b)})); });
    } else {
      v([=](U a) { return F::OutDouble(f(F::In(a))); });
    }
  });
  return true;
}

// Accesses of one kind to a granule of memory: as much of them as decides whether one of them is
// unordered with a later access. Moments are numbered from 1, a new one with each barrier and group;
// groups run one after another.
struct Trace {
  uint32_t who = 0;            // made the last one
  uint32_t moment = 0;         // of the last one; 0: there was none
  uint32_t other_moment = 0;   // of the last one by another subgroup than that of `who`
  uint32_t first_group = 0;    // of the first one
  bool several = false;        // in `moment` also by another invocation of the subgroup of `who`
};

struct Access {
  Trace loads;
  Trace stores;         // that changed what is there
  Trace quiet_stores;   // of the value that is there already
  Trace atomics;
  uint32_t before = 0;  // what was there before the last of `stores` and `atomics`
};

// A run of bytes with the rules for what lies outside.
struct Memory {
  uint8_t* bytes = nullptr;
  uint64_t size = 0;
  std::vector<Access>* accesses = nullptr;   // per granule, if races are looked for
  bool local = false;
  bool by_address = false;   // reached by an address, not through a descriptor
};

enum class AccessKind : uint8_t { kRead, kWrite, kAtomic };

template <class U>
U AtomicResult(AtomicOp op, U old, U value, U comparator) {
  using S = std::make_signed_t<U>;
  switch (op) {
    case AtomicOp::kAdd: return old + value;
    case AtomicOp::kSub: return old - value;
    case AtomicOp::kSmin: return static_cast<S>(old) < static_cast<S>(value) ? old : value;
    case AtomicOp::kUmin: return std::min(old, value);
    case AtomicOp::kSmax: return static_cast<S>(old) > static_cast<S>(value) ? old : value;
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
    case AtomicOp::kFadd:
    case AtomicOp::kFmin:
    case AtomicOp::kFmax: break;   // FloatAtomicResult
  }
  assert(false);
  return 0;
}

uint32_t FloatAtomicResult(AtomicOp op, semantics::Flush flush, Type type, uint32_t old,
                           uint32_t value) {
  const Op combine = op == AtomicOp::kFadd   ? Op::kFadd
                     : op == AtomicOp::kFmin ? Op::kFmin
                                             : Op::kFmax;
  uint32_t result = 0;
  semantics::VisitExact(combine, type, type, flush, [&](auto f) {
    if constexpr (std::is_invocable_v<decltype(f), uint32_t, uint32_t>) {
      result = static_cast<uint32_t>(f(old, value));
    } else if constexpr (std::is_invocable_v<decltype(f), uint16_t, uint16_t>) {
      result = static_cast<uint32_t>(f(static_cast<uint16_t>(old), static_cast<uint16_t>(value)));
    }
  });
  return result;
}

// The rounding of float arithmetic on the host while it lives. Everything is computed at run time
// there, so that no compiler has folded it with another rounding.
class Rounding {
 public:
  explicit Rounding(bool to_zero) : before_(std::fegetround()) {
    std::fesetround(to_zero ? FE_TOWARDZERO : FE_TONEAREST);
  }
  ~Rounding() { std::fesetround(before_); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  const int before_;
};

class Interpreter {
 public:
  Interpreter(const Module& module, LaunchInputs& inputs, const InterpLimits& limits)
      : m_(module), in_(inputs), limits_(limits) {}

  absl::StatusOr<InterpStatistics> Run() {
    absl::Status status = Prepare();
    const Rounding rounding(m_.round_to_zero);
    const uint64_t plane = uint64_t{in_.groups[0]} * in_.groups[1];
    const uint64_t total = plane * in_.groups[2];
    const std::vector<uint32_t> order = Shuffled(in_.shuffle_seed != 0 ? total : 0);
    for (uint64_t n = 0; n < total && status.ok(); ++n) {
      const uint64_t at = !order.empty() ? order[n] : in_.opposite_order ? total - 1 - n : n;
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
    uint64_t bytes = 8 * m_.values.size();
    for (const PrivateArray& a : m_.private_arrays) bytes += a.bytes;
    if (lanes > 65536 || bytes * lanes > static_cast<uint64_t>(limits_.max_register_bytes)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("interpreter: ", bytes, " bytes of values of ", lanes, " lanes are too many"));
    }
    lanes_ = static_cast<uint32_t>(lanes);
    flush_.single = m_.denorms_f32 == DenormMode::kAny ? in_.denormals == Denormals::kFlush
                                                       : m_.denorms_f32 == DenormMode::kFlush;
    flush_.half = m_.denorms_f16 == DenormMode::kFlush;
    if (LooksForRaces()) FindGranule();
    if (absl::Status status = descriptors_.Check(); !status.ok()) return status;
    for (const Resource& r : m_.resources) descriptor_counts_.push_back(descriptors_.CountOf(r));
    BindMemory();
    for (size_t i = 0; i < in_.buffers.size(); ++i) {
      addressed_.push_back({AddressOfBuffer(i), buffers_[i]});
      addressed_.back().second.by_address = true;
    }
    constant_data_ = m_.constant_data;
    shared_.resize(m_.shared_bytes);
    shared_memory_ = {shared_.data(), shared_.size(), nullptr, true};
    if (LooksForRaces()) {
      shared_accesses_.resize(m_.shared_bytes / granule_);
      shared_memory_.accesses = &shared_accesses_;
    }
    registers_.resize(m_.values.size() * lanes_);
    for (size_t i = 0; i < m_.values.size(); ++i) {
      const Value& v = m_.values[i];
      if (v.kind == Value::Kind::kConstant) std::fill_n(Lanes(ValueId(i)), lanes_, v.bits);
      if (v.kind == Value::Kind::kUndef) std::fill_n(Lanes(ValueId(i)), lanes_, Undefined(v.type));
    }
    size_t at = 0;
    for (const PrivateArray& a : m_.private_arrays) {
      private_start_.push_back(at);
      at += size_t{a.bytes} * lanes_;
    }
    private_.resize(at);
    return absl::OkStatus();
  }

  bool LooksForRaces() const { return in_.detect_races || in_.shuffle_seed != 0; }

  // Accesses to what can be written are noted: by granule, of images by texel.
  void BindMemory() {
    accesses_.resize(in_.buffers.size());
    texel_accesses_.resize(in_.images.size());
    for (BoundBuffer& b : in_.buffers) buffers_.push_back(Of(b.bytes));
    for (BoundImage& b : in_.images) images_.push_back(Of(b.bytes));
    if (!LooksForRaces()) return;
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const BoundBuffer& b = in_.buffers[i];
      if (b.address == 0 && !IsBoundTo(b, ResourceKind::kStorageBuffer)) continue;
      accesses_[i].resize(b.bytes.size() / granule_);
      buffers_[i].accesses = &accesses_[i];
    }
    for (size_t i = 0; i < images_.size(); ++i) {
      const BoundImage& b = in_.images[i];
      if (!IsBoundTo(b, ResourceKind::kStorageImage) &&
          !IsBoundTo(b, ResourceKind::kStorageTexelBuffer)) {
        continue;
      }
      texel_accesses_[i].resize(b.Texels());
      images_[i].accesses = &texel_accesses_[i];
    }
  }

  template <class T>
  bool IsBoundTo(const T& bound, ResourceKind kind) const {
    return std::any_of(m_.resources.begin(), m_.resources.end(), [&](const Resource& r) {
      return r.kind == kind && r.set == bound.set && r.binding == bound.binding;
    });
  }

  // Where the lane's descriptor is in the list of its kind.
  size_t PlaceOf(InstId id, size_t lane) {
    const Inst& inst = m_.inst(id);
    return descriptors_.Place(inst.imm0, IndexOf(id, lane));
  }

  uint32_t IndexOf(InstId id, size_t lane) {
    if ((m_.inst(id).flags & kIndexed) == 0) return 0;
    if (one_index_ != nullptr && (m_.inst(id).flags & kNonUniform) == 0) {
      lane = FirstActive(*one_index_, static_cast<uint32_t>(lane) / in_.subgroup_size * in_.subgroup_size);
    }
    const uint32_t index = static_cast<uint32_t>(Lanes(m_.source(id, 0))[lane]);
    const uint32_t count = descriptor_counts_[m_.inst(id).imm0];
    const bool wild = in_.undefined_seed != 0 && count != 0 && index >= count;
    return wild ? (index + in_.undefined_seed) % count : index;
  }

  // With random undefined results a descriptor beyond the array is another one of it (IndexOf), or, for
  // even seeds, what it describes is anything.
  bool ReadsBeyondDescriptors(InstId id, size_t lane) {
    if (in_.undefined_seed == 0 || in_.undefined_seed % 2 != 0) return false;
    if ((m_.inst(id).flags & kIndexed) == 0) return false;
    const uint32_t count = descriptor_counts_[m_.inst(id).imm0];
    return count != 0 && Lanes(m_.source(id, 0))[lane] >= count;
  }

  uint32_t ElementBytes(InstId id) const {
    const Inst& inst = m_.inst(id);
    return BytesOf(m_.value(inst.num_results != 0 ? m_.result(id)
                                                  : m_.source(id, FirstValueSource(inst))).type);
  }

  // Races are looked for between elements of the least size that the program accesses.
  void FindGranule() {
    ForEachInst(m_, m_.body, [&](InstId id) {
      const OpInfo& info = Info(m_.inst(id).op);
      if (IsTexelOp(m_.inst(id).op)) return;
      if (info.Has('R') || info.Has('W')) granule_ = std::min(granule_, ElementBytes(id));
    });
  }

  absl::Status RunGroup() {
    // What nobody has written is undefined too.
    for (uint8_t& byte : shared_) byte = static_cast<uint8_t>(Undefined(Type::kI32));
    for (uint8_t& byte : private_) byte = static_cast<uint8_t>(Undefined(Type::kI32));
    std::fill(shared_accesses_.begin(), shared_accesses_.end(), Access());
    group_start_ = workgroup_moment_ = ++moment_;
    ++groups_run_;
    BitSet all(lanes_);
    for (uint32_t i = 0; i < lanes_; ++i) all.set(i);
    loops_.clear();
    ExecRegion(m_.body, InstId(), all, nullptr);
    return error_;
  }

  uint64_t* Lanes(ValueId v) { return registers_.data() + size_t{v.index} * lanes_; }

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
    uint64_t* t = Lanes(to);
    const uint64_t* f = Lanes(from);
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
    const uint64_t* condition = Lanes(m_.source(id, 0));
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
    const Inst& inst = m_.inst(id);
    const Op op = inst.op;
    if (inst.num_results == 1 && inst.num_sources != 0) {
      if (op == Op::kSelect && ChoosesUndefined(id, active)) return;
      if (in_.perturb_seed != 0) {
        if (Perturbed(id, op)) return Loosen(id);
        if (!IsDivision(op) && Exact(id)) return Loosen(id);
      }
      if (IsDivision(op)) {
        Exact(id);
        return UndefineQuotients(id, active);
      }
      if (Exact(id) || Approximate(id)) return;
    }
    if ((inst.flags & kIndexed) != 0) CheckIndex(id, active);
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
        return Number(id, [&](uint32_t lane) {
          return static_cast<uint32_t>(buffers_[PlaceOf(id, lane)].size);
        });
      case Op::kSsboAddress:
        return active.for_each([&](size_t lane) {
          const uint64_t address = AddressOfBuffer(PlaceOf(id, lane));
          Lanes(m_.result(id, 0))[lane] = address & 0xffffffff;
          Lanes(m_.result(id, 1))[lane] = address >> 32;
        });
      case Op::kLoadUbo:
      case Op::kLoadSsbo:
      case Op::kStoreSsbo:
      case Op::kSsboAtomic: return Buffer(id, active);
      case Op::kLoadPush: return Load(id, Of(in_.push_constants), active);
      case Op::kLoadShared: return Load(id, shared_memory_, active);
      case Op::kLoadConstant: return Load(id, Of(constant_data_), active);
      case Op::kStoreShared: return Store(id, shared_memory_, active);
      case Op::kSharedAtomic: return Atomic(id, shared_memory_, active);
      case Op::kLoadGlobal:
      case Op::kStoreGlobal:
      case Op::kGlobalAtomic:
      case Op::kGlobalAtomic64: return Global(id, active);
      case Op::kSample:
      case Op::kGather: return SampleTexels(id, active);
      case Op::kFetch:
      case Op::kImageLoad: return LoadTexels(id, active);
      case Op::kImageStore: return StoreTexels(id, active);
      case Op::kImageAtomic: return TexelAtomic(id, active);
      case Op::kImageSize:
      case Op::kImageLevels:
      case Op::kImageSamples: return QueryImage(id, active);
      case Op::kLoadPrivate: return LoadPrivate(id, active);
      case Op::kStorePrivate: return StorePrivate(id, active);
      case Op::kControlBarrier:
        ++moment_;
        if (inst.imm1 != static_cast<uint32_t>(Scope::kWorkgroup)) return;
        workgroup_moment_ = moment_;
        if (active.count() != lanes_) {
          ++statistics_.split_barriers;
          ++statistics_.undefined_results;
        }
        return;
      case Op::kMemoryBarrier: return;
      default:
        Fail(absl::InternalError(absl::StrCat("interpreter: no meaning for ", PrintInst(m_, id))));
    }
  }

  Type TypeOf(ValueId v) const { return m_.value(v).type; }

  bool Exact(InstId id) {
    return semantics::VisitExact(m_.inst(id).op, TypeOf(m_.result(id)), TypeOf(m_.source(id, 0)),
                                 flush_, [&](auto f) { ForLanes(id, f); });
  }
  bool Approximate(InstId id) {
    return VisitApproximate(m_.inst(id).op, TypeOf(m_.result(id)), flush_,
                            [&](auto f) { ForLanes(id, f); });
  }

  template <class F>
  void ForLanes(InstId id, F f) {
    using U = uint64_t;
    const uint32_t n = lanes_;
    U* r = Lanes(m_.result(id));
    const U* a = Lanes(m_.source(id, 0));
    if constexpr (std::is_invocable_v<F, U>) {
      for (uint32_t i = 0; i < n; ++i) r[i] = f(a[i]);
    } else {
      const U* b = Lanes(m_.source(id, 1));
      if constexpr (std::is_invocable_v<F, U, U>) {
        for (uint32_t i = 0; i < n; ++i) r[i] = f(a[i], b[i]);
      } else {
        const U* c = Lanes(m_.source(id, 2));
        if constexpr (std::is_invocable_v<F, U, U, U>) {
          for (uint32_t i = 0; i < n; ++i) r[i] = f(a[i], b[i], c[i]);
        } else {
          const U* d = Lanes(m_.source(id, 3));
          for (uint32_t i = 0; i < n; ++i) r[i] = f(a[i], b[i], c[i], d[i]);
        }
      }
    }
  }

  // Where random numbers start: elsewhere for each seed.
  uint64_t Seeds() const {
    const uint64_t seed = uint64_t{in_.perturb_seed} + in_.undefined_seed + in_.shuffle_seed;
    return seed * 0xd1342543de82ef95u;   // odd, so that no two seeds start at one place
  }

  static double ToDouble(Type type, uint64_t bits) {
    const uint32_t x = static_cast<uint32_t>(bits);
    return semantics::AsFloat(type == Type::kF16 ? semantics::HalfToFloat(x) : x);
  }

  // Executes a float op with random rounding.
  bool Perturbed(InstId id, Op op) {
    const Type type = TypeOf(m_.result(id));
    const bool sum = op == Op::kFadd || op == Op::kFsub || op == Op::kFmul || op == Op::kFfma;
    if (sum && (m_.inst(id).flags & kNoContraction) != 0) return false;
    if (op == Op::kF2f16 || (op == Op::kF2f && type == Type::kF16)) return RoundEitherWay(id);
    if (!sum && op != Op::kFdiv && op != Op::kFsqrt && op != Op::kFrcp) {
      if (!Approximate(id)) return false;
    } else {
      Exact(id);
    }
    uint64_t* r = Lanes(m_.result(id));
    for (uint32_t i = 0; i < lanes_; ++i) {
      if (std::isnan(ToDouble(type, r[i]))) r[i] ^= Random() & NanBits(type);
      if (!MayMove(type, r[i], 1)) continue;
      double x[3] = {0, 0, 0};
      for (int s = 0; s < m_.inst(id).num_sources; ++s) {
        const ValueId source = m_.source(id, s);
        x[s] = ToDouble(TypeOf(source), Lanes(source)[i]);
      }
      r[i] += Noise(AllowedUlps(op, x[0], x[1], x[2], ToDouble(type, r[i])));
    }
    return true;
  }

  // Of a quiet NaN: what arithmetic that makes one may leave there, the sign and all below the quiet bit.
  // Source: Vulkan specification, "Precision and Operation of SPIR-V Instructions", which asks for no sign
  // and no payload.
  static uint64_t NanBits(Type type) { return type == Type::kF16 ? 0x81ff : 0x803fffff; }

  // A conversion to half is rounded correctly, which for Vulkan is to either of the neighbours unless a
  // rounding mode is asked for. One seed in four rounds all of them towards zero, as some targets do:
  // what each result loses so adds up where random directions would cancel.
  bool RoundEitherWay(InstId id) {
    Exact(id);
    if (m_.round_to_zero) return true;
    uint64_t* r = Lanes(m_.result(id));
    const uint64_t* a = Lanes(m_.source(id, 0));
    for (uint32_t i = 0; i < lanes_; ++i) {
      const double exact = ToDouble(Type::kF32, a[i]), nearest = ToDouble(Type::kF16, r[i]);
      if (!std::isfinite(exact) || exact == nearest || (exact != 0 && nearest == 0)) continue;
      const bool is_beyond = std::fabs(nearest) > std::fabs(exact);
      const bool to_zero = in_.perturb_seed % 4 == 1 || RandomUnit() < 0;
      if (to_zero && is_beyond) --r[i];
      if (!to_zero && !is_beyond) ++r[i];
    }
    return true;
  }

  void Loosen(InstId id) {
    if (id.index >= in_.loose_ulps.size() || in_.loose_ulps[id.index] == 0) return;
    const Type type = TypeOf(m_.result(id));
    uint64_t* r = Lanes(m_.result(id));
    for (uint32_t i = 0; i < lanes_; ++i) {
      if (MayMove(type, r[i], 16)) r[i] += Noise(in_.loose_ulps[id.index]);
    }
  }

  // True for finite floats with an exponent from `least` on, short of the greatest, so that some
  // units in the last place lead to another such.
  static bool MayMove(Type type, uint64_t bits, uint32_t least) {
    const uint32_t x = static_cast<uint32_t>(bits);
    if (type == Type::kF16) return ((x >> 10) & 31) >= std::min(least, 4u) && ((x >> 10) & 31) < 30;
    return ((x >> 23) & 255) >= least && ((x >> 23) & 255) < 254;
  }

  // A random integer between -ulps and ulps, as bits to add to those of a float.
  uint64_t Noise(double ulps) {
    return static_cast<uint64_t>(int64_t{std::lround(RandomUnit() * ulps)});
  }

  static bool IsDivision(Op op) {
    return op == Op::kUdiv || op == Op::kSdiv || op == Op::kUrem || op == Op::kSrem ||
           op == Op::kSmod;
  }

  // Counts the divisions of integers that SPIR-V leaves undefined: by 0, and of the least number by -1.
  void UndefineQuotients(InstId id, const BitSet& active) {
    const Type type = TypeOf(m_.result(id));
    const bool is_unsigned = m_.inst(id).op == Op::kUdiv || m_.inst(id).op == Op::kUrem;
    const uint64_t mask = MaskOf(type), least = mask - (mask >> 1);
    const uint64_t* a = Lanes(m_.source(id, 0));
    const uint64_t* b = Lanes(m_.source(id, 1));
    uint64_t* r = Lanes(m_.result(id));
    active.for_each([&](size_t lane) {
      const bool overflows = !is_unsigned && (b[lane] & mask) == mask && (a[lane] & mask) == least;
      if ((b[lane] & mask) != 0 && !overflows) return;
      ++statistics_.undefined_results;
      if (in_.undefined_seed != 0) r[lane] = Undefined(type);
    });
  }

  // A select between a value and an undefined one that takes the latter may take the former: see
  // LaunchInputs::prefers_defined. False if it is a select as any other.
  bool ChoosesUndefined(InstId id, const BitSet& active) {
    if (in_.undefined_seed == 0 && !in_.prefers_defined) return false;
    const auto is_undefined = [&](int source) {
      return m_.value(m_.source(id, source)).kind == Value::Kind::kUndef;
    };
    if (is_undefined(1) == is_undefined(2)) return false;
    const int defined = is_undefined(1) ? 2 : 1;
    const uint64_t* condition = Lanes(m_.source(id, 0));
    const uint64_t* value = Lanes(m_.source(id, defined));
    uint64_t* r = Lanes(m_.result(id));
    active.for_each([&](size_t lane) {
      const bool is_chosen = (condition[lane] != 0) == (defined == 1);
      statistics_.undefined_results += !is_chosen;
      r[lane] = is_chosen || in_.undefined_seed == 0 ? value[lane] : Undefined(TypeOf(m_.result(id)));
    });
    return true;
  }

  // A descriptor's index that active lanes of a subgroup do not share, although nothing says so: which
  // of theirs is taken is undefined. With random undefined results it is the first lane's for all. So is what an
  // index beyond the array finds.
  void CheckIndex(InstId id, const BitSet& active) {
    one_index_ = nullptr;
    const uint64_t* index = Lanes(m_.source(id, 0));
    const uint32_t count = descriptor_counts_[m_.inst(id).imm0];
    const bool shared = (m_.inst(id).flags & kNonUniform) == 0;
    bool differs = false;
    const int64_t before = statistics_.outside_descriptors;
    ForSubgroups(active, [&](uint32_t first) {
      const uint64_t elected = index[FirstActive(active, first)];
      for (uint32_t lane = first; lane < SubgroupEnd(first); ++lane) {
        if (!active.test(lane)) continue;
        differs |= shared && index[lane] != elected;
        statistics_.outside_descriptors += count != 0 && index[lane] >= count;
      }
    });
    statistics_.undefined_results += statistics_.outside_descriptors - before;
    if (!differs) return;
    ++statistics_.undefined_results;
    if (in_.undefined_seed != 0) one_index_ = &active;
  }

  // Random if that is wanted: for odd seeds small integers and floats near 1. For every fourth seed it is
  // the same each time, with seed 4 zero: targets give one and the same result for the same operands, and
  // what is computed from several of those shows another side than from independent ones.
  uint64_t Undefined(Type type) {
    if (in_.undefined_seed == 0 || in_.undefined_seed == 4) return 0;
    const uint64_t bits = in_.undefined_seed % 4 == 0 ? Seeds() * 0x9e3779b97f4a7c15u : Random();
    if (type == Type::kBool) return bits & 1;
    if (IsFloat(type)) return UndefinedFloat(type, bits);
    if (in_.undefined_seed % 2 != 0) return bits & 7;
    return bits & (BytesOf(type) == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * BytesOf(type))) - 1);
  }

  // For odd seeds floats of which sums tell something: from 1 to 2, of both signs. For even ones of many
  // magnitudes, and zero, infinity and NaN, since clamps and comparisons hide others.
  uint64_t UndefinedFloat(Type type, uint64_t bits) const {
    const bool half = type == Type::kF16;
    const int fraction_bits = half ? 10 : 23, bias = half ? 15 : 127, most = half ? 12 : 40;
    const uint64_t sign = (bits & 1) << (half ? 15 : 31);
    const uint64_t fraction = bits >> 1 & ((uint64_t{1} << fraction_bits) - 1);
    const auto exponent = [&](int e) { return static_cast<uint64_t>(e) << fraction_bits; };
    if (in_.undefined_seed % 2 != 0) return sign | exponent(bias) | fraction;
    switch (bits >> 60) {
      case 0: return sign;
      case 1: return sign | exponent(2 * bias + 1);
      case 2: return exponent(2 * bias + 1) | uint64_t{1} << (fraction_bits - 1);
      default:
        return sign | exponent(bias - most + static_cast<int>((bits >> 32) % (2u * most))) | fraction;
    }
  }

  // The numbers below n in random order.
  std::vector<uint32_t> Shuffled(uint64_t n) {
    std::vector<uint32_t> order(n);
    for (uint32_t i = 0; i < n; ++i) {
      const uint32_t k = static_cast<uint32_t>(Random() >> 32) % (i + 1);
      order[i] = order[k];
      order[k] = i;
    }
    return order;
  }

  // SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): the n-th
  // number of one seed says nothing about the n-th of the next one, so that runs of several seeds try
  // every place anew.
  uint64_t Random() {
    uint64_t x = noise_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  // From -1 to 1.
  double RandomUnit() { return static_cast<double>(Random() >> 40) / 8388608.0 - 1.0; }

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

  void Broadcast(InstId id, uint32_t x) { std::fill_n(Lanes(m_.result(id)), lanes_, x); }

  template <class F>
  void Number(InstId id, F f) {
    uint64_t* r = Lanes(m_.result(id));
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
        from = static_cast<uint32_t>(Lanes(m_.source(id, 1))[elected]);
      } else if (inst.op != Op::kReadFirst) {
        const uint32_t index =
            inst.op == Op::kShuffle ? static_cast<uint32_t>(Lanes(m_.source(id, 1))[lane]) : 0;
        from = SourceLane(inst, lane - first, index);
      }
      const bool there = from < SubgroupEnd(first) - first && active.test(first + from);
      const bool agreed = inst.op != Op::kReadLane || Lanes(m_.source(id, 1))[lane] == from;
      uint64_t& result = Lanes(m_.result(id))[lane];
      result = there ? value[first + from] : 0;
      if (!active.test(lane) || (there && agreed)) continue;
      ++statistics_.undefined_results;
      if (in_.undefined_seed != 0) result = Undefined(TypeOf(m_.result(id)));
    }
  }

  void Reduce(InstId id, const BitSet& active, uint32_t first) {
    const Inst& inst = m_.inst(id);
    const ReduceOp op = static_cast<ReduceOp>(inst.imm0);
    const Type type = TypeOf(m_.result(id));
    SubgroupValues<uint64_t> lanes(in_.subgroup_size);
    for (uint32_t lane = first; lane < SubgroupEnd(first); ++lane) {
      if (active.test(lane)) lanes[lane - first] = Lanes(m_.source(id, 0))[lane];
    }
    const bool rounds = op == ReduceOp::kFadd || op == ReduceOp::kFmul;
    semantics::VisitExact(OpOf(op), type, type, flush_, [&](auto exact) {
      if constexpr (std::is_invocable_v<decltype(exact), uint64_t, uint64_t>) {
        const auto combine = [&](uint64_t a, uint64_t b) {
          const uint64_t x = exact(a, b);
          return rounds && in_.perturb_seed != 0 && MayMove(type, x, 16) ? x + Noise(1) : x;
        };
        const uint32_t size = in_.subgroup_size;
        if (inst.op == Op::kReduce) {
          ReduceLanes(combine, inst.imm1 == 0 ? size : std::min(inst.imm1, size), lanes);
        } else if (inst.op == Op::kInclusiveScan) {
          ScanLanes(combine, size, lanes);
        } else {
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

  // The byte offset of element i of an access at `offset`, or false if the element is outside.
  bool Inside(uint64_t offset, int i, uint32_t size, const Memory& memory, uint64_t* at) {
    if (i == 0 && offset % size != 0) ++statistics_.misaligned_accesses;
    *at = offset / size * size + uint64_t{size} * static_cast<uint64_t>(i);
    if (*at + size <= memory.size) return true;
    ++statistics_.outside_accesses;
    statistics_.outside_local_accesses += memory.local;
    statistics_.outside_addresses += memory.by_address;
    return false;
  }

  // Looks for races of this access with earlier ones, and remembers it. True if one of them is a write.
  bool Note(InstId id, const Memory& memory, uint64_t at, uint32_t size, size_t lane,
            AccessKind kind, bool same) {
    if (memory.accesses == nullptr) return false;
    bool after_write = false;
    for (uint64_t granule = at / granule_; granule < (at + size) / granule_; ++granule) {
      Access& access = (*memory.accesses)[granule];
      after_write |= NoteGranule(id, access, lane, kind, same);
      if (kind != AccessKind::kRead && !same) {
        std::memcpy(&access.before, memory.bytes + granule * granule_, granule_);
      }
    }
    return after_write;
  }

  bool NoteGranule(InstId id, Access& a, size_t lane, AccessKind kind, bool same) {
    const uint32_t me = InvocationOf(lane);
    bool after_write = Unordered(kind == AccessKind::kAtomic ? a.stores : a.atomics, me);
    bool race = false;
    switch (kind) {
      case AccessKind::kRead:
        after_write |= Unordered(a.stores, me);
        Remember(me, &a.loads);
        break;
      case AccessKind::kWrite:
        if (!same) {
          after_write |= Unordered(a.stores, me) || Unordered(a.quiet_stores, me);
          race = Unordered(a.loads, me);
        }
        Remember(me, same ? &a.quiet_stores : &a.stores);
        break;
      case AccessKind::kAtomic:
        after_write |= Unordered(a.quiet_stores, me);
        race = Unordered(a.loads, me);
        Remember(me, &a.atomics);
        break;
    }
    race |= after_write;
    if (race && statistics_.races++ == 0) statistics_.first_race_spirv_id = m_.inst(id).spirv_id;
    return after_write;
  }

  uint32_t InvocationOf(size_t lane) const {
    return groups_run_ * lanes_ + static_cast<uint32_t>(lane);
  }

  bool OfOneSubgroup(uint32_t a, uint32_t b) const {
    return a / lanes_ == b / lanes_ &&
           a % lanes_ / in_.subgroup_size == b % lanes_ / in_.subgroup_size;
  }

  // Is one of these accesses, not by `me`, unordered with one that `me` makes now? A barrier of this
  // group orders them, or one of the subgroup if both are of one subgroup. Moments do not fall, so that
  // what is older than an ordered access of the same subgroup or group is ordered as well.
  bool Unordered(const Trace& t, uint32_t me) const {
    if (t.moment == 0) return false;
    if (t.first_group != groups_run_) return true;
    if (!OfOneSubgroup(t.who, me)) return t.moment >= workgroup_moment_;
    return t.other_moment >= workgroup_moment_ ||
           (t.moment >= moment_ && (t.who != me || t.several));
  }

  void Remember(uint32_t me, Trace* t) const {
    const bool first = t->moment == 0;
    const bool together = !first && OfOneSubgroup(t->who, me);
    if (first) t->first_group = groups_run_;
    if (!first && !together) t->other_moment = t->moment;
    t->several = together && t->moment == moment_ && (t->several || t->who != me);
    t->who = me;
    t->moment = moment_;
  }

  // With a random order: does a racing access come before the write that it follows here?
  bool ComesBefore(bool after_write) {
    return after_write && in_.shuffle_seed != 0 && RandomUnit() < 0;
  }

  template <class F>
  void ForActive(const BitSet& active, F f) {
    if (in_.shuffle_seed != 0) {
      for (const uint32_t lane : Shuffled(lanes_)) {
        if (active.test(lane)) f(lane);
      }
      return;
    }
    if (!in_.opposite_order) return active.for_each(f);
    for (size_t lane = lanes_; lane-- > 0;) {
      if (active.test(lane)) f(lane);
    }
  }

  void Load(InstId id, const Memory& memory, const BitSet& active) {
    const uint64_t* offset = Lanes(m_.source(id, OffsetSource(m_.inst(id))));
    ForActive(active, [&](size_t lane) { LoadAt(id, memory, offset[lane], lane); });
  }

  void LoadAt(InstId id, const Memory& memory, uint64_t offset, size_t lane) {
    const uint32_t size = ElementBytes(id);
    for (int i = 0; i < m_.inst(id).num_results; ++i) {
      uint64_t x = 0;
      uint64_t at;
      if (Inside(offset, i, size, memory, &at)) {
        std::memcpy(&x, memory.bytes + at, size);
        if (ComesBefore(Note(id, memory, at, size, lane, AccessKind::kRead, false))) {
          x = Before(memory, at, size, lane);
        }
      } else if (memory.local) {
        x = Undefined(TypeOf(m_.result(id, i)));
      }
      Lanes(m_.result(id, i))[lane] = x;
    }
  }

  void Store(InstId id, const Memory& memory, const BitSet& active) {
    const uint64_t* offset = Lanes(m_.source(id, OffsetSource(m_.inst(id))));
    ForActive(active, [&](size_t lane) { StoreAt(id, memory, offset[lane], lane); });
  }

  void StoreAt(InstId id, const Memory& memory, uint64_t offset, size_t lane) {
    const uint32_t size = ElementBytes(id);
    const int first = FirstValueSource(m_.inst(id));
    for (int i = first; i < m_.inst(id).num_sources; ++i) {
      uint64_t at;
      if (!Inside(offset, i - first, size, memory, &at) && !Strays(memory, size, &at)) continue;
      const uint64_t* value = &Lanes(m_.source(id, i))[lane];
      if (ComesBefore(Note(id, memory, at, size, lane, AccessKind::kWrite,
                           std::memcmp(memory.bytes + at, value, size) == 0))) {
        continue;
      }
      std::memcpy(memory.bytes + at, value, size);
    }
  }

  // What the lane finds if it comes before the writes that it is not ordered with.
  uint64_t Before(const Memory& memory, uint64_t at, uint32_t size, size_t lane) const {
    const uint32_t me = InvocationOf(lane);
    uint64_t x = 0;
    for (uint32_t k = 0; k < size; k += granule_) {
      const Access& a = (*memory.accesses)[(at + k) / granule_];
      const bool stale = Unordered(a.stores, me) || Unordered(a.atomics, me);
      std::memcpy(reinterpret_cast<uint8_t*>(&x) + k,
                  stale ? static_cast<const void*>(&a.before) : memory.bytes + at + k, granule_);
    }
    return x;
  }

  // With random undefined results a store outside of shared memory or of a private array may hit
  // anything in it.
  bool Strays(const Memory& memory, uint32_t size, uint64_t* at) {
    if (in_.undefined_seed == 0 || !memory.local || memory.size < size || RandomUnit() < 0) {
      return false;
    }
    *at = *at % (memory.size / size * size);
    return true;
  }

  void Atomic(InstId id, const Memory& memory, const BitSet& active) {
    const uint64_t* offset = Lanes(m_.source(id, OffsetSource(m_.inst(id))));
    ForActive(active, [&](size_t lane) { AtomicAt(id, memory, offset[lane], lane); });
  }

  void AtomicAt(InstId id, const Memory& memory, uint64_t offset, size_t lane) {
    const AtomicOp op = static_cast<AtomicOp>(m_.inst(id).imm1);
    const uint32_t size = ElementBytes(id);
    const int first = FirstValueSource(m_.inst(id));
    const int operands = AtomicOperands(op);
    const uint64_t value = operands == 0 ? 0 : Lanes(m_.source(id, first + operands - 1))[lane];
    const uint64_t comparator = operands < 2 ? 0 : Lanes(m_.source(id, first))[lane];
    uint64_t old = 0;
    uint64_t at;
    if (Inside(offset, 0, size, memory, &at)) {
      std::memcpy(&old, memory.bytes + at, size);
      Note(id, memory, at, size, lane, AccessKind::kAtomic, false);
      const uint64_t next =
          IsFloatAtomic(op) ? FloatAtomicResult(op, flush_, m_.value(m_.result(id)).type,
                                                static_cast<uint32_t>(old),
                                                static_cast<uint32_t>(value))
          : size == 8 ? AtomicResult(op, old, value, comparator)
                      : AtomicResult(op, static_cast<uint32_t>(old), static_cast<uint32_t>(value),
                                   static_cast<uint32_t>(comparator));
      std::memcpy(memory.bytes + at, &next, size);
    } else if (memory.local) {
      old = Undefined(m_.value(m_.result(id)).type);
    }
    Lanes(m_.result(id))[lane] = old;
  }

  // The same with pairs of dwords.
  void WideAtomicAt(InstId id, const Memory& memory, uint64_t offset, size_t lane) {
    const auto op = static_cast<AtomicOp>(m_.inst(id).imm1);
    const int operands = AtomicOperands(op);
    const auto operand = [&](int n) {
      return Lanes(m_.source(id, 2 + 2 * n))[lane] | Lanes(m_.source(id, 3 + 2 * n))[lane] << 32;
    };
    uint64_t old = 0;
    uint64_t at;
    if (Inside(offset, 0, 8, memory, &at)) {
      std::memcpy(&old, memory.bytes + at, 8);
      Note(id, memory, at, 8, lane, AccessKind::kAtomic, false);
      const uint64_t next = AtomicResult(op, old, operands == 0 ? 0 : operand(operands - 1),
                                         operands < 2 ? 0 : operand(0));
      std::memcpy(memory.bytes + at, &next, 8);
    }
    Lanes(m_.result(id, 0))[lane] = old & 0xffffffff;
    Lanes(m_.result(id, 1))[lane] = old >> 32;
  }

  // Access to a buffer, perhaps one that each lane chooses.
  void Buffer(InstId id, const BitSet& active) {
    const Op op = m_.inst(id).op;
    const uint64_t* offset = Lanes(m_.source(id, OffsetSource(m_.inst(id))));
    ForActive(active, [&](size_t lane) {
      const Memory& memory = buffers_[PlaceOf(id, lane)];
      if (op == Op::kStoreSsbo) return StoreAt(id, memory, offset[lane], lane);
      if (op == Op::kSsboAtomic) return AtomicAt(id, memory, offset[lane], lane);
      LoadAt(id, memory, offset[lane], lane);
      if (!ReadsBeyondDescriptors(id, lane)) return;
      for (int i = 0; i < m_.inst(id).num_results; ++i) {
        Lanes(m_.result(id, i))[lane] = Undefined(TypeOf(m_.result(id, i)));
      }
    });
  }

  // Access by address.
  void Global(InstId id, const BitSet& active) {
    const uint64_t* low = Lanes(m_.source(id, 0));
    const uint64_t* high = Lanes(m_.source(id, 1));
    const Op op = m_.inst(id).op;
    ForActive(active, [&](size_t lane) {
      const uint64_t address = high[lane] << 32 | low[lane];
      uint64_t offset = 0;
      const Memory memory = At(address, &offset);
      if (op == Op::kLoadGlobal) return LoadAt(id, memory, offset, lane);
      if (op == Op::kStoreGlobal) return StoreAt(id, memory, offset, lane);
      if (op == Op::kGlobalAtomic64) return WideAtomicAt(id, memory, offset, lane);
      AtomicAt(id, memory, offset, lane);
    });
  }

  // Buffers that were given no address lie where no client's do.
  uint64_t AddressOfBuffer(size_t place) const {
    constexpr uint64_t kFirst = uint64_t{1} << 47;
    const uint64_t given = in_.buffers[place].address;
    return given != 0 ? given : kFirst + (uint64_t{place} << 32);
  }

  // Without bytes if no buffer has the address.
  Memory At(uint64_t address, uint64_t* offset) const {
    for (const auto& [start, memory] : addressed_) {
      if (address < start || address - start >= memory.size) continue;
      *offset = address - start;
      return memory;
    }
    Memory nowhere;
    nowhere.by_address = true;
    return nowhere;
  }

  // ---- Texels ----

  absl::Span<const uint32_t> LaneSources(InstId id, size_t lane) {
    lane_sources_.clear();
    for (ValueId v : m_.sources(id)) lane_sources_.push_back(static_cast<uint32_t>(Lanes(v)[lane]));
    return lane_sources_;
  }

  void SetTexel(InstId id, size_t lane, const Texel& texel) {
    for (int i = 0; i < m_.inst(id).num_results; ++i) Lanes(m_.result(id, i))[lane] = texel[i];
  }

  const BoundSampler& SamplerOf(InstId id, size_t lane) {
    const Inst& inst = m_.inst(id);
    const uint32_t sampler = m_.texel_ops[inst.imm1].sampler;
    if (sampler == TexelOp::kNoSampler) {
      return in_.samplers[descriptors_.SamplerPlace(inst.imm0, IndexOf(id, lane))];
    }
    const int source = TexelSourcesOf(m_, id).sampler_index;
    const uint64_t index = source < 0 ? 0 : Lanes(m_.source(id, source))[lane];
    return in_.samplers[descriptors_.Place(sampler, static_cast<uint32_t>(index))];
  }

  void SampleTexels(InstId id, const BitSet& active) {
    ForActive(active, [&](size_t lane) {
      // Random rounding: coordinates have 8 bits of a texel (Vulkan's subTexelPrecisionBits).
      std::array<double, 4> noise = {0, 0, 0, 0};
      for (double& x : noise) x = in_.perturb_seed == 0 ? 0 : RandomUnit() / 256;
      SetTexel(id, lane, SampledTexel(m_, id, LaneSources(id, lane), in_.images[PlaceOf(id, lane)],
                                      SamplerOf(id, lane), noise));
    });
  }

  void QueryImage(InstId id, const BitSet& active) {
    ForActive(active, [&](size_t lane) {
      SetTexel(id, lane,
               QueriedTexel(m_, id, LaneSources(id, lane), in_.images[PlaceOf(id, lane)]));
    });
  }

  // The texel of a lane; those outside are counted.
  std::optional<uint64_t> TexelOf(InstId id, size_t lane, const BoundImage& image) {
    const std::optional<uint64_t> texel = NamedTexel(m_, id, LaneSources(id, lane), image);
    if (!texel.has_value()) ++statistics_.outside_accesses;
    return texel;
  }

  bool NoteTexel(InstId id, size_t place, uint64_t texel, size_t lane, AccessKind kind, bool same) {
    if (images_[place].accesses == nullptr) return false;
    return NoteGranule(id, (*images_[place].accesses)[texel], lane, kind, same);
  }

  void LoadTexels(InstId id, const BitSet& active) {
    ForActive(active, [&](size_t lane) {
      const size_t place = PlaceOf(id, lane);
      const std::optional<uint64_t> texel = TexelOf(id, lane, in_.images[place]);
      SetTexel(id, lane, texel.has_value() ? in_.images[place].Read(*texel) : in_.images[place].Outside());
      if (texel.has_value()) NoteTexel(id, place, *texel, lane, AccessKind::kRead, false);
    });
  }

  void StoreTexels(InstId id, const BitSet& active) {
    const int first = TexelSourcesOf(m_, id).values;
    ForActive(active, [&](size_t lane) {
      const size_t place = PlaceOf(id, lane);
      BoundImage& image = in_.images[place];
      const std::optional<uint64_t> texel = TexelOf(id, lane, image);
      if (!texel.has_value()) return;
      Texel value;
      for (int c = 0; c < 4; ++c) {
        value[c] = static_cast<uint32_t>(Lanes(m_.source(id, first + c))[lane]);
      }
      const Texel before = image.Read(*texel);
      image.Write(*texel, value);
      const bool after_write =
          NoteTexel(id, place, *texel, lane, AccessKind::kWrite, image.Read(*texel) == before);
      if (ComesBefore(after_write)) image.Write(*texel, before);
    });
  }

  void TexelAtomic(InstId id, const BitSet& active) {
    const AtomicOp op = m_.texel_ops[m_.inst(id).imm1].atomic;
    const TexelSources s = TexelSourcesOf(m_, id);
    const auto operand = [&](int n, size_t lane) {
      return n < 0 ? 0 : static_cast<uint32_t>(Lanes(m_.source(id, s.values + n))[lane]);
    };
    ForActive(active, [&](size_t lane) {
      const size_t place = PlaceOf(id, lane);
      BoundImage& image = in_.images[place];
      const std::optional<uint64_t> texel = TexelOf(id, lane, image);
      uint32_t old = 0;
      if (texel.has_value() && FormatOf(image.format).Bytes() == 4) {
        uint8_t* bytes = image.bytes.data() + 4 * *texel;
        std::memcpy(&old, bytes, 4);
        NoteTexel(id, place, *texel, lane, AccessKind::kAtomic, false);
        const uint32_t next =
            IsFloatAtomic(op)
                ? FloatAtomicResult(op, flush_, Type::kF32, old, operand(s.num_values - 1, lane))
                : AtomicResult(op, old, operand(s.num_values - 1, lane),
                               operand(s.num_values - 2, lane));
        std::memcpy(bytes, &next, 4);
      }
      Lanes(m_.result(id))[lane] = old;
    });
  }

  // Private arrays are kept lane by lane.
  Memory PrivateMemory(InstId id, size_t lane) {
    const uint32_t array = m_.inst(id).imm0;
    const uint32_t bytes = m_.private_arrays[array].bytes;
    return {private_.data() + private_start_[array] + lane * bytes, bytes, nullptr, true};
  }

  void LoadPrivate(InstId id, const BitSet& active) {
    const uint64_t* offset = Lanes(m_.source(id, OffsetSource(m_.inst(id))));
    active.for_each([&](size_t lane) { LoadAt(id, PrivateMemory(id, lane), offset[lane], lane); });
  }

  void StorePrivate(InstId id, const BitSet& active) {
    const uint64_t* offset = Lanes(m_.source(id, OffsetSource(m_.inst(id))));
    active.for_each([&](size_t lane) { StoreAt(id, PrivateMemory(id, lane), offset[lane], lane); });
  }

  const Module& m_;
  LaunchInputs& in_;
  const InterpLimits limits_;
  InterpStatistics statistics_;
  absl::Status error_;
  uint64_t noise_ = Seeds();
  const BitSet* one_index_ = nullptr;   // lanes that take the descriptor of the first of their subgroup

  uint32_t lanes_ = 0;
  std::array<uint32_t, 3> group_ = {0, 0, 0};
  semantics::Flush flush_;
  uint32_t granule_ = 4;                   // bytes
  std::vector<uint64_t> registers_;        // value by value, all lanes of a value together
  Descriptors descriptors_{m_, in_};
  std::vector<uint32_t> descriptor_counts_;   // by resource: how many its array has
  std::vector<Memory> buffers_;            // as LaunchInputs::buffers
  std::vector<Memory> images_;             // as LaunchInputs::images
  std::vector<std::pair<uint64_t, Memory>> addressed_;
  std::vector<uint8_t> shared_;
  Memory shared_memory_;
  std::vector<std::vector<Access>> accesses_;         // by buffer
  std::vector<std::vector<Access>> texel_accesses_;   // by image
  std::vector<uint32_t> lane_sources_;
  std::vector<Access> shared_accesses_;
  uint32_t moment_ = 0;
  uint32_t workgroup_moment_ = 0;          // of the last barrier of the workgroup
  uint32_t group_start_ = 0;               // the moment at which the group began
  uint32_t groups_run_ = 0;
  std::vector<uint8_t> constant_data_;
  std::vector<uint8_t> private_;
  std::vector<size_t> private_start_;
  std::vector<uint64_t> scratch_;
  std::vector<LoopFrame> loops_;
};

}  // namespace

absl::StatusOr<InterpStatistics> Interpret(const Module& module, LaunchInputs& inputs,
                                           const InterpLimits& limits) {
  return Interpreter(module, inputs, limits).Run();
}

}  // namespace kiln::oracle
