// The state of a captured graphics pipeline: see graphics_state.h.
#include "client/capture/graphics_state.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "client/capture/color_format.h"
#include "client/capture/render_pass.h"
#include "client/capture/vulkan_numbers.h"

namespace kiln::client {
namespace {

using kiln::v1::ColorAttachment;

constexpr uint32_t kAllComponents = 15;

class DynamicStates {
 public:
  explicit DynamicStates(const EntryJson& pipeline)
      : states_(pipeline.Object("dynamicState").Uints("dynamicState")) {}
  bool Has(uint32_t state) const {
    return std::find(states_.begin(), states_.end(), state) != states_.end();
  }

 private:
  std::vector<uint32_t> states_;
};

// Returns the dynamic state that the fragment shader's code depends on, in words; empty: none.
std::string DynamicOfFragment(const DynamicStates& dynamic, bool has_colors) {
  struct Row {
    uint32_t state;
    const char* words;
    bool of_colors;
  };
  constexpr Row kRows[] = {
      {vulkan::kDynamicRasterizationSamples, "number of samples", false},
      {vulkan::kDynamicAlphaToCoverage, "alpha to coverage", false},
      {vulkan::kDynamicAlphaToOne, "alpha to one", false},
      {vulkan::kDynamicColorBlendEquation, "blend equation", true},
  };
  std::string words;
  for (const Row& row : kRows) {
    if (!dynamic.Has(row.state) || (row.of_colors && !has_colors)) continue;
    absl::StrAppend(&words, words.empty() ? "" : ", ", row.words);
  }
  return words;
}

bool ReadsSecondSource(const EntryJson& blend) {
  if (!blend.Bool("blendEnable")) return false;
  for (const char* key : {"srcColorBlendFactor", "dstColorBlendFactor", "srcAlphaBlendFactor",
                          "dstAlphaBlendFactor"}) {
    const uint32_t factor = blend.Uint(key);
    if (factor >= vulkan::kBlendFirstSource1 && factor <= vulkan::kBlendLastSource1) return true;
  }
  return false;
}

// Returns true if factors of colours may read the first output's alpha. Those of alpha read it,
// too, but only where alpha is written.
bool ReadsAlpha(const EntryJson& blend, const DynamicStates& dynamic) {
  const bool enabled = blend.Bool("blendEnable") || dynamic.Has(vulkan::kDynamicColorBlendEnable);
  if (!enabled) return false;
  if (dynamic.Has(vulkan::kDynamicColorBlendEquation)) return true;
  for (const char* key : {"srcColorBlendFactor", "dstColorBlendFactor"}) {
    const uint32_t factor = blend.Uint(key);
    if (factor == vulkan::kBlendSourceAlpha || factor == vulkan::kBlendOneMinusSourceAlpha ||
        factor == vulkan::kBlendSourceAlphaSaturate) {
      return true;
    }
  }
  return false;
}

void ReadMultisample(const EntryJson& state, kiln::v1::FragmentState* fragment) {
  const uint32_t samples = state.Uint("rasterizationSamples", 1);
  if (samples > 1) fragment->set_samples(samples);
  // The least number of invocations is max(ceil(minSampleShading * samples), 1); code that runs for
  // each sample is right for all numbers above 1.
  const double least = state.Real("minSampleShading") * samples;
  if (state.Bool("sampleShadingEnable") && least > 1) fragment->set_sample_shading(true);
  if (state.Bool("alphaToCoverageEnable")) fragment->set_alpha_to_coverage(true);
  if (state.Bool("alphaToOneEnable")) fragment->set_alpha_to_one(true);
}

void ReadColors(const EntryJson& pipeline, const Attachments& attachments,
                const DynamicStates& dynamic, GraphicsState* state) {
  const std::vector<EntryJson> blends = pipeline.Object("colorBlendState").Objects("attachments");
  auto* colors = state->fragment.mutable_color();
  for (size_t i = 0; i < attachments.colors.size(); ++i) {
    if (!attachments.colors[i].has_value()) continue;
    const auto& [location, format] = *attachments.colors[i];
    const auto type = TypeOfFormat(format);
    if (!type.has_value()) {
      state->fragment_problem = {CaptureCause::kUnknownFormat,
                                 absl::StrCat("attachment ", i, " of format ", format)};
      return;
    }
    ColorAttachment* color = colors->add_attachments();
    color->set_location(location);
    color->set_type(*type);
    const bool blends_here = (i < blends.size() && blends[i].Bool("blendEnable")) ||
                             dynamic.Has(vulkan::kDynamicColorBlendEnable);
    color->set_precision(PrecisionOfFormat(format, blends_here));
    if (i >= blends.size()) continue;
    const uint32_t mask = blends[i].Uint("colorWriteMask", kAllComponents) & kAllComponents;
    if (mask != kAllComponents && !dynamic.Has(vulkan::kDynamicColorWriteMask)) {
      color->set_write_mask(mask);
    }
    if (ReadsSecondSource(blends[i])) color->set_second_blend_source(true);
    if (ReadsAlpha(blends[i], dynamic)) color->set_blend_reads_alpha(true);
  }
}

// Returns true for lists and strips of points and of lines. A topology that is set when drawing is
// of the class that the pipeline has (VUID-vkCmdDraw-dynamicPrimitiveTopologyUnrestricted-07500),
// unless the device lets it be any: then the driver of the draw turns culling off.
// Triangles that are drawn as their edges or vertices (VkPolygonMode) may show where a filled one
// would not, so they are none here.
bool HasNoTriangles(const EntryJson& pipeline, const DynamicStates& dynamic) {
  constexpr uint32_t kFill = 0;
  const uint32_t mode = pipeline.Object("rasterizationState").Uint("polygonMode", kFill);
  if (mode != kFill && !dynamic.Has(vulkan::kDynamicPolygonMode)) return true;
  const EntryJson assembly = pipeline.Object("inputAssemblyState");
  if (!assembly.Has("topology")) return false;
  const uint32_t topology = assembly.Uint("topology");
  return topology <= vulkan::kTopologyLineStrip || topology == vulkan::kTopologyLineListAdjacency ||
         topology == vulkan::kTopologyLineStripAdjacency;
}

// Returns what the pipeline draws into, or sets the problem.
std::optional<Attachments> AttachmentsOf(const EntryJson& pipeline, const RenderPassOf& render_pass,
                                         std::optional<CaptureProblem>* problem) {
  const uint64_t pass = pipeline.Hash("renderPass");
  if (pass == 0) return AttachmentsOfRendering(pipeline);
  const absl::StatusOr<std::string> payload = render_pass(pass);
  if (!payload.ok()) {
    *problem = {absl::IsNotFound(payload.status()) ? CaptureCause::kMissingRenderPass
                                                   : CaptureCause::kDamagedEntry,
                absl::StrCat("render pass ", HashText(pass), ": ", payload.status().message())};
    return std::nullopt;
  }
  absl::StatusOr<Attachments> read = AttachmentsOfSubpass(*payload, pass, pipeline.Uint("subpass"));
  if (read.ok()) return *std::move(read);
  *problem = {CaptureCause::kDamagedEntry,
              absl::StrCat("render pass ", HashText(pass), ": ", read.status().message())};
  return std::nullopt;
}

}  // namespace

GraphicsState ReadGraphicsState(const EntryJson& pipeline, const RenderPassOf& render_pass) {
  GraphicsState state;
  const auto attachments = AttachmentsOf(pipeline, render_pass, &state.problem);
  if (!attachments.has_value()) return state;
  state.view_mask = attachments->view_mask;
  const DynamicStates dynamic(pipeline);
  state.no_triangles = HasNoTriangles(pipeline, dynamic);
  if (pipeline.Object("rasterizationState").Bool("rasterizerDiscardEnable") &&
      !dynamic.Has(vulkan::kDynamicRasterizerDiscard)) {
    state.fragment_problem = {CaptureCause::kRasterizerDiscard, "fragment stage"};
    return state;
  }
  const std::string left = DynamicOfFragment(dynamic, !attachments->colors.empty());
  if (!left.empty()) {
    state.fragment_problem = {CaptureCause::kDynamicState, left};
    return state;
  }
  ReadMultisample(pipeline.Object("multisampleState"), &state.fragment);
  ReadColors(pipeline, *attachments, dynamic, &state);
  return state;
}

}  // namespace kiln::client
