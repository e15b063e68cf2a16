// Tests which vertex programs leave out primitives: see vertex_culling.h.
#include "core/amd/abi/vertex_culling.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

constexpr char kPosition[] = "output 0 builtin position f32 x4\n";
constexpr char kStored[] = "store_output[0, 0] 0f, 0f, 0f, 1f\n";

mir::Module Parsed(const std::string& interfaces, const std::string& body) {
  auto m = mir::Parse(absl::StrCat("mir 1\nentry \"main\"\nstage vertex\n", interfaces, "body {\n",
                                   body, "return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return {};
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  return *std::move(m);
}

PipelineState With(PrimitiveCulling culling) {
  PipelineState state;
  state.primitive_culling = culling;
  return state;
}

// Returns "culls", "keeps", or the refusal's cause and its id.
std::string Culls(const std::string& interfaces, const std::string& body,
                  const PipelineState& state) {
  const mir::Module m = Parsed(interfaces, body);
  const auto abi = AssignVertex(m, state);
  if (!abi.ok()) return absl::StrCat(CauseOf(abi.status()), " %", SpirvIdOf(abi.status()));
  return abi->culls ? "culls" : "keeps";
}

std::string Forced(const std::string& interfaces, const std::string& body) {
  return Culls(absl::StrCat(kPosition, interfaces), absl::StrCat(kStored, body),
               With(PrimitiveCulling::kOn));
}

TEST(VertexCulling, StateTurnsItOnAndOff) {
  EXPECT_EQ(Forced("", ""), "culls");
  EXPECT_EQ(Culls(kPosition, kStored, With(PrimitiveCulling::kOff)), "keeps");
}

TEST(VertexCulling, DefaultIsCullingForFewInputs) {
  EXPECT_EQ(Culls(kPosition, kStored, {}), "culls");
  EXPECT_EQ(Culls(kPosition, "", {}), "keeps");
  EXPECT_EQ(Culls(absl::StrCat(kPosition, "resource 0 ssbo 0.0.0\n"),
                  absl::StrCat(kStored, "store_ssbo[0, align 4] 0, 1\n"), {}),
            "keeps");
  std::string locations, body;
  for (int i = 0; i < 13; ++i) {
    absl::StrAppend(&locations, "output ", i, " location ", i, ".0 f32 x1\n");
    absl::StrAppend(&body, "store_output[", i, ", 0] 0.5f\n");
    const int n = i + 1;
    const std::string interfaces =
        absl::StrCat(locations, "output ", n, " builtin position f32 x4\n");
    const std::string all = absl::StrCat(body, "store_output[", n, ", 0] 0f, 0f, 0f, 1f\n");
    EXPECT_EQ(Culls(interfaces, all, {}), n <= 12 ? "culls" : "keeps") << n;
    // State says how many are read.
    PipelineState state;
    state.next_stage_reads = {{0, 1}};
    EXPECT_EQ(Culls(interfaces, all, state), "culls") << n;
  }
}

TEST(VertexCulling, ObstaclesAreRefusedByName) {
  constexpr char kBuffer[] = "resource 0 ssbo 0.0.0\n";
  EXPECT_EQ(Forced(kBuffer, "store_ssbo[0, align 4] 0, 1 ;%7\n"), "primitive_culling %7");
  EXPECT_EQ(Forced(kBuffer, "%0:i32 = load_ssbo[0, align 4] 0\n"), "culls");
  EXPECT_EQ(Forced("", "%0:i32 = subgroup_invocation ;%8\n"), "primitive_culling %8");
  EXPECT_EQ(Forced("", "%0:bool = subgroup_elect ;%9\n"), "primitive_culling %9");
  EXPECT_EQ(Forced("", "%0:i32 = read_first 1 ;%10\n"), "primitive_culling %10");
  EXPECT_EQ(Forced("", "%0:i32 = read_first.uniform 1 ;%10\n"), "culls");
  EXPECT_EQ(Forced("", "%0:i32 = subgroup_size\n"), "culls");
  EXPECT_EQ(Forced("output 1 builtin viewport_index i32 x1 ;%11\n", "store_output[1, 0] 1\n"),
            "primitive_culling %11");
  EXPECT_EQ(Forced("output 1 builtin layer i32 x1\n", "store_output[1, 0] 1\n"), "culls");
  EXPECT_EQ(Culls(kPosition, "", With(PrimitiveCulling::kOn)), "primitive_culling %0");
}

// A loop over the indices of lanes does the same for any set of lanes; the first lane's index alone
// does not.
TEST(VertexCulling, DescriptorsChosenByValue) {
  const std::string interfaces =
      "resource 0 ssbo 0.0.0 array 4\ninput 0 builtin vertex_index i32 x1\n"
      "output 1 builtin layer i32 x1\n";
  const std::string index = "%0:i32 = load_input[0, 0]\n";
  const std::string loop =
      "%1:i32 = loop {\n%2:i32 = read_first %0 ;%12\n%3:bool = ieq %0, %2\nif %3 {\n"
      "%4:i32 = load_ssbo.indexed[0, align 4] %2, 0\nbreak %4\n} else {\nyield\n}\ncontinue\n}\n"
      "store_output[1, 0] %1\n";
  EXPECT_EQ(Forced(interfaces, index + loop), "culls");
  EXPECT_EQ(Forced(interfaces, index + loop + "%5:i32 = read_first %0 ;%13\n"),
            "primitive_culling %13");
  const std::string first =
      "%1:i32 = read_first %0 ;%14\n%2:i32 = load_ssbo.indexed[0, align 4] %1, 0\n"
      "store_output[1, 0] %2\n";
  EXPECT_EQ(Forced(interfaces, index + first), "primitive_culling %14");
}

// Built-ins count as locations do; without state all outputs are counted.
TEST(VertexCulling, InputsOfTheNextStageAreCounted) {
  VertexAbi abi;
  abi.positions.clip = 0x1f;
  abi.positions.layer = true;
  abi.outputs = {{3, {}}, {5, {}}};
  PipelineState state;
  EXPECT_EQ(CountNextStageInputs(state, abi), 5u);
  state.next_stage_reads = {{3, 0xf}};
  EXPECT_EQ(CountNextStageInputs(state, abi), 1u);
  state.next_stage_built_ins = {.viewport = false, .distances = true, .primitive_id = true};
  EXPECT_EQ(CountNextStageInputs(state, abi), 4u);
}

TEST(VertexCulling, RegistersOfProgramsThatCull) {
  const mir::Module m = Parsed(kPosition, kStored);
  PipelineState state = With(PrimitiveCulling::kOn);
  state.next_stage_reads.emplace();
  auto abi = AssignVertex(m, state, 256);
  ASSERT_TRUE(abi.ok()) << abi.status();
  EXPECT_EQ(abi->GsVgprCompCnt(), 1u);  // indices of three vertices
  EXPECT_EQ(abi->PlaceSgprs(kFirstVertexUserSgpr), kFirstVertexUserSgpr + 5);
  EXPECT_EQ(*abi->culling_settings, 8u);
  EXPECT_EQ(*abi->viewport, 9u);
  out::LaunchRecord record;
  record.dispatch_width = 32;
  record.arch.emplace<out::AmdLaunch>();
  DescribeVertex(*abi, record);
  const out::AmdVertex& v = out::AmdOf(record).vertex;
  EXPECT_FALSE(v.primgen_passthru_en);
  EXPECT_EQ(v.ge_cntl, 0x1f700u);
  EXPECT_EQ(v.ge_max_output_per_subgroup, 251u);
  EXPECT_EQ(v.vgt_gs_onchip_cntl, 0x400800fbu);
  EXPECT_EQ(v.vgt_shader_stages_en, 0x412010u);
  // Fragments that read the primitive's number need one VGPR more.
  const auto with_number = AssignVertex(m, With(PrimitiveCulling::kOn));
  ASSERT_TRUE(with_number.ok()) << with_number.status();
  EXPECT_EQ(with_number->GsVgprCompCnt(), 2u);
}

}  // namespace
}  // namespace kiln::amd
