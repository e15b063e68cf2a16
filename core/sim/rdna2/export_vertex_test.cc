#include "core/sim/rdna2/export_vertex.h"

#include <utility>

#include "core/base/float_bits.h"
#include "core/sim/rdna2/draw_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using testing::HasSubstr;

std::string ErrorOfBody(std::initializer_list<Words> parts) {
  return std::string(RunVertices(VertexProgramOf(Joined(parts))).status().message());
}

TEST(ExportVertex, LeavesPositionsAndParameters) {
  auto draw = RunVertices(VertexProgramOf());
  ASSERT_TRUE(draw.ok()) << draw.status();
  ASSERT_EQ(draw->outputs.size(), 2u);
  for (uint32_t run = 0; run < 80; ++run) {
    const size_t position = draw->At(run, draw->outputs[0].components[0].slot, 0);
    EXPECT_EQ(AsFloat(draw->entries[position]), static_cast<float>(run));
    EXPECT_EQ(AsFloat(draw->entries[position + 3]), 1.0f);
    const size_t parameter = draw->At(run, draw->outputs[1].components[0].slot, 0);
    EXPECT_EQ(AsFloat(draw->entries[parameter]), static_cast<float>(run));
    EXPECT_EQ(draw->written[parameter + 1], 1);
    EXPECT_EQ(draw->written[parameter + 2], 0);
  }
}

TEST(ExportVertex, IsTheSameInTheOppositeOrder) {
  VertexProgram p = VertexProgramOf();
  p.options.opposite = true;
  auto opposite = RunVertices(p);
  ASSERT_TRUE(opposite.ok()) << opposite.status();
  EXPECT_EQ(opposite->entries, RunVertices(VertexProgramOf())->entries);
}

TEST(ExportVertex, NeedsTheRequestBefore) {
  EXPECT_THAT(ErrorOfBody({kPackPrimitives, kExportPrimitives, kWaitExports, kShadeVertices,
                           kExportPosition, kEndProgram}),
              HasSubstr("before the request of room"));
  EXPECT_THAT(ErrorOfBody({kEndProgram}), HasSubstr("no request of room"));
}

TEST(ExportVertex, NeedsEveryPrimitiveAndPosition) {
  EXPECT_THAT(ErrorOfBody({kRequest, kPackPrimitives, kShadeVertices, kExportPosition,
                           kExportParameter, kEndProgram}),
              HasSubstr("primitive 0 of 78 announced is not exported"));
  EXPECT_THAT(ErrorOfBody({kRequest, kPackPrimitives, kExportPrimitives, kWaitExports,
                           kShadeVertices, kExportParameter, kEndProgram}),
              HasSubstr("vertex 0 of 80 announced has no last position"));
  EXPECT_THAT(ErrorOfBody({kRequest, kPackPrimitives, kExportPrimitives, kWaitExports,
                           kShadeVertices, kExportPosition, kEndProgram}),
              HasSubstr("vertex 0 has no parameter 0"));
  // exp pos0 without done
  EXPECT_THAT(ErrorOfBody({kRequest,
                           kPackPrimitives,
                           kExportPrimitives,
                           kWaitExports,
                           kShadeVertices,
                           {0xf80000cf, 0x07060606},
                           kEndProgram}),
              HasSubstr("has no last position"));
}

TEST(ExportVertex, RefusesSecondExports) {
  EXPECT_THAT(ErrorOfBody({kRequest, kPackPrimitives, kExportPrimitives, kWaitExports,
                           kShadeVertices, kExportPosition, kExportPosition, kEndProgram}),
              HasSubstr("after the last position (done)"));
  EXPECT_THAT(
      ErrorOfBody({kRequest, kPackPrimitives, kExportPrimitives, kExportPrimitives, kEndProgram}),
      HasSubstr("of a primitive for the second time"));
}

// The two parts of one position, in two exports.
TEST(ExportVertex, RefusesAPositionInParts) {
  EXPECT_THAT(ErrorOfBody({kRequest,
                           kPackPrimitives,
                           kExportPrimitives,
                           kWaitExports,
                           kShadeVertices,
                           {0xf80000c3, 0x00000606},  // exp pos0 v6, v6, off, off
                           {0xf80008cc, 0x07060000},  // exp pos0 off, off, v6, v7 done
                           kExportParameter,
                           kEndProgram}),
              HasSubstr("to a target for the second time"));
}

TEST(ExportVertex, RefusesParametersWithDoneOrVm) {
  for (const uint32_t bit : {11, 12}) {  // done, vm
    Words parameter = kExportParameter;
    parameter[0] |= 1u << bit;
    EXPECT_THAT(ErrorOfBody({kRequest, kPackPrimitives, kExportPrimitives, kWaitExports,
                             kShadeVertices, kExportPosition, parameter, kEndProgram}),
                HasSubstr("of a parameter with done or vm"));
  }
}

TEST(ExportVertex, RefusesOtherPrimitives) {
  // The indices as they came, unpacked.
  Words unpacked(kPackPrimitives.begin(), kPackPrimitives.begin() + 2);
  EXPECT_THAT(ErrorOfBody({kRequest, unpacked, kExportPrimitives, kWaitExports, kShadeVertices,
                           kExportPosition, kExportParameter, kEndProgram}),
              HasSubstr("two primitives take one export for different vertices"));
}

TEST(ExportVertex, RefusesPrimitivesThatNothingAsksToLeaveOut) {
  const Words null = {0x380000ff, 0x80000000};  // v_or_b32_e32 v0, 0x80000000, v0
  const Words body = Joined({kRequest, kPackPrimitives, null, kExportPrimitives, kWaitExports,
                             kShadeVertices, kExportPosition, kExportParameter, kEndProgram});
  EXPECT_THAT(ErrorOfBody({body}), HasSubstr("a primitive is left out"));
  VertexProgram p = VertexProgramOf(body);
  p.options.ngg_culling = 2;
  auto draw = RunVertices(p);
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(draw->written[0], 0);
}

TEST(ExportVertex, RefusesTargetsThatStateLacks) {
  // exp pos1, exp param1
  EXPECT_THAT(ErrorOfBody({kRequest,
                           kPackPrimitives,
                           kExportPrimitives,
                           kWaitExports,
                           kShadeVertices,
                           {0xf80008d5, 0x00050006},
                           kEndProgram}),
              HasSubstr("to a target that state does not have"));
  EXPECT_THAT(ErrorOfBody({kRequest,
                           kPackPrimitives,
                           kExportPrimitives,
                           kWaitExports,
                           kShadeVertices,
                           {0xf8000211, 0x00000002},
                           kEndProgram}),
              HasSubstr("to a target that state does not have"));
}

TEST(ExportVertex, ChecksTheNumbersOfPrimitives) {
  const auto run = [](const Words& number) {
    VertexProgram p =
        VertexProgramOf(Joined({kRequest, kPackPrimitives, kExportPrimitives, number, kWaitExports,
                                kShadeVertices, kExportPosition, kExportParameter, kEndProgram}));
    std::get<out::AmdLaunch>(p.record.arch).vertex.parameters = {{0, "primitive_id", 1, true},
                                                                 {0, "", 0, false}};
    return std::string(RunVertices(p).status().message());
  };
  EXPECT_EQ(run({0xf8000211, 0x00000002}), "");  // exp param1 v2
  EXPECT_THAT(run({0xf8000211, 0x00000001}), HasSubstr("with another number"));
  EXPECT_THAT(run({}), HasSubstr("a primitive without its number"));
}

}  // namespace
}  // namespace kiln::sim::rdna2
