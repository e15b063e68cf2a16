#include "core/lir/print.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kiln::lir {

namespace {

// Abseil's string_view is a separate type in this build.
absl::string_view Sv(std::string_view s) { return absl::string_view(s.data(), s.size()); }

// Prints the side row, or its number if the row does not exist (in a function not yet verified).
void AppendAux(const Machine& t, const Function& f, const Inst& in, std::string* s) {
  const bool side = in.op < t.ops.size() && (t.ops[in.op].flags & kOpSide) != 0;
  if (side && in.aux < f.side.size()) {
    absl::StrAppend(s, " [", t.print_side(f.side[in.aux]), "]");
  } else if (side || in.aux != 0) {
    absl::StrAppend(s, " aux ", in.aux);
  }
}

void AppendFields(const Machine& t, const Function& f, const Inst& in, std::string* out) {
  std::string s;
  if (in.width != 1) absl::StrAppend(&s, " w", in.width);
  if (in.group != 0) absl::StrAppend(&s, " g", in.group);
  if (in.flags & kNoMask) s += " nomask";
  if (in.flags & kSaturate) s += " sat";
  if (in.cmod != 0) absl::StrAppend(&s, " cmod ", in.cmod);
  if (in.predicate_mode != 0) absl::StrAppend(&s, " pred ", in.predicate_mode);
  if (in.flags & kPredicateInverse) s += " inv";
  if (in.flags & kInsertedCopy) s += " ra";
  if (in.flags & kUnordered) s += " unordered";
  if (in.flags & kReadsLanes) s += " lanes";
  if (in.flags & kPreferredExit) s += " preferred";
  AppendAux(t, f, in, &s);
  if (in.spirv_id != 0) absl::StrAppend(&s, " id ", in.spirv_id);
  if (!s.empty()) absl::StrAppend(out, " {", s.substr(1), "}");
}

void AppendBlock(const Machine& t, const Function& f, BlockId id, std::string* out) {
  const Block& b = f.block(id);
  absl::StrAppend(out, "block b", id.index, " depth ", b.loop_depth);
  if (!b.params.empty()) *out += " params";
  for (ValueId v : b.params) absl::StrAppend(out, " %", v.index);
  *out += "\n";
  for (InstId i : b.insts) absl::StrAppend(out, "  ", PrintInst(t, f, i), "\n");
  if (!b.succs.empty()) {
    std::string_view sep = "  -> ";
    for (const Edge& e : b.succs) {
      absl::StrAppend(out, Sv(std::exchange(sep, ", ")), "b", e.to.index);
      std::string_view open = "(";
      for (const Operand& o : f.args(e)) {
        absl::StrAppend(out, Sv(std::exchange(open, ", ")), PrintOperand(t, o));
      }
      if (e.num_args != 0) *out += ")";
    }
    *out += "\n";
  }
  std::string_view sep = "  ~> ";
  for (BlockId s : b.physical_succs) {
    absl::StrAppend(out, Sv(std::exchange(sep, ", ")), "b", s.index);
  }
  if (!b.physical_succs.empty()) *out += "\n";
}

}  // namespace

std::string PrintOperand(const Machine& t, const Operand& o) {
  std::string s;
  if (o.mods & Operand::kNegate) s += "-";
  if (o.mods & Operand::kAbsolute) s += "|";
  switch (o.kind) {
    case Operand::Kind::kNone: s += "_"; break;
    case Operand::Kind::kValue: absl::StrAppend(&s, "%", o.id); break;
    case Operand::Kind::kImm: absl::StrAppend(&s, "#0x", absl::Hex(o.id)); break;
    case Operand::Kind::kFixed:
      if (o.id < t.fixed.size()) {
        absl::StrAppend(&s, "$", Sv(t.fixed[o.id]));
      } else {
        absl::StrAppend(&s, "$", o.id);
      }
      break;
  }
  if (o.comp != 0) absl::StrAppend(&s, ".", o.comp);
  if (o.comps != 1) absl::StrAppend(&s, "x", o.comps);
  if (o.mods & Operand::kAbsolute) s += "|";
  if (o.sub != 0) absl::StrAppend(&s, "+", o.sub);
  if (o.type < t.types.size()) {
    if (o.kind != Operand::Kind::kNone || o.type != 0)
      absl::StrAppend(&s, ":", Sv(t.types[o.type]));
  } else if (o.type != 0) {
    absl::StrAppend(&s, ":", o.type);
  }
  if (o.reg != Operand::kNoReg) absl::StrAppend(&s, "@", o.reg);
  return s;
}

std::string PrintInst(const Machine& t, const Function& f, InstId i) {
  const Inst& in = f.inst(i);
  std::string s;
  for (const Operand& o : f.defs(i)) {
    absl::StrAppend(&s, s.empty() ? "" : " ", PrintOperand(t, o));
  }
  if (in.num_defs != 0) s += " = ";
  if (in.op < t.ops.size()) {
    absl::StrAppend(&s, Sv(t.ops[in.op].name));
  } else {
    absl::StrAppend(&s, "op", in.op);
  }
  for (const Operand& o : f.uses(i)) absl::StrAppend(&s, " ", PrintOperand(t, o));
  AppendFields(t, f, in, &s);
  return s;
}

std::string Print(const Machine& t, const Function& f) {
  std::string s = absl::StrCat("function ", Sv(t.name), " width ", f.dispatch_width, "\n");
  for (size_t v = 0; v < f.values.size(); ++v) {
    const Value& value = f.values[v];
    absl::StrAppend(&s, "value %", v, " ", Sv(t.files[value.file].name), " ", value.elem_bytes, "x",
                    value.comps, value.whole_registers ? " whole" : "",
                    value.in_tail ? " tail" : "");
    if (value.spirv_id != 0) absl::StrAppend(&s, " id ", value.spirv_id);
    s += "\n";
  }
  if (f.spill_units != 0) absl::StrAppend(&s, "spilled ", f.spill_units, "\n");
  for (size_t p = 0; p < f.pool_units.size(); ++p) {
    absl::StrAppend(&s, "pool ", Sv(t.pools[p].name), " units ", f.pool_units[p], "\n");
  }
  for (const Reserved& r : f.reserved) {
    absl::StrAppend(&s, "reserved ", Sv(t.pools[r.pool].name), " at ", r.first, " units ", r.units);
    if (r.spilled_pool != Reserved::kNoPool) {
      absl::StrAppend(&s, " spilled ", Sv(t.pools[r.spilled_pool].name));
    }
    s += "\n";
  }
  for (const LiveIn& l : f.live_ins) {
    absl::StrAppend(&s, "livein %", l.value.index, " at ", l.reg, l.held ? " held" : "", "\n");
  }
  if (f.scratch_header.valid()) {
    absl::StrAppend(&s, "scratch_header %", f.scratch_header.index, "\n");
  }
  if (f.exit_block.valid()) absl::StrAppend(&s, "exit_block b", f.exit_block.index, "\n");
  for (size_t b = 0; b < f.blocks.size(); ++b) AppendBlock(t, f, BlockId(b), &s);
  return s;
}

}  // namespace kiln::lir
