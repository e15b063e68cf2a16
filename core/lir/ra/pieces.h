// The parts of values that are spilled and filled separately: a component of a per-lane value (or a
// register of components, where they are smaller), a register of a uniform value that fills whole
// registers, any other uniform value as a whole. Usually they are also the parts whose registers
// the allocator frees separately.
//
// Pieces exist for the values of one pool only. Numbering is by value, then component. Linear.
#ifndef KILN_CORE_LIR_RA_PIECES_H_
#define KILN_CORE_LIR_RA_PIECES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir::ra {

class Pieces {
 public:
  Pieces(const Machine& t, const Function& f, const SpillHooks& hooks) {
    first_.reserve(f.values.size() + 1);
    for (size_t k = 0; k < f.values.size(); ++k) {
      const Value& v = f.values[k];
      first_.push_back(count());
      comps_per_piece_.push_back(v.comps);
      if (t.files[v.file].pool != hooks.pool) continue;
      const uint32_t unit = t.units_per_comp(f, v);
      const uint32_t align = std::max(1u, t.alignment(f, v));
      uint32_t step = v.comps;
      if (t.files[v.file].masked_writes) {
        step = std::max(1u, hooks.register_units / unit);
      } else if (v.whole_registers) {
        step = std::max(1u, align / unit);
      }
      comps_per_piece_.back() = static_cast<uint16_t>(step);
      for (uint32_t c = 0; c < v.comps; c += step) {
        const uint32_t n = std::min<uint32_t>(step, v.comps - c) * unit;
        pieces_.push_back({ValueId(k), static_cast<uint16_t>(c),
                           v.whole_registers ? (n + align - 1) / align * align : n});
      }
    }
    first_.push_back(count());
  }

  uint32_t count() const { return static_cast<uint32_t>(pieces_.size()); }
  bool has(ValueId v) const { return first_[v.index] != first_[v.index + 1]; }
  uint32_t first(ValueId v) const { return first_[v.index]; }
  uint32_t end(ValueId v) const { return first_[v.index + 1]; }
  uint32_t of(ValueId v, uint32_t comp) const {
    return first_[v.index] + comp / comps_per_piece_[v.index];
  }
  ValueId value(uint32_t p) const { return pieces_[p].value; }
  uint16_t comp(uint32_t p) const { return pieces_[p].comp; }  // its first
  uint16_t comps(uint32_t p) const { return comps_per_piece_[pieces_[p].value.index]; }
  uint32_t units(uint32_t p) const { return pieces_[p].units; }

  // Calls f(piece) for each piece that the operand names.
  template <class F>
  void ForEach(const Operand& o, F&& f) const {
    if (!IsValue(o) || o.id + 1 >= first_.size() || !has(o.value())) return;
    const uint32_t last = of(o.value(), o.comp + o.comps - 1u);
    for (uint32_t p = of(o.value(), o.comp); p <= last; ++p) f(p);
  }

 private:
  struct Piece {
    ValueId value;
    uint16_t comp = 0;
    uint32_t units = 0;
  };
  std::vector<uint32_t> first_;
  std::vector<uint16_t> comps_per_piece_;
  std::vector<Piece> pieces_;
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_PIECES_H_
