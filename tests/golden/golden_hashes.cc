// golden_hashes: checks that a version changes whenever output bytes do.
//
//   golden_hashes [--bless] TARGET TABLE SHADER...
//
// A result stays in caches under the versions that made it: target, ABI version and code generation
// version are part of its key, so a daemon of the same versions answers with old bytes whatever it
// would compile now. The table holds both versions and, for each of our own shaders and each width,
// the hashes of its SPIR-V, of its code and of its launch record. A row whose code or record
// differs though its SPIR-V does not means that bytes have changed: the code generation version
// must be higher than that of the last release (the ABI version, if records have another meaning;
// both in pipeline/backend.cc of the target's back end), and the table written anew with --bless,
// in the same commit. A row whose SPIR-V differs was translated by another glslang and says
// nothing; if no other row is left, the test reports that it could not run.
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

// Hashes. A refused shader has the refusal's cause for `code`, the row of the chosen widths their
// names; both have no record.
struct Row {
  std::string spirv, code, record = "-";
  bool operator==(const Row&) const = default;
};
struct Table {
  uint32_t version = 0;
  uint32_t abi = 0;
  std::map<std::string, Row> rows;  // "saxpy.comp SIMD16", "saxpy.comp wave32"
};

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string Short(const cache::Digest& digest) { return cache::ToHex(digest).substr(0, 16); }

std::string HashOf(std::string_view bytes) { return Short(cache::Sha256(bytes)); }

std::string_view BytesOf(const std::vector<uint8_t>& code) {
  return {reinterpret_cast<const char*>(code.data()), code.size()};
}

Row RowOf(const std::string& spirv, const Compiled& compiled, bool chosen) {
  Row row = {spirv, ""};
  for (const Variant& v : compiled.variants) {
    absl::StrAppend(&row.code, row.code.empty() ? "" : "+",
                    chosen ? v.name : HashOf(BytesOf(v.code)));
    if (!chosen) row.record = HashOf(proto::LaunchRecordToJson(v.launch));
  }
  return row;
}

// Returns the widths that the target has, then 0.
std::vector<int> WidthsOf(Target target) {
  if (target == Target::kGfx1030) return {32, 64, 0};
  return {8, 16, 32, 0};
}

std::string RowName(const std::string& shader, Target target, int width) {
  return absl::StrCat(shader, " ",
                      width == 0 ? "chosen" : VariantName(target, static_cast<uint32_t>(width)));
}

// Records every width that the target has, each requested alone, and the widths chosen without a
// request.
void AddShader(const std::string& path, Target target, Table* table) {
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
  for (const int width : WidthsOf(target)) {
    const std::string row = RowName(name, target, width);
    if (!prepared.ok()) {
      table->rows[row] = {spirv, CauseOf(prepared.status())};
      continue;
    }
    CompileOptions options;
    if (width != 0) options.widths = {width};
    const auto compiled = Compile(**prepared, target, options, nullptr, {});
    table->rows[row] = compiled.ok() ? RowOf(spirv, *compiled, width == 0)
                                     : Row{spirv, CauseOf(compiled.status())};
  }
}

Table ReadTable(const std::string& path) {
  Table table;
  std::istringstream lines(ReadFile(path));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, variant, spirv, code, record;
    words >> first;
    if (first == "version") {
      words >> table.version;
    } else if (first == "abi") {
      words >> table.abi;
    } else if (words >> variant >> spirv >> code >> record) {
      table.rows[first + " " + variant] = {spirv, code, record};
    }
  }
  return table;
}

int Bless(const Table& table, const std::string& path) {
  std::ofstream out(path);
  out << "version " << table.version << "\nabi " << table.abi << "\n";
  for (const auto& [name, row] : table.rows) {
    out << name << " " << row.spirv << " " << row.code << " " << row.record << "\n";
  }
  return out.good() ? 0 : 1;
}

// Prints a row that differs from the table's; returns false if its SPIR-V does, too.
bool PrintChange(const std::string& name, const Row& is, const Row& was) {
  if (is.spirv != was.spirv) return false;
  if (is.code != was.code) {
    std::printf("%s: code %s, was %s\n", name.c_str(), is.code.c_str(), was.code.c_str());
  }
  if (is.record != was.record) {
    std::printf("%s: record %s, was %s\n", name.c_str(), is.record.c_str(), was.record.c_str());
  }
  return true;
}

int Compare(const Table& is, const Table& was, const std::string& target) {
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
    } else if (PrintChange(name, row, old->second)) {
      ++changed;
    }
  }
  std::printf(
      "code generation version %u (table: %u), ABI version %u (table: %u): %d results as in the "
      "table, %d changed, %d new, %d gone\n",
      is.version, was.version, is.abi, was.abi, same, changed, unknown, gone);
  const bool versions = is.version == was.version && is.abi == was.abi;
  if (changed + unknown + gone == 0 && versions) return same == 0 ? kSkipped : 0;
  if (changed != 0 && versions) {
    std::printf(
        "Output bytes have changed since version %u was blessed. Raise it in pipeline/backend.cc of "
        "the back end, unless that was done since the last release, and\n",
        was.version);
  }
  std::printf(
      "bless the table in the same commit:\n"
      "  bazel run //tests/golden:golden_hashes -- --bless %s $PWD/tests/golden/%s.txt "
      "$PWD/tests/shaders/*.%s\n",
      target.c_str(), target.c_str(), target == "tgl" ? "{comp,frag,vert}" : "comp");
  return 1;
}

int Main(int argc, char** argv) {
  const bool bless = argc > 1 && std::string(argv[1]) == "--bless";
  const int first = bless ? 2 : 1;
  const auto target = argc > first ? ParseTarget(argv[first]) : absl::StatusOr<Target>();
  if (argc < first + 3 || !target.ok()) {
    std::fprintf(stderr, "usage: golden_hashes [--bless] TARGET TABLE SHADER...\n");
    return 2;
  }
  Table is;
  is.version = CodeGenerationVersion(*target);
  is.abi = AbiVersion(*target);
  for (int i = first + 2; i < argc; ++i) AddShader(argv[i], *target, &is);
  const std::string table = argv[first + 1];
  if (bless) return Bless(is, table);
  const int status = Compare(is, ReadTable(table), argv[first]);
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
