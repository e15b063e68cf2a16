// The text of messages in LIR.
#include "core/intel/lir/message.h"

#include <set>
#include <string>

#include "core/intel/lir/target.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

constexpr char kHeader[] =
    "function tgl width 16\nvalue %0 G 4x1\nvalue %1 G 4x1\nvalue %2 U 4x8 whole\n"
    "livein %2 at 0\nblock b0 depth 0\n  %0:ud = mov #0x0:ud {w16}\n";

// If two operations had the same text, the parser would read both as the first.
TEST(IntelOps, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const lir::OpInfo& op : IntelOps()) {
    EXPECT_TRUE(op.name.empty() || names.insert(std::string(op.name)).second) << op.name;
  }
}

TEST(Message, TextIsReadBack) {
  const std::string text =
      std::string(kHeader) +
      "  %1:ud = msg.read %0:ud {w16 [untyped_read bti 3 lanes 16 channels 1]}\n"
      "  msg.write %0:ud %1:ud {w16 [byte_scattered_write header 1 bti 253 lanes 16 element_bytes "
      "2]}\n"
      "  msg.write %0:ud {w16 [interpolate_offset lanes 16 offset_x 7 offset_y -8 linear 1]}\n";
  const auto f = lir::Parse(TargetOf(Tgl()), text);
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(lir::Verify(TargetOf(Tgl()), *f), absl::OkStatus());
  EXPECT_EQ(lir::Print(TargetOf(Tgl()), *f), text);
  ASSERT_EQ(f->side.size(), 3u);
  const LirMessage read = lir::RecordOf<LirMessage>(f->side[0]);
  EXPECT_EQ(read.fields.message, isa::Message::kUntypedRead);
  EXPECT_EQ(read.fields.lanes, 16);
  EXPECT_FALSE(read.indirect);
}

TEST(Message, EqualOnesShareARow) {
  const std::string read = "  %1:ud = msg.read %0:ud {w16 [untyped_read lanes 16 channels 1]}\n";
  lir::Function f = *lir::Parse(TargetOf(Tgl()), kHeader + read);
  LirMessage m = lir::RecordOf<LirMessage>(f.side[0]);
  EXPECT_EQ(AddMessage(f, m), 0u);
  m.bindless = true;
  EXPECT_EQ(AddMessage(f, m), 1u);
  EXPECT_EQ(AddMessage(f, m), 1u);
}

TEST(Message, TextThatIsNoneIsRefused) {
  for (const char* side :
       {"[]", "[untyped]", "[untyped_read bti]", "[untyped_read bti 256]",
        "[interpolate_offset offset_x -129]", "[untyped_read bti -1]", "[untyped_read mlen 1]",
        "[untyped_read lanes 16", "[untyped_read x 1]"}) {
    const std::string line = std::string("  msg.write %0:ud {w16 ") + side + "}\n";
    EXPECT_FALSE(lir::Parse(TargetOf(Tgl()), kHeader + line).ok()) << side;
  }
}

TEST(Message, RowsMustBeThere) {
  const auto f =
      lir::Parse(TargetOf(Tgl()), std::string(kHeader) + "  msg.write %0:ud {w16 aux 0}\n");
  ASSERT_TRUE(f.ok()) << f.status();
  const absl::Status status = lir::Verify(TargetOf(Tgl()), *f);
  EXPECT_NE(std::string(status.message()).find("L17"), std::string::npos) << status;
}

}  // namespace
}  // namespace kiln::intel
