// Compiles the modules of a list in this process: for profilers, which want neither workers nor
// waits, and for comparing the bytes that two versions of the compiler make.
//
//   compile_modules [--target=tgl|gfx1030] [--widths=8,16,32] [--no-validate] [--hashes] [--passes]
//   [--dump=DIR] LIST
//
// LIST names SPIR-V files, a path per line. Prints totals; with --hashes also a line for each
// variant (file, name, instructions, FNV-1a of code and size of scratch memory) or why there is
// none, so that `diff` of two outputs shows what changed; with --passes also thread CPU time summed
// by pass; --dump writes the machine code of each variant to DIR
// (NAME.VARIANT.bin; NAME is the path below spirv/ with "_" for "/"). Counts of executed
// instructions do not depend on the machine's other load:
//
//   valgrind --tool=callgrind bazel-bin/tests/corpus/compile_modules LIST
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "core/base/cause.h"
#include "core/driver/compile.h"
#include "core/out/launch_record.h"

namespace {

struct Arguments {
  kiln::Target target = kiln::Target::kTgl;
  std::vector<int> widths;
  bool validate = true;
  bool hashes = false;
  bool passes = false;
  std::string dump;
  std::string list;
};

class PassTimes : public kiln::Sink {
 public:
  void OnPass(const kiln::PassRecord& r) override {
    times_[std::string(r.pass)].first += r.nanoseconds;
    ++times_[std::string(r.pass)].second;
  }
  void Print() const {
    std::vector<std::pair<int64_t, std::string>> rows;
    int64_t all = 0;
    for (const auto& [name, t] : times_) {
      rows.push_back({t.first, name});
      all += t.first;
    }
    std::sort(rows.rbegin(), rows.rend());
    for (const auto& [ns, name] : rows) {
      printf("%-28s %8lld runs %9.2f ms %5.1f %%\n", name.c_str(),
             static_cast<long long>(times_.at(name).second), ns / 1e6, 100.0 * ns / all);
    }
    printf("%-28s %13s %9.2f ms\n", "all passes", "", all / 1e6);
  }

 private:
  std::map<std::string, std::pair<int64_t, int64_t>> times_;
};

std::vector<uint32_t> ReadWords(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), 4 * words.size());
  return words;
}

uint64_t Fnv(const void* data, size_t n, uint64_t h) {
  for (size_t i = 0; i < n; ++i) {
    h = (h ^ static_cast<const uint8_t*>(data)[i]) * 0x100000001b3u;
  }
  return h;
}

uint64_t HashOf(const kiln::Variant& v) {
  uint64_t h = Fnv(v.code.data(), v.code.size(), 0xcbf29ce484222325u);
  const uint32_t scratch = v.launch.scratch_bytes_per_thread;
  return Fnv(&scratch, sizeof scratch, h);
}

void Dump(const std::string& folder, const std::string& path, const kiln::Variant& v) {
  constexpr std::string_view kFolder = "spirv/", kEnd = ".spv";
  const size_t at = path.rfind(kFolder);
  std::string name = at == std::string::npos ? path : path.substr(at + kFolder.size());
  name = name.substr(0, name.rfind(kEnd));
  std::replace(name.begin(), name.end(), '/', '_');
  std::ofstream out(folder + "/" + name + "." + v.name + ".bin", std::ios::binary);
  out.write(reinterpret_cast<const char*>(v.code.data()),
            static_cast<std::streamsize>(v.code.size()));
}

struct Totals {
  int modules = 0, compiled = 0, variants = 0;
  int64_t instructions = 0, bytes = 0;
};

void CompileOne(const std::string& path, const Arguments& args, PassTimes* times, Totals* totals) {
  ++totals->modules;
  kiln::PrepareOptions prepare;
  prepare.validate = args.validate;
  kiln::CompileOptions options;
  options.widths = args.widths;
  kiln::Sink* sink = args.passes ? times : nullptr;
  const auto refuse = [&](const absl::Status& s) {
    if (!args.hashes) return;
    const std::string why = s.code() == absl::StatusCode::kInternal ? std::string(s.message()) : "";
    printf("%s %s%s%s\n", path.c_str(), std::string(kiln::CauseOf(s)).c_str(),
           why.empty() ? "" : ": ", why.c_str());
  };
  const auto prepared = kiln::Prepare(ReadWords(path), prepare, sink, {});
  if (!prepared.ok()) return refuse(prepared.status());
  const auto compiled = kiln::Compile(**prepared, args.target, options, sink, {});
  if (!compiled.ok()) return refuse(compiled.status());
  ++totals->compiled;
  for (const kiln::Variant& v : compiled->variants) {
    ++totals->variants;
    totals->instructions += v.statistics.At("instructions");
    totals->bytes += v.statistics.At("bytes");
    if (!args.dump.empty()) Dump(args.dump, path, v);
    if (!args.hashes) continue;
    printf("%s %s %lld %016llx\n", path.c_str(), v.name.c_str(),
           static_cast<long long>(v.statistics.At("instructions")),
           static_cast<unsigned long long>(HashOf(v)));
  }
}

bool ParseArguments(int argc, char** argv, Arguments* args) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view a = argv[i];
    if (a.substr(0, 9) == "--target=") {
      const auto target = kiln::ParseTarget(a.substr(9));
      if (!target.ok()) return false;
      args->target = *target;
    } else if (a.substr(0, 9) == "--widths=") {
      for (const auto& w : absl::StrSplit(argv[i] + 9, ',')) {
        args->widths.push_back(std::atoi(std::string(w).c_str()));
      }
    } else if (a.substr(0, 7) == "--dump=") {
      args->dump = a.substr(7);
    } else if (a == "--no-validate") {
      args->validate = false;
    } else if (a == "--hashes") {
      args->hashes = true;
    } else if (a == "--passes") {
      args->passes = true;
    } else if (a.empty() || a[0] == '-' || !args->list.empty()) {
      return false;
    } else {
      args->list = a;
    }
  }
  return !args->list.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments args;
  if (!ParseArguments(argc, argv, &args)) {
    fprintf(
        stderr,
        "usage: compile_modules [--target=tgl|gfx1030] [--widths=8,16,32] [--no-validate] [--hashes] [--passes] [--dump=DIR] LIST\n");
    return 2;
  }
  std::ifstream list(args.list);
  PassTimes times;
  Totals totals;
  for (std::string path; std::getline(list, path);) {
    if (!path.empty()) CompileOne(path, args, &times, &totals);
  }
  if (args.passes) times.Print();
  printf("%d modules, %d compiled, %d variants, %lld instructions, %lld bytes\n", totals.modules,
         totals.compiled, totals.variants, static_cast<long long>(totals.instructions),
         static_cast<long long>(totals.bytes));
  return totals.modules == 0 ? 2 : 0;
}
