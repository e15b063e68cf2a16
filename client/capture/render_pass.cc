// Attachments that a pipeline draws into: see render_pass.h.
#include "client/capture/render_pass.h"

#include "absl/strings/str_cat.h"
#include "client/capture/vulkan_numbers.h"

namespace kiln::client {
namespace {

// Parses a render pass of either kind.
absl::StatusOr<EntryDocument> ParsePass(absl::string_view payload, uint64_t hash) {
  absl::StatusOr<EntryDocument> first = EntryDocument::Parse(payload, "renderPasses", hash);
  if (first.ok()) return first;
  absl::StatusOr<EntryDocument> second = EntryDocument::Parse(payload, "renderPasses2", hash);
  return second.ok() ? std::move(second) : std::move(first);
}

}  // namespace

absl::StatusOr<Attachments> AttachmentsOfSubpass(absl::string_view payload, uint64_t hash,
                                                 uint32_t subpass) {
  const absl::StatusOr<EntryDocument> document = ParsePass(payload, hash);
  if (!document.ok()) return document.status();
  const EntryJson pass = document->object();
  const std::vector<EntryJson> subpasses = pass.Objects("subpasses");
  if (subpass >= subpasses.size()) {
    return absl::DataLossError(
        absl::StrCat("subpass ", subpass, " of ", subpasses.size(), " is named"));
  }
  Attachments attachments;
  const std::vector<uint32_t> masks = pass.Next(vulkan::kRenderPassMultiview).Uints("viewMasks");
  attachments.view_mask =
      subpass < masks.size() ? masks[subpass] : subpasses[subpass].Uint("viewMask");
  const std::vector<EntryJson> descriptions = pass.Objects("attachments");
  uint32_t location = 0;
  for (const EntryJson& color : subpasses[subpass].Objects("colorAttachments")) {
    const uint32_t index = color.Uint("attachment", vulkan::kUnused);
    if (index == vulkan::kUnused) {
      attachments.colors.push_back(std::nullopt);
    } else if (index < descriptions.size()) {
      attachments.colors.push_back(
          Attachments::Color{location, descriptions[index].Uint("format")});
    } else {
      return absl::DataLossError(
          absl::StrCat("attachment ", index, " of ", descriptions.size(), " is named"));
    }
    ++location;
  }
  if (absl::Status s = document->status(); !s.ok()) return s;
  return attachments;
}

Attachments AttachmentsOfRendering(const EntryJson& pipeline) {
  Attachments attachments;
  const EntryJson rendering = pipeline.Next(vulkan::kPipelineRendering);
  attachments.view_mask = rendering.Uint("viewMask");
  const std::vector<uint32_t> locations =
      pipeline.Next(vulkan::kRenderingAttachmentLocation).Uints("colorAttachmentLocations");
  uint32_t index = 0;
  for (const uint32_t format : rendering.Uints("colorAttachmentFormats")) {
    const uint32_t location = index < locations.size() ? locations[index] : index;
    if (format == vulkan::kFormatUndefined || location == vulkan::kUnused) {
      attachments.colors.push_back(std::nullopt);
    } else {
      attachments.colors.push_back(Attachments::Color{location, format});
    }
    ++index;
  }
  return attachments;
}

}  // namespace kiln::client
