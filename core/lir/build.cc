#include "core/lir/build.h"

#include <algorithm>

namespace kiln::lir {

namespace {

// Appends operands that may themselves be in the pool.
void AppendOperands(Function& f, absl::Span<const Operand> from) {
  const Operand* pool = f.operands.data();
  const bool inside = from.data() >= pool && from.data() < pool + f.operands.size();
  if (!inside) {
    f.operands.insert(f.operands.end(), from.begin(), from.end());
    return;
  }
  const size_t first = from.data() - pool;
  for (size_t i = 0; i < from.size(); ++i) {
    const Operand o = f.operands[first + i];
    f.operands.push_back(o);
  }
}

}  // namespace

InstId MakeInst(Function& f, uint16_t op, const InstFields& fields, absl::Span<const Operand> defs,
                absl::Span<const Operand> uses) {
  assert(defs.size() <= 0xff && uses.size() <= 0xffff);
  Inst in;
  in.op = op;
  in.width = fields.width;
  in.group = fields.group;
  in.flags = fields.flags;
  in.cmod = fields.cmod;
  in.predicate_mode = fields.predicate_mode;
  in.num_defs = static_cast<uint8_t>(defs.size());
  in.num_uses = static_cast<uint16_t>(uses.size());
  in.first_operand = static_cast<uint32_t>(f.operands.size());
  in.aux = fields.aux;
  in.spirv_id = fields.spirv_id;
  // Spans in the pool are converted to offsets, since the first append may move the pool.
  const Operand* pool = f.operands.data();
  const bool uses_inside = uses.data() >= pool && uses.data() < pool + f.operands.size();
  const size_t uses_first = uses_inside ? uses.data() - pool : 0;
  AppendOperands(f, defs);
  if (uses_inside) uses = absl::MakeConstSpan(f.operands).subspan(uses_first, uses.size());
  AppendOperands(f, uses);
  f.insts.push_back(in);
  return InstId(f.insts.size() - 1);
}

void Builder::AddEdge(BlockId from, BlockId to, absl::Span<const Operand> args) {
  Edge e;
  e.to = to;
  e.first_arg = static_cast<uint32_t>(f_.operands.size());
  e.num_args = static_cast<uint16_t>(args.size());
  AppendOperands(f_, args);
  Block& b = f_.block(from);
  b.succs.push_back(e);
  b.physical_succs.erase(std::remove(b.physical_succs.begin(), b.physical_succs.end(), to),
                         b.physical_succs.end());
}

void Builder::AddPhysicalEdge(BlockId from, BlockId to) {
  Block& b = f_.block(from);
  for (const Edge& e : b.succs) {
    if (e.to == to) return;
  }
  if (std::find(b.physical_succs.begin(), b.physical_succs.end(), to) == b.physical_succs.end()) {
    b.physical_succs.push_back(to);
  }
}

}  // namespace kiln::lir
