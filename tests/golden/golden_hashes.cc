// golden_hashes: checks that the code generation version changes whenever output bytes do.
//
//   golden_hashes [--bless] TABLE SHADER...
//
// A result stays in caches under the version that made it: target, ABI and version are part of its
// key, so a daemon of the same version answers with old bytes whatever it would compile now. The
// table holds the version and, for each of our own shaders and each width, the hashes of its SPIR-V
// and of its result: code and launch record. A row whose result differs though its SPIR-V does not
// means that bytes have changed: the version (core/intel/pipeline/backend.cc) must be higher than
// that of the last release, and the table written anew with --bless, in the same commit. A row
// whose SPIR-V differs was translated by another glslang and says nothing; if no other row is left,
// the test reports that it could not run.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/driver/compile.h"
#include "core/front/glsl/glsl.h"
#include "proto/launch_record_convert.h"
#include "server/key/sha256.h"

namespace kiln::tests {
namespace {

constexpr int kSkipped = 77;

struct Row {
  std::string spirv, result;
  bool operator==(const Row&) const = default;
};
struct Table {
  uint32_t version = 0;
  std::map<std::string, Row> rows;  // "saxpy.comp SIMD16"
};

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string Short(const cache::Digest& digest) { return cache::ToHex(digest).substr(0, 16); }

std::string HashOf(const Variant& v) {
  cache::CanonicalWriter w("kiln.golden.1");
  w.Add(std::string_view(reinterpret_cast<const char*>(v.code.data()), v.code.size()));
  w.Add(proto::LaunchRecordToJson(v.launch));
  return Short(w.Finish());
}

// Records every width that the target has, each requested alone, and the widths chosen without a
// request.
void AddShader(const std::string& path, Table* table) {
  const std::string name = path.substr(path.rfind('/') + 1);
  front::GlslSource source;
  source.text = ReadFile(path);
  source.name = name;
  if (const auto stage = front::GlslStageOfName(name); stage.ok()) source.stage = *stage;
  const auto words = front::CompileGlsl(source);
  if (!words.ok()) {
    table->rows[name] = {"", CauseOf(words.status())};
    return;
  }
  const std::string spirv = Short(cache::Sha256(
      std::string_view(reinterpret_cast<const char*>(words->data()), words->size() * 4)));
  const auto prepared = Prepare(*words, {}, nullptr, {});
  for (const int width : {8, 16, 32, 0}) {
    const std::string row =
        absl::StrCat(name, width == 0 ? " chosen" : absl::StrCat(" SIMD", width));
    if (!prepared.ok()) {
      table->rows[row] = {spirv, CauseOf(prepared.status())};
      continue;
    }
    CompileOptions options;
    if (width != 0) options.widths = {width};
    const auto compiled = Compile(**prepared, Target::kTgl, options, nullptr, {});
    std::string result = compiled.ok() ? "" : CauseOf(compiled.status());
    if (compiled.ok()) {
      for (const Variant& v : compiled->variants) {
        absl::StrAppend(&result, result.empty() ? "" : "+", width == 0 ? v.name : HashOf(v));
      }
    }
    table->rows[row] = {spirv, result};
  }
}

Table ReadTable(const std::string& path) {
  Table table;
  std::istringstream lines(ReadFile(path));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, variant, spirv, result;
    words >> first;
    if (first == "version") {
      words >> table.version;
    } else if (words >> variant >> spirv >> result) {
      table.rows[first + " " + variant] = {spirv, result};
    }
  }
  return table;
}

int Bless(const Table& table, const std::string& path) {
  std::ofstream out(path);
  out << "version " << table.version << "\n";
  for (const auto& [name, row] : table.rows) {
    out << name << " " << row.spirv << " " << row.result << "\n";
  }
  return out.good() ? 0 : 1;
}

int Compare(const Table& is, const Table& was) {
  int same = 0, changed = 0, unknown = 0, gone = 0;
  for (const auto& [name, row] : was.rows) {
    if (is.rows.count(name) != 0) continue;
    ++gone;
    std::printf("%s: in the table, but no such result any more\n", name.c_str());
  }
  for (const auto& [name, row] : is.rows) {
    const auto old = was.rows.find(name);
    if (old == was.rows.end()) {
      ++unknown;
      std::printf("%s: not in the table\n", name.c_str());
    } else if (old->second == row) {
      ++same;
    } else if (old->second.spirv == row.spirv) {
      ++changed;
      std::printf("%s: %s, was %s\n", name.c_str(), row.result.c_str(), old->second.result.c_str());
    }
  }
  std::printf(
      "code generation version %u (table: %u): %d results as in the table, %d changed, %d new, %d gone\n",
      is.version, was.version, same, changed, unknown, gone);
  if (changed + unknown + gone == 0 && is.version == was.version) return same == 0 ? kSkipped : 0;
  if (changed != 0 && is.version == was.version) {
    std::printf(
        "Output bytes have changed since version %u was blessed. Raise it in "
        "core/intel/pipeline/backend.cc, unless that was done since the last release, and\n",
        was.version);
  }
  std::printf(
      "bless the table in the same commit:\n"
      "  bazel run //tests/golden:golden_hashes -- --bless $PWD/tests/golden/tgl.txt "
      "$PWD/tests/shaders/*.{comp,frag,vert}\n");
  return 1;
}

int Main(int argc, char** argv) {
  const bool bless = argc > 1 && std::string(argv[1]) == "--bless";
  const int first = bless ? 2 : 1;
  if (argc < first + 2) {
    std::fprintf(stderr, "usage: golden_hashes [--bless] TABLE SHADER...\n");
    return 2;
  }
  Table is;
  is.version = CodeGenerationVersion(Target::kTgl);
  for (int i = first + 1; i < argc; ++i) AddShader(argv[i], &is);
  if (bless) return Bless(is, argv[first]);
  const int status = Compare(is, ReadTable(argv[first]));
  const char* results = std::getenv("XML_OUTPUT_FILE");
  if (status != kSkipped || results == nullptr) return status;
  std::ofstream(results)
      << "<testsuites><testsuite name=\"golden_hashes\"><testcase name=\"golden_hashes\">"
         "<skipped message=\"glslang translates every shader to other SPIR-V than "
         "when the table was made\"/></testcase></testsuite></testsuites>\n";
  return 0;
}

}  // namespace
}  // namespace kiln::tests

int main(int argc, char** argv) { return kiln::tests::Main(argc, argv); }
