#include "core/mid/testing/testing.h"

#include "absl/strings/str_cat.h"
#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"

namespace kiln::mid {
namespace {

constexpr std::string_view kHead =
    "mir 1\nentry \"main\"\nlocal_size 8, 1, 1\nshared 256\npush 16\nneeds clocks\n"
    "data 0x0000803f0000004000004040\n"
    "resource 0 ssbo 0.0.0\nresource 1 ssbo 0.1.0\n"
    "private 0 16\nprivate 1 256\n";

constexpr std::string_view kFragmentHead =
    "mir 1\nentry \"main\"\nstage fragment\n"
    "input 0 location 0.0 f32 x4\ninput 1 location 1.0 i32 x1 flat\n"
    "input 2 location 2.0 f32 x1 noperspective centroid\ninput 3 location 3.0 f32 x1 array 4\n"
    "output 0 location 0.0 f32 x4\nresource 0 ssbo 0.0.0\nresource 1 ssbo 0.1.0\n"
    "resource 2 combined 0.2.0 image 2d float unknown\nprivate 0 16\n";

void DropUnused(mir::Module& m) {
  for (bool again = true; again;) {
    BitSet used(m.values.size());
    mir::ForEachInst(m, m.body, [&](mir::InstId id) {
      for (mir::ValueId v : m.sources(id)) used.set(v.index);
    });
    BitSet dead(m.insts.size());
    mir::ForEachInst(m, m.body, [&](mir::InstId id) {
      const mir::Inst& inst = m.inst(id);
      if (!mir::Info(inst.op).Has('P')) return;
      for (int r = 0; r < inst.num_results; ++r) {
        if (used.test(m.result(id, r).index)) return;
      }
      dead.set(id.index);
    });
    again = mir::RemoveInsts(m, dead) > 0;
  }
}

std::string Run(std::string_view head, std::string_view body,
                absl::StatusOr<bool> (*pass)(mir::Module&, PassContext&), int64_t rewrite_limit) {
  absl::StatusOr<mir::Module> module =
      mir::Parse(absl::StrCat(absl::string_view(head.data(), head.size()), "body {\n",
                              absl::string_view(body.data(), body.size()), "\n}\n"));
  if (!module.ok()) return std::string(module.status().message());
  if (absl::Status s = mir::Verify(*module); !s.ok()) return absl::StrCat("before: ", s.message());
  PassContext context = PassContext::ForTest(rewrite_limit);
  if (absl::StatusOr<bool> s = pass(*module, context); !s.ok()) return s.status().ToString();
  if (absl::Status s = mir::Verify(*module); !s.ok()) return absl::StrCat("after: ", s.message());
  DropUnused(*module);
  const std::string text = mir::Print(*module, {.renumber = true, .spirv_ids = false});
  const size_t begin = text.find("body {\n") + 7;
  return text.substr(begin, text.rfind("}\n") - begin);
}

}  // namespace

std::string RunOnBody(std::string_view body,
                      absl::StatusOr<bool> (*pass)(mir::Module&, PassContext&),
                      int64_t rewrite_limit) {
  return Run(kHead, body, pass, rewrite_limit);
}

std::string RunOnFragmentBody(std::string_view body,
                              absl::StatusOr<bool> (*pass)(mir::Module&, PassContext&),
                              int64_t rewrite_limit) {
  return Run(kFragmentHead, body, pass, rewrite_limit);
}

}  // namespace kiln::mid
