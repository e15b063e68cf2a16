#include "core/front/finish/split_interface.h"

#include <algorithm>
#include <vector>

#include "core/front/check/refusal.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::front {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Interface;
using mir::Op;
using mir::Type;
using mir::ValueId;

constexpr uint32_t kComponents = 4;  // of a location

// The variables that replace one variable: one or two, the first with `dwords` of its dwords.
struct Parts {
  uint32_t first = 0;
  uint32_t dwords = 0;  // 0: it is not of 64 bits
};

class Splitter {
 public:
  explicit Splitter(mir::Module& module) : m_(module), b_(module), replace_(module) {}

  absl::Status Run() {
    const auto wide = [](const Interface& v) { return v.type == Type::kI64; };
    if (std::none_of(m_.inputs.begin(), m_.inputs.end(), wide) &&
        std::none_of(m_.outputs.begin(), m_.outputs.end(), wide)) {
      return absl::OkStatus();
    }
    if (absl::Status s = SplitList(m_.inputs, &inputs_); !s.ok()) return s;
    if (absl::Status s = SplitList(m_.outputs, &outputs_); !s.ok()) return s;
    mir::RewriteInsts(b_, m_.body, [this](InstId id) { return !Visit(id); });
    replace_.Apply(m_);
    return absl::OkStatus();
  }

 private:
  static absl::Status SplitList(std::vector<Interface>& list, std::vector<Parts>* parts) {
    std::vector<Interface> split;
    for (const Interface& v : list) {
      Parts p{.first = static_cast<uint32_t>(split.size())};
      split.push_back(v);
      if (v.type == Type::kI64) {
        if (v.array && LocationsOf(v) != 1) {
          return Refused("int64_interface",
                         "dynamically indexed element of an array of 64-bit inputs", v.spirv_id);
        }
        const uint32_t all = 2u * v.components;
        p.dwords = std::min(all, kComponents - v.component);
        split.back().type = Type::kI32;
        split.back().components = static_cast<uint8_t>(p.dwords);
        if (all > p.dwords) {
          split.push_back(split.back());
          split.back().location += 1;
          split.back().component = 0;
          split.back().components = static_cast<uint8_t>(all - p.dwords);
        }
      }
      parts->push_back(p);
    }
    list = std::move(split);
    return absl::OkStatus();
  }

  // Rewrites an instruction. Returns true if it is replaced.
  bool Visit(InstId id) {
    const Op op = m_.inst(id).op;
    replace_.Resolve(m_, id);
    if (op == Op::kLoadInput || op == Op::kInterpolate) return Load(id);
    return op == Op::kStoreOutput && Store(id);
  }

  bool Load(InstId id) {
    const Inst inst = m_.inst(id);
    const Parts parts = inputs_[inst.imm0];
    if (parts.dwords == 0) {
      m_.inst(id).imm0 = parts.first;
      return false;
    }
    std::vector<ValueId> dwords;
    // Values of 64 bits are not interpolated: they are loaded, of a primitive or of a vertex.
    const bool of_vertex = inst.op == Op::kInterpolate;
    const uint32_t begin = of_vertex ? mir::InterpolatedComponent(inst.imm1) : inst.imm1;
    const ValueId element = inst.num_sources != 0 ? m_.source(id, 0) : ValueId();
    ForParts(
        begin, inst.num_results, parts, [&](uint32_t variable, uint32_t first, uint32_t count) {
          b_.set_flags(inst.flags);
          const InstId load = of_vertex
                                  ? b_.LoadVertex(variable, VertexOf(inst), first, count, element)
                                  : b_.LoadInput(variable, first, count, element);
          b_.set_flags(0);
          for (uint32_t i = 0; i < count; ++i) {
            dwords.push_back(m_.result(load, static_cast<int>(i)));
          }
        });
    for (int i = 0; i < inst.num_results; ++i) {
      const ValueId low = b_.Convert(Op::kZext, dwords[2 * i], Type::kI64);
      const ValueId high = b_.Convert(Op::kZext, dwords[2 * i + 1], Type::kI64);
      replace_.Replace(m_.result(id, i), b_.Or(low, b_.Shl(high, b_.Int(32))));
    }
    return true;
  }

  bool Store(InstId id) {
    const Inst inst = m_.inst(id);
    const Parts parts = outputs_[inst.imm0];
    if (parts.dwords == 0) {
      m_.inst(id).imm0 = parts.first;
      return false;
    }
    const int addresses = (inst.flags & mir::kIndexed) != 0 ? 1 : 0;
    std::vector<ValueId> dwords;
    for (int i = addresses; i < inst.num_sources; ++i) {
      const ValueId v = m_.source(id, i);
      dwords.push_back(b_.Convert(Op::kTrunc, v, Type::kI32));
      dwords.push_back(b_.Convert(Op::kTrunc, b_.Ushr(v, b_.Int(32)), Type::kI32));
    }
    const ValueId element = addresses != 0 ? m_.source(id, 0) : ValueId();
    size_t at = 0;
    ForParts(inst.imm1, dwords.size() / 2, parts,
             [&](uint32_t variable, uint32_t first, uint32_t count) {
               b_.StoreOutput(variable, first, absl::MakeConstSpan(dwords).subspan(at, count),
                              element);
               at += count;
             });
    return true;
  }

  static uint32_t VertexOf(const Inst& inst) {
    return mir::VertexOf(static_cast<mir::InterpolateAt>(mir::InterpolateAtOf(inst.imm1)));
  }

  // Calls fn(variable, first dword in it, number of dwords) for the scalars of an instruction,
  // which begin with `first_scalar` of the variable.
  template <class Fn>
  static void ForParts(uint32_t first_scalar, size_t scalars, const Parts& parts, Fn&& fn) {
    const uint32_t begin = 2 * first_scalar;
    const uint32_t end = begin + 2 * static_cast<uint32_t>(scalars);
    if (begin < parts.dwords) fn(parts.first, begin, std::min(end, parts.dwords) - begin);
    if (end > parts.dwords) {
      const uint32_t first = std::max(begin, parts.dwords);
      fn(parts.first + 1, first - parts.dwords, end - first);
    }
  }

  mir::Module& m_;
  mir::Builder b_;
  mir::Replacements replace_;
  std::vector<Parts> inputs_;   // by former index in Module::inputs
  std::vector<Parts> outputs_;  // likewise
};

}  // namespace

uint32_t LocationsOf(const Interface& v) {
  const uint32_t slots = v.components * (v.type == Type::kI64 ? 2u : 1u);
  return (v.component + slots + kComponents - 1) / kComponents;
}

absl::Status SplitInterface(mir::Module& module) { return Splitter(module).Run(); }

}  // namespace kiln::front
