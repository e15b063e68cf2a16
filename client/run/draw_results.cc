// See draw_results.h.
#include "client/run/draw_results.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/sim/scene/fragment_output.h"

namespace kiln::client::run {
namespace {

using nlohmann::json;
using sim::scene::FragmentInputs;
using sim::scene::RenderTarget;
using sim::scene::TexelFormat;

template <typename T>
std::vector<uint8_t> Raw(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<uint8_t> ColourBytes(const RenderTarget& target, bool resolve,
                                 const FragmentInputs& in) {
  const RenderTarget& shown = target;
  if (resolve) return ColourBytes(sim::scene::Resolve(in, target), false, in);
  return shown.format ? sim::scene::TargetBytes(shown) : Raw(shown.texels);
}

std::vector<uint8_t> DepthBytes(const FragmentInputs& in) {
  const TexelFormat format = in.output.depth.format.value_or(TexelFormat::kD32f);
  const auto size = static_cast<size_t>(TexelBytes(format));
  std::vector<uint8_t> bytes = in.depth_bytes;  // bits that hold no depth stay
  bytes.resize(in.depth.size() * size);
  for (size_t i = 0; i < in.depth.size(); ++i) {
    EncodeComponents(format, {std::bit_cast<uint32_t>(in.depth[i]), 0, 0, 0}, 1,
                     bytes.data() + i * size);
  }
  return bytes;
}

bool IsWanted(const json& part) {
  return part.is_object() && (part.contains("as") || part.contains("out"));
}

}  // namespace

std::vector<DrawResult> DrawResults(const json& draw, const FragmentInputs& in) {
  std::vector<DrawResult> results;
  const auto add = [&results](const std::string& name, const json& part, uint32_t location,
                              std::vector<uint8_t> bytes) {
    results.push_back(
        {name, location, part.value("as", ""), part.value("out", ""), std::move(bytes)});
  };
  for (const json& part : draw.value("targets", json::array())) {
    if (!IsWanted(part)) continue;
    const uint32_t location = part.value("location", 0u);
    for (const RenderTarget& t : in.targets) {
      if (t.location != location) continue;
      add(absl::StrCat("location ", location), part, location,
          ColourBytes(t, part.value("resolve", false), in));
    }
  }
  const auto part = [&draw](const char* name) { return draw.value(name, json()); };
  if (IsWanted(part("depth"))) add("depth", part("depth"), 0, DepthBytes(in));
  if (IsWanted(part("stencil"))) add("stencil", part("stencil"), 0, Raw(in.stencil));
  if (IsWanted(part("coverage"))) add("coverage", part("coverage"), 0, Raw(in.coverage));
  if (IsWanted(part("written_samples"))) {
    add("written_samples", part("written_samples"), 0, Raw(in.sample_mask));
  }
  return results;
}

}  // namespace kiln::client::run
