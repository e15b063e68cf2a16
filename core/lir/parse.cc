#include "core/lir/parse.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "core/lir/build.h"
#include "core/lir/side.h"

namespace kiln::lir {

namespace {

// Abseil's string_view is a separate type in this build.
absl::string_view Sv(std::string_view s) { return absl::string_view(s.data(), s.size()); }

class Parser {
 public:
  Parser(const Machine& t, absl::string_view text) : t_(t), text_(text) {}

  absl::StatusOr<Function> Run() {
    for (absl::string_view line : absl::StrSplit(text_, '\n')) {
      ++line_;
      line = absl::StripAsciiWhitespace(line);
      if (line.empty() || absl::StartsWith(line, ";")) continue;
      if (absl::Status s = Line(line); !s.ok()) return s;
    }
    if (!saw_function_) return Error("the 'function' line is missing");
    return std::move(f_);
  }

 private:
  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("LIR text, line ", line_, ": ", what));
  }

  static std::vector<absl::string_view> Words(absl::string_view s) {
    return absl::StrSplit(s, ' ', absl::SkipEmpty());
  }

  // Takes the digits at the front of *s.
  static bool TakeNumber(absl::string_view* s, uint64_t max, uint64_t* out) {
    size_t n = 0;
    while (n < s->size() && absl::ascii_isdigit((*s)[n])) ++n;
    uint64_t v = 0;
    if (n == 0 || !absl::SimpleAtoi(s->substr(0, n), &v) || v > max) return false;
    s->remove_prefix(n);
    *out = v;
    return true;
  }

  template <class T>
  static bool Number(absl::string_view s, T* out) {
    uint64_t v = 0;
    if (!TakeNumber(&s, static_cast<T>(~T{0}), &v) || !s.empty()) return false;
    *out = static_cast<T>(v);
    return true;
  }

  static bool TakePrefix(absl::string_view* s, absl::string_view p) {
    return absl::ConsumePrefix(s, p);
  }

  bool Name(absl::string_view s, absl::string_view prefix, uint32_t* out) const {
    return TakePrefix(&s, prefix) && Number(s, out);
  }

  absl::Status Line(absl::string_view line) {
    if (absl::StartsWith(line, "function ")) return FunctionLine(line);
    if (!saw_function_) return Error("'function' must come first");
    if (absl::StartsWith(line, "value ")) return ValueLine(line);
    if (absl::StartsWith(line, "livein ")) return LiveInLine(line);
    if (absl::StartsWith(line, "spilled ")) return SpilledLine(line);
    if (absl::StartsWith(line, "pool ")) return PoolLine(line);
    if (absl::StartsWith(line, "reserved ")) return ReservedLine(line);
    if (absl::StartsWith(line, "scratch_header ")) return ScratchHeaderLine(line);
    if (absl::StartsWith(line, "exit_block ")) return ExitBlockLine(line);
    if (absl::StartsWith(line, "block ")) return BlockLine(line);
    if (f_.blocks.empty()) return Error("expected 'block'");
    if (absl::StartsWith(line, "-> ")) return Successors(line.substr(3));
    if (absl::StartsWith(line, "~> ")) return PhysicalSuccessors(line.substr(3));
    return InstLine(line);
  }

  absl::Status FunctionLine(absl::string_view line) {
    const auto w = Words(line);
    if (saw_function_ || w.size() != 4 || w[1] != Sv(t_.name) || w[2] != "width" ||
        !Number(w[3], &f_.dispatch_width)) {
      return Error(absl::StrCat("expected 'function ", Sv(t_.name), " width N'"));
    }
    saw_function_ = true;
    return absl::OkStatus();
  }

  absl::Status ValueLine(absl::string_view line) {
    const auto w = Words(line);
    uint32_t id = 0;
    Value v;
    if (w.size() < 4 || !Name(w[1], "%", &id) || id != f_.values.size()) {
      return Error("expected 'value %N FILE BYTESxCOMPS' in order");
    }
    size_t file = 0;
    while (file < t_.files.size() && Sv(t_.files[file].name) != w[2]) ++file;
    if (file == t_.files.size()) return Error("unknown file");
    v.file = static_cast<uint8_t>(file);
    const std::vector<absl::string_view> shape = absl::StrSplit(w[3], 'x');
    if (shape.size() != 2 || !Number(shape[0], &v.elem_bytes) || !Number(shape[1], &v.comps)) {
      return Error("expected BYTESxCOMPS");
    }
    for (size_t i = 4; i < w.size(); ++i) {
      if (w[i] == "whole") {
        v.whole_registers = true;
      } else if (w[i] == "tail") {
        v.in_tail = true;
      } else if (w[i] == "id" && i + 1 < w.size() && Number(w[i + 1], &v.spirv_id)) {
        ++i;
      } else {
        return Error("unknown property of a value");
      }
    }
    f_.values.push_back(v);
    return absl::OkStatus();
  }

  absl::Status SpilledLine(absl::string_view line) {
    const auto w = Words(line);
    if (w.size() != 2 || !Number(w[1], &f_.spill_units)) return Error("expected 'spilled UNITS'");
    return absl::OkStatus();
  }

  absl::Status LiveInLine(absl::string_view line) {
    const auto w = Words(line);
    uint32_t id = 0;
    LiveIn l;
    l.held = w.size() == 5 && w[4] == "held";
    if ((w.size() != 4 && !l.held) || !Name(w[1], "%", &id) || w[2] != "at" ||
        !Number(w[3], &l.reg) || id >= f_.values.size()) {
      return Error("expected 'livein %N at UNIT', optionally with 'held'");
    }
    l.value = ValueId(id);
    f_.live_ins.push_back(l);
    return absl::OkStatus();
  }

  bool PoolName(absl::string_view name, size_t* pool) const {
    *pool = 0;
    while (*pool < t_.pools.size() && Sv(t_.pools[*pool].name) != name) ++*pool;
    return *pool < t_.pools.size();
  }

  absl::Status PoolLine(absl::string_view line) {
    const auto w = Words(line);
    size_t pool = 0;
    uint32_t units = 0;
    if (w.size() != 4 || !PoolName(w[1], &pool) || pool != f_.pool_units.size() ||
        w[2] != "units" || !Number(w[3], &units)) {
      return Error("expected 'pool NAME units N' in order");
    }
    f_.pool_units.push_back(units);
    return absl::OkStatus();
  }

  absl::Status ReservedLine(absl::string_view line) {
    const auto w = Words(line);
    size_t pool = 0;
    Reserved r;
    const bool lanes = w.size() == 8 && w[6] == "spilled";
    if ((w.size() != 6 && !lanes) || !PoolName(w[1], &pool) || w[2] != "at" ||
        !Number(w[3], &r.first) || w[4] != "units" || !Number(w[5], &r.units)) {
      return Error("expected 'reserved NAME at UNIT units N', optionally with 'spilled NAME'");
    }
    r.pool = static_cast<uint8_t>(pool);
    if (lanes) {
      if (!PoolName(w[7], &pool)) return Error("unknown pool of spilled values");
      r.spilled_pool = static_cast<uint8_t>(pool);
    }
    f_.reserved.push_back(r);
    return absl::OkStatus();
  }

  absl::Status ScratchHeaderLine(absl::string_view line) {
    const auto w = Words(line);
    uint32_t id = 0;
    if (w.size() != 2 || f_.scratch_header.valid() || !Name(w[1], "%", &id) ||
        id == ValueId::kNone) {
      return Error("expected one 'scratch_header %N'");
    }
    f_.scratch_header = ValueId(id);
    return absl::OkStatus();
  }

  absl::Status ExitBlockLine(absl::string_view line) {
    const auto w = Words(line);
    uint32_t id = 0;
    if (w.size() != 2 || f_.exit_block.valid() || !Name(w[1], "b", &id) || id == BlockId::kNone) {
      return Error("expected one 'exit_block bN'");
    }
    f_.exit_block = BlockId(id);
    return absl::OkStatus();
  }

  absl::Status BlockLine(absl::string_view line) {
    const auto w = Words(line);
    uint32_t id = 0;
    Block b;
    if (w.size() < 4 || !Name(w[1], "b", &id) || id != f_.blocks.size() || w[2] != "depth" ||
        !Number(w[3], &b.loop_depth)) {
      return Error("expected 'block bN depth D' in order");
    }
    if (w.size() > 4 && w[4] != "params") return Error("expected 'params'");
    for (size_t i = 5; i < w.size(); ++i) {
      uint32_t v = 0;
      if (!Name(w[i], "%", &v) || v >= f_.values.size()) return Error("unknown parameter value");
      b.params.push_back(ValueId(v));
    }
    f_.blocks.push_back(std::move(b));
    return absl::OkStatus();
  }

  absl::Status Successors(absl::string_view s) {
    Block& b = f_.blocks.back();
    while (true) {
      s = absl::StripLeadingAsciiWhitespace(s);
      uint64_t to = 0;
      if (!TakePrefix(&s, "b") || !TakeNumber(&s, Id<int>::kNone - 1, &to)) {
        return Error("expected a block");
      }
      Edge e;
      e.to = BlockId(to);
      e.first_arg = static_cast<uint32_t>(f_.operands.size());
      if (TakePrefix(&s, "(")) {
        const size_t close = s.find(')');
        if (close == s.npos) return Error("missing ')'");
        for (absl::string_view a : absl::StrSplit(s.substr(0, close), ',')) {
          Operand o;
          if (!ParseOperand(absl::StripAsciiWhitespace(a), &o)) return Error("bad argument");
          f_.operands.push_back(o);
          ++e.num_args;
        }
        s.remove_prefix(close + 1);
      }
      b.succs.push_back(e);
      if (s.empty()) return absl::OkStatus();
      if (!TakePrefix(&s, ",")) return Error("expected ','");
    }
  }

  absl::Status PhysicalSuccessors(absl::string_view s) {
    for (absl::string_view w : absl::StrSplit(s, ',')) {
      uint32_t to = 0;
      if (!Name(absl::StripAsciiWhitespace(w), "b", &to)) return Error("expected a block");
      f_.blocks.back().physical_succs.push_back(BlockId(to));
    }
    return absl::OkStatus();
  }

  bool ParseType(absl::string_view name, uint8_t* out) const {
    for (size_t i = 0; i < t_.types.size(); ++i) {
      if (Sv(t_.types[i]) == name) {
        *out = static_cast<uint8_t>(i);
        return true;
      }
    }
    return Number(name, out);
  }

  bool ParseBase(absl::string_view* s, Operand* o) const {
    uint64_t n = 0;
    if (TakePrefix(s, "_")) return true;
    if (TakePrefix(s, "%")) {
      o->kind = Operand::Kind::kValue;
      if (f_.values.empty() || !TakeNumber(s, f_.values.size() - 1, &n)) return false;
      o->id = static_cast<uint32_t>(n);
      return true;
    }
    if (TakePrefix(s, "#0x")) {
      o->kind = Operand::Kind::kImm;
      size_t len = 0;
      while (len < s->size() && absl::ascii_isxdigit((*s)[len])) ++len;
      if (!absl::SimpleHexAtoi(s->substr(0, len), &o->id)) return false;
      s->remove_prefix(len);
      return true;
    }
    if (!TakePrefix(s, "$")) return false;
    o->kind = Operand::Kind::kFixed;
    if (TakeNumber(s, ~uint32_t{0}, &n)) {
      o->id = static_cast<uint32_t>(n);
      return true;
    }
    return TakeFixed(s, &o->id);
  }

  // Takes the longest name that is a prefix of the text: parts of the operand may follow directly.
  bool TakeFixed(absl::string_view* s, uint32_t* code) const {
    size_t longest = 0;
    for (size_t i = 0; i < t_.fixed.size(); ++i) {
      const absl::string_view name = Sv(t_.fixed[i]);
      if (name.size() <= longest || !absl::StartsWith(*s, name)) continue;
      longest = name.size();
      *code = static_cast<uint32_t>(i);
    }
    s->remove_prefix(longest);
    return longest > 0;
  }

  bool ParseOperand(absl::string_view s, Operand* o) const {
    uint64_t n = 0;
    if (TakePrefix(&s, "-")) o->mods |= Operand::kNegate;
    if (TakePrefix(&s, "|")) o->mods |= Operand::kAbsolute;
    if (!ParseBase(&s, o)) return false;
    if (TakePrefix(&s, ".")) {
      if (!TakeNumber(&s, 0xffff, &n)) return false;
      o->comp = static_cast<uint16_t>(n);
    }
    if (TakePrefix(&s, "x")) {
      if (!TakeNumber(&s, 0xffff, &n)) return false;
      o->comps = static_cast<uint16_t>(n);
    }
    if ((o->mods & Operand::kAbsolute) && !TakePrefix(&s, "|")) return false;
    if (TakePrefix(&s, "+")) {
      if (!TakeNumber(&s, 0xff, &n)) return false;
      o->sub = static_cast<uint8_t>(n);
    }
    if (TakePrefix(&s, ":")) {
      const size_t len = std::min(s.find('@'), s.size());
      if (!ParseType(s.substr(0, len), &o->type)) return false;
      s.remove_prefix(len);
    }
    if (TakePrefix(&s, "@")) {
      if (!TakeNumber(&s, ~uint32_t{0}, &n)) return false;
      o->reg = static_cast<uint32_t>(n);
    }
    return s.empty();
  }

  // Takes "[...]" out of the fields.
  bool TakeSide(std::string* s, InstFields* f) {
    const size_t open = s->find('[');
    if (open == s->npos) return true;
    const size_t close = s->find(']', open);
    SideRow row;
    if (close == s->npos || t_.parse_side == nullptr ||
        !t_.parse_side(std::string_view(*s).substr(open + 1, close - open - 1), &row)) {
      return false;
    }
    f->aux = InternSide(f_, row);
    s->erase(open, close - open + 1);
    return true;
  }

  bool ParseFields(std::string s, InstFields* f) {
    if (!TakeSide(&s, f)) return false;
    const auto w = Words(s);
    for (size_t i = 0; i < w.size(); ++i) {
      const bool more = i + 1 < w.size();
      if (w[i] == "nomask") {
        f->flags |= kNoMask;
      } else if (w[i] == "sat") {
        f->flags |= kSaturate;
      } else if (w[i] == "inv") {
        f->flags |= kPredicateInverse;
      } else if (w[i] == "ra") {
        f->flags |= kInsertedCopy;
      } else if (w[i] == "unordered") {
        f->flags |= kUnordered;
      } else if (w[i] == "lanes") {
        f->flags |= kReadsLanes;
      } else if (w[i] == "preferred") {
        f->flags |= kPreferredExit;
      } else if (w[i] == "cmod" && more && Number(w[i + 1], &f->cmod)) {
        ++i;
      } else if (w[i] == "pred" && more && Number(w[i + 1], &f->predicate_mode)) {
        ++i;
      } else if (w[i] == "aux" && more && Number(w[i + 1], &f->aux)) {
        ++i;
      } else if (w[i] == "id" && more && Number(w[i + 1], &f->spirv_id)) {
        ++i;
      } else if (!(w[i][0] == 'w' && Number(w[i].substr(1), &f->width)) &&
                 !(w[i][0] == 'g' && Number(w[i].substr(1), &f->group))) {
        return false;
      }
    }
    return true;
  }

  absl::Status InstLine(absl::string_view line) {
    InstFields fields;
    if (const size_t brace = line.find('{'); brace != line.npos) {
      if (line.back() != '}') return Error("missing '}'");
      if (!ParseFields(std::string(line.substr(brace + 1, line.size() - brace - 2)), &fields)) {
        return Error("unknown field in braces");
      }
      line = line.substr(0, brace);
    }
    const auto w = Words(line);
    const size_t equals = std::find(w.begin(), w.end(), "=") - w.begin();
    std::vector<Operand> defs, uses;
    for (size_t i = 0; i < w.size(); ++i) {
      if (i == equals || (equals == w.size() ? i == 0 : i == equals + 1)) continue;
      Operand o;
      if (!ParseOperand(w[i], &o)) return Error(absl::StrCat("bad operand '", w[i], "'"));
      (equals != w.size() && i < equals ? defs : uses).push_back(o);
    }
    const size_t op_word = equals == w.size() ? 0 : equals + 1;
    if (op_word >= w.size()) return Error("missing operation");
    size_t op = 0;
    while (op < t_.ops.size() && Sv(t_.ops[op].name) != w[op_word]) ++op;
    if (op == t_.ops.size()) return Error(absl::StrCat("no operation '", w[op_word], "'"));
    if (defs.size() > 0xff || uses.size() > 0xffff) return Error("too many operands");
    f_.blocks.back().insts.push_back(MakeInst(f_, static_cast<uint16_t>(op), fields, defs, uses));
    return absl::OkStatus();
  }

  const Machine& t_;
  absl::string_view text_;
  Function f_;
  int line_ = 0;
  bool saw_function_ = false;
};

}  // namespace

absl::StatusOr<Function> Parse(const Machine& machine, std::string_view text) {
  return Parser(machine, Sv(text)).Run();
}

}  // namespace kiln::lir
