#include "core/out/ps_input_cntl.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::out {
namespace {

using testing::HasSubstr;

constexpr uint32_t kConstant1 = kOffsetBit5 | 3 << kDefaultValShift;
constexpr uint32_t kPerVertex = kFlatShade | kRotatePcPtr | kOffsetBit5;

TEST(LinkPsInputCntl, ParametersAreAdded) {
  const AmdParameter third = {7, "", 3, false};
  EXPECT_EQ(LinkPsInputCntl(0, &third), 3u);
  EXPECT_EQ(LinkPsInputCntl(kFlatShade, &third), kFlatShade | 3);
  EXPECT_EQ(LinkPsInputCntl(kPerVertex, &third), kPerVertex | 3);
  EXPECT_EQ(LinkPsInputCntl(kFp16InterpMode, &third), kFp16InterpMode | 3);
}

TEST(LinkPsInputCntl, ConstantsReplaceTheRegister) {
  const AmdParameter one = {7, "", kConstant1, false};
  for (const uint32_t fragment : {0u, kFlatShade, kPerVertex, kFp16InterpMode}) {
    EXPECT_EQ(LinkPsInputCntl(fragment, &one), kConstant1);
    EXPECT_EQ(LinkPsInputCntl(fragment, nullptr), kOffsetBit5);
  }
  constexpr uint32_t kPoint = kPtSpriteTex | kOffsetBit5;
  EXPECT_EQ(LinkPsInputCntl(kPoint, nullptr), kPoint);
}

TEST(LinkPsInputCntl, ThoseOfPrimitivesAreNotFlat) {
  const AmdParameter number = {0, "primitive_id", 2, true};
  EXPECT_EQ(LinkPsInputCntl(kFlatShade, &number), 2u);
}

TEST(ParameterFor, LocationsAndBuiltIns) {
  AmdVertex vertex;
  vertex.parameters = {{0, "viewport", 0, false}, {0, "", 1, false}, {4, "", 2, false}};
  const auto of = [&](FragmentInput input) { return ParameterFor(vertex, input); };
  EXPECT_EQ(of({0, "viewport"}), &vertex.parameters[0]);
  EXPECT_EQ(of({0}), &vertex.parameters[1]);
  EXPECT_EQ(of({4}), &vertex.parameters[2]);
  EXPECT_EQ(of({5}), nullptr);
  EXPECT_EQ(of({0, "primitive_id"}), nullptr);
}

absl::Status Check(std::vector<AmdParameter> parameters, std::vector<FragmentInput> inputs) {
  LaunchRecord vertex, fragment;
  vertex.arch.emplace<AmdLaunch>().vertex.parameters = std::move(parameters);
  fragment.fragment.inputs = std::move(inputs);
  return CheckLinkedInputs(vertex, fragment);
}

TEST(CheckLinkedInputs, InputsOfPrimitivesAreLast) {
  const std::vector<AmdParameter> parameters = {
      {0, "primitive_id", 2, true}, {0, "viewport", 0, false}, {4, "", 1, false}};
  const FragmentInput number = {0, "primitive_id", true}, viewport = {0, "viewport", true};
  EXPECT_TRUE(Check(parameters, {{4}, viewport, number}).ok());
  EXPECT_TRUE(Check(parameters, {number}).ok());
  EXPECT_TRUE(Check({}, {number, viewport}).ok());
  const absl::Status wrong = Check(parameters, {{4}, number, viewport});
  EXPECT_EQ(wrong.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("input 2 is of vertices"));
}

TEST(CheckLinkedInputs, ConstantsHaveNoValuesOfVertices) {
  FragmentInput input = {4};
  EXPECT_TRUE(Check({{4, "", kConstant1, false}}, {input}).ok());
  input.per_vertex = true;
  EXPECT_TRUE(Check({{4, "", 0, false}}, {input}).ok());
  const absl::Status wrong = Check({{4, "", kConstant1, false}}, {input});
  EXPECT_EQ(wrong.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("each vertex at location 4"));
}

}  // namespace
}  // namespace kiln::out
