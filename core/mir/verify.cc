#include "core/mir/verify.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/mir/immediates.h"
#include "core/mir/print.h"
#include "core/mir/verify_stage.h"

namespace kiln::mir {
namespace {

class Verifier {
 public:
  explicit Verifier(const Module& module) : m_(module) {}

  absl::Status Run() {
    if (Header() && ValueTable()) {
      inst_seen_.assign(m_.insts.size(), false);
      region_seen_.assign(m_.regions.size(), false);
      visible_.assign(m_.values.size(), false);
      if (m_.body.index >= m_.regions.size()) {
        Fail(1, "the module has no body");
      } else {
        Region(m_.body, InstId(), 0);
      }
    }
    return error_.empty() ? absl::OkStatus() : absl::InternalError(error_);
  }

 private:
  // Remembers the first failure.
  bool Fail(int invariant, absl::string_view what) {
    if (!error_.empty()) return false;
    error_ = absl::StrCat("MIR invariant ", invariant, ": ", what);
    if (current_.valid()) absl::StrAppend(&error_, "\n  in: ", PrintInst(m_, current_));
    return false;
  }

  bool Header() {
    for (uint32_t n : m_.local_size) {
      if (n == 0) return Fail(10, "the local size is 0 in a dimension");
    }
    if (m_.shared_bytes % 4 != 0) return Fail(10, "shared memory is not a multiple of 4 bytes");
    for (const PrivateArray& a : m_.private_arrays) {
      if (a.bytes % 4 != 0) return Fail(10, "a private array is not a multiple of 4 bytes");
    }
    for (size_t i = 1; i < m_.resources.size(); ++i) {
      const Resource& a = m_.resources[i - 1];
      const Resource& b = m_.resources[i];
      if (!Precedes(a, b)) {
        return Fail(10, absl::StrCat("resource ", i, " is out of order or repeated"));
      }
    }
    for (const Resource& r : m_.resources) {
      const ImageInfo& image = r.image;
      if (r.kind > ResourceKind::kStorageTexelBuffer || image.dim > ImageDim::kBuffer ||
          image.component > ComponentType::kUint ||
          static_cast<size_t>(image.format) >= std::size(kFormatNames)) {
        return Fail(10, "a resource is of an unknown kind");
      }
      const bool texel_buffer = r.kind == ResourceKind::kUniformTexelBuffer ||
                                r.kind == ResourceKind::kStorageTexelBuffer;
      if (texel_buffer != (image.dim == ImageDim::kBuffer)) {
        return Fail(10, "exactly texel buffers have the dimension buffer");
      }
      if (!HasImage(r.kind) && image != ImageInfo())
        return Fail(10, "a resource that is not an image has image properties");
    }
    const absl::string_view fault = StageFault(m_);
    return fault.empty() ? Needs() : Fail(11, fault);
  }

  bool Needs() {
    for (size_t i = 0; i < m_.needs.size(); ++i) {
      const Need need = m_.needs[i].need;
      if (static_cast<int>(need) >= kNumNeeds) return Fail(14, "an unknown need");
      for (size_t k = 0; k < i; ++k) {
        if (m_.needs[k].need == need) return Fail(14, "a need is repeated");
      }
    }
    for (const FloatMode& mode : {m_.f16_mode, m_.f32_mode, m_.f64_mode}) {
      if (mode.rounding > RoundingMode::kToZero || mode.denorms > DenormMode::kFlush) {
        return Fail(14, "an unknown float control");
      }
    }
    for (const Needed& n : m_.needs) {
      if (n.need == Need::kFloat64 && (n.amount < 0 || n.amount >= kNumDoubleUses)) {
        return Fail(14, "an unknown use of 64-bit floats");
      }
    }
    bool modes[3] = {};  // by RoundingMode: that of a width in use
    modes[static_cast<int>(m_.f16_mode.rounding)] = true;
    modes[static_cast<int>(m_.f32_mode.rounding)] = true;
    if (m_.Needs(Need::kFloat64)) modes[static_cast<int>(m_.f64_mode.rounding)] = true;
    const bool differ = modes[static_cast<int>(RoundingMode::kToEven)] &&
                        modes[static_cast<int>(RoundingMode::kToZero)];
    return !differ || m_.Needs(Need::kRoundingByWidth) ||
           Fail(14, "rounding modes differ by width without the need");
  }

  static bool Precedes(const Resource& a, const Resource& b) {
    const auto place = [](const Resource& r) { return std::tie(r.set, r.binding, r.element); };
    if (place(a) != place(b)) return place(a) < place(b);
    const auto looks = [](const Resource& r) {
      return std::tie(r.kind, r.image.dim, r.image.arrayed, r.image.multisampled, r.image.component,
                      r.image.format);
    };
    return looks(a) < looks(b);
  }

  bool ValueTable() {
    const bool has_doubles = m_.Needs(Need::kFloat64);
    for (size_t i = 0; i < m_.values.size(); ++i) {
      const Value& v = m_.values[i];
      if (static_cast<int>(v.type) >= kNumTypes) {
        return Fail(1, absl::StrCat("value ", i, " has no type"));
      }
      if (v.type == Type::kF64 && !has_doubles) {
        return Fail(14, absl::StrCat("value ", i, " is a float of 64 bits without the need"));
      }
      if (v.kind == Value::Kind::kConstant && (v.bits & ~MaskOf(v.type)) != 0) {
        return Fail(7, absl::StrCat("constant, value ", i, ", has bits beyond its type's width"));
      }
    }
    return true;
  }

  // ---- The tree ----

  bool Region(RegionId region, InstId owner, int depth) {
    if (depth > kMaxNesting) return Fail(2, "nested more than 512 deep");
    if (region.index >= m_.regions.size()) return Fail(1, "a region does not exist");
    if (region_seen_[region.index]) return Fail(1, "a region has two owners");
    region_seen_[region.index] = true;
    const mir::Region& r = m_.region(region);
    const bool is_loop = owner.valid() && m_.inst(owner).op == Op::kLoop;
    if (!is_loop && !r.params.empty())
      return Fail(4, "a region that is not a loop body has parameters");
    if (is_loop && !Params(region, owner)) return false;

    const size_t outer = scope_.size();
    for (size_t i = 0; i < r.params.size(); ++i) MakeVisible(r.params[i]);
    if (r.insts.empty()) return Fail(3, "a region is empty");
    for (size_t i = 0; i < r.insts.size(); ++i) {
      if (!Instruction(r.insts[i], i + 1 == r.insts.size(), owner, depth)) return false;
    }
    while (scope_.size() > outer) {
      visible_[scope_.back().index] = false;
      scope_.pop_back();
    }
    return true;
  }

  bool Params(RegionId region, InstId loop) {
    const std::vector<ValueId>& params = m_.region(region).params;
    const absl::Span<const ValueId> initial = m_.sources(loop);
    if (params.size() != initial.size()) {
      return Fail(4, "the numbers of a loop's sources and its body's parameters differ");
    }
    for (size_t i = 0; i < params.size(); ++i) {
      if (params[i].index >= m_.values.size()) return Fail(1, "a parameter does not exist");
      const Value& v = m_.value(params[i]);
      if (v.kind != Value::Kind::kParam || v.owner != region.index || v.component != i) {
        return Fail(6, absl::StrCat("parameter ", i, " does not say that the region owns it"));
      }
      if (v.type != m_.value(initial[i]).type) {
        return Fail(4, absl::StrCat("source ", i, " of a loop is not of its parameter's type"));
      }
    }
    return true;
  }

  void MakeVisible(ValueId v) {
    visible_[v.index] = true;
    scope_.push_back(v);
  }

  bool Instruction(InstId id, bool last, InstId owner, int depth) {
    if (id.index >= m_.insts.size()) return Fail(1, "an instruction does not exist");
    if (static_cast<int>(m_.inst(id).op) >= NumOps()) return Fail(1, "an operation does not exist");
    const Inst& inst = m_.inst(id);
    if (inst.first_source > m_.operands.size() ||
        inst.num_sources > m_.operands.size() - inst.first_source) {
      return Fail(1, "sources are outside the pool");
    }
    if (inst.num_results != 0 && (inst.first_result.index >= m_.values.size() ||
                                  inst.num_results > m_.values.size() - inst.first_result.index)) {
      return Fail(1, "results do not exist");
    }
    for (int r = 0; r < inst.num_regions && r < 2; ++r) {
      if (inst.regions[r].index >= m_.regions.size()) return Fail(1, "a region does not exist");
    }
    const InstId outer = current_;
    current_ = id;
    if (inst_seen_[id.index]) return Fail(1, "an instruction is in two places");
    inst_seen_[id.index] = true;
    if (Info(inst.op).Has('T') != last) {
      return Fail(3, last ? "a region does not end with a terminator"
                          : "a terminator is not at the end of its region");
    }
    if (!HasOp(m_, id)) return Fail(12, "an op that is not allowed in the stage");
    if (!Sources(id) || !Types(id) || !Results(id) || !ImmediateValues(id) || !Flags(id)) {
      return false;
    }
    if (Info(inst.op).Has('T') && !Terminator(id, owner)) return false;
    if (!Nested(id, depth)) return false;
    for (int i = 0; i < inst.num_results; ++i) MakeVisible(m_.result(id, i));
    current_ = outer;
    return true;
  }

  bool Nested(InstId id, int depth) {
    const Inst& inst = m_.inst(id);
    const int expected = inst.op == Op::kIf ? 2 : inst.op == Op::kLoop ? 1 : 0;
    if (inst.num_regions != expected) return Fail(2, "wrong number of regions");
    if (inst.op == Op::kLoop) loops_.push_back(id);
    for (int r = 0; r < expected; ++r) {
      if (!Region(inst.regions[r], id, depth + 1)) return false;
    }
    if (inst.op == Op::kLoop) loops_.pop_back();
    return true;
  }

  bool Terminator(InstId id, InstId owner) {
    const Inst& inst = m_.inst(id);
    if (inst.op == Op::kUnreachable) return true;
    if (inst.op == Op::kReturn) {
      return !owner.valid() || Fail(3, "return is not at the end of the body");
    }
    if (!owner.valid()) return Fail(3, "the body does not end with return or unreachable");
    if (inst.op == Op::kYield) {
      if (m_.inst(owner).op != Op::kIf) return Fail(3, "yield does not end a region of an if");
      return Carries(id, owner, "results of the if");
    }
    if (loops_.empty()) return Fail(3, "break or continue is outside a loop");
    if (inst.op == Op::kBreak) return Carries(id, loops_.back(), "results of the loop");
    const std::vector<ValueId>& params = m_.region(m_.inst(loops_.back()).regions[0]).params;
    if (params.size() != inst.num_sources) return Fail(4, "continue does not fit the parameters");
    for (size_t i = 0; i < params.size(); ++i) {
      if (m_.value(params[i]).type != m_.value(m_.source(id, static_cast<int>(i))).type) {
        return Fail(4, absl::StrCat("value ", i, " of continue is not of the parameter's type"));
      }
    }
    return true;
  }

  // The values of the jump have the types of the results of `target`.
  bool Carries(InstId jump, InstId target, absl::string_view what) {
    if (m_.inst(jump).num_sources != m_.inst(target).num_results) {
      return Fail(4, absl::StrCat("the values carried do not fit the ", what));
    }
    for (int i = 0; i < m_.inst(jump).num_sources; ++i) {
      if (m_.value(m_.source(jump, i)).type != m_.value(m_.result(target, i)).type) {
        return Fail(4, absl::StrCat("value ", i, " carried is not of the type of the ", what));
      }
    }
    return true;
  }

  // ---- Values ----

  bool Sources(InstId id) {
    for (ValueId v : m_.sources(id)) {
      if (v.index >= m_.values.size()) return Fail(1, "a source does not exist");
      const Value::Kind kind = m_.value(v).kind;
      if (kind == Value::Kind::kConstant || kind == Value::Kind::kUndef) continue;
      if (!visible_[v.index]) {
        return Fail(6, absl::StrCat(PrintValue(m_, v), " is not defined where it is used"));
      }
    }
    return true;
  }

  bool Results(InstId id) {
    for (int i = 0; i < m_.inst(id).num_results; ++i) {
      const Value& v = m_.value(m_.result(id, i));
      if (v.kind != Value::Kind::kResult || v.owner != id.index || v.component != i) {
        return Fail(6, absl::StrCat("result ", i, " does not say that the instruction owns it"));
      }
    }
    return true;
  }

  Type SourceType(InstId id, int i) const { return m_.value(m_.source(id, i)).type; }
  Type ResultTypeOf(InstId id, int i) const { return m_.value(m_.result(id, i)).type; }

  bool Types(InstId id) {
    const Inst& inst = m_.inst(id);
    const OpInfo& info = Info(inst.op);
    if (info.sources >= 0 && inst.num_sources != info.sources) {
      return Fail(5, absl::StrCat("expected ", info.sources, " sources"));
    }
    if (info.results >= 0 && inst.num_results != info.results) {
      return Fail(5, absl::StrCat("expected ", info.results, " results"));
    }
    const size_t equals = info.signature.find('=');
    Bound bound;
    for (size_t i = 0; i < equals; ++i) {
      const char letter = info.signature[i];
      if (letter == '*') break;
      if (!Fits(letter, ResultTypeOf(id, static_cast<int>(i)), bound)) {
        return Fail(5, absl::StrCat("result ", i, " has the wrong type"));
      }
    }
    for (size_t i = 0; equals + 1 + i < info.signature.size(); ++i) {
      const char letter = info.signature[equals + 1 + i];
      if (letter == '*') break;
      if (i >= inst.num_sources) return Fail(5, "too few sources");
      if (!Fits(letter, SourceType(id, static_cast<int>(i)), bound)) {
        return Fail(5, absl::StrCat("source ", i, " has the wrong type"));
      }
    }
    if (info.Has('L') && ResultTypeOf(id, 0) == Type::kF64) {
      return Fail(5, "an op that is not of 64-bit floats");
    }
    return SpecialTypes(id);
  }

  // The type to which each letter of a signature is bound; -1: not met yet.
  struct Bound {
    int type[26];
    Bound() { std::fill(std::begin(type), std::end(type), -1); }
  };

  static bool Fits(char letter, Type type, Bound& bound) {
    const bool is_float = type == Type::kF16 || type == Type::kF32 || type == Type::kF64;
    bool allowed = false;
    switch (letter) {
      case 'b': allowed = type == Type::kBool; break;
      case 'u': allowed = type == Type::kI32; break;
      case 's': allowed = type == Type::kF32; break;
      case 'd': allowed = type == Type::kF64; break;
      case 'i':
      case 'j': allowed = !is_float && type != Type::kBool; break;
      case 'f':
      case 'g': allowed = is_float; break;
      case 'n': allowed = !is_float; break;
      case 't': allowed = true; break;
      default: return false;
    }
    int& b = bound.type[letter - 'a'];
    if (b < 0) b = static_cast<int>(type);
    return allowed && b == static_cast<int>(type);
  }

  // Types for which the signature says '*'.
  bool SpecialTypes(InstId id) {
    const Inst& inst = m_.inst(id);
    switch (inst.op) {
      case Op::kBitcast:
        if (SourceType(id, 0) == Type::kBool || SourceType(id, 0) == ResultTypeOf(id, 0) ||
            BitsOf(SourceType(id, 0)) != BitsOf(ResultTypeOf(id, 0))) {
          return Fail(5, "bitcast is between an integer and a float of one width");
        }
        return true;
      case Op::kZext:
      case Op::kSext:
        return BitsOf(SourceType(id, 0)) < BitsOf(ResultTypeOf(id, 0)) ||
               Fail(5, "an extension is to a wider type");
      case Op::kTrunc:
        return BitsOf(SourceType(id, 0)) > BitsOf(ResultTypeOf(id, 0)) ||
               Fail(5, "a truncation is to a narrower type");
      case Op::kF2f:
        return SourceType(id, 0) != ResultTypeOf(id, 0) || Fail(5, "f2f is to another width");
      case Op::kLoadUbo:
      case Op::kLoadSsbo:
      case Op::kLoadPush:
      case Op::kLoadShared:
      case Op::kLoadPrivate:
      case Op::kLoadConstant:
      case Op::kLoadGlobal:
        if (inst.num_results == 0) return Fail(5, "a load without results");
        if (inst.num_sources != FirstValueSource(inst) || !OffsetFits(id)) {
          return Fail(5, "a load has an offset, and an index before it if the resource is indexed");
        }
        for (int i = 0; i < inst.num_results; ++i) {
          if (ResultTypeOf(id, i) == Type::kBool) return Fail(5, "a bool is loaded");
          if (BitsOf(ResultTypeOf(id, i)) != BitsOf(ResultTypeOf(id, 0))) {
            return Fail(5, "the elements loaded differ in size");
          }
        }
        return true;
      case Op::kStoreSsbo:
      case Op::kStoreShared:
      case Op::kStorePrivate:
      case Op::kStoreGlobal: {
        const int first = FirstValueSource(inst);
        if (inst.num_sources <= first) return Fail(5, "a store without values");
        if (!OffsetFits(id)) return Fail(5, "the offset of a store is not an i32");
        for (int i = first; i < inst.num_sources; ++i) {
          if (SourceType(id, i) == Type::kBool) return Fail(5, "a bool is stored");
          if (BitsOf(SourceType(id, i)) != BitsOf(SourceType(id, first))) {
            return Fail(5, "the elements stored differ in size");
          }
        }
        return true;
      }
      case Op::kSsboSize:
      case Op::kSsboAddress:
        if (inst.num_sources != OffsetSource(inst) ||
            (inst.num_sources != 0 && SourceType(id, 0) != Type::kI32)) {
          return Fail(5, "ssbo_size has an i32 if the resource is indexed, else nothing");
        }
        return true;
      case Op::kGlobalAtomic64: return WideAtomic(id);
      case Op::kSharedAtomic64: return WideAtomic(id) && HasSharedInt64Atomics();
      case Op::kSsboAtomic:
      case Op::kGlobalAtomic: return Atomic(id);
      case Op::kSharedAtomic:
        return Atomic(id) && (ResultTypeOf(id, 0) != Type::kI64 || HasSharedInt64Atomics());
      case Op::kLoadInput:
      case Op::kInterpolate:
      case Op::kStoreOutput: {
        const absl::string_view fault = InterfaceUseFault(m_, id);
        return fault.empty() || Fail(13, fault);
      }
      case Op::kWorkgroupScan: return Scan(id);
      default: return IsTexelOp(inst.op) ? Texel(id) : true;
    }
  }

  // Integers of 32 bits: a count for each of one or two streams, two sums for each count.
  bool Scan(InstId id) {
    const Inst& inst = m_.inst(id);
    const int streams = inst.num_sources - 2;
    bool fits = (streams == 1 || streams == 2) && inst.num_results == 2 * streams;
    for (int i = 0; i < inst.num_sources; ++i) fits = fits && SourceType(id, i) == Type::kI32;
    for (int i = 0; i < inst.num_results; ++i) fits = fits && ResultTypeOf(id, i) == Type::kI32;
    return fits || Fail(5, "a scan has two i32 for each of one or two i32 streams");
  }

  // Both the index and the offset after it are i32.
  bool OffsetFits(InstId id) const {
    return SourceType(id, 0) == Type::kI32 &&
           SourceType(id, OffsetSource(m_.inst(id))) == Type::kI32;
  }

  // ---- Texel ops ----

  // Returns true for an offset up to `farthest`, or up to the amount of the need if it is listed.
  bool Reaches(Need need, int32_t farthest, int32_t x) const {
    for (const Needed& n : m_.needs) {
      if (n.need == need) farthest = n.amount;
    }
    return need == Need::kLeastTexelOffset ? x >= farthest : x <= farthest;
  }

  bool NeedsOffsets(Op op, const TexelOp& texel) {
    if (op != Op::kSample && op != Op::kSampleImplicit) return true;
    for (int8_t x : texel.offset) {
      if (!Reaches(Need::kLeastTexelOffset, kLeastTexelOffsetOfAll, x) ||
          !Reaches(Need::kGreatestTexelOffset, kGreatestTexelOffsetOfAll, x)) {
        return Fail(14, "a far texel offset without the need");
      }
    }
    return true;
  }

  bool Texel(InstId id) {
    const Inst& inst = m_.inst(id);
    if (inst.imm0 >= m_.resources.size()) return Fail(8, "no such resource");
    if (inst.imm1 >= m_.texel_ops.size()) return Fail(8, "no such texel op");
    const TexelOp& texel = m_.texel_ops[inst.imm1];
    const Resource& r = m_.resources[inst.imm0];
    if (!TexelKind(inst.op, r) || !TexelParams(inst.op, texel, r) ||
        !NeedsOffsets(inst.op, texel)) {
      return false;
    }
    const TexelSources s = TexelSourcesOf(m_, id);
    if (s.total != inst.num_sources) {
      return Fail(5, absl::StrCat("expected ", s.total, " sources of a texel op"));
    }
    return TexelSourceTypes(id, s) && TexelResults(id, r);
  }

  bool TexelKind(Op op, const Resource& r) {
    const bool query = op == Op::kImageSize || op == Op::kImageLevels || op == Op::kImageSamples;
    const bool sampled =
        r.kind == ResourceKind::kSampledImage || r.kind == ResourceKind::kCombinedImageSampler;
    const bool storage =
        r.kind == ResourceKind::kStorageImage || r.kind == ResourceKind::kStorageTexelBuffer;
    const bool fits = query              ? HasImage(r.kind)
                      : IsSampling(op)   ? sampled
                      : op == Op::kFetch ? sampled || r.kind == ResourceKind::kUniformTexelBuffer
                                         : storage;
    if (!fits) return Fail(8, "the resource is of another kind");
    return !r.read_only || !Info(op).Has('W') || Fail(8, "a read-only resource is written");
  }

  bool TexelParams(Op op, const TexelOp& texel, const Resource& r) {
    const bool filtered = IsSampling(op);
    uint32_t allowed = 0;
    if (op == Op::kSample) {
      allowed = kTexelSamplerIndex | kTexelDref | kTexelBias | kTexelLod | kTexelGrad |
                kTexelMinLod | kTexelOffsets;
    } else if (op == Op::kSampleImplicit) {
      allowed = kTexelSamplerIndex | kTexelDref | kTexelBias | kTexelMinLod | kTexelOffsets;
    } else if (op == Op::kImageLod) {
      allowed = kTexelSamplerIndex;
    } else if (op == Op::kGather) {
      allowed = kTexelSamplerIndex | kTexelDref | kTexelOffsets;
    } else if (op == Op::kFetch) {
      allowed = kTexelLod | kTexelSample;
    } else if (op == Op::kImageSize) {
      allowed = kTexelLod;
    } else if (op == Op::kImageLoad || op == Op::kImageStore || IsImageAtomic(op)) {
      allowed = kTexelSample;
    }
    if ((texel.params & ~allowed) != 0) return Fail(8, "a parameter that the op cannot have");
    const bool lod = (texel.params & kTexelLod) != 0;
    if (lod && (texel.params & (kTexelGrad | kTexelBias | kTexelMinLod)) != 0) {
      return Fail(8, "lod excludes bias, derivatives and min_lod");
    }
    if ((texel.params & kTexelGrad) != 0 && (texel.params & kTexelBias) != 0) {
      return Fail(8, "derivatives exclude bias");
    }
    const bool sampled_texel = (texel.params & kTexelSample) != 0;
    const bool query = op == Op::kImageSize || op == Op::kImageLevels || op == Op::kImageSamples;
    if (!query && sampled_texel != r.image.multisampled) {
      return Fail(8, "a texel op has a sample index exactly if its image is multisampled");
    }
    if (lod && !filtered && (r.image.multisampled || r.image.dim == ImageDim::kBuffer)) {
      return Fail(8, "an LOD on an image without mip levels");
    }
    if (texel.component > (op == Op::kGather && (texel.params & kTexelDref) == 0 ? 3 : 0)) {
      return Fail(8, "a gathered component that the op cannot have");
    }
    const bool own = r.kind == ResourceKind::kCombinedImageSampler;
    if (texel.sampler != TexelOp::kNoSampler &&
        (!filtered || texel.sampler >= m_.resources.size() ||
         m_.resources[texel.sampler].kind != ResourceKind::kSampler)) {
      return Fail(8, "no such sampler");
    }
    if (filtered && !own && texel.sampler == TexelOp::kNoSampler) return Fail(8, "no sampler");
    const bool sampler_array =
        texel.sampler != TexelOp::kNoSampler && m_.resources[texel.sampler].array;
    if (sampler_array != ((texel.params & kTexelSamplerIndex) != 0)) {
      return Fail(8, "exactly arrays of samplers are indexed");
    }
    if (!IsImageAtomic(op) && texel.atomic != AtomicOp{0}) return Fail(8, "no atomic");
    if (op == Op::kImageAtomic64 && !WideTexels(texel, r)) return false;
    return static_cast<uint32_t>(texel.atomic) < kNumAtomicOps || Fail(8, "no such atomic");
  }

  static bool IsImageAtomic(Op op) { return op == Op::kImageAtomic || op == Op::kImageAtomic64; }

  // Texels of two integers of 32 bits hold one of 64.
  bool WideTexels(const TexelOp& texel, const Resource& r) {
    if (!m_.Needs(Need::kInt64Images))
      return Fail(14, "an atomic on 64-bit texels without the need");
    if (IsFloatAtomic(texel.atomic)) return Fail(8, "an atomic of floats on 64-bit texels");
    const ImageFormat format = r.image.format;
    return format == ImageFormat::kRg32ui || format == ImageFormat::kRg32i ||
           Fail(8, "an atomic of 64 bits on an image of another format");
  }

  bool TexelSourceTypes(InstId id, const TexelSources& s) {
    const Inst& inst = m_.inst(id);
    const bool filtered = IsSampling(inst.op);
    const Type coordinate = filtered ? Type::kF32 : Type::kI32;
    const Type component = ComponentOf(inst);
    const auto all = [&](int first, int count, Type type) {
      for (int i = 0; first >= 0 && i < count; ++i) {
        if (SourceType(id, first + i) != type) return false;
      }
      return true;
    };
    const bool fits =
        all(s.image_index, 1, Type::kI32) && all(s.sampler_index, 1, Type::kI32) &&
        all(s.coordinates, s.num_coordinates, coordinate) && all(s.dref, 1, Type::kF32) &&
        all(s.bias, 1, Type::kF32) && all(s.lod, 1, coordinate) &&
        all(s.ddx, 2 * s.num_derivatives, Type::kF32) && all(s.min_lod, 1, Type::kF32) &&
        all(s.sample, 1, Type::kI32) && all(s.offsets, s.num_offsets, Type::kI32) &&
        all(s.values, s.num_values, inst.op == Op::kImageStore ? component : Type::kI32);
    return fits || Fail(5, "a source of a texel op has the wrong type");
  }

  Type ComponentOf(const Inst& inst) const {
    return m_.resources[inst.imm0].image.component == ComponentType::kFloat ? Type::kF32
                                                                            : Type::kI32;
  }

  bool TexelResults(InstId id, const Resource& r) {
    const Inst& inst = m_.inst(id);
    const bool dref = (m_.texel_ops[inst.imm1].params & kTexelDref) != 0;
    int count = 4;
    Type type = ComponentOf(inst);
    const bool sample = inst.op == Op::kSample || inst.op == Op::kSampleImplicit;
    if (dref || inst.op == Op::kImageLod) type = Type::kF32;
    if (sample && dref) count = 1;
    if (inst.op == Op::kImageLod) count = 2;
    if (inst.op == Op::kImageStore) count = 0;
    if (inst.op == Op::kImageAtomic64) count = 2;
    if (inst.op == Op::kImageSize) count = SizeCount(r.image);
    if (inst.op == Op::kImageAtomic || inst.op == Op::kImageLevels ||
        inst.op == Op::kImageSamples) {
      count = 1;
    }
    if (count == 1 && !sample) type = Type::kI32;
    if (inst.op == Op::kImageSize) type = Type::kI32;
    if (inst.num_results != count) return Fail(5, "wrong number of results of a texel op");
    for (int i = 0; i < count; ++i) {
      if (ResultTypeOf(id, i) != type) return Fail(5, "a result of a texel op has the wrong type");
    }
    return true;
  }

  bool Atomic(InstId id) {
    const Inst& inst = m_.inst(id);
    if (inst.imm1 >= kNumAtomicOps) return Fail(8, "no such atomic operation");
    const int first = FirstValueSource(inst);
    if (inst.num_sources != first + AtomicOperands(static_cast<AtomicOp>(inst.imm1))) {
      return Fail(5, "wrong number of operands of an atomic");
    }
    const Type type = ResultTypeOf(id, 0);
    const auto op = static_cast<AtomicOp>(inst.imm1);
    const bool moves = op == AtomicOp::kLoad || op == AtomicOp::kStore || op == AtomicOp::kExchange;
    if (IsFloatAtomic(op) && type == Type::kF64 && !m_.Needs(Need::kFloat64Atomics)) {
      return Fail(14, "an atomic of 64-bit floats without the need");
    }
    const bool fits =
        IsFloatAtomic(op)
            ? type == Type::kF32 || type == Type::kF16 || type == Type::kF64
            : type == Type::kI32 || type == Type::kI64 || (moves && type == Type::kI16);
    if (!fits) return Fail(5, "an atomic of this operation has another type");
    for (int i = first; i < inst.num_sources; ++i) {
      if (SourceType(id, i) != type) return Fail(5, "an operand of an atomic has another type");
    }
    return true;
  }

  bool HasSharedInt64Atomics() {
    return m_.Needs(Need::kSharedInt64Atomics) ||
           Fail(14, "an atomic of 64 bits on shared memory without the need");
  }

  bool WideAtomic(InstId id) {
    const Inst& inst = m_.inst(id);
    if (inst.imm1 >= kNumAtomicOps || IsFloatAtomic(static_cast<AtomicOp>(inst.imm1))) {
      return Fail(8, "no such atomic operation");
    }
    const int operands = AtomicOperands(static_cast<AtomicOp>(inst.imm1));
    if (inst.num_sources != FirstValueSource(inst) + 2 * operands) {
      return Fail(5, "wrong number of operands of an atomic");
    }
    for (int i = 0; i < inst.num_sources; ++i) {
      if (SourceType(id, i) != Type::kI32)
        return Fail(5, "an operand of an atomic has another type");
    }
    return true;
  }

  uint32_t ElementBytes(InstId id) const {
    const Inst& inst = m_.inst(id);
    return BytesOf(inst.num_results != 0 ? ResultTypeOf(id, 0)
                                         : SourceType(id, FirstValueSource(inst)));
  }

  // ---- Immediates and flags ----

  bool ImmediateValues(InstId id) {
    const Inst& inst = m_.inst(id);
    const Immediates imm = ImmediatesOf(inst.op);
    switch (imm.first) {
      case First::kNone:
        if (inst.imm0 != 0) return Fail(8, "imm0 is not used and not 0");
        break;
      case First::kComponent:
        if (inst.imm0 > 2) return Fail(8, "component is not 0, 1 or 2");
        break;
      case First::kResource:
        if (!ResourceFits(inst)) return false;
        break;
      case First::kPrivateArray:
        if (inst.imm0 >= m_.private_arrays.size()) return Fail(8, "no such private array");
        break;
      case First::kMemoryClasses:
        if ((inst.imm0 == 0 && inst.op != Op::kControlBarrier) ||
            inst.imm0 > (kMemoryBuffer | kMemoryShared | kMemoryImage)) {
          return Fail(8, "no such memory classes");
        }
        break;
      case First::kLaneMask:
        if (inst.imm0 >= std::size(kLaneMaskNames)) return Fail(8, "no such set of lanes");
        break;
      case First::kQuadLane:
        if (inst.imm0 > 3) return Fail(8, "a quad has lanes 0 to 3");
        break;
      case First::kQuadSwap:
        if (inst.imm0 < 1 || inst.imm0 > 3) return Fail(8, "quads are swapped by 1, 2 or 3");
        break;
      case First::kReduceOp:
        if (!ReductionFits(id)) return false;
        break;
      case First::kInput:
      case First::kOutput: break;  // checked with the types, which depend on it
      case First::kDerivative:
        if (inst.imm0 >= std::size(kDerivativeNames)) return Fail(8, "no such derivative");
        break;
      case First::kTargetNumber: break;  // the target's own
    }
    switch (imm.second) {
      case Second::kNone: return inst.imm1 == 0 || Fail(8, "imm1 is not used and not 0");
      case Second::kAlignment:
        return (inst.imm1 >= ElementBytes(id) && std::has_single_bit(inst.imm1)) ||
               Fail(8, "alignment is not a power of two from the size of an element");
      case Second::kAtomicOp:
        return inst.imm1 < kNumAtomicOps || Fail(8, "no such atomic operation");
      case Second::kTexelOp:
      case Second::kComponent:
      case Second::kInterpolateAt: return true;  // checked with the types, which depend on it
      case Second::kScope:
        if (inst.imm1 >= std::size(kScopeNames)) return Fail(8, "no such scope");
        if (inst.op == Op::kReadClock) return Clock(inst);
        return inst.op == Op::kMemoryBarrier ||
               inst.imm1 != static_cast<uint32_t>(Scope::kDevice) ||
               Fail(8, "only a memory barrier has device scope");
      case Second::kCluster:
        return inst.imm1 == 0 || (std::has_single_bit(inst.imm1) && inst.imm1 <= 128) ||
               Fail(8, "a cluster's number of lanes is not a power of two");
      case Second::kInvocations: return InvocationsFit(inst.imm1);
    }
    return true;
  }

  bool Clock(const Inst& inst) {
    if (inst.imm1 == static_cast<uint32_t>(Scope::kWorkgroup)) return Fail(8, "no such clock");
    return m_.Needs(Need::kClocks) || Fail(14, "a clock is read without the need");
  }

  // A workgroup has as many invocations at most, in whole subgroups of 32, so that each subgroup
  // has a lane for each of up to eight.
  bool InvocationsFit(uint32_t most) {
    if (most == 0 || most > kMaxScanned) return Fail(8, "no such workgroup is scanned");
    if (!m_.HasWorkgroups()) return true;
    const uint64_t size = uint64_t{m_.local_size[0]} * m_.local_size[1] * m_.local_size[2];
    return (size <= most && size % 32 == 0) || Fail(8, "the workgroup's size cannot be scanned");
  }

  // The operator exists and combines values of the source's type.
  bool ReductionFits(InstId id) {
    const uint32_t op = m_.inst(id).imm0;
    if (op >= std::size(kReduceNames)) return Fail(8, "no such operator");
    const char letter = Info(OpOf(static_cast<ReduceOp>(op))).signature[0];
    Bound bound;
    return Fits(letter, SourceType(id, 0), bound) || Fail(5, "the operator is of another type");
  }

  bool ResourceFits(const Inst& inst) {
    if (inst.imm0 >= m_.resources.size()) return Fail(8, "no such resource");
    const Resource& r = m_.resources[inst.imm0];
    if (r.array != ((inst.flags & kIndexed) != 0)) return Fail(9, "exactly arrays are indexed");
    if (IsTexelOp(inst.op)) return true;  // checked with the types
    const auto kind =
        inst.op == Op::kLoadUbo ? ResourceKind::kUniformBuffer : ResourceKind::kStorageBuffer;
    if (r.kind != kind) return Fail(8, "the resource is of another kind");
    const bool atomic_load =
        inst.op == Op::kSsboAtomic && inst.imm1 == static_cast<uint32_t>(AtomicOp::kLoad);
    if ((r.read_only || r.unchanging) && Info(inst.op).Has('W') && !atomic_load) {
      return Fail(8, "a read-only resource is written");
    }
    return true;
  }

  // True if the only result or a source is a float.
  bool ComputesWithFloats(InstId id) {
    if (m_.inst(id).num_results != 1) return false;
    bool any = IsFloat(m_.value(m_.result(id)).type);
    for (ValueId v : m_.sources(id)) any = any || IsFloat(m_.value(v).type);
    return any;
  }

  bool Flags(InstId id) {
    const Inst& inst = m_.inst(id);
    const uint32_t half = inst.flags & (kReleases | kAcquires);
    const uint32_t known = kExact | kVolatile | kCoherent | kNonUniform | kIndexed | kUniform;
    if ((inst.flags & ~(known | half)) != 0) return Fail(9, "unknown flags");
    if ((inst.flags & kUniform) != 0 && inst.op != Op::kReadFirst) {
      return Fail(9, "only read_first has the flag uniform");
    }
    if (half != 0 && (inst.op != Op::kMemoryBarrier || half == (kReleases | kAcquires))) {
      return Fail(9, "only a memory barrier has one of the flags release and acquire");
    }
    if ((inst.flags & kExact) != 0 && !ComputesWithFloats(id)) {
      return Fail(9, "a flag of float arithmetic on another op");
    }
    const bool resource = ImmediatesOf(inst.op).first == First::kResource;
    const First first = ImmediatesOf(inst.op).first;
    const bool interface = first == First::kInput || first == First::kOutput;
    if ((inst.flags & kIndexed) != 0 && !resource && !interface) {
      return Fail(9, "an index into a resource that is not an array");
    }
    const bool reads = Info(inst.op).Has('R') && inst.op != Op::kHelperInvocation;
    const bool memory = reads || Info(inst.op).Has('W') || resource;
    if ((inst.flags & (kVolatile | kCoherent | kNonUniform)) != 0 && !memory) {
      return Fail(9, "a memory flag on an op that accesses no memory");
    }
    return true;
  }

  const Module& m_;
  std::string error_;
  InstId current_;  // for messages
  std::vector<bool> inst_seen_;
  std::vector<bool> region_seen_;
  std::vector<bool> visible_;
  std::vector<ValueId> scope_;
  std::vector<InstId> loops_;  // innermost last
};

}  // namespace

absl::Status Verify(const Module& module) { return Verifier(module).Run(); }

}  // namespace kiln::mir
