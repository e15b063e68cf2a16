#include "core/intel/select/testing.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/intel/abi/abi.h"
#include "core/intel/abi/width_abi.h"
#include "core/intel/lir/machine.h"
#include "core/intel/select/select.h"
#include "core/lir/print.h"
#include "core/lir/verify.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"

namespace kiln::intel {
namespace {

constexpr char kHead[] =
    "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nshared 256\npush 16\n"
    "resource 0 ssbo 0.0.0\n"
    "resource 1 ubo 0.1.0\n"
    "resource 2 sampled_image 0.2.0 image 2d float unknown\n"
    "resource 3 sampler 0.3.0\n"
    "resource 4 storage_image 0.4.0 image 2d float r8\n"
    "resource 5 combined 0.5.0 image 2d arrayed float unknown\n"
    "resource 6 storage_image 0.6.0 image 2d uint r32ui\n"
    "resource 7 storage_image 0.7.0 image 2d float r11g11b10f\n"
    "resource 8 ssbo 0.8.0 array 4\n"
    "resource 9 sampled_image 0.9.0 array 4 image 2d float unknown\n"
    "resource 10 combined 0.10.0 array 4 image 2d float unknown\n"
    "resource 11 sampled_image 0.11.0 image 2d multisampled float unknown\n"
    "resource 12 storage_image 0.12.0 image 2d float rgb10a2\n"
    "resource 13 storage_image 0.13.0 image cube arrayed float rgba8\n"
    "private 0 64\nbody {\n";

constexpr char kFragmentHead[] =
    "mir 1\nentry \"main\"\nstage fragment\n"
    "input 0 location 0.0 f32 x4\n"
    "input 1 location 1.0 i32 x1 flat\n"
    "input 2 location 2.0 f32 x2 centroid\n"
    "input 3 location 3.0 f32 x1 array 3\n"
    "input 4 builtin layer i32 x1\n"
    "input 5 builtin frag_coord f32 x4\n"
    "input 6 builtin front_facing bool x1\n"
    "input 7 builtin sample_id i32 x1\n"
    "input 8 builtin sample_position f32 x2\n"
    "input 9 builtin sample_mask i32 x1 array 1\n"
    "output 0 location 0.0 f32 x4\n"
    "output 1 location 2.0 i32 x2\n"
    "output 2 builtin sample_mask i32 x1 array 1\n"
    "resource 0 ssbo 0.0.0\n"
    "resource 1 combined 0.1.0 image 2d float unknown\n"
    "resource 2 ubo 0.2.0\n"
    "resource 3 ubo 0.3.0 array 2\nbody {\n";

constexpr char kVertexHead[] =
    "mir 1\nentry \"main\"\nstage vertex\n"
    "input 0 location 0.0 f32 x4\n"
    "input 1 location 2.1 i32 x2\n"
    "input 2 location 3.0 f32 x1 array 2\n"
    "input 3 location 5.0 f16 x1\n"
    "input 4 builtin vertex_index i32 x1\n"
    "input 5 builtin draw_index i32 x1\n"
    "output 0 location 0.0 f32 x4\n"
    "output 1 location 2.1 i32 x2\n"
    "output 2 location 3.0 f16 x1\n"
    "output 3 builtin position f32 x4\n"
    "output 4 builtin point_size f32 x1\n"
    "output 5 builtin clip_distance f32 x1 array 2\n"
    "output 6 builtin cull_distance f32 x1 array 1\n"
    "body {\n";

constexpr char kViewedVertex[] =
    "mir 1\nentry \"main\"\nstage vertex\n"
    "input 0 builtin instance_index i32 x1\n"
    "input 1 builtin view_index i32 x1\n"
    "output 0 location 0.0 i32 x2\nbody {\n"
    "%0:i32 = load_input[0, 0]\n%1:i32 = load_input[1, 0]\nstore_output[0, 0] %0, %1\n";

constexpr char kViewedFragment[] =
    "mir 1\nentry \"main\"\nstage fragment\n"
    "input 0 builtin view_index i32 x1\n"
    "output 0 location 0.0 i32 x1\nbody {\n"
    "%0:i32 = load_input[0, 0]\nstore_output[0, 0] %0\n";

// Returns the text without its last two lines, which end the thread.
std::string WithoutEnd(std::string text) {
  for (int i = 0; i < 2; ++i) text.resize(text.rfind('\n', text.size() - 2) + 1);
  return text;
}

// Returns a line feed, and the text with four spaces before each line.
std::string Indented(const std::string& text, size_t dropped) {
  std::string out = "\n";
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    absl::StrAppend(&out, "    ", text.substr(at + dropped, end - at - dropped), "\n");
  }
  return out;
}

}  // namespace

namespace {

absl::StatusOr<lir::Function> Make(std::string_view head, std::string_view body, int width,
                                   const PipelineState& state,
                                   std::vector<UniformRange> ranges = {},
                                   const Device& device = Tgl()) {
  const absl::StatusOr<mir::Module> m =
      mir::Parse(absl::StrCat(std::string(head), std::string(body), "return\n}\n"));
  if (!m.ok()) return m.status();
  if (absl::Status s = mir::Verify(*m); !s.ok()) return s;
  absl::StatusOr<Abi> abi = AssignAbi(*m, device, state);
  if (!abi.ok()) return abi.status();
  if (!ranges.empty()) PushRanges(std::move(ranges), *abi);
  const absl::StatusOr<WidthAbi> at_width = AtWidth(*m, *abi, width);
  if (!at_width.ok()) return at_width.status();
  absl::StatusOr<lir::Function> f = Select(*m, *abi, *at_width);
  if (!f.ok()) return f.status();
  if (absl::Status s = lir::Verify(MachineOf(device), *f); !s.ok()) return s;
  return f;
}

}  // namespace

std::string Selected(std::string_view body, int width, const Device& device) {
  const absl::StatusOr<lir::Function> f = Make(kHead, body, width, {}, {}, device);
  if (!f.ok()) return std::string(f.status().message());
  const std::string text = lir::Print(MachineOf(device), *f);
  const std::string blocks = text.substr(text.find("block b0 depth 0\n"));
  const bool one = blocks.find("block b1") == blocks.npos;
  const std::string body_lines = WithoutEnd(one ? blocks.substr(blocks.find('\n') + 1) : blocks);
  return Indented(body_lines, one ? 2 : 0);
}

std::string SelectedFragment(std::string_view body, int width, int samples,
                             std::vector<UniformRange> ranges, bool alpha_to_coverage) {
  PipelineState state;
  state.fragment.samples = static_cast<uint32_t>(samples);
  state.fragment.sample_shading = samples > 1;
  state.fragment.alpha_to_coverage = alpha_to_coverage;
  const absl::StatusOr<lir::Function> f =
      Make(kFragmentHead, body, width, state, std::move(ranges));
  if (!f.ok()) return std::string(f.status().message());
  const std::string text = lir::Print(MachineOf(Tgl()), *f);
  return Indented(text.substr(text.find("livein")), 0);
}

std::string SelectedVertex(std::string_view body) {
  const absl::StatusOr<lir::Function> f = Make(kVertexHead, body, 8, {});
  if (!f.ok()) return std::string(f.status().message());
  const std::string text = lir::Print(MachineOf(Tgl()), *f);
  return Indented(text.substr(text.find("livein")), 0);
}

std::string SelectedViews(bool fragment, uint32_t view_mask) {
  PipelineState state;
  state.view_mask = view_mask;
  const absl::StatusOr<lir::Function> f =
      Make(fragment ? kViewedFragment : kViewedVertex, "", 8, state);
  if (!f.ok()) return std::string(f.status().message());
  const std::string text = lir::Print(MachineOf(Tgl()), *f);
  return Indented(text.substr(text.find("livein")), 0);
}

}  // namespace kiln::intel
