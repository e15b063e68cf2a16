// The colour attachments that a pipeline of a capture draws into, and its views.
#ifndef KILN_CLIENT_CAPTURE_RENDER_PASS_H_
#define KILN_CLIENT_CAPTURE_RENDER_PASS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/capture/entry_json.h"

namespace kiln::client {

struct Attachments {
  struct Color {
    uint32_t location = 0;  // of the shader's output
    uint32_t format = 0;    // VkFormat
  };
  // By the attachment's index, as blend state counts them; nullopt: it is not used.
  std::vector<std::optional<Color>> colors;
  uint32_t view_mask = 0;
};

// Reads a subpass of a render pass' payload, of vkCreateRenderPass or vkCreateRenderPass2.
// DataLoss: there is no such pass or subpass in it.
absl::StatusOr<Attachments> AttachmentsOfSubpass(absl::string_view payload, uint64_t hash,
                                                 uint32_t subpass);

// Reads those of dynamic rendering, with the locations that the pipeline gives them
// (VK_KHR_dynamic_rendering_local_read); none if the pipeline does not say.
Attachments AttachmentsOfRendering(const EntryJson& pipeline);

}  // namespace kiln::client

#endif  // KILN_CLIENT_CAPTURE_RENDER_PASS_H_
