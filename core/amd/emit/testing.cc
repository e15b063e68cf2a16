#include "core/amd/emit/testing.h"

#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/amd/emit/avoid_hazards.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/verify.h"
#include "core/amd/lir/machine.h"
#include "core/amd/lir/ops.h"
#include "core/amd/waits/insert_waits.h"
#include "core/lir/parse.h"
#include "gtest/gtest.h"

namespace kiln::amd::testing {
namespace {

// Replaces names of registers by values that are in them, and declares these.
class Names {
 public:
  std::string Translate(std::string_view line) {
    std::string out;
    for (size_t i = 0; i < line.size();) {
      if (line[i] != '%') {
        out += line[i++];
        continue;
      }
      size_t end = i + 1;
      while (end < line.size() && absl::ascii_isalnum(static_cast<unsigned char>(line[end]))) ++end;
      // The register follows the bars of an absolute value.
      const bool bars = end < line.size() && line[end] == '|';
      absl::StrAppend(&out, ValueOf(std::string(line.substr(i + 1, end - i - 1)), bars ? "|" : ""));
      if (bars) ++end;
      i = end;
    }
    return out;
  }

  std::string Declarations() const { return declarations_; }

 private:
  // A tuple's length follows the number: %v4x2.
  std::string ValueOf(std::string name, absl::string_view behind) {
    uint32_t comps = name[0] == 'p' ? 2 : 1;
    const size_t x = name.find('x', 1);
    if (x != name.npos && absl::SimpleAtoi(name.substr(x + 1), &comps)) name.resize(x);
    const std::string key = absl::StrCat(name, "x", comps);
    const auto [at, fresh] = ids_.emplace(key, ids_.size());
    uint32_t number = 0;
    const bool vcc = absl::EndsWith(name, "vcc");
    if (!vcc && !absl::SimpleAtoi(name.substr(1), &number)) number = 0;
    const bool vector = name[0] == 'v' || name[0] == 'w';
    const uint32_t reg = vcc ? 0 : vector ? number : UnitOfSgpr(number);
    if (fresh) {
      const std::string file = name[0] == 'p' ? "S" : absl::AsciiStrToUpper(name.substr(0, 1));
      absl::StrAppend(&declarations_, "value %", at->second, " ", name[0] == 'c' ? "SCC" : file,
                      name[0] == 'm' || name[0] == 'c' ? " 0x" : " 4x", comps, "\n");
    }
    std::string operand = absl::StrCat("%", at->second);
    if (comps != 1) absl::StrAppend(&operand, "x", comps);
    return absl::StrCat(operand, behind, "@", name[0] == 'c' ? 0 : reg);
  }

  std::map<std::string, size_t> ids_;
  std::string declarations_;
};

}  // namespace

absl::StatusOr<Program> EmitText(std::string_view body, uint8_t width,
                                 std::optional<VertexStart> vertex) {
  Names names;
  const std::string text = names.Translate(body);
  const std::string whole =
      absl::StrCat("function gfx1030 width ", width, "\n", names.Declarations(), text);
  const auto f = lir::Parse(Gfx1030Machine(), whole);
  if (!f.ok()) return f.status();
  return Emit(*f, {.remove_execz_branches = false, .keep_exec_at_end = true, .vertex = vertex});
}

std::vector<std::string> Lines(const absl::StatusOr<Program>& program) {
  if (!program.ok()) return {std::string(program.status().message())};
  std::vector<std::string> lines = absl::StrSplit(ProgramText(*program), '\n', absl::SkipEmpty());
  for (std::string& line : lines) line = line.substr(line.find(": ") + 2);
  return lines;
}

std::string EmitLine(std::string_view line, uint8_t width) {
  std::vector<std::string> lines = Lines(EmitText(
      absl::StrCat("block b0 depth 0\n", absl::string_view(line.data(), line.size()), "\nend\n"),
      width));
  if (!lines.empty() && lines.back() == "s_endpgm") lines.pop_back();
  return absl::StrJoin(lines, "; ");
}

Binary Compile(Program program, const FinaliseOptions& options) {
  InsertWaits(program);
  AvoidHazards(program);
  const isa::Wave wave = program.wave;
  auto binary = Finalise(std::move(program), {}, options);
  EXPECT_TRUE(binary.ok()) << binary.status();
  if (!binary.ok()) return {};
  const auto decoded =
      isa::DecodeProgram(absl::MakeConstSpan(binary->bytes.data(), binary->instruction_bytes));
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  if (!decoded.ok()) return {};
  for (const isa::Finding& finding : isa::Verify(*decoded, wave)) {
    ADD_FAILURE() << finding.offset << ": " << finding.text;
  }
  return *std::move(binary);
}

}  // namespace kiln::amd::testing
