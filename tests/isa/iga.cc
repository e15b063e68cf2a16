// Driver of iga64, see iga.h.
#include "tests/isa/iga.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace kiln::tests {
namespace {

std::string TempPath(const char* suffix) {
  static int counter = 0;
  const char* dir = std::getenv("TEST_TMPDIR");
  return std::string(dir != nullptr ? dir : "/tmp") + "/iga_" + std::to_string(getpid()) + "_" +
         std::to_string(counter++) + suffix;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string Normalise(const std::string& line) {
  static const std::regex kComment("//.*"), kCompacted("Compacted,|,Compacted|\\{Compacted\\}"),
      kSpaces("\\s+");
  std::string text = std::regex_replace(line, kComment, "");
  text = std::regex_replace(text, kCompacted, "");
  text = std::regex_replace(text, kSpaces, " ");
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

bool HaveIga() {
  static const bool have = std::system("iga64 --help >/dev/null 2>&1") == 0;
  return have;
}

IgaResult RunIga(const std::string& args) {
  const std::string out = TempPath(".out"), error = TempPath(".err");
  const int status =
      std::system(("LC_ALL=C iga64 -p=12p1 " + args + " >" + out + " 2>" + error).c_str());
  IgaResult result;
  result.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  result.out = ReadFile(out);
  result.error = ReadFile(error);
  unlink(out.c_str());
  unlink(error.c_str());
  return result;
}

namespace {

Assembled Assemble(const std::string& text, const std::string& compaction) {
  const std::string in = TempPath(".asm"), out = TempPath(".bin");
  std::ofstream(in) << text;
  const IgaResult run = RunIga("-a -Xno-ir-checking " + compaction + " " + in + " -o " + out);
  Assembled result;
  const std::string bytes = ReadFile(out);
  result.bytes.assign(bytes.begin(), bytes.end());
  result.error = run.error;
  unlink(in.c_str());
  unlink(out.c_str());
  return result;
}

}  // namespace

Assembled IgaAssemble(const std::string& text) { return Assemble(text, "-Xno-autocompact"); }
Assembled IgaAssembleCompacted(const std::string& text) { return Assemble(text, "-Xautocompact"); }

Disassembled IgaDisassemble(const std::vector<uint8_t>& bytes) {
  const std::string in = TempPath(".bin");
  std::ofstream(in, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const IgaResult run = RunIga("-d -n " + in);
  unlink(in.c_str());
  Disassembled result;
  result.error = run.error;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    line = Normalise(line);
    const bool label = line.size() > 1 && line[0] == 'L' && line.back() == ':';
    if (!line.empty() && !label) result.lines.push_back(line);
  }
  return result;
}

}  // namespace kiln::tests
