#include "core/mir/clone.h"

#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::mir {
namespace {

constexpr char kModule[] = R"(mir 1
entry "main"
local_size 1, 1, 1
resource 0 ssbo 0.0.0
body {
  %0:i32 = workgroup_id[0]
  %1:i32 = loop (%2:i32 = %0) {
    %3:bool = ult %2, 9
    %4:i32 = if %3 {
      %5:i32 = iadd %2, %0
      yield %5
    } else {
      break %2
    }
    continue %4
  }
  store_ssbo[0, align 4] 0, %1
  return
}
)";

TEST(Clone, CopiesRegionsAndRenamesWhatTheyDefine) {
  Module m = *Parse(kModule);
  std::vector<InstId>& body = m.region(m.body).insts;
  Cloner cloner(m);
  Builder b(m);
  cloner.Map(m.result(body[0]), b.Int(7));
  const InstId loop = cloner.Copy(m.region(m.body).insts[1]);
  const InstId store = cloner.Copy(m.region(m.body).insts[2]);
  std::vector<InstId>& list = m.region(m.body).insts;
  list.insert(list.end() - 1, {loop, store});
  ASSERT_EQ(Verify(m), absl::OkStatus());
  const std::string text = Print(m, {.renumber = true, .spirv_ids = false});
  EXPECT_NE(text.find(R"(  %6:i32 = loop (%7:i32 = 7) {
    %8:bool = ult %7, 9
    %9:i32 = if %8 {
      %10:i32 = iadd %7, 7
      yield %10
    } else {
      break %7
    }
    continue %9
  }
  store_ssbo[0, align 4] 0, %6
  return)"),
            std::string::npos)
      << text;
}

TEST(Clone, ForgetsOnClear) {
  Module m = *Parse(kModule);
  const InstId first = m.region(m.body).insts[0];
  Cloner cloner(m);
  const InstId copy = cloner.Copy(first);
  EXPECT_EQ(cloner.Find(m.result(first)), m.result(copy));
  cloner.Clear();
  EXPECT_EQ(cloner.Find(m.result(first)), m.result(first));
}

}  // namespace
}  // namespace kiln::mir
