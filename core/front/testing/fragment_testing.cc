#include "core/front/testing/fragment_testing.h"

#include <sstream>

#include "core/base/cause.h"
#include "core/front/testing/testing.h"
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

std::string Frame(const FragmentParts& parts, const std::string& model) {
  std::string text = "OpCapability Shader\n" + parts.preamble +
                     "%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\n"
                     "OpEntryPoint " +
                     model + " %1 \"main\" %color " + parts.interface + "\n";
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

std::string TextOf(const absl::StatusOr<mir::Module>& module) {
  if (!module.ok()) return kiln::TextOf(module.status());
  mir::PrintOptions options;
  options.renumber = true;
  options.spirv_ids = false;
  std::istringstream printed(mir::Print(*module, options));
  std::string text = "\n";
  for (std::string line; std::getline(printed, line);) {
    if (line == "mir 1" || line == "entry \"main\"" || line.rfind("stage ", 0) == 0) continue;
    text += line + "\n";
  }
  return text;
}

}  // namespace

absl::StatusOr<mir::Module> ImportFragment(const FragmentParts& parts) {
  return ImportVerified(Assemble(Frame(parts, "Fragment")));
}

std::string FragmentText(const FragmentParts& parts) { return TextOf(ImportFragment(parts)); }

absl::StatusOr<mir::Module> ImportVertex(FragmentParts parts) {
  if (parts.modes == FragmentParts().modes) parts.modes.clear();
  return ImportVerified(Assemble(Frame(parts, "Vertex")));
}

std::string VertexText(const FragmentParts& parts) { return TextOf(ImportVertex(parts)); }

}  // namespace kiln::front
