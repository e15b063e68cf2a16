// The text of messages in LIR.
#include "core/intel/lir/message.h"

#include <set>
#include <string>
#include <vector>

#include "core/intel/lir/machine.h"
#include "core/intel/lir/testing.h"
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
  const auto f = lir::Parse(MachineOf(Tgl()), text);
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(lir::Verify(MachineOf(Tgl()), *f), absl::OkStatus());
  EXPECT_EQ(lir::Print(MachineOf(Tgl()), *f), text);
  ASSERT_EQ(f->side.size(), 3u);
  const LirMessage read = lir::RecordOf<LirMessage>(f->side[0]);
  EXPECT_EQ(read.fields.message, isa::Message::kUntypedRead);
  EXPECT_EQ(read.fields.lanes, 16);
  EXPECT_FALSE(read.indirect);
}

TEST(Message, EqualOnesShareARow) {
  const std::string read = "  %1:ud = msg.read %0:ud {w16 [untyped_read lanes 16 channels 1]}\n";
  lir::Function f = *lir::Parse(MachineOf(Tgl()), kHeader + read);
  LirMessage m = lir::RecordOf<LirMessage>(f.side[0]);
  EXPECT_EQ(AddMessage(f, m), 0u);
  m.bindless = true;
  EXPECT_EQ(AddMessage(f, m), 1u);
  EXPECT_EQ(AddMessage(f, m), 1u);
}

// Every field, at the ends of its range.
TEST(Message, EveryFieldIsReadBack) {
  const std::vector<std::string> fields = {"header 1",
                                           "bti 255",
                                           "lanes 255",
                                           "channels 255",
                                           "op 255",
                                           "returns 1",
                                           "data64 1",
                                           "element_bytes 255",
                                           "owords 255",
                                           "oword_high 1",
                                           "unaligned 1",
                                           "high_slots 1",
                                           "scratch_offset 65535",
                                           "scratch_registers 255",
                                           "dword_mode 1",
                                           "commit 1",
                                           "sampler 255",
                                           "half_params 1",
                                           "half_result 1",
                                           "form 1",
                                           "target 255",
                                           "last_target 1",
                                           "per_sample 1",
                                           "null_target 1",
                                           "alpha0 1",
                                           "offset_x -128",
                                           "offset_y 127",
                                           "sample 255",
                                           "linear 1",
                                           "urb_offset 65535",
                                           "urb_masks 1",
                                           "urb_lane_offsets 1",
                                           "indirect",
                                           "bindless"};
  lir::SideRow row, all;
  std::string together = "sample";
  for (const std::string& field : fields) {
    ASSERT_TRUE(ParseMessage("sample " + field, &row)) << field;
    EXPECT_EQ(PrintMessage(row), "sample " + field);
    together += " " + field;
  }
  ASSERT_TRUE(ParseMessage(together, &all));
  EXPECT_EQ(PrintMessage(all), together);
  EXPECT_EQ(lir::RecordOf<LirMessage>(all).fields.offset_x, -128);
}

TEST(Message, EveryMessageHasAName) {
  for (int m = 0; m < isa::kMessageCount; ++m) {
    const std::string name(isa::Info(static_cast<isa::Message>(m)).name);
    lir::SideRow row;
    ASSERT_TRUE(ParseMessage(name, &row)) << name;
    EXPECT_EQ(lir::RecordOf<LirMessage>(row).fields.message, static_cast<isa::Message>(m));
  }
}

// The uses of a message: payloads, then those of the descriptors, then the predicate.
TEST(Message, UsesAfterThePayloadsAreThoseOfItsFlags) {
  const auto counts = [](const std::string& uses, const std::string& fields) {
    const lir::Function f = testing::FunctionOf(
        16, "value %0 G 4x1\nvalue %1 U 4x1\nvalue %2 F 0x1\n",
        "  msg.write " + uses + " {w16 " + (uses.find("%2") != uses.npos ? "pred 1 " : "") +
            "[untyped_write lanes 16 channels 1" + fields + "]}\n");
    if (f.blocks.empty()) return std::string();
    const lir::Inst& in = f.inst(testing::FirstOf(f));
    return std::to_string(PayloadCount(f, in)) + " " +
           std::to_string(UsesAfterPayload(in, MessageOf(f, in)));
  };
  EXPECT_EQ(counts("%0:ud", ""), "1 0");
  EXPECT_EQ(counts("%0:ud %0:ud", ""), "2 0");
  EXPECT_EQ(counts("%0:ud %0:ud %1:ud", " indirect"), "2 1");
  EXPECT_EQ(counts("%0:ud %1:ud %1:ud", " indirect bindless"), "1 2");
  EXPECT_EQ(counts("%0:ud %0:ud %1:ud %2:uw", " bindless"), "2 2");
}

TEST(Message, AtomicsOnWideAddressesAreSplit) {
  const auto split = [](const std::string& op, int width, const std::string& message) {
    const lir::Function f = testing::FunctionOf(
        32, "value %0 G 8x1\nvalue %1 G 4x1\n",
        "  " + op + " %0:uq %1:ud {w" + std::to_string(width) + " [" + message + "]}\n");
    return !f.blocks.empty() && IsSplitMessage(f, f.inst(testing::FirstOf(f)));
  };
  EXPECT_TRUE(split("msg.atomic", 16, "a64_atomic lanes 8"));
  EXPECT_FALSE(split("msg.atomic", 8, "a64_atomic lanes 8"));
  EXPECT_FALSE(split("msg.atomic", 16, "untyped_atomic lanes 16"));
  EXPECT_FALSE(split("msg.write", 16, "a64_untyped_write lanes 8")) << "halve_messages does it";
}

TEST(Message, TextThatIsNoneIsRefused) {
  for (const char* side :
       {"[]", "[untyped]", "[untyped_read bti]", "[untyped_read bti 256]",
        "[interpolate_offset offset_x -129]", "[untyped_read bti -1]", "[untyped_read mlen 1]",
        "[untyped_read lanes 16", "[untyped_read x 1]"}) {
    const std::string line = std::string("  msg.write %0:ud {w16 ") + side + "}\n";
    EXPECT_FALSE(lir::Parse(MachineOf(Tgl()), kHeader + line).ok()) << side;
  }
  const std::string good = "  msg.write %0:ud {w16 [untyped_read bti 255]}\n";
  EXPECT_EQ(lir::Parse(MachineOf(Tgl()), kHeader + good).status(), absl::OkStatus());
}

TEST(Message, RowsMustBeThere) {
  const auto f =
      lir::Parse(MachineOf(Tgl()), std::string(kHeader) + "  msg.write %0:ud {w16 aux 0}\n");
  ASSERT_TRUE(f.ok()) << f.status();
  const absl::Status status = lir::Verify(MachineOf(Tgl()), *f);
  EXPECT_NE(std::string(status.message()).find("L17"), std::string::npos) << status;
}

}  // namespace
}  // namespace kiln::intel
