#include "core/intel/select/testing.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/intel/abi/abi.h"
#include "core/intel/abi/width_abi.h"
#include "core/intel/lir/target.h"
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

// Without its last two lines, which end the thread.
std::string WithoutEnd(std::string text) {
  for (int i = 0; i < 2; ++i) text.resize(text.rfind('\n', text.size() - 2) + 1);
  return text;
}

// A line feed, and four spaces before each line.
std::string Indented(const std::string& text, size_t dropped) {
  std::string out = "\n";
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    absl::StrAppend(&out, "    ", text.substr(at + dropped, end - at - dropped), "\n");
  }
  return out;
}

}  // namespace

std::string Selected(std::string_view body, int width) {
  const absl::StatusOr<mir::Module> m = mir::Parse(absl::StrCat(kHead, std::string(body), "return\n}\n"));
  if (!m.ok()) return std::string(m.status().message());
  if (absl::Status s = mir::Verify(*m); !s.ok()) return std::string(s.message());
  const absl::StatusOr<Abi> abi = AssignAbi(*m, Tgl());
  if (!abi.ok()) return std::string(abi.status().message());
  const absl::StatusOr<WidthAbi> at_width = AtWidth(*m, *abi, width);
  if (!at_width.ok()) return std::string(at_width.status().message());
  const absl::StatusOr<lir::Function> f = Select(*m, *abi, *at_width);
  if (!f.ok()) return std::string(f.status().message());
  if (absl::Status s = lir::Verify(TargetOf(Tgl()), *f); !s.ok()) return std::string(s.message());
  const std::string text = lir::Print(TargetOf(Tgl()), *f);
  const std::string blocks = text.substr(text.find("block b0 depth 0\n"));
  const bool one = blocks.find("block b1") == blocks.npos;
  const std::string body_lines = WithoutEnd(one ? blocks.substr(blocks.find('\n') + 1) : blocks);
  return Indented(body_lines, one ? 2 : 0);
}

}  // namespace kiln::intel
