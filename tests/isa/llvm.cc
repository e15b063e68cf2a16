// Driver of llvm-mc, see llvm.h.
#include "tests/isa/llvm.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

namespace kiln::tests {
namespace {

std::string TempPath(const char* suffix) {
  static int counter = 0;
  const char* dir = std::getenv("TEST_TMPDIR");
  return std::string(dir != nullptr ? dir : "/tmp") + "/llvm_" + std::to_string(getpid()) + "_" +
         std::to_string(counter++) + suffix;
}

// Returns the errors or warnings in llvm-mc's diagnostics, by line.
std::map<int, std::string> ErrorsOf(const std::string& path, const std::string& kind) {
  std::map<int, std::string> errors;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    // <stdin>:LINE:COLUMN: KIND: MESSAGE
    const size_t at = line.find(": " + kind + ": ");
    if (line.rfind("<stdin>:", 0) != 0 || at == std::string::npos) continue;
    errors[std::atoi(line.c_str() + 8) - 1] = line.substr(at + kind.size() + 4);
  }
  return errors;
}

std::string Squeeze(const std::string& text) {
  std::string out;
  for (char c : text) {
    const bool space = c == ' ' || c == '\t';
    if (space && (out.empty() || out.back() == ' ')) continue;
    out += space ? ' ' : c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

constexpr char kMark[] = "; encoding: [";

// Parses a line "TEXT ; encoding: [0x..,...]".
bool ParseLine(const std::string& line, Judged* judged) {
  const size_t at = line.find(kMark);
  if (at == std::string::npos) return false;
  judged->text = Squeeze(line.substr(0, at));
  const char* p = line.c_str() + at + sizeof(kMark) - 1;
  while (*p != 0 && *p != ']') {
    char* end = nullptr;
    judged->bytes.push_back(static_cast<uint8_t>(std::strtoul(p, &end, 16)));
    p = *end == ',' ? end + 1 : end;
  }
  return true;
}

std::vector<Judged> Run(const std::string& input, size_t count, bool wave64, const char* kind,
                        const std::string& flags) {
  const std::string in = TempPath(".in"), out = TempPath(".out"), error = TempPath(".err");
  std::ofstream(in) << input;
  const std::string command = "LC_ALL=C llvm-mc-19 -arch=amdgcn -mcpu=gfx1030 -show-encoding " +
                              std::string(wave64 ? "-mattr=+wavefrontsize64 " : "") + flags + " <" +
                              in + " >" + out + " 2>" + error;
  const int status = std::system(command.c_str());
  (void)status;  // 1 whenever a line is refused
  const std::map<int, std::string> errors = ErrorsOf(error, kind);
  std::vector<Judged> results(count);
  std::ifstream lines(out);
  std::string line;
  for (size_t i = 0; i < count; ++i) {
    const auto bad = errors.find(static_cast<int>(i));
    if (bad != errors.end()) {
      results[i].error = bad->second;
      continue;
    }
    bool found = false;
    while (!found && std::getline(lines, line)) found = ParseLine(line, &results[i]);
    if (!found) results[i].error = "llvm-mc printed nothing";
  }
  for (const std::string& path : {in, out, error}) unlink(path.c_str());
  return results;
}

}  // namespace

bool HaveLlvmMc() {
  static const bool have = std::system("llvm-mc-19 --version >/dev/null 2>&1") == 0;
  return have;
}

std::vector<Judged> LlvmAssemble(const std::vector<std::string>& lines, bool wave64) {
  std::string input;
  for (const std::string& line : lines) input += line + "\n";
  return Run(input, lines.size(), wave64, "error", "");
}

std::vector<Judged> LlvmDisassemble(const std::vector<std::vector<uint8_t>>& instructions,
                                    bool wave64) {
  std::string input;
  for (const auto& bytes : instructions) {
    char separator = '[';  // a pair of brackets keeps each line by itself
    for (uint8_t byte : bytes) {
      char text[8];
      std::snprintf(text, sizeof(text), "%c0x%02x", separator, byte);
      input += text;
      separator = ',';
    }
    input += "]\n";
  }
  return Run(input, instructions.size(), wave64, "warning", "-disassemble");
}

}  // namespace kiln::tests
