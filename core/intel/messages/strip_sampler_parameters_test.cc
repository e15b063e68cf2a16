// strip_sampler_parameters: see passes.h.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/intel/isa/messages.h"
#include "core/intel/messages/passes.h"
#include "core/intel/messages/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using isa::Message;
using testing::After;
using testing::AfterWith;
using testing::Op;
using testing::Sampler;
using testing::Sent;

absl::StatusOr<bool> Strip(lir::Function& f, PassContext& context) {
  return StripSamplerParameters(f, Tgl(), context);
}

TEST(StripSamplerParameters, ZerosAtTheEndGo) {
  const std::string aux = Sampler(Message::kLd);
  EXPECT_EQ(After(Op("%0:ud #0x0:ud #0x0:ud", aux), Strip), Op("%0:ud", aux));
  EXPECT_EQ(After(Op("%0:ud #0x0:ud %1:ud #0x0:ud", aux), Strip), Op("%0:ud #0x0:ud %1:ud", aux));
}

TEST(StripSamplerParameters, TheFirstParameterAndTheHeaderStay) {
  const std::string aux = Sampler(Message::kGather4, true);
  EXPECT_EQ(After(Op("%13x8:ud #0x0:ud #0x0:ud", aux), Strip), Op("%13x8:ud #0x0:ud", aux));
}

TEST(StripSamplerParameters, TheOnlyParameterStays) {
  for (const Message message :
       {Message::kSampleLz, Message::kLd, Message::kResinfo, Message::kLod}) {
    const std::string same = Op("#0x0:ud", Sampler(message));
    EXPECT_EQ(After(same, Strip), same);
  }
  const std::string same = Op("%13x8:ud #0x0:ud", Sampler(Message::kGather4, true));
  EXPECT_EQ(After(same, Strip), same);
}

TEST(StripSamplerParameters, OtherConstantsStay) {
  for (const char* zero : {"#0x80000000:ud", "#0x1:ud"}) {  // -0.0 is none
    const std::string same = Op(absl::StrCat("%0:ud ", zero), Sampler(Message::kSampleLz));
    EXPECT_EQ(After(same, Strip), same);
  }
}

TEST(StripSamplerParameters, MessagesThatCompareStay) {
  for (const Message message :
       {Message::kSampleC, Message::kSampleBC, Message::kSampleLC, Message::kSampleDC,
        Message::kSampleCLz, Message::kGather4C, Message::kGather4PoC}) {
    const bool header = isa::Info(message).header == isa::HeaderNeed::kRequired;
    const std::string same =
        Op(absl::StrCat(header ? "%13x8:ud " : "", "%0:ud %1:ud #0x0:ud #0x0:ud"),
           Sampler(message, header));
    EXPECT_EQ(After(same, Strip), same) << isa::Info(message).name;
  }
}

// A fetch of level 0 at two coordinates: Gen9 has the level after them, Gen7.5 between them.
TEST(StripSamplerParameters, WhichParameterIsLastDependsOnTheGeneration) {
  const auto strip_gen7p5 = [](lir::Function& f, PassContext& context) {
    Device device = Tgl();
    device.generation = isa::Generation::kGen7p5;
    return StripSamplerParameters(f, device, context);
  };
  const auto strip_gen9 = [](lir::Function& f, PassContext& context) {
    Device device = Tgl();
    device.generation = isa::Generation::kGen9;
    return StripSamplerParameters(f, device, context);
  };
  const std::string aux = Sampler(Message::kLd);
  const std::string newer = Op("%0:ud %1:ud #0x0:ud", aux), older = Op("%0:ud #0x0:ud %1:ud", aux);
  EXPECT_EQ(After(newer, Strip), Op("%0:ud %1:ud", aux));
  EXPECT_EQ(After(newer, strip_gen9), Op("%0:ud %1:ud", aux));
  EXPECT_EQ(After(older, strip_gen7p5), older);
}

// Two messages that name the same parameters have separate lists until lower_samplers: a parameter
// that one drops stays in the other, which compares.
TEST(StripSamplerParameters, TheOtherMessageKeepsItsPayload) {
  const auto strip_and_lower = [](lir::Function& f, PassContext& context) -> absl::StatusOr<bool> {
    const absl::StatusOr<bool> stripped = Strip(f, context);
    absl::StatusOr<bool> lowered = LowerSamplers(f, context);
    EXPECT_TRUE(stripped.ok() && *stripped && lowered.ok());
    return lowered;
  };
  const std::string params = "%0:ud %1:ud #0x0:ud";
  const std::string out =
      After(Op(params, Sampler(Message::kSampleLz)) +
                absl::StrReplaceAll(Op(params, Sampler(Message::kSampleCLz)), {{"%10", "%11"}}),
            strip_and_lower);
  EXPECT_EQ(out,
            "  %16x2:ud = collect %0:ud %1:ud {w8}\n"
            "  %10x4:ud = msg %16x2:ud {w8 " +
                Sent(Message::kSampleLz, 8) +
                "}\n"
                "  %17:ud = mov #0x0:ud {w8}\n"
                "  %18x3:ud = collect %0:ud %1:ud %17:ud {w8}\n"
                "  %11x4:ud = msg %18x3:ud {w8 " +
                Sent(Message::kSampleCLz, 8) + "}\n");
}

// Messages are split after lower_samplers, where no list is left: the pass would come too late.
TEST(StripSamplerParameters, AfterLoweringThereIsNothingToStrip) {
  const std::string body = "  %16:ud = mov #0x0:ud {w8}\n  %10x4:ud = msg %0:ud %16:ud {w8 " +
                           Sent(Message::kSampleLz, 8) + "}\n";
  EXPECT_EQ(AfterWith("value %16 G 4x1\n", body, Strip), body);
}

TEST(StripSamplerParameters, TheDescriptorStaysLast) {
  const std::string aux = Sampler(Message::kLdLz, false, true);
  EXPECT_EQ(After(Op("%0:ud #0x0:ud %14:ud", aux), Strip), Op("%0:ud %14:ud", aux));
}

TEST(StripSamplerParameters, IndexAndHandleStayInOrder) {
  const std::string aux = Sampler(Message::kLdLz, false, true, true);
  EXPECT_EQ(After(Op("%0:ud #0x0:ud %14:ud %12.5:ud", aux), Strip),
            Op("%0:ud %14:ud %12.5:ud", aux));
}

TEST(StripSamplerParameters, AsksForEachMessage) {
  const std::string aux = Sampler(Message::kLdLz);
  const std::string two =
      Op("%0:ud #0x0:ud", aux) + absl::StrReplaceAll(Op("%1:ud #0x0:ud", aux), {{"%10", "%11"}});
  EXPECT_EQ(After(two, Strip, 8, 1), absl::StrReplaceAll(two, {{"%0:ud #0x0:ud", "%0:ud"}}));
}

}  // namespace
}  // namespace kiln::intel
