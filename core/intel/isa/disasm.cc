// The disassembler: see disasm.h. The syntax is iga64's, so that its assembler accepts the text;
// tests/isa checks that over every form. Immediates of float types are printed as their bits.
#include "core/intel/isa/disasm.h"

#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/intel/isa/codes.h"

namespace kiln::intel::isa {
namespace {

// Names a branch target, given the byte distance.
using TargetName = std::function<std::string(int32_t)>;

constexpr const char* kTypeNames[] = {"ub", "b",  "uw", "w",  "ud", "d",  "uq",
                                      "q",  "hf", "f",  "df", "v",  "uv", "vf"};
constexpr const char* kCondNames[] = {"", "eq", "ne", "gt", "ge", "lt", "le", "", "ov", "un"};
constexpr const char* kPredNames[] = {"",        ".anyv",   ".allv",  ".any2h", ".all2h",
                                      ".any4h",  ".all4h",  ".any8h", ".all8h", ".any16h",
                                      ".all16h", ".any32h", ".all32h"};
constexpr const char* kMathNames[] = {"", "inv",  "log", "exp",  "sqt",  "rsqt", "sin",  "cos",
                                      "", "fdiv", "pow", "idiv", "iqot", "irem", "invm", "rsqtm"};
constexpr const char* kSfidNames[] = {"null", "",    "smpl", "gtwy", "dc2",  "rc",  "urb",
                                      "ts",   "vme", "dcro", "dc0",  "pixi", "dc1", "cre"};

const char* TypeName(Type type) { return kTypeNames[static_cast<int>(type)]; }

std::string RegisterName(const Operand& o, Type type) {
  if (o.file == File::kNone) return "null";
  const int sub = o.subnr / ByteSize(type);
  if (o.file == File::kGrf) return absl::StrCat("r", o.nr, ".", sub);
  const auto numbered = [&](const char* name) { return absl::StrCat(name, o.nr, ".", sub); };
  switch (o.arf) {
    case Arf::kNull: return "null";
    case Arf::kAddress: return numbered("a");
    case Arf::kAccumulator: return numbered("acc");
    case Arf::kFlag: return numbered("f");
    case Arf::kMask: return numbered("ce");
    case Arf::kState: return numbered("sr");
    case Arf::kControl: return numbered("cr");
    case Arf::kNotification: return numbered("n");
    case Arf::kIp: return "ip";
    case Arf::kTdr: return numbered("tdr");
    case Arf::kTimestamp: return numbered("tm");
  }
  return "?";
}

std::string Address(const Operand& o) {
  if (o.address_imm == 0) return absl::StrCat("r[a0.", o.address_subnr, "]");
  return absl::StrCat("r[a0.", o.address_subnr, ",", o.address_imm, "]");
}

std::string DstText(const Operand& dst) {
  return absl::StrCat(dst.indirect ? Address(dst) : RegisterName(dst, dst.type), "<",
                      dst.region.hstride, ">:", TypeName(dst.type));
}

std::string ImmediateText(const Operand& src) {
  switch (src.type) {
    case Type::kW: return absl::StrCat(static_cast<int16_t>(src.imm), ":w");
    case Type::kD: return absl::StrCat(static_cast<int32_t>(src.imm), ":d");
    default: return absl::StrFormat("0x%X:%s", src.imm, TypeName(src.type));
  }
}

std::string ModifierText(const Operand& src, bool bitwise) {
  const char* sign = src.negate ? (bitwise ? "~" : "-") : "";
  return absl::StrCat(sign, src.absolute ? "(abs)" : "");
}

// The form of a source's region: full, or without the parts that three-source operands lack.
enum class RegionForm { kFull, kTernary, kTernaryLast };

std::string RegionText(const Region& r, RegionForm form) {
  if (form == RegionForm::kTernaryLast) return absl::StrCat("<", r.hstride, ">");
  if (form == RegionForm::kTernary) return absl::StrCat("<", r.vstride, ";", r.hstride, ">");
  if (r.vstride == Region::kVxH) return absl::StrCat("<", r.width, ",", r.hstride, ">");
  return absl::StrCat("<", r.vstride, ";", r.width, ",", r.hstride, ">");
}

std::string SourceText(const Operand& src, RegionForm form, bool bitwise) {
  if (src.file == File::kImm) return ImmediateText(src);
  const std::string name = src.indirect ? Address(src) : RegisterName(src, src.type);
  if (src.file == File::kArf && src.arf == Arf::kNull) {
    return absl::StrCat(ModifierText(src, bitwise), name, ":", TypeName(src.type));
  }
  return absl::StrCat(ModifierText(src, bitwise), name, RegionText(src.region, form), ":",
                      TypeName(src.type));
}

// The assembler's sync has neither predicate nor execution size, though binaries may carry both.
std::string PredicateText(const Instruction& inst) {
  if (inst.pred == PredCtrl::kNone || inst.op == Opcode::kSync) return inst.no_mask ? "(W)" : "";
  return absl::StrCat("(", inst.no_mask ? "W&" : "", inst.pred_inverse ? "~" : "", "f",
                      inst.flag_nr, ".", inst.flag_subnr,
                      kPredNames[std::max(0, static_cast<int>(inst.pred) - 1)], ")");
}

std::string MnemonicText(const Instruction& inst) {
  const std::string name(Info(inst.op).mnemonic);
  if (inst.op == Opcode::kMath) return name + "." + kMathNames[static_cast<int>(inst.math)];
  if (IsSend(inst.op)) return name + "." + kSfidNames[static_cast<int>(inst.send.sfid)];
  if (inst.op == Opcode::kSync) {
    switch (inst.sync) {
      case SyncFunction::kNop: return name + ".nop";
      case SyncFunction::kAllRd: return name + ".allrd";
      case SyncFunction::kAllWr: return name + ".allwr";
      case SyncFunction::kBar: return name + ".bar";
      case SyncFunction::kHost: return name + ".host";
    }
  }
  return inst.branch_control ? name + ".b" : name;
}

std::string ExecText(const Instruction& inst) {
  const Format format = Info(inst.op).format;
  if (format == Format::kNullary || format == Format::kSync) return "";
  if (format == Format::kJmpi && inst.exec_size == 1 && inst.channel_offset == 0) return "";
  return absl::StrCat("(", inst.exec_size, "|M", inst.channel_offset, ")");
}

// Returns the text of the scoreboard byte. The opcode's kind decides how the combined form is read.
std::string SwsbText(const Instruction& inst) {
  const int b = inst.swsb;
  if (b == 0) return "";
  const int token = b & 15;
  if (b & 0x80) {
    const bool sets = IsSend(inst.op) || inst.op == Opcode::kMath;
    return absl::StrCat("@", b >> 4 & 7, ",$", token, sets ? "" : ".dst");
  }
  switch (b >> 4) {
    case 0: return absl::StrCat("@", b);
    case 2: return absl::StrCat("$", token, ".dst");
    case 3: return absl::StrCat("$", token, ".src");
    case 4: return absl::StrCat("$", token);
    default: return absl::StrFormat("?swsb 0x%02X", b);
  }
}

std::string OptionsText(const Instruction& inst) {
  std::vector<std::string> options;
  if (inst.acc_write) options.push_back("AccWrEn");
  if (inst.atomic) options.push_back("Atomic");
  if (inst.debug) options.push_back("Breakpoint");
  if (inst.compacted) options.push_back("Compacted");
  if (IsSend(inst.op) && inst.send.eot) options.push_back("EOT");
  if (const std::string swsb = SwsbText(inst); !swsb.empty()) options.push_back(swsb);
  if (options.empty()) return "";
  return absl::StrCat("{", absl::StrJoin(options, ","), "}");
}

std::vector<std::string> SendOperands(const Instruction& inst) {
  const auto reg = [](const Operand& o) {
    return o.file == File::kGrf ? absl::StrCat("r", o.nr) : RegisterName(o, Type::kUD);
  };
  const SendFields& s = inst.send;
  return {reg(inst.dst), reg(inst.src[0]), reg(inst.src[1]),
          s.ex_desc_is_register ? absl::StrCat("a0.", s.ex_desc_address)
                                : absl::StrFormat("0x%X", s.ex_desc),
          s.desc_is_register ? "a0.0" : absl::StrFormat("0x%08X", s.desc)};
}

std::vector<std::string> BranchOperands(const Instruction& inst, const TargetName& target) {
  std::vector<std::string> out;
  const Format format = Info(inst.op).format;
  if (format == Format::kCall) out.push_back(RegisterName(inst.dst, Type::kUD));
  if (format == Format::kRet || inst.src[0].file == File::kGrf) {
    out.push_back(RegisterName(inst.src[0], Type::kUD));
    return out;
  }
  out.push_back(target(inst.jip));
  if (format == Format::kBranchJU) out.push_back(target(inst.uip));
  return out;
}

std::vector<std::string> BasicOperands(const Instruction& inst) {
  const OpcodeInfo& info = Info(inst.op);
  std::vector<std::string> out = {(inst.saturate ? "(sat)" : "") + DstText(inst.dst)};
  int sources = info.nsrc;
  if (inst.op == Opcode::kMath) sources = MathIsBinary(inst.math) ? 2 : 1;
  for (int i = 0; i < sources; ++i) {
    RegionForm form = RegionForm::kFull;
    if (info.format == Format::kTernary) {
      form = i == 2 ? RegionForm::kTernaryLast : RegionForm::kTernary;
    }
    out.push_back(SourceText(inst.src[i], form, info.bitwise));
  }
  return out;
}

std::vector<std::string> Operands(const Instruction& inst, const TargetName& target) {
  switch (Info(inst.op).format) {
    case Format::kNullary: return {};
    case Format::kBasic:
    case Format::kTernary:
    case Format::kMath: return BasicOperands(inst);
    case Format::kSend: return SendOperands(inst);
    case Format::kSync:
      return {inst.src[0].file == File::kImm ? absl::StrFormat("0x%X", inst.src[0].imm)
                                             : RegisterName(inst.src[0], Type::kUD)};
    default: return BranchOperands(inst, target);
  }
}

std::string Text(const Instruction& inst, const TargetName& target) {
  std::string cmod;
  if (inst.cmod != CondMod::kNone) {
    cmod = absl::StrCat("(", kCondNames[static_cast<int>(inst.cmod)], ")f", inst.flag_nr, ".",
                        inst.flag_subnr);
  }
  std::string line = absl::StrFormat("%-8s%-25s%-10s", PredicateText(inst),
                                     absl::StrCat(MnemonicText(inst), " ", ExecText(inst)), cmod);
  for (const std::string& operand : Operands(inst, target)) {
    absl::StrAppendFormat(&line, " %-18s", operand);
  }
  absl::StrAppend(&line, " ", OptionsText(inst));
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string Disassemble(Generation, const Instruction& inst) {
  return Text(inst, [](int32_t distance) { return absl::StrCat(distance); });
}

std::string DisassembleProgram(Generation, absl::Span<const PlacedInstruction> program) {
  std::vector<int64_t> labels;
  const auto add_label = [&](const PlacedInstruction& p, int32_t distance) {
    labels.push_back((p.inst.op == Opcode::kCalla ? 0 : int64_t{p.offset}) + distance);
  };
  for (const PlacedInstruction& p : program) {
    if (!IsBranch(p.inst.op) || Info(p.inst.op).format == Format::kRet ||
        p.inst.src[0].file == File::kGrf) {
      continue;
    }
    add_label(p, p.inst.jip);
    if (Info(p.inst.op).format == Format::kBranchJU) add_label(p, p.inst.uip);
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());

  std::string out;
  size_t next = 0;
  const auto place_labels = [&](int64_t offset) {
    for (; next < labels.size() && labels[next] <= offset; ++next) {
      absl::StrAppend(&out, "L", labels[next], ":\n");
    }
  };
  for (const PlacedInstruction& p : program) {
    place_labels(p.offset);
    const int64_t base = p.inst.op == Opcode::kCalla ? 0 : p.offset;
    absl::StrAppend(
        &out, Text(p.inst, [base](int32_t distance) { return absl::StrCat("L", base + distance); }),
        "\n");
  }
  place_labels(INT64_MAX);
  return out;
}

}  // namespace kiln::intel::isa
