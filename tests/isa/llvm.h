// Runs llvm-mc (Debian package llvm-19), LLVM's assembler, as an independent judge of our encodings
// for AMD. One run takes many instructions.
#ifndef KILN_TESTS_ISA_LLVM_H_
#define KILN_TESTS_ISA_LLVM_H_

#include <cstdint>
#include <string>
#include <vector>

namespace kiln::tests {

// Returns false if llvm-mc-19 is not installed: tests then skip themselves with this reason.
bool HaveLlvmMc();
inline constexpr char kNoLlvmMc[] = "llvm-mc-19 is not installed (Debian package llvm-19)";

// The judgement of one instruction: bytes and text, or an error.
struct Judged {
  std::vector<uint8_t> bytes;  // empty: refused
  std::string text;            // as LLVM prints it, single spaces
  std::string error;
};

// Assembles lines for gfx1030, each by itself.
std::vector<Judged> LlvmAssemble(const std::vector<std::string>& lines, bool wave64);

// Disassembles instructions for gfx1030, each by itself. `bytes` are those of LLVM's text.
std::vector<Judged> LlvmDisassemble(const std::vector<std::vector<uint8_t>>& instructions,
                                    bool wave64);

}  // namespace kiln::tests

#endif  // KILN_TESTS_ISA_LLVM_H_
