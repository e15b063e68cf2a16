#include "core/front/fragment_testing.h"

#include <algorithm>
#include <sstream>

#include "core/front/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

constexpr char kTypes[] = R"(
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %bool = OpTypeBool
    %int = OpTypeInt 32 1
    %uint = OpTypeInt 32 0
    %float = OpTypeFloat 32
    %v2int = OpTypeVector %int 2
    %v2float = OpTypeVector %float 2
    %v3float = OpTypeVector %float 3
    %v4float = OpTypeVector %float 4
    %v4uint = OpTypeVector %uint 4
    %true = OpConstantTrue %bool
    %false = OpConstantFalse %bool
    %f_0 = OpConstant %float 0
    %f_1 = OpConstant %float 1
    %f_half = OpConstant %float 0.5
)";

std::string Frame(const FragmentParts& parts) {
  std::string text = "OpCapability Shader\n" + parts.preamble +
                     "%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\n"
                     "OpEntryPoint Fragment %1 \"main\" %color\n";
  std::istringstream modes(parts.modes);
  for (std::string mode; std::getline(modes, mode, ';');) {
    text += "OpExecutionMode %1 " + mode + "\n";
  }
  std::string rest;
  std::istringstream lines("OpDecorate %color Location 0\n" + parts.declarations);
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find_first_not_of(' ');
    if (at == std::string::npos) continue;
    const bool decoration =
        line.compare(at, 10, "OpDecorate") == 0 || line.compare(at, 16, "OpMemberDecorate") == 0;
    (decoration ? text : rest) += line + "\n";
  }
  text += kTypes;
  for (const std::string n : {"0", "1", "2", "3", "4"}) {
    text += "%u_" + n + " = OpConstant %uint " + n + "\n%i_" + n + " = OpConstant %int " + n + "\n";
  }
  for (const std::string type :
       {"uint", "int", "float", "v2float", "v3float", "v4float", "v4uint"}) {
    text += "%in_" + type + " = OpTypePointer Input %" + type + "\n";
    text += "%out_" + type + " = OpTypePointer Output %" + type + "\n";
  }
  return text + "%color = OpVariable %out_v4float Output\n" + rest +
         "%1 = OpFunction %void None %fn\n%entry = OpLabel\n" + parts.main + "\nOpFunctionEnd\n" +
         parts.functions;
}

// Values are numbered as they are defined: constants, which have numbers too, are not printed by
// them.
std::string Renumbered(const std::string& line, std::vector<std::string>* numbers) {
  std::string out;
  for (size_t at = 0; at < line.size();) {
    const size_t end = line[at] == '%' ? line.find_first_not_of("0123456789", at + 1) : at + 1;
    const std::string token = line.substr(at, end - at);
    at += token.size();
    if (token[0] != '%') {
      out += token;
      continue;
    }
    auto it = std::find(numbers->begin(), numbers->end(), token);
    if (it == numbers->end()) it = numbers->insert(it, token);
    out += "%" + std::to_string(it - numbers->begin());
  }
  return out;
}

}  // namespace

absl::StatusOr<mir::Module> ImportFragment(const FragmentParts& parts) {
  return ImportVerified(Assemble(Frame(parts)));
}

std::string FragmentText(const FragmentParts& parts) {
  const auto module = ImportFragment(parts);
  if (!module.ok()) return std::string(module.status().message());
  std::istringstream printed(mir::Print(*module));
  std::string text = "\n";
  std::vector<std::string> numbers;
  for (std::string line; std::getline(printed, line);) {
    if (line == "mir 1" || line == "entry \"main\"" || line == "stage fragment") continue;
    text += Renumbered(line.substr(0, line.find(" ;%")), &numbers) + "\n";
  }
  return text;
}

}  // namespace kiln::front
