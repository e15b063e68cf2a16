#include "core/mid/arrays/promote_private_arrays.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "core/mid/analysis/known_bits.h"
#include "core/mid/budgets.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::Type;
using mir::ValueId;

using List = std::vector<InstId>;

constexpr uint32_t kElementBytes = 4;

bool Accesses(const Inst& inst) {
  return inst.op == Op::kLoadPrivate || inst.op == Op::kStorePrivate;
}

// The access of an instruction, counted in elements. A variable offset may select one of several
// places in the array; it selects place number p if  index + bias == p * unit.
struct Access {
  bool is_store = false;
  uint32_t count = 0;  // consecutive elements
  uint32_t first = 0;  // the first one at place 0
  // Places that the offset may select: 1 if it is constant, inside the array or not; else those
  // inside; 0 if it is no multiple of an element.
  uint32_t places = 1;
  uint32_t step = 1;  // elements from one place to the next
  ValueId index;
  uint32_t bias = 0;
  uint32_t unit = 1;
};

// The accesses to one array, and the decision about it.
struct Array {
  bool promote = true;
  uint32_t elements = 0;
  uint32_t accesses = 0;
  uint32_t select_cost = 0;  // of accesses at variable offsets
  uint32_t first_variable = 0;
};

// Matches a value defined by this op with a constant second source.
bool MatchConstant(const Module& m, ValueId v, Op op, ValueId* source, uint32_t* constant) {
  if (m.value(v).kind != mir::Value::Kind::kResult) return false;
  const InstId id(m.value(v).owner);
  if (m.inst(id).op != op || !m.IsConstant(m.source(id, 1))) return false;
  *source = m.source(id, 0);
  *constant = m.value(m.source(id, 1)).bits;
  return true;
}

// Matches offset = index * stride + constant: places are a stride apart. A product that wraps may
// be any multiple of the power of two in its stride. So the place is selected by the product
// itself, or by the index if that is known to be small enough not to wrap.
bool MatchStride(const Module& m, ValueId offset, Access* a) {
  ValueId scaled = offset;
  uint32_t constant = 0;
  uint32_t stride = 0;
  MatchConstant(m, offset, Op::kIadd, &scaled, &constant);
  if (MatchConstant(m, scaled, Op::kShl, &a->index, &stride)) {
    stride = 1u << (stride & 31);
  } else if (!MatchConstant(m, scaled, Op::kImul, &a->index, &stride)) {
    return false;
  }
  const bool exact = uint64_t{UpperBound(m, a->index)} * stride <= UINT32_MAX;
  if (!exact && !std::has_single_bit(stride)) return false;
  const auto signed_stride = static_cast<int32_t>(stride);
  if (signed_stride <= 0 || stride % kElementBytes != 0 || constant % kElementBytes != 0) {
    return false;
  }
  const auto whole = static_cast<int32_t>(constant);
  const int32_t rest = ((whole % signed_stride) + signed_stride) % signed_stride;
  a->first = static_cast<uint32_t>(rest) / kElementBytes;
  a->bias = static_cast<uint32_t>((whole - rest) / signed_stride);
  a->step = stride / kElementBytes;
  if (!exact) {
    a->index = scaled;
    a->bias *= stride;
    a->unit = stride;
  }
  return true;
}

Access Describe(const Module& m, InstId id, uint32_t elements) {
  const Inst& inst = m.inst(id);
  Access a;
  a.is_store = inst.op == Op::kStorePrivate;
  a.count = a.is_store ? inst.num_sources - 1u : inst.num_results;
  const ValueId offset = m.source(id, 0);
  if (m.IsConstant(offset)) {
    a.first = static_cast<uint32_t>(m.value(offset).bits) / kElementBytes;
    if (m.value(offset).bits % kElementBytes != 0) a.places = 0;
    return a;
  }
  if (!MatchStride(m, offset, &a)) {
    a.index = offset;
    a.step = std::max(inst.imm1 / kElementBytes, 1u);
    a.unit = a.step * kElementBytes;
  }
  const uint32_t used = a.first + a.count;
  a.places = elements < used ? 0 : (elements - used) / a.step + 1;
  return a;
}

// The number of instructions in the selects of an access.
uint32_t SelectCost(const Access& a) {
  if (a.places <= 1) return 0;
  if (a.is_store) return a.places * (1 + a.count);
  return static_cast<uint32_t>(std::bit_width(a.places - 1)) + (a.places - 1) * a.count;
}

// Chooses the arrays to promote, and numbers the variables of their elements.
class Choice {
 public:
  Choice(const Module& module, PassContext& context) : m_(module) {
    for (const mir::PrivateArray& array : m_.private_arrays) {
      arrays_.push_back({.elements = array.bytes / kElementBytes});
    }
    mir::ForEachInst(m_, m_.body, [&](InstId id) {
      if (Accesses(m_.inst(id))) Judge(id);
    });
    for (Array& a : arrays_) {
      const uint32_t most =
          a.select_cost > 0 ? budgets::kIndexedElements : budgets::kPromotedElements;
      a.promote = a.promote && a.accesses > 0 && a.elements <= most &&
                  a.select_cost <= budgets::kScratchAccessCost * a.accesses && context.Rewrite();
      if (!a.promote) continue;
      a.first_variable = variables_;
      variables_ += a.elements;
    }
  }

  const std::vector<Array>& arrays() const { return arrays_; }
  uint32_t variables() const { return variables_; }

 private:
  void Judge(InstId id) {
    const Inst& inst = m_.inst(id);
    Array& array = arrays_[inst.imm0];
    ++array.accesses;
    const Access a = Describe(m_, id, array.elements);
    const mir::ValueId first = a.is_store ? m_.source(id, 1) : m_.result(id);
    if (mir::BytesOf(m_.value(first).type) != kElementBytes) array.promote = false;
    array.promote = array.promote && a.places > 0 && (inst.flags & mir::kVolatile) == 0;
    // Larger arrays are never promoted; this also keeps the sum from overflowing.
    if (a.places > 1 && array.elements > budgets::kIndexedElements) array.promote = false;
    if (array.promote) array.select_cost += SelectCost(a);
  }

  const Module& m_;
  std::vector<Array> arrays_;
  uint32_t variables_ = 0;
};

class Promoter {
 public:
  Promoter(Module& module, const Choice& choice)
      : m_(module),
        b_(module),
        replace_(module),
        arrays_(choice.arrays()),
        types_(choice.variables()),
        current_(choice.variables()),
        stored_in_(module.insts.size()) {}

  void Run() {
    FindTypes();
    for (size_t v = 0; v < current_.size(); ++v) current_[v] = b_.Undef(types_[v]);
    std::vector<InstId> loops;
    FindStores(m_.body, &loops);
    Visit(m_.body);
    replace_.Apply(m_);
  }

 private:
  // A variable is one element of a promoted array.
  using Variable = uint32_t;
  static constexpr Variable kOutside = ~0u;

  bool IsPromoted(InstId id) const {
    return Accesses(m_.inst(id)) && arrays_[m_.inst(id).imm0].promote;
  }
  Access AccessOf(InstId id) const { return Describe(m_, id, arrays_[m_.inst(id).imm0].elements); }
  // Element k of the access at one of its places, or kOutside if that is outside of the array.
  Variable VariableOf(InstId id, const Access& a, uint32_t place, uint32_t k) const {
    const Array& array = arrays_[m_.inst(id).imm0];
    const uint32_t element = a.first + place * a.step + k;
    return element < array.elements ? array.first_variable + element : kOutside;
  }
  // The value that the access's element k stores or loads.
  ValueId ValueAt(InstId id, uint32_t k) const {
    const int i = static_cast<int>(k);
    return m_.inst(id).op == Op::kStorePrivate ? m_.source(id, 1 + i) : m_.result(id, i);
  }
  template <class Fn>
  void ForEachVariable(InstId id, Fn&& fn) const {
    const Access a = AccessOf(id);
    for (uint32_t place = 0; place < a.places; ++place) {
      for (uint32_t k = 0; k < a.count; ++k) {
        const Variable v = VariableOf(id, a, place, k);
        if (v != kOutside) fn(v, k);
      }
    }
  }

  // Gives each element the type of its first access.
  void FindTypes() {
    std::vector<bool> typed(types_.size());
    mir::ForEachInst(m_, m_.body, [&](InstId id) {
      if (!IsPromoted(id)) return;
      ForEachVariable(id, [&](Variable v, uint32_t k) {
        if (!typed[v]) types_[v] = m_.value(ValueAt(id, k)).type;
        typed[v] = true;
      });
    });
  }

  // Collects for each loop the variables stored in it, ascending.
  void FindStores(RegionId region, std::vector<InstId>* loops) {
    for (InstId id : m_.region(region).insts) {
      const Inst& inst = m_.inst(id);
      if (inst.op == Op::kStorePrivate && IsPromoted(id)) {
        ForEachVariable(id, [&](Variable v, uint32_t) {
          for (InstId loop : *loops) stored_in_[loop.index].push_back(v);
        });
      }
      if (inst.op == Op::kLoop) loops->push_back(id);
      for (int r = 0; r < inst.num_regions; ++r) FindStores(inst.regions[r], loops);
      if (inst.op == Op::kLoop) {
        loops->pop_back();
        SortOnce(&stored_in_[id.index]);
      }
    }
  }

  static void SortOnce(std::vector<Variable>* v) {
    std::sort(v->begin(), v->end());
    v->erase(std::unique(v->begin(), v->end()), v->end());
  }

  // ---- The walk ----

  void Visit(RegionId region) {
    mir::RewriteRegion(b_, region, [&](InstId id) {
      if (IsPromoted(id)) {
        if (m_.inst(id).op == Op::kStorePrivate) {
          Store(id);
        } else {
          Load(id);
        }
        return false;
      }
      switch (m_.inst(id).op) {
        case Op::kIf: VisitIf(id); break;
        case Op::kLoop: VisitLoop(id); break;
        case Op::kBreak:
        case Op::kContinue: AppendSources(id, Current(stored_in_[loops_.back().index])); break;
        default: break;
      }
      return true;
    });
  }

  void Assign(Variable v, ValueId value) {
    log_.push_back({v, current_[v]});
    current_[v] = value;
  }

  std::vector<ValueId> Current(const std::vector<Variable>& variables) const {
    std::vector<ValueId> values;
    for (Variable v : variables) values.push_back(current_[v]);
    return values;
  }

  void AppendSources(InstId id, const std::vector<ValueId>& more) {
    std::vector<ValueId> all(m_.sources(id).begin(), m_.sources(id).end());
    all.insert(all.end(), more.begin(), more.end());
    mir::SetSources(m_, id, all);
  }

  // Gives the instruction results for these variables, and makes them the current values.
  void AppendResults(InstId id, const std::vector<Variable>& variables) {
    if (variables.empty()) return;
    const Inst old = m_.inst(id);
    std::vector<Type> types;
    for (int r = 0; r < old.num_results; ++r) types.push_back(m_.value(m_.result(id, r)).type);
    for (Variable v : variables) types.push_back(types_[v]);
    m_.inst(id).num_results = 0;
    mir::SetResults(m_, id, types);
    for (int r = 0; r < old.num_results; ++r) {
      replace_.Replace(ValueId(old.first_result.index + r), m_.result(id, r));
    }
    for (size_t i = 0; i < variables.size(); ++i) {
      Assign(variables[i], m_.result(id, old.num_results + static_cast<int>(i)));
    }
  }

  // The variables that one side of an if assigned, and their values at its end, if it yields.
  struct Side {
    InstId yield;
    std::vector<std::pair<Variable, ValueId>> assigned;  // ascending
  };

  Side VisitSide(RegionId region) {
    const size_t mark = log_.size();
    Visit(region);
    Side side;
    const InstId end = m_.region(region).insts.back();
    if (m_.inst(end).op == Op::kYield) {
      side.yield = end;
      std::vector<Variable> variables;
      for (size_t i = mark; i < log_.size(); ++i) variables.push_back(log_[i].first);
      SortOnce(&variables);
      for (Variable v : variables) side.assigned.push_back({v, current_[v]});
    }
    for (; log_.size() > mark; log_.pop_back()) current_[log_.back().first] = log_.back().second;
    return side;
  }

  void VisitIf(InstId id) {
    const Side sides[2] = {VisitSide(m_.inst(id).regions[0]), VisitSide(m_.inst(id).regions[1])};
    std::vector<Variable> variables;
    for (const Side& side : sides) {
      for (const auto& [v, value] : side.assigned) variables.push_back(v);
    }
    SortOnce(&variables);
    for (const Side& side : sides) {
      if (side.yield.valid()) AppendSources(side.yield, ValuesAfter(side, variables));
    }
    AppendResults(id, variables);
  }

  std::vector<ValueId> ValuesAfter(const Side& side, const std::vector<Variable>& variables) const {
    std::vector<ValueId> values;
    auto assigned = side.assigned.begin();
    for (Variable v : variables) {
      const bool here = assigned != side.assigned.end() && assigned->first == v;
      values.push_back(here ? (assigned++)->second : current_[v]);
    }
    return values;
  }

  void VisitLoop(InstId id) {
    const std::vector<Variable>& variables = stored_in_[id.index];
    const RegionId body = m_.inst(id).regions[0];
    AppendSources(id, Current(variables));
    const size_t mark = log_.size();
    for (Variable v : variables) Assign(v, mir::AddParam(m_, body, types_[v]));
    loops_.push_back(id);
    Visit(body);
    loops_.pop_back();
    for (; log_.size() > mark; log_.pop_back()) current_[log_.back().first] = log_.back().second;
    AppendResults(id, variables);
  }

  // ---- Accesses ----

  ValueId Converted(ValueId v, Type type) { return m_.value(v).type == type ? v : b_.Bitcast(v); }

  ValueId IndexOf(const Access& a) {
    return a.bias == 0 ? a.index : b_.Iadd(a.index, b_.Int(a.bias));
  }

  void Store(InstId id) {
    const Access a = AccessOf(id);
    const ValueId index = a.places > 1 ? IndexOf(a) : ValueId();
    for (uint32_t place = 0; place < a.places; ++place) {
      ValueId here;
      if (a.places > 1) here = b_.Ieq(index, b_.Int(place * a.unit));
      for (uint32_t k = 0; k < a.count; ++k) {
        const Variable v = VariableOf(id, a, place, k);
        if (v == kOutside) continue;
        const ValueId value = Converted(m_.source(id, 1 + static_cast<int>(k)), types_[v]);
        Assign(v, here.valid() ? b_.Select(here, value, current_[v]) : value);
      }
    }
  }

  void Load(InstId id) {
    const Access a = AccessOf(id);
    // Selects halves of the places, bit by bit of the index.
    const ValueId index = a.places > 1 ? IndexOf(a) : ValueId();
    std::vector<ValueId> tests;
    for (uint32_t bit = 1; bit < a.places; bit *= 2) {
      tests.push_back(b_.Ine(b_.And(index, b_.Int(bit * a.unit)), b_.Int(0)));
    }
    for (uint32_t k = 0; k < a.count; ++k) {
      const Type type = m_.value(m_.result(id, static_cast<int>(k))).type;
      std::vector<ValueId> values;
      for (uint32_t place = 0; place < a.places; ++place) {
        const Variable v = VariableOf(id, a, place, k);
        values.push_back(v == kOutside ? b_.Undef(type) : Converted(current_[v], type));
      }
      for (ValueId test : tests) values = Halved(test, values);
      replace_.Replace(m_.result(id, static_cast<int>(k)), values[0]);
    }
  }

  // Selects between each two neighbours; a last one without a neighbour stays.
  std::vector<ValueId> Halved(ValueId test, const std::vector<ValueId>& values) {
    std::vector<ValueId> chosen;
    for (size_t i = 0; i < values.size(); i += 2) {
      const bool pair = i + 1 < values.size() && values[i] != values[i + 1];
      chosen.push_back(pair ? b_.Select(test, values[i + 1], values[i]) : values[i]);
    }
    return chosen;
  }

  Module& m_;
  mir::Builder b_;
  mir::Replacements replace_;
  const std::vector<Array>& arrays_;
  std::vector<Type> types_;                        // by variable
  std::vector<ValueId> current_;                   // by variable
  std::vector<std::pair<Variable, ValueId>> log_;  // assignments, with the old value
  std::vector<InstId> loops_;                      // enclosing, innermost last
  std::vector<std::vector<Variable>> stored_in_;   // by loop
};

// Drops arrays without accesses. Returns true if there were any.
bool DropUnused(Module& m, PassContext& context) {
  std::vector<uint32_t> number(m.private_arrays.size(), 0);
  mir::ForEachInst(m, m.body, [&](InstId id) {
    if (Accesses(m.inst(id))) number[m.inst(id).imm0] = 1;
  });
  uint32_t used = 0;
  for (size_t i = 0; i < number.size(); ++i) {
    if (number[i] == 0) continue;
    number[i] = used;
    m.private_arrays[used++] = m.private_arrays[i];
  }
  if (used == number.size() || !context.Rewrite()) return false;
  m.private_arrays.resize(used);
  mir::ForEachInst(m, m.body, [&](InstId id) {
    if (Accesses(m.inst(id))) m.inst(id).imm0 = number[m.inst(id).imm0];
  });
  return true;
}

}  // namespace

absl::StatusOr<bool> PromotePrivateArrays(Module& module, PassContext& context) {
  if (module.private_arrays.empty()) return false;
  const Choice choice(module, context);
  if (choice.variables() > 0) Promoter(module, choice).Run();
  return DropUnused(module, context) || choice.variables() > 0;
}

}  // namespace kiln::mid
