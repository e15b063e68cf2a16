// See vertex_options.h.
#include "tests/sim/vertex_options.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tests/exec/culling.h"

namespace kiln::tests {
namespace {

using nlohmann::json;
using sim::rdna2::InputAssembly;
using Topology = InputAssembly::Topology;

std::optional<InputAssembly> ReadAssembly(absl::string_view text) {
  static const std::map<std::string, Topology> kTopologies = {{"list", Topology::kTriangleList},
                                                              {"strip", Topology::kTriangleStrip},
                                                              {"fan", Topology::kTriangleFan}};
  const json given = json::parse(text.begin(), text.end(), nullptr, false);
  if (!given.is_object()) return std::nullopt;
  try {
    InputAssembly assembly;
    const auto topology = kTopologies.find(given.at("topology").get<std::string>());
    if (topology == kTopologies.end()) return std::nullopt;
    assembly.topology = topology->second;
    assembly.restarts = given.value("restarts", std::vector<uint32_t>());
    assembly.reuses_vertices = given.value("reuse", false);
    assembly.joins_instances = given.value("join", false);
    return assembly;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

using Positions = std::vector<sim::scene::ClipPosition>;

// Where a reference has the vertices of a draw.
struct Reference {
  std::vector<Positions> sets;  // each with a position of every run
  std::string undefined;        // a 1 for runs whose position is undefined
  // A string for each distance to clip or to cull by: a 1 for runs in which it is negative or
  // undefined.
  std::vector<std::string> outside;
};

absl::Status ReadReference(const std::string& path, uint64_t runs, Reference* reference) {
  std::ifstream file(path);
  const json given = json::parse(file, nullptr, false);
  try {
    for (const json& set : given.at("sets")) {
      const std::string bytes = absl::HexStringToBytes(set.get<std::string>());
      if (bytes.size() != runs * sizeof(sim::scene::ClipPosition)) {
        return absl::InvalidArgumentError("not a position for each run");
      }
      std::memcpy(reference->sets.emplace_back(runs).data(), bytes.data(), bytes.size());
    }
    reference->undefined = given.at("undefined").get<std::string>();
    reference->outside = given.value("outside", std::vector<std::string>());
  } catch (const json::exception& e) {
    return absl::InvalidArgumentError(absl::StrCat("clip positions: ", e.what()));
  }
  std::vector<std::string> marks = reference->outside;
  marks.push_back(reference->undefined);
  const auto is_short = [&](const std::string& of_runs) { return of_runs.size() != runs; };
  return std::any_of(marks.begin(), marks.end(), is_short)
             ? absl::InvalidArgumentError("not a mark for each run")
             : absl::OkStatus();
}

}  // namespace

bool VertexOptions::Take(absl::string_view option) {
  if (absl::ConsumePrefix(&option, "--ngg-culling=")) return absl::SimpleAtoi(option, &culling_);
  if (absl::ConsumePrefix(&option, "--assembly=")) {
    std::optional<InputAssembly> read = ReadAssembly(option);
    if (read) assembly_ = *std::move(read);
    return read.has_value();
  }
  if (!absl::ConsumePrefix(&option, "--clip-positions=")) return false;
  positions_ = std::string(option);
  return !positions_.empty();
}

void VertexOptions::Set(sim::rdna2::Options& options) {
  primitives_.clear();
  options.ngg_culling = culling_;
  options.assembly = assembly_;
  options.primitives = &primitives_;
}

absl::Status VertexOptions::Judge(const sim::scene::VertexInputs& draw, json& results) const {
  Reference reference;
  if (!positions_.empty()) {
    if (absl::Status s = ReadReference(positions_, draw.Runs(), &reference); !s.ok()) return s;
  }
  const std::vector<Positions>& sets = reference.sets;
  const exec::CullingRequest request = {culling_ & 15, 1};
  if (!positions_.empty() && request.word() != culling_) {
    return absl::InvalidArgumentError("positions are judged for one sample only");
  }
  std::string needed(draw.Runs(), '0');
  std::vector<uint32_t> left_out_by(sets.size() + (reference.outside.empty() ? 2 : 3));
  uint32_t left_out = 0;
  for (const sim::rdna2::DrawnPrimitive& p : primitives_) {
    if (p.exported) {
      for (const uint32_t run : p.runs) needed[run] = '1';
      continue;
    }
    ++left_out;
    if (positions_.empty()) continue;
    size_t set = 0;
    const auto corners = [&](const Positions& at) -> exec::Corners {
      return {at[p.runs[0]], at[p.runs[1]], at[p.runs[2]]};
    };
    const auto covers = [&](const Positions& at) {
      return exec::CoveredSamples(corners(at), request) != 0;
    };
    while (set < sets.size() && covers(sets[set])) ++set;
    const bool undefined = std::any_of(p.runs.begin(), p.runs.end(), [&](uint32_t run) {
      return reference.undefined[run] == '1';
    });
    const bool faces_away = std::any_of(sets.begin(), sets.end(), [&](const Positions& at) {
      return exec::HasCulledFace(corners(at), request);
    });
    const bool is_outside = std::any_of(
        reference.outside.begin(), reference.outside.end(), [&](const std::string& negative) {
          return std::all_of(p.runs.begin(), p.runs.end(),
                             [&](uint32_t run) { return negative[run] == '1'; });
        });
    if (set == sets.size() && !undefined) set += faces_away ? 1 : is_outside ? 2 : 3;
    if (set >= left_out_by.size()) {
      return absl::FailedPreconditionError(absl::StrCat("the primitive of runs ", p.runs[0], ", ",
                                                        p.runs[1], ", ", p.runs[2],
                                                        " is left out though it covers samples"));
    }
    ++left_out_by[set];
  }
  results["primitives"] = primitives_.size();
  results["left_out"] = left_out;
  results["needed"] = needed;
  if (positions_.empty()) return absl::OkStatus();
  results["left_out_by"] = left_out_by;
  results["sets"] = sets.size();
  return absl::OkStatus();
}

}  // namespace kiln::tests
