// kiln_bins: Kiln's own machine code in the form in which tests/peer dumps Mesa's, so that the same
// scripts judge both.
//
//   kiln_bins [--target=gfx1030] [--samples=N] [--sample-shading] [--alpha-to-coverage]
//             [--view-mask=HEX] DIR MODULE.spv...
//
// The target is tgl unless it is said; the other options set the pipeline state
// (core/target/pipeline_state.h). Writes, for every width of every module, DIR/NAME.SIMDn.bin and
// DIR/NAME.SIMDn.launch.json (gfx1030: waveN), which names the module in "file". Prints a line for
// each module: its widths, or why it has none. Exit status 0 unless nothing could be written.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "nlohmann/json.hpp"
#include "proto/launch_record_convert.h"

namespace kiln {
namespace {

std::vector<uint32_t> ReadWords(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(f), {});
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), 4 * words.size());
  return words;
}

bool WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream f(path, std::ios::binary);
  f << bytes;
  return static_cast<bool>(f);
}

bool WriteVariant(const std::string& stem, const std::string& module, const Variant& v) {
  nlohmann::json record = nlohmann::json::parse(proto::LaunchRecordToJson(v.launch));
  record["file"] = module;
  return WriteFile(stem + ".bin", std::string(v.code.begin(), v.code.end())) &&
         WriteFile(stem + ".launch.json", record.dump());
}

// Applies an option. Returns false if there is no such option.
bool TakeOption(absl::string_view option, Target* target, PipelineState* state) {
  FragmentState& fragment = state->fragment;
  if (option == "--target=gfx1030") {
    *target = Target::kGfx1030;
    return true;
  }
  if (absl::ConsumePrefix(&option, "--samples="))
    return absl::SimpleAtoi(option, &fragment.samples);
  if (option == "--sample-shading") return fragment.sample_shading = true;
  if (option == "--alpha-to-coverage") return fragment.alpha_to_coverage = true;
  if (absl::ConsumePrefix(&option, "--view-mask=")) {
    return absl::SimpleHexAtoi(option, &state->view_mask);
  }
  return false;
}

int Main(int argc, char** argv) {
  PipelineState state;
  Target target = Target::kTgl;
  int first = 1;
  for (; first < argc && absl::StartsWith(argv[first], "--"); ++first) {
    if (!TakeOption(argv[first], &target, &state)) return 2;
  }
  if (argc < first + 2) return 2;
  const std::vector<int> widths =
      target == Target::kTgl ? std::vector<int>{8, 16, 32} : std::vector<int>{32, 64};
  for (int i = first + 1; i < argc; ++i) {
    const std::string path = argv[i];
    const std::string name = absl::StrReplaceAll(path, {{"/", "_"}});
    const auto prepared = Prepare(ReadWords(path), {}, nullptr, {});
    std::string result = prepared.ok() ? "" : std::string(prepared.status().message());
    for (const int width : widths) {
      if (!prepared.ok()) break;
      CompileOptions options;
      options.widths = {width};
      options.state = state;
      const auto compiled = Compile(**prepared, target, options, nullptr, {});
      if (!compiled.ok()) {
        absl::StrAppend(&result, " ", width, " lanes", ": ", compiled.status().message());
        continue;
      }
      for (const Variant& v : compiled->variants) {
        if (!WriteVariant(absl::StrCat(argv[first], "/", name, ".", v.name), path, v)) return 1;
        absl::StrAppend(&result, " ", v.name);
      }
    }
    std::printf("%s:%s\n", path.c_str(), result.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace kiln

int main(int argc, char** argv) { return kiln::Main(argc, argv); }
