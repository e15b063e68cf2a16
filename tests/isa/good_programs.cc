// Good programs: see good_programs.h.
#include "tests/isa/good_programs.h"

#include <cstdio>
#include <fstream>
#include <iterator>

#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "core/intel/isa/verify.h"
#include "core/mir/parse.h"

namespace kiln::tests {
namespace {

namespace isa = intel::isa;
constexpr isa::Generation kGen = isa::Generation::kGen12;

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

bool Add(absl::Span<const uint8_t> bytes, const std::string& name, std::vector<Program>* programs) {
  auto program = isa::DecodeProgram(kGen, bytes);
  if (!program.ok()) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), std::string(program.status().message()).c_str());
    return false;
  }
  const auto findings = isa::Verify(kGen, *program);
  if (!findings->empty()) {
    std::fprintf(stderr, "%s: not good: %s\n", name.c_str(), (*findings)[0].text.c_str());
    return false;
  }
  programs->push_back(*std::move(program));
  return true;
}

bool AddMir(const std::string& path, std::vector<Program>* programs) {
  absl::StatusOr<mir::Module> module = mir::Parse(ReadFile(path));
  if (!module.ok()) return false;
  const auto prepared = PrepareMir(*std::move(module), {}, nullptr, {});
  if (!prepared.ok()) return false;
  const auto compiled = Compile(**prepared, Target::kTgl, {}, nullptr, {});
  if (!compiled.ok()) return false;
  for (const Variant& v : compiled->variants) {
    if (!Add(v.code, path + " " + v.name, programs)) return false;
  }
  return true;
}

}  // namespace

bool ReadPrograms(const std::vector<std::string>& mir, const std::vector<std::string>& binaries,
                  std::vector<Program>* programs) {
  for (const std::string& path : mir) {
    if (AddMir(path, programs)) continue;
    std::fprintf(stderr, "%s: does not compile\n", path.c_str());
    return false;
  }
  for (const std::string& path : binaries) {
    const std::string bytes = ReadFile(path);
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    Add(absl::MakeConstSpan(data, bytes.size()), path, programs);
  }
  return true;
}

}  // namespace kiln::tests
