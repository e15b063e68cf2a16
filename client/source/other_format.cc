// Files of other languages: see other_format.h.
#include "client/source/other_format.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace kiln::client {
namespace {

struct Format {
  absl::string_view what;
  absl::string_view begins;  // of the contents; empty: the contents do not identify it
  absl::string_view ending;  // of the name
  absl::string_view remedy;
};

constexpr absl::string_view kExtract =
    "extract its SPIR-V modules with Fossilize's tools and compile those";

constexpr Format kFormats[] = {
    {"a Fossilize capture",
     "\x81"
     "FOSSILIZEDB",
     ".foz", kExtract},
    {"a DirectX container (DXBC or DXIL)", "DXBC", ".dxbc", "compile its HLSL with `dxc -spirv`"},
    {"a DirectX container (DXBC or DXIL)", "", ".dxil", "compile its HLSL with `dxc -spirv`"},
    {"machine code (ELF)",
     "\x7f"
     "ELF",
     ".hsaco", "`kiln disasm`, `kiln analyze` and `kiln run` take it with --target"},
    {"LLVM bitcode", "BC\xc0\xde", ".bc", "Kiln reads SPIR-V, GLSL and HLSL"},
    {"SPIR-V as text", "; SPIR-V", ".spvasm", "assemble it with `spirv-as`"},
    {"Slang", "", ".slang", "convert it to SPIR-V with `slangc -target spirv`"},
    {"WGSL", "", ".wgsl", "convert it to SPIR-V with `naga` or `tint`"},
    {"Metal", "", ".metal", "Kiln reads SPIR-V, GLSL and HLSL"},
};

}  // namespace

std::string DescribeOtherFormat(absl::string_view name, absl::string_view contents) {
  const auto text = [](const Format& format) {
    return absl::StrCat("is ", format.what, ", which Kiln does not compile; ", format.remedy);
  };
  for (const Format& format : kFormats) {
    if (!format.begins.empty() && absl::StartsWith(contents, format.begins)) return text(format);
  }
  for (const Format& format : kFormats) {
    if (absl::EndsWithIgnoreCase(name, format.ending)) return text(format);
  }
  return "";
}

}  // namespace kiln::client
