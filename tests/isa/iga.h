// Runs iga64, Intel's assembler (Debian package libigc-tools), as an independent judge of our
// encodings. Files go to the test's temporary directory; many instructions per run keep it fast.
#ifndef KILN_TESTS_ISA_IGA_H_
#define KILN_TESTS_ISA_IGA_H_

#include <cstdint>
#include <string>
#include <vector>

namespace kiln::tests {

// Returns false if iga64 is not installed: tests then skip themselves with this reason.
bool HaveIga();
inline constexpr char kNoIga[] = "iga64 is not installed (Debian package libigc-tools)";

struct IgaResult {
  bool ok = false;
  std::string out;    // standard output
  std::string error;  // standard error
};

// Runs `iga64 -p=12p1 ARGS` and captures standard output.
IgaResult RunIga(const std::string& args);

// Assembles text without iga64's semantic checks.
struct Assembled {
  std::vector<uint8_t> bytes;  // empty on failure
  std::string error;
};
Assembled IgaAssemble(const std::string& text);
// Assembles likewise, with everything compacted that iga64 can compact.
Assembled IgaAssembleCompacted(const std::string& text);

// Disassembles with numeric branch distances; one normalised line per instruction (single spaces,
// no comments, no labels, no mention of compaction).
struct Disassembled {
  std::vector<std::string> lines;
  std::string error;
};
Disassembled IgaDisassemble(const std::vector<uint8_t>& bytes);

}  // namespace kiln::tests

#endif  // KILN_TESTS_ISA_IGA_H_
