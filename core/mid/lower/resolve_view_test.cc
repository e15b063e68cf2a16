#include "core/mid/lower/resolve_view.h"

#include <string>

#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

// The stores of the view's index and of the instance's after the pass.
std::string Stored(uint32_t view_mask, bool changes) {
  absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 stage vertex input 0 builtin instance_index i32 x1 input 1 builtin view_index i32 x1 "
      "output 0 location 0.0 i32 x2 body { %0:i32 = load_input[0, 0] %1:i32 = load_input[1, 0] "
      "store_output[0, 0] %0, %1 return }");
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return "";
  PassContext context = PassContext::ForTest();
  const absl::StatusOr<bool> changed = ResolveView(*m, view_mask, context);
  EXPECT_TRUE(changed.ok());
  EXPECT_EQ(*changed, changes);
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  const std::string text = mir::Print(*m);
  const size_t begin = text.find("store_output");
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(ResolveView, OneViewIsAConstant) {
  EXPECT_EQ(Stored(0, true), "store_output[0, 0] %0, 0");
  EXPECT_EQ(Stored(1, true), "store_output[0, 0] %0, 0");
  EXPECT_EQ(Stored(8, true), "store_output[0, 0] %0, 3");
}

TEST(ResolveView, SeveralAreAsked) { EXPECT_EQ(Stored(9, false), "store_output[0, 0] %0, %1"); }

}  // namespace
}  // namespace kiln::mid
