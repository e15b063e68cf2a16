// Compiles the modules of a list in this process: for profilers, which want neither workers nor
// waits, and for comparing the bytes that two versions of the compiler make.
//
//   compile_modules [--target=tgl|gfx1030] [--widths=8,16,32] [--no-validate] [--hashes] [--passes]
//   [--warm] [--culling=on|off] [--dump=DIR] [--jsonl=FILE] LIST
//
// LIST names SPIR-V files, a path per line, or a path, a tab and the widths for that module. Prints
// totals; with --hashes also a line for each variant (file, name, instructions, FNV-1a of code and
// size of scratch memory) or why there is none, so that `diff` of two outputs shows what changed;
// with --passes also thread CPU time summed by pass; with --warm the first module is compiled once
// more before all others, and not reported, so that no time has what a process does once (a worker
// has done it for its first request); --culling is the state's, for vertex stages; --dump writes
// the machine code of each variant to DIR (NAME.VARIANT.bin; NAME is the path below spirv/ with "_"
// for "/"); --jsonl writes an object for each module: "file", "cause" of a refusal or null,
// "pass_us" (thread CPU time of all passes) and "variants", of which each has "width", its
// statistics by name and, with --dump, "binary". Counts of executed instructions do not depend on
// the machine's other load:
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
#include "nlohmann/json.hpp"

namespace {

struct Arguments {
  kiln::Target target = kiln::Target::kTgl;
  std::vector<int> widths;
  bool validate = true;
  bool hashes = false;
  bool passes = false;
  bool warm = false;
  kiln::PrimitiveCulling culling = kiln::PrimitiveCulling::kDefault;
  std::string dump;
  std::string jsonl;
  std::string list;
};

class PassTimes : public kiln::Sink {
 public:
  // A pass's time includes what the sink does between it and the pass before. So times by pass,
  // which take longer to keep than small passes to run, are kept only if they are asked for.
  explicit PassTimes(bool by_pass) : by_pass_(by_pass) {}
  void OnPass(const kiln::PassRecord& r) override {
    all_ += r.nanoseconds;
    if (!by_pass_) return;
    std::pair<int64_t, int64_t>& time = times_[r.pass];
    time.first += r.nanoseconds;
    ++time.second;
  }
  void Print() const {
    std::vector<std::pair<int64_t, std::string_view>> rows;
    for (const auto& [name, t] : times_) rows.push_back({t.first, name});
    std::sort(rows.rbegin(), rows.rend());
    for (const auto& [ns, name] : rows) {
      printf("%-28s %8lld runs %9.2f ms %5.1f %%\n", std::string(name).c_str(),
             static_cast<long long>(times_.at(name).second), ns / 1e6, 100.0 * ns / all_);
    }
    printf("%-28s %13s %9.2f ms\n", "all passes", "", all_ / 1e6);
  }
  int64_t nanoseconds() const { return all_; }

 private:
  const bool by_pass_;
  int64_t all_ = 0;
  std::map<std::string_view, std::pair<int64_t, int64_t>> times_;  // names outlive the compile
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

// Writes the machine code of a variant; returns the path of its file.
std::string Dump(const std::string& folder, const std::string& path, const kiln::Variant& v) {
  constexpr std::string_view kFolder = "spirv/", kEnd = ".spv";
  const size_t at = path.rfind(kFolder);
  std::string name = at == std::string::npos ? path : path.substr(at + kFolder.size());
  name = name.substr(0, name.rfind(kEnd));
  std::replace(name.begin(), name.end(), '/', '_');
  std::string file = folder + "/" + name + "." + v.name + ".bin";
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(v.code.data()),
            static_cast<std::streamsize>(v.code.size()));
  return file;
}

struct Totals {
  int modules = 0, compiled = 0, variants = 0;
  int64_t instructions = 0, bytes = 0;
};

// Compiles a module; returns its line of --jsonl.
nlohmann::ordered_json CompileOne(const std::string& path, const Arguments& args, PassTimes* times,
                                  Totals* totals) {
  ++totals->modules;
  const int64_t before = times->nanoseconds();
  nlohmann::ordered_json line{{"file", path}, {"cause", nullptr}};
  kiln::PrepareOptions prepare;
  prepare.validate = args.validate;
  kiln::CompileOptions options;
  options.widths = args.widths;
  options.state.primitive_culling = args.culling;
  kiln::Sink* sink = args.passes || !args.jsonl.empty() ? times : nullptr;
  const auto refuse = [&](const absl::Status& s) {
    line["cause"] = kiln::CauseOf(s);
    if (!args.hashes) return line;
    const std::string why = s.code() == absl::StatusCode::kInternal ? std::string(s.message()) : "";
    printf("%s %s%s%s\n", path.c_str(), std::string(kiln::CauseOf(s)).c_str(),
           why.empty() ? "" : ": ", why.c_str());
    return line;
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
    nlohmann::ordered_json& made = line["variants"].emplace_back();
    made["width"] = v.width;
    for (const kiln::Statistic& s : v.statistics.Known()) made[std::string(s.row->name)] = s.value;
    if (!args.dump.empty()) made["binary"] = Dump(args.dump, path, v);
    if (!args.hashes) continue;
    printf("%s %s %lld %016llx\n", path.c_str(), v.name.c_str(),
           static_cast<long long>(v.statistics.At("instructions")),
           static_cast<unsigned long long>(HashOf(v)));
  }
  line["pass_us"] = (times->nanoseconds() - before) / 1000;
  return line;
}

std::vector<int> ParseWidths(const std::string& text) {
  std::vector<int> widths;
  const std::vector<std::string> parts = absl::StrSplit(text, ',');
  for (const std::string& width : parts) {
    widths.push_back(std::atoi(width.c_str()));
  }
  return widths;
}

// Returns the path of a line of the list. Its widths, if it has any, go to `args`.
std::string PathOf(const std::string& line, Arguments* args) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(line, absl::MaxSplits('\t', 1));
  if (!parts.second.empty()) args->widths = ParseWidths(parts.second);
  return parts.first;
}

bool ParseArguments(int argc, char** argv, Arguments* args) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view a = argv[i];
    if (a.substr(0, 9) == "--target=") {
      const auto target = kiln::ParseTarget(a.substr(9));
      if (!target.ok()) return false;
      args->target = *target;
    } else if (a.substr(0, 9) == "--widths=") {
      args->widths = ParseWidths(argv[i] + 9);
    } else if (a.substr(0, 7) == "--dump=") {
      args->dump = a.substr(7);
    } else if (a.substr(0, 8) == "--jsonl=") {
      args->jsonl = a.substr(8);
    } else if (a == "--no-validate") {
      args->validate = false;
    } else if (a == "--hashes") {
      args->hashes = true;
    } else if (a == "--passes") {
      args->passes = true;
    } else if (a == "--warm") {
      args->warm = true;
    } else if (a == "--culling=on" || a == "--culling=off") {
      args->culling =
          a == "--culling=on" ? kiln::PrimitiveCulling::kOn : kiln::PrimitiveCulling::kOff;
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
        "usage: compile_modules [--target=tgl|gfx1030] [--widths=8,16,32] [--no-validate] [--hashes] [--passes] [--warm] [--culling=on|off] [--dump=DIR] [--jsonl=FILE] LIST\n");
    return 2;
  }
  std::ifstream list(args.list);
  std::ofstream lines(args.jsonl.empty() ? "/dev/null" : args.jsonl);
  PassTimes times(args.passes);
  Totals totals;
  for (std::string text; std::getline(list, text);) {
    if (text.empty()) continue;
    Arguments own = args;
    const std::string path = PathOf(text, &own);
    if (args.warm) {
      Arguments once;
      once.target = own.target;
      once.widths = own.widths;
      once.validate = own.validate;
      once.culling = own.culling;
      PassTimes unreported(false);
      Totals none;
      CompileOne(path, once, &unreported, &none);
      args.warm = false;
    }
    lines << CompileOne(path, own, &times, &totals).dump() << '\n';
  }
  if (args.passes) times.Print();
  printf("%d modules, %d compiled, %d variants, %lld instructions, %lld bytes\n", totals.modules,
         totals.compiled, totals.variants, static_cast<long long>(totals.instructions),
         static_cast<long long>(totals.bytes));
  return totals.modules == 0 ? 2 : 0;
}
