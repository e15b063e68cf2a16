// The instructions that spilling adds. In a walk that does not write (the first one) it only hands
// out names. Lifetime: a walk, at whose end its code is taken or discarded.
//
// Slots in memory are assigned last: until then the slot of a store or fill is 0.
#ifndef KILN_CORE_LIR_RA_SPILL_CODE_H_
#define KILN_CORE_LIR_RA_SPILL_CODE_H_

#include <cstdint>
#include <vector>

#include "core/lir/ra/spill_input.h"

namespace kiln::lir::ra {

// A store or fill.
struct SpillAccess {
  InstId inst;
  ValueId value;       // whose memory
  uint32_t piece = 0;  // the first
};

class SpillCode {
 public:
  SpillCode(const SpillInput& in, Function& f)
      : in_(in), f_(f), filled_(in.pieces.count(), 0), emitted_(f.blocks.size()) {}

  // Begins a walk; restores the original function if the last walk wrote code.
  void NewWalk(bool write);
  bool writing() const { return write_; }

  void BeginBlock() { out_.clear(); }
  void EndBlock(uint32_t b) {
    if (write_) emitted_[b] = out_;
  }
  // Puts the blocks of the last walk into the function.
  void Take();

  // Appends to the block.
  void Emit(InstId i) {
    if (write_) out_.push_back(i);
  }
  // Renames a use or edge argument of the program, given by its index in Function::operands.
  void Rename(uint32_t operand, const Operand& now) {
    if (write_) f_.operands[operand] = now;
  }

  // Fills the pieces, all of one value, and returns the new value that holds them.
  ValueId Load(uint32_t first, uint32_t last);
  // Stores the operand as pieces of `v` from `first` on; appends to `out`.
  void Store(ValueId v, uint32_t first, const Operand& o, bool masked, std::vector<InstId>* out);
  // The same at the current position of the walk.
  void StoreHere(ValueId v, uint32_t first, const Operand& o, bool masked) {
    if (write_) Store(v, first, o, masked, &out_);
  }
  // Repeats the computation that defined `v`, with these sources.
  ValueId Repeat(ValueId v, const std::vector<Operand>& uses);
  // A name that represents a value in walks that do not write.
  ValueId NextName() { return ValueId(next_name_++); }

  // Number of components of these pieces.
  uint32_t Comps(uint32_t first, uint32_t last) const;
  // The header of the machine's scratch messages; kNone if they have none.
  Operand Header() const;
  ValueId NewValue(const Value& shape) {
    f_.values.push_back(shape);
    return ValueId(f_.values.size() - 1);
  }

  Function& function() { return f_; }
  const std::vector<SpillAccess>& accesses() const { return accesses_; }
  bool filled(uint32_t p) const { return filled_[p]; }
  uint32_t repeated() const { return repeated_; }  // computations

 private:
  // Returns true if the value does not start and end at register boundaries. Messages move whole
  // registers.
  bool IsSmall(ValueId v) const;
  // A new value of whole registers with room for so many units.
  ValueId NewRegisters(uint32_t units, uint32_t spirv_id);
  void EmitInserted(InstId i);
  InstId Collect(ValueId to, const std::vector<Operand>& parts);
  void AddSpill(ValueId v, uint32_t piece, const Operand& payload, bool masked,
                std::vector<InstId>* out);

  const SpillInput& in_;
  Function& f_;
  bool write_ = false;
  uint32_t next_name_ = 1u << 31;             // for names in walks that do not write
  std::vector<InstId> out_;                   // code of the current block
  std::vector<char> filled_;                  // per piece: an instruction fills it
  std::vector<std::vector<InstId>> emitted_;  // per block
  std::vector<SpillAccess> accesses_;
  uint32_t repeated_ = 0;
};

inline uint32_t RoundUp(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_CODE_H_
