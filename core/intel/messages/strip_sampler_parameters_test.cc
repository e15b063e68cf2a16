// strip_sampler_parameters: see passes.h.
#include <string>

#include "absl/strings/str_replace.h"
#include "core/intel/messages/passes.h"
#include "core/intel/messages/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using isa::Message;
using testing::After;
using testing::Op;
using testing::Sampler;

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

TEST(StripSamplerParameters, OtherConstantsAndReferencesStay) {
  for (const std::string& same :
       {Op("%0:ud #0x80000000:ud", Sampler(Message::kSampleLz)),
        Op("%0:ud %1:ud #0x0:ud", Sampler(Message::kSampleCLz)),
        Op("%0:ud #0x0:ud", Sampler(Message::kSampleC))}) {
    EXPECT_EQ(After(same, Strip), same);
  }
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
      Op("%0:ud #0x0:ud", aux) +
      absl::StrReplaceAll(Op("%1:ud #0x0:ud", aux), {{"%10", "%11"}});
  EXPECT_EQ(After(two, Strip, 8, 1), absl::StrReplaceAll(two, {{"%0:ud #0x0:ud", "%0:ud"}}));
}

}  // namespace
}  // namespace kiln::intel
