#include "core/amd/select/testing.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/amd/abi/abi.h"
#include "core/amd/lir/machine.h"
#include "core/amd/lir/ops.h"
#include "core/amd/select/select.h"
#include "core/lir/print.h"
#include "core/lir/verify.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"

namespace kiln::amd {
namespace {

constexpr char kHead[] =
    "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nshared 256\npush 16\nneeds float64\nneeds shared_int64_atomics\n"
    "needs clocks\nneeds int64_images\nresource 0 ssbo 0.0.0\n"
    "resource 1 storage_image 0.1.0 image 3d float r32f\n"
    "resource 2 sampled_image 0.2.0 image 2d arrayed float unknown\nresource 3 ssbo 0.3.0 unchanging\n"
    "resource 4 storage_image 0.4.0 image 2d arrayed uint rg32ui\n"
    "resource 5 storage_texel_buffer 0.5.0 image buffer sint rg32i\nbody {\n"
    "%1:i32 = subgroup_invocation\n%2:i32 = workgroup_id[0]\n"
    "%3:f32 = bitcast %1\n%4:f32 = bitcast %2\n";

absl::StatusOr<lir::Function> MakeFrom(const std::string& text, uint32_t width, ScanForm scan,
                                       const PipelineState& state) {
  const absl::StatusOr<mir::Module> m = mir::Parse(text);
  if (!m.ok()) return m.status();
  if (absl::Status s = mir::Verify(*m); !s.ok()) return s;
  const absl::StatusOr<Abi> abi = AssignAbi(*m, AbiKind::kDriver, state);
  if (!abi.ok()) return abi.status();
  absl::StatusOr<Selected> made = Select(*m, *abi, width, AllScans(scan));
  if (!made.ok()) return made.status();
  if (absl::Status s = lir::Verify(Gfx1030Machine(), made->function); !s.ok()) return s;
  return std::move(made->function);
}

absl::StatusOr<lir::Function> Make(std::string_view body, uint32_t width, ScanForm scan) {
  return MakeFrom(absl::StrCat(std::string(kHead), std::string(body), "return\n}\n"), width, scan,
                  {});
}

}  // namespace

std::string SelectedOps(std::string_view body, uint32_t width, ScanForm scan) {
  const absl::StatusOr<lir::Function> f = Make(body, width, scan);
  if (!f.ok()) return std::string(f.status().message());
  std::string names;
  size_t skipped = width == 64 ? 2 : 1;  // the lane's number
  for (const lir::Block& block : f->blocks) {
    for (lir::InstId i : block.insts) {
      if (skipped != 0) {
        --skipped;
        continue;
      }
      if (f->inst(i).op == kEnd) continue;
      const std::string_view name = Gfx1030Machine().ops[f->inst(i).op].name;
      absl::StrAppend(&names, names.empty() ? "" : " ", std::string(name));
    }
  }
  return names;
}

std::string SelectedText(std::string_view body, uint32_t width, ScanForm scan) {
  const absl::StatusOr<lir::Function> f = Make(body, width, scan);
  if (!f.ok()) return std::string(f.status().message());
  return lir::Print(Gfx1030Machine(), *f);
}

std::string SelectedFragment(std::string_view declarations, std::string_view body, uint32_t width,
                             const FragmentState& state) {
  PipelineState all;
  all.fragment = state;
  const absl::StatusOr<lir::Function> f =
      MakeFrom(absl::StrCat("mir 1\nentry \"main\"\nstage fragment\n", std::string(declarations),
                            "body {\n", std::string(body), "return\n}\n"),
               width, ScanForm::kByteDot, all);
  if (!f.ok()) return std::string(f.status().message());
  return lir::Print(Gfx1030Machine(), *f);
}

std::string SelectedVertex(std::string_view declarations, std::string_view body,
                           const PipelineState& state) {
  // Selection of programs that cull finds them lowered (core/amd/cull).
  PipelineState plain = state;
  if (state.primitive_culling == PrimitiveCulling::kDefault) {
    plain.primitive_culling = PrimitiveCulling::kOff;
  }
  const absl::StatusOr<lir::Function> f =
      MakeFrom(absl::StrCat("mir 1\nentry \"main\"\nstage vertex\n", std::string(declarations),
                            "body {\n", std::string(body), "return\n}\n"),
               32, ScanForm::kByteDot, plain);
  if (!f.ok()) return std::string(f.status().message());
  return lir::Print(Gfx1030Machine(), *f);
}

}  // namespace kiln::amd
