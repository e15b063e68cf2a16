// Driver of llvm-mc, see llvm.h.
#include "tests/isa/llvm.h"

#include <unistd.h>

#include <algorithm>
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

struct Printed {
  std::vector<Judged> lines;          // in order
  std::map<int, std::string> errors;  // by line of the input
};

Printed Run(const std::string& input, bool wave64, const char* kind, const std::string& flags) {
  const std::string in = TempPath(".in"), out = TempPath(".out"), error = TempPath(".err");
  std::ofstream(in) << input;
  const std::string command = "LC_ALL=C llvm-mc-19 -arch=amdgcn -mcpu=gfx1030 -show-encoding " +
                              std::string(wave64 ? "-mattr=+wavefrontsize64 " : "") + flags + " <" +
                              in + " >" + out + " 2>" + error;
  const int status = std::system(command.c_str());
  (void)status;  // 1 whenever a line is refused
  Printed printed;
  printed.errors = ErrorsOf(error, kind);
  std::ifstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    Judged judged;
    if (ParseLine(line, &judged)) printed.lines.push_back(std::move(judged));
  }
  for (const std::string& path : {in, out, error}) unlink(path.c_str());
  return printed;
}

// Follows each disassembled instruction: bytes that are taken for two instructions then do not
// disturb the next.
// The instruction is s_sleep, with the number as its immediate.
std::vector<uint8_t> Mark(size_t i) {
  return {static_cast<uint8_t>(i), static_cast<uint8_t>(i >> 8), 0x8e, 0xbf};
}

// A pair of brackets keeps each line by itself.
std::string InBrackets(const std::vector<uint8_t>& bytes) {
  std::string line;
  for (uint8_t byte : bytes) {
    char text[8];
    std::snprintf(text, sizeof(text), "%c0x%02x", line.empty() ? '[' : ',', byte);
    line += text;
  }
  return line + "]\n";
}

}  // namespace

bool HaveLlvmMc() {
  static const bool have = std::system("llvm-mc-19 --version >/dev/null 2>&1") == 0;
  return have;
}

std::vector<Judged> LlvmAssemble(const std::vector<std::string>& lines, bool wave64) {
  std::string input;
  for (const std::string& line : lines) input += line + "\n";
  Printed printed = Run(input, wave64, "error", "");
  std::vector<Judged> results(lines.size());
  size_t next = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto bad = printed.errors.find(static_cast<int>(i));
    if (bad != printed.errors.end()) {
      results[i].error = bad->second;
    } else if (next < printed.lines.size()) {
      results[i] = std::move(printed.lines[next++]);
    } else {
      results[i].error = "llvm-mc printed nothing";
    }
  }
  return results;
}

namespace {

using Instructions = std::vector<std::vector<uint8_t>>;

// Disassembles instructions `begin` to `end` in one run. Returns false if llvm-mc did not get to
// the end.
bool DisassembleSome(const Instructions& instructions, size_t begin, size_t end, bool wave64,
                     std::vector<Judged>& results) {
  std::string input;
  for (size_t i = begin; i < end; ++i) input += InBrackets(instructions[i]) + InBrackets(Mark(i));
  Printed printed = Run(input, wave64, "warning", "-disassemble");
  size_t next = 0;
  for (size_t i = begin; i < end; ++i) {
    const std::vector<uint8_t> mark = Mark(i);
    size_t count = 0;
    while (next + count < printed.lines.size() && printed.lines[next + count].bytes != mark)
      ++count;
    if (next + count == printed.lines.size()) return false;
    results[i] = Judged();
    if (count == 1) results[i] = std::move(printed.lines[next]);
    next += count + 1;
    const auto bad = printed.errors.find(static_cast<int>(2 * (i - begin)));
    if (bad != printed.errors.end()) {
      results[i].error = bad->second;
    } else if (count != 1) {
      results[i].error = "not one instruction";
    }
  }
  return true;
}

// Likewise, and halves what crashes llvm-mc until the one instruction is found.
void DisassembleAll(const Instructions& instructions, size_t begin, size_t end, bool wave64,
                    std::vector<Judged>& results) {
  if (DisassembleSome(instructions, begin, end, wave64, results)) return;
  if (end - begin == 1) {
    results[begin].error = "llvm-mc crashed";
    return;
  }
  const size_t middle = begin + (end - begin) / 2;
  DisassembleAll(instructions, begin, middle, wave64, results);
  DisassembleAll(instructions, middle, end, wave64, results);
}

}  // namespace

std::vector<Judged> LlvmDisassemble(const Instructions& instructions, bool wave64) {
  constexpr size_t kChunk = 1024;
  std::vector<Judged> results(instructions.size());
  for (size_t begin = 0; begin < instructions.size(); begin += kChunk) {
    const size_t end = std::min(begin + kChunk, instructions.size());
    DisassembleAll(instructions, begin, end, wave64, results);
  }
  return results;
}

}  // namespace kiln::tests
