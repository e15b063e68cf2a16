// The instructions that spilling adds. While nothing is written (the first walk) names are handed
// out and nothing else happens. Lifetime: a walk; what it wrote is taken or thrown away at its end.
//
// Places in memory are known last: until then the place of a store or fill is 0.
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

  // The function is again as it came, if the last walk wrote.
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
  // A use or edge argument of the program, by its index in Function::operands.
  void Rename(uint32_t operand, const Operand& now) {
    if (write_) f_.operands[operand] = now;
  }

  // Fills the pieces, all of one value, and gives the value that has them now.
  ValueId Load(uint32_t first, uint32_t last);
  // Stores the operand as pieces of `v` from `first` on: appends to `out`.
  void Store(ValueId v, uint32_t first, const Operand& o, bool masked, std::vector<InstId>* out);
  // ... where the walk stands.
  void StoreHere(ValueId v, uint32_t first, const Operand& o, bool masked) {
    if (write_) Store(v, first, o, masked, &out_);
  }
  // Computes once more what defined `v`, of these sources.
  ValueId Repeat(ValueId v, const std::vector<Operand>& uses);
  // A name that stands for a value until one is written.
  ValueId NextName() { return ValueId(next_name_++); }

  // Components of these pieces.
  uint32_t Comps(uint32_t first, uint32_t last) const;
  // The header of the machine's messages, if they have one.
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
  // Does it not start and end with registers? Messages move whole ones.
  bool IsSmall(ValueId v) const;
  // Whole registers for so many units.
  ValueId NewRegisters(uint32_t units, uint32_t spirv_id);
  void EmitInserted(InstId i);
  InstId Collect(ValueId to, const std::vector<Operand>& parts);
  void AddSpill(ValueId v, uint32_t piece, const Operand& payload, bool masked,
                std::vector<InstId>* out);

  const SpillInput& in_;
  Function& f_;
  bool write_ = false;
  uint32_t next_name_ = 1u << 31;             // of names while nothing is written
  std::vector<InstId> out_;                   // of the block at hand
  std::vector<char> filled_;                  // per piece: some instruction fills it
  std::vector<std::vector<InstId>> emitted_;  // per block
  std::vector<SpillAccess> accesses_;
  uint32_t repeated_ = 0;
};

inline uint32_t RoundUp(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_CODE_H_
