// Twins are found by mnemonic, once: the table of opcodes stays the only list of them.
#include "core/amd/emit/twins.h"

#include <array>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace kiln::amd {
namespace {

using isa::Encoding;
using isa::Opcode;
using isa::OpcodeInfo;

using Table = std::array<int16_t, isa::kOpcodeCount>;
constexpr int16_t kNone = -1;

constexpr absl::string_view kCommutative[] = {"add", "addc", "mul",  "min", "max",  "and",    "or",
                                              "xor", "xnor", "nand", "nor", "fmac", "absdiff"};
constexpr std::pair<absl::string_view, absl::string_view> kExchanged[] = {
    {"lt", "gt"},   {"gt", "lt"},   {"le", "ge"},   {"ge", "le"},      {"nlt", "ngt"},
    {"ngt", "nlt"}, {"nle", "nge"}, {"nge", "nle"}, {"sub", "subrev"}, {"subrev", "sub"}};
constexpr absl::string_view kSymmetrical[] = {"eq", "ne", "lg", "neq", "nlg", "o", "u"};

template <size_t n>
bool Contains(const absl::string_view (&names)[n], absl::string_view name) {
  for (absl::string_view s : names) {
    if (s == name) return true;
  }
  return false;
}

bool MayExchange(const OpcodeInfo& info) {
  switch (info.encoding) {
    case Encoding::kVop2:
    case Encoding::kVopc:
    case Encoding::kSopc:
    case Encoding::kSop2: break;
    default: return false;
  }
  return info.src[0] == info.src[1];
}

// Returns the mnemonic of the twin, or "".
std::string TwinName(const OpcodeInfo& info) {
  std::vector<std::string> parts = absl::StrSplit(info.mnemonic, '_');
  const bool compares = info.encoding == Encoding::kVopc || info.encoding == Encoding::kSopc;
  // v_OP_..., v_cmp_OP_...; v_dot2c and v_pk_fmac are not among them.
  const size_t at = compares ? 2 : 1;
  if (parts.size() <= at || (compares && !absl::StartsWith(parts[1], "cmp"))) return "";
  std::string& op = parts[at];
  if (compares ? Contains(kSymmetrical, op) : Contains(kCommutative, op)) {
    return std::string(info.mnemonic);
  }
  for (const auto& [from, to] : kExchanged) {
    // There is no scalar reversed subtraction.
    if (op != from || (!compares && info.encoding != Encoding::kVop2)) continue;
    op = std::string(to);
    return absl::StrJoin(parts, "_");
  }
  return "";
}

std::map<std::string, int16_t> Names() {
  std::map<std::string, int16_t> names;
  for (int i = 0; i < isa::kOpcodeCount; ++i) {
    names.emplace(std::string(isa::Info(i).mnemonic), static_cast<int16_t>(i));
  }
  return names;
}

const Table& Twins() {
  static const Table table = [] {
    Table t;
    t.fill(kNone);
    const auto names = Names();
    for (int i = 0; i < isa::kOpcodeCount; ++i) {
      if (!MayExchange(isa::Info(i))) continue;
      const auto found = names.find(TwinName(isa::Info(i)));
      if (found != names.end()) t[static_cast<size_t>(i)] = found->second;
    }
    return t;
  }();
  return table;
}

const Table& WithSimm() {
  static const Table table = [] {
    Table t;
    t.fill(kNone);
    const auto names = Names();
    for (int i = 0; i < isa::kOpcodeCount; ++i) {
      std::string name(isa::Info(i).mnemonic);
      if (!absl::StartsWith(name, "s_cmp_")) continue;
      const auto found = names.find(absl::StrCat("s_cmpk_", name.substr(6)));
      if (found != names.end()) t[static_cast<size_t>(i)] = found->second;
    }
    return t;
  }();
  return table;
}

std::optional<Opcode> At(const Table& table, Opcode op) {
  const int16_t found = table[static_cast<size_t>(op)];
  if (found == kNone) return std::nullopt;
  return static_cast<Opcode>(found);
}

}  // namespace

std::optional<Opcode> TwinOf(Opcode op) { return At(Twins(), op); }

std::optional<Opcode> CompareWithSimm(Opcode op) { return At(WithSimm(), op); }

}  // namespace kiln::amd
