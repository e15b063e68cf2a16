#include "core/intel/emit/testing.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/intel/emit/emit.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/lir/machine.h"
#include "core/lir/parse.h"

namespace kiln::intel {

std::string Emitted(std::string_view body, int width, const Device& device) {
  const absl::StatusOr<lir::Function> f = lir::Parse(
      MachineOf(device),
      absl::StrCat(
          "function tgl width ", width,
          "\nvalue %0 G 4x1\nvalue %1 G 4x1\nvalue %2 G 4x1\nvalue %3 G 2x1\nvalue %4 G 2x1\n"
          "value %5 G 4x2\nvalue %6 G 4x2\nvalue %7 G 8x1\nvalue %8 G 8x1\nvalue %9 F 0x1\n"
          "value %10 U 4x1\nvalue %11 U 4x1\nvalue %12 U 4x8 whole\nvalue %13 U 4x8 whole\n"
          "value %14 U 4x32 whole\nvalue %15 G 4x4\nvalue %16 U 4x16 whole\n"
          "block b0 depth 0\n",
          std::string(body)));
  if (!f.ok()) return std::string(f.status().message());
  const absl::StatusOr<isa::Program> p = Emit(device, *f);
  if (!p.ok()) return std::string(p.status().message());
  std::string text = "\n";
  for (const isa::Instruction& inst : p->insts) {
    const std::string line = isa::Disassemble(device.generation, inst);
    std::string squeezed;
    for (const auto& word : absl::StrSplit(line, ' ', absl::SkipEmpty())) {
      absl::StrAppend(&squeezed, squeezed.empty() ? "" : " ", word);
    }
    absl::StrAppend(&text, "    ", squeezed, "\n");
  }
  return text;
}

}  // namespace kiln::intel
