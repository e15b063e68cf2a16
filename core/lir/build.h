// Builds LIR: operand helpers and a builder that appends values, blocks, instructions and edges.
//
// The builder keeps only the current block, so several builders may work on one function. Appending
// takes amortised constant time and invalidates spans and references into the function.
#ifndef KILN_CORE_LIR_BUILD_H_
#define KILN_CORE_LIR_BUILD_H_

#include <cassert>
#include <cstdint>
#include <initializer_list>

#include "absl/types/span.h"
#include "core/lir/lir.h"

namespace kiln::lir {

// A component (or `comps` of them) of a value, as definition or use. A definition names the whole
// value: comp 0 and all components.
inline Operand ValueOperand(ValueId v, uint8_t type, uint16_t comp = 0, uint16_t comps = 1,
                            uint8_t mods = 0) {
  Operand o;
  o.kind = Operand::Kind::kValue;
  o.type = type;
  o.mods = mods;
  o.comp = comp;
  o.comps = comps;
  o.id = v.index;
  return o;
}

inline Operand ImmOperand(uint32_t bits, uint8_t type) {
  Operand o;
  o.kind = Operand::Kind::kImm;
  o.type = type;
  o.id = bits;
  return o;
}

// A register outside every pool (null, accumulator, address, ...), by the machine's code for it.
inline Operand FixedOperand(uint32_t code, uint8_t type) {
  Operand o;
  o.kind = Operand::Kind::kFixed;
  o.type = type;
  o.id = code;
  return o;
}

// An absent operand; in a collect: `comps` components that stay undefined.
inline Operand NoOperand(uint16_t comps = 1) {
  Operand o;
  o.comps = comps;
  return o;
}

// The fields of an instruction besides its operation and operands.
struct InstFields {
  uint8_t width = 1;
  uint8_t group = 0;
  uint8_t flags = 0;
  uint8_t cmod = 0;
  uint8_t predicate_mode = 0;
  uint32_t aux = 0;
  uint32_t spirv_id = 0;
};

// Makes an instruction that is not yet in a block. The spans may point into `f.operands`.
InstId MakeInst(Function& f, uint16_t op, const InstFields& fields, absl::Span<const Operand> defs,
                absl::Span<const Operand> uses);

class Builder {
 public:
  explicit Builder(Function& f) : f_(f) {}

  Function& function() { return f_; }

  ValueId NewValue(const Value& v) {
    f_.values.push_back(v);
    return ValueId(f_.values.size() - 1);
  }

  // Appends a block to the layout. The current block stays as it is.
  BlockId NewBlock(uint16_t loop_depth = 0) {
    f_.blocks.emplace_back();
    f_.blocks.back().loop_depth = loop_depth;
    return BlockId(f_.blocks.size() - 1);
  }

  BlockId block() const { return block_; }
  void SetBlock(BlockId b) { block_ = b; }

  // Adds a new value as the last parameter of a block; every edge to the block needs its argument.
  ValueId AddParam(BlockId b, const Value& v) {
    const ValueId id = NewValue(v);
    f_.block(b).params.push_back(id);
    return id;
  }

  // Adds a value that the hardware delivers at the given unit of its pool.
  ValueId AddLiveIn(const Value& v, uint32_t reg) {
    const ValueId id = NewValue(v);
    f_.live_ins.push_back({id, reg});
    return id;
  }

  // Appends an instruction to the current block.
  InstId Emit(uint16_t op, const InstFields& fields, absl::Span<const Operand> defs,
              absl::Span<const Operand> uses) {
    assert(block_.valid());
    const InstId id = MakeInst(f_, op, fields, defs, uses);
    f_.block(block_).insts.push_back(id);
    return id;
  }
  InstId Emit(uint16_t op, const InstFields& fields, std::initializer_list<Operand> defs,
              std::initializer_list<Operand> uses) {
    return Emit(op, fields, absl::Span<const Operand>(defs.begin(), defs.size()),
                absl::Span<const Operand>(uses.begin(), uses.size()));
  }

  // Adds a logical edge, with one argument for each parameter of `to` (arguments are values with a
  // component, or kNone for an undefined one).
  void AddEdge(BlockId from, BlockId to, absl::Span<const Operand> args = {});
  void AddEdge(BlockId from, BlockId to, std::initializer_list<Operand> args) {
    AddEdge(from, to, absl::Span<const Operand>(args.begin(), args.size()));
  }

  // Adds an edge that only the thread takes. Does nothing if the edge exists already, as either
  // kind.
  void AddPhysicalEdge(BlockId from, BlockId to);

 private:
  Function& f_;
  BlockId block_;
};

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_BUILD_H_
