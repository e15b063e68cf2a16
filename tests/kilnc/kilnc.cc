// kilnc: compiles one module with every pass checked, for developers and tests. Not the product's
// command line (client/ has that).
//
//   kilnc [--target=tgl|gfx1030] [--widths=8,16] [--print-after=PASS|all|changed]
//   [--stop-after=PASS]
//         [--disable-pass=P[,P...]] [--bisect=N] [--no-verify] [--asm] [--spec=ID:BITS]...
//         [--view-mask=HEX] [--instance-rates=LOCATION[,...]] [--culling=on|off]
//         [--ngg-group=128|256] [-o DIR] FILE.spv|FILE.mir
//
// Writes DIR/NAME.SIMD8.bin and DIR/NAME.SIMD8.launch.json for each width (gfx1030: NAME.wave32);
// statistics and remarks go to standard output as one line each.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "core/mir/parse.h"
#include "proto/launch_record_convert.h"
#include "tests/exec/findings.h"

namespace {

struct Arguments {
  std::string file;
  std::string out_dir;
  kiln::Target target = kiln::Target::kTgl;
  bool assembly = false;
  kiln::PrepareOptions prepare;
  kiln::CompileOptions compile;
};

class Printer : public kiln::Sink {
 public:
  void OnRemark(const kiln::Remark& r) override {
    std::cout << "remark " << r.pass << " " << r.kind;
    if (r.width != 0) std::cout << " SIMD" << r.width;
    std::cout << " %" << r.spirv_id << ": " << r.text << "\n";
  }
  void OnSnapshot(std::string_view pass, const std::string& text) override {
    std::cout << "---- after " << pass << "\n" << text;
  }
};

bool ParseArguments(int argc, char** argv, Arguments& a) {
  a.prepare.passes.verify_each = a.compile.passes.verify_each = true;
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    if (absl::ConsumePrefix(&arg, "--widths=")) {
      for (absl::string_view w : absl::StrSplit(arg, ',')) {
        int width = 0;
        if (!absl::SimpleAtoi(w, &width)) return false;
        a.compile.widths.push_back(width);
      }
    } else if (absl::ConsumePrefix(&arg, "--print-after=")) {
      a.prepare.passes.print_after = a.compile.passes.print_after = std::string(arg);
    } else if (absl::ConsumePrefix(&arg, "--stop-after=")) {
      a.prepare.passes.stop_after = a.compile.passes.stop_after = std::string(arg);
    } else if (absl::ConsumePrefix(&arg, "--disable-pass=")) {
      for (absl::string_view p : absl::StrSplit(arg, ',')) {
        a.prepare.passes.disabled.push_back(std::string(p));
      }
      a.compile.passes.disabled = a.prepare.passes.disabled;
    } else if (absl::ConsumePrefix(&arg, "--bisect=")) {
      if (!absl::SimpleAtoi(arg, &a.compile.passes.bisect_limit)) return false;
      a.prepare.passes.bisect_limit = a.compile.passes.bisect_limit;
    } else if (arg == "--no-verify") {
      a.prepare.passes.verify_each = a.compile.passes.verify_each = false;
    } else if (absl::ConsumePrefix(&arg, "--spec=")) {
      const std::vector<std::string> parts = absl::StrSplit(arg, ':');
      uint32_t id = 0;
      uint64_t bits = 0;
      if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &id) ||
          !absl::SimpleAtoi(parts[1], &bits)) {
        return false;
      }
      a.prepare.spec_constants[id] = bits;
    } else if (absl::ConsumePrefix(&arg, "--view-mask=")) {
      if (!absl::SimpleHexAtoi(arg, &a.compile.state.view_mask)) return false;
    } else if (absl::ConsumePrefix(&arg, "--instance-rates=")) {
      for (absl::string_view location : absl::StrSplit(arg, ',')) {
        kiln::InstanceRate& rate = a.compile.state.instance_rates.emplace_back();
        if (!absl::SimpleAtoi(location, &rate.location)) return false;
      }
    } else if (arg == "--culling=on" || arg == "--culling=off") {
      a.compile.state.primitive_culling =
          arg == "--culling=on" ? kiln::PrimitiveCulling::kOn : kiln::PrimitiveCulling::kOff;
    } else if (absl::ConsumePrefix(&arg, "--ngg-group=")) {
      if (!absl::SimpleAtoi(arg, &a.compile.ngg_group)) return false;
    } else if (absl::ConsumePrefix(&arg, "--target=")) {
      const auto target = kiln::ParseTarget(std::string(arg));
      if (!target.ok()) return false;
      a.target = *target;
    } else if (arg == "--asm") {
      a.assembly = true;
    } else if (arg == "-o" && i + 1 < argc) {
      a.out_dir = argv[++i];
    } else if (!absl::StartsWith(arg, "-") && a.file.empty()) {
      a.file = std::string(arg);
    } else {
      return false;
    }
  }
  return !a.file.empty();
}

absl::StatusOr<std::shared_ptr<const kiln::Prepared>> Prepare(const Arguments& a,
                                                              const std::string& bytes,
                                                              kiln::Sink& sink) {
  if (absl::EndsWith(a.file, ".mir")) {
    absl::StatusOr<kiln::mir::Module> module = kiln::mir::Parse(bytes);
    if (!module.ok()) return module.status();
    return kiln::PrepareMir(*std::move(module), a.prepare, &sink, {});
  }
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return kiln::Prepare(words, a.prepare, &sink, {});
}

// Prints the verifier's findings on standard error; returns true if there are none.
bool Clean(const Arguments& a, const kiln::Variant& v) {
  const std::string findings = kiln::exec::Findings(a.target, v);
  if (!findings.empty()) std::cerr << a.file << ": " << findings;
  return findings.empty();
}

int Fail(const Arguments& a, const absl::Status& status) {
  std::cerr << a.file << ": " << kiln::CauseOf(status) << ": " << status.message();
  if (const uint32_t id = kiln::SpirvIdOf(status); id != 0) std::cerr << " (%" << id << ")";
  std::cerr << "\n";
  return 1;
}

bool Write(const Arguments& a, const kiln::Variant& v) {
  const std::string name = a.file.substr(a.file.find_last_of('/') + 1);
  const std::string path = a.out_dir + "/" + name + "." + v.name;
  std::ofstream bin(path + ".bin", std::ios::binary);
  bin.write(reinterpret_cast<const char*>(v.code.data()),
            static_cast<std::streamsize>(v.code.size()));
  std::ofstream json(path + ".launch.json");
  json << kiln::proto::LaunchRecordToJson(v.launch);
  return bin.good() && json.good();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  if (!ParseArguments(argc, argv, a)) {
    std::cerr << "usage: kilnc [options] FILE.spv|FILE.mir   (options: see kilnc.cc)\n";
    return 2;
  }
  std::ifstream in(a.file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) {
    std::cerr << a.file << ": cannot be read\n";
    return 2;
  }
  Printer printer;
  const auto prepared = Prepare(a, bytes, printer);
  if (!prepared.ok()) return Fail(a, prepared.status());
  const auto compiled = kiln::Compile(**prepared, a.target, a.compile, &printer, {});
  if (!compiled.ok()) return Fail(a, compiled.status());
  for (const kiln::Variant& v : compiled->variants) {
    std::cout << a.file << " " << v.name;
    for (const kiln::Statistic& s : v.statistics.Known()) {
      std::cout << " " << s.row->name << " " << s.value;
    }
    std::cout << "\n";
    if (a.compile.passes.verify_each && !Clean(a, v)) return 3;
    if (a.assembly) std::cout << *kiln::Disassemble(a.target, v.code);
    if (!a.out_dir.empty() && !Write(a, v)) return 2;
  }
  return 0;
}
