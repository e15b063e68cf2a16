// lower_samplers: see passes.h.
#include <string>

#include "absl/strings/str_cat.h"
#include "core/intel/messages/passes.h"
#include "core/intel/messages/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using isa::Message;
using testing::After;
using testing::Op;
using testing::Sampler;
using testing::Sent;

TEST(LowerSamplers, IndexAndHandleFollowThePayload) {
  EXPECT_EQ(
      After(Op("%0:ud %14:ud %12.5:ud", Sampler(Message::kLdLz, false, true, true)), LowerSamplers),
      absl::StrCat("  %10x4:ud = msg %0:ud %14:ud %12.5:ud {w8 ",
                   Sent(Message::kLdLz, 8, false, true, true), "}\n"));
}

TEST(LowerSamplers, OnePayloadOfAllParameters) {
  EXPECT_EQ(
      After(Op("%0:ud #0x3f800000:ud %1:ud", Sampler(Message::kSampleL), 16), LowerSamplers, 16),
      absl::StrCat("  %16:ud = mov #0x3f800000:ud {w16}\n"
                   "  %17x3:ud = collect %0:ud %16:ud %1:ud {w16}\n"
                   "  %10x4:ud = msg %17x3:ud {w16 ",
                   Sent(Message::kSampleL, 16), "}\n"));
}

TEST(LowerSamplers, ASingleParameterIsThePayload) {
  EXPECT_EQ(After(Op("%0:ud %14:ud", Sampler(Message::kLdLz, false, true)), LowerSamplers),
            absl::StrCat("  %10x4:ud = msg %0:ud %14:ud {w8 ", Sent(Message::kLdLz, 8, false, true),
                         "}\n"));
}

TEST(LowerSamplers, AHeaderMakesThePayloadRegisters) {
  EXPECT_EQ(
      After(Op("%13x8:ud %0:ud %1:ud", Sampler(Message::kGather4, true), 16), LowerSamplers, 16),
      absl::StrCat("  %16x40:ud = collect %13x8:ud %0:ud %1:ud {w16}\n"
                   "  %10x4:ud = msg %16x40:ud {w16 ",
                   Sent(Message::kGather4, 16, true), "}\n"));
}

TEST(LowerSamplers, MoreThanElevenRegistersAreAnError) {
  const std::string eleven = "%0:ud %0:ud %0:ud %1:ud %1:ud %1:ud %2:ud %2:ud %2:ud #0x0:ud %0:ud";
  EXPECT_NE(After(Op(eleven, Sampler(Message::kSampleD)), LowerSamplers).find("msg"),
            std::string::npos);
  EXPECT_NE(After(Op("%13x8:ud " + eleven, Sampler(Message::kSampleD, true)), LowerSamplers)
                .find("more parameters than fit"),
            std::string::npos);
}

// Six parameters of two registers each are too many for one message.
TEST(LowerSamplers, LongMessagesGoOutInHalves) {
  const std::string out =
      After(Op("%0:ud %1:ud %2:ud %0:ud %1:ud %2:ud", Sampler(Message::kSampleLC), 16),
            LowerSamplers, 16);
  const std::string aux = Sent(Message::kSampleLC, 8);
  EXPECT_NE(out.find("  %17x8:ud = mov %0:ud {w8 nomask}\n"), std::string::npos) << out;
  EXPECT_NE(out.find("= mov %2:ud {w8 g8 nomask}\n"), std::string::npos) << out;
  EXPECT_NE(out.find(absl::StrCat("  %16x32:ud = msg %23x48:ud {w8 ", aux, "}\n")),
            std::string::npos)
      << out;
  EXPECT_NE(out.find(absl::StrCat("{w8 g8 ", aux, "}\n")), std::string::npos) << out;
  EXPECT_NE(out.find("  %10x4:ud = join_groups %16x32:ud %24x32:ud {w16}\n"), std::string::npos)
      << out;
}

TEST(LowerSamplers, DerivativesGoOutInHalves) {
  const std::string out =
      After(Op("%0:ud %1:ud %2:ud", Sampler(Message::kSampleD), 16), LowerSamplers, 16);
  EXPECT_NE(out.find("join"), std::string::npos) << out;
  EXPECT_NE(After(Op("%0:ud %1:ud %2:ud", Sampler(Message::kSampleD)), LowerSamplers).find("msg"),
            std::string::npos);
}

}  // namespace
}  // namespace kiln::intel
