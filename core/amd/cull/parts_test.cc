#include "core/amd/cull/parts.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/mid/values/remove_dead_code.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using mir::InstId;
using mir::Op;
using mir::ValueId;
using testing::ElementsAre;

constexpr char kInterfaces[] =
    "mir 1 entry \"main\" stage vertex\n"
    "input 0 location 0.0 f32 x4\ninput 1 builtin vertex_index i32 x1\n"
    "input 2 builtin instance_index i32 x1\n"
    "output 0 location 0.0 i32 x1\noutput 1 builtin position f32 x4\n"
    "output 2 builtin clip_distance f32 x1 array 2\nbody {\n";

mir::Module Parsed(const std::string& body) {
  auto m = mir::Parse(absl::StrCat(kInterfaces, body, " return }"));
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return {};
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  return *std::move(m);
}

// Returns the operations of a body without those that have no use.
std::vector<Op> OpsOf(mir::Module& m) {
  mid::SweepDeadCode(m);
  std::vector<Op> ops;
  for (const InstId id : m.region(m.body).insts) ops.push_back(m.inst(id).op);
  return ops;
}

std::string Needed(const std::string& body, bool attributes_by_instance = false) {
  mir::Module m = Parsed(body);
  mir::Builder b(m);
  VertexAbi abi;
  abi.reads_vertex_id = !attributes_by_instance;
  abi.reads_instance_id = attributes_by_instance;
  const VertexNumbers needs = Parts(b).NumbersOfRest(abi);
  return absl::StrCat(needs.vertex ? "vertex" : "", needs.instance ? "instance" : "");
}

constexpr char kPositionOfAttribute[] =
    "%0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0]\nstore_output[1, 0] %0, %1, %2, %3\n";

TEST(Parts, NumbersOfTheRest) {
  EXPECT_EQ(Needed(kPositionOfAttribute), "");
  EXPECT_EQ(Needed(absl::StrCat(kPositionOfAttribute,
                                "%4:i32 = load_input[1, 0]\nstore_output[0, 0] %4\n")),
            "vertex");
  EXPECT_EQ(Needed(absl::StrCat(kPositionOfAttribute,
                                "%4:i32 = load_input[2, 0]\nstore_output[0, 0] %4\n")),
            "instance");
  // An output that is made of the position needs nothing; one of another component of the
  // attribute does.
  EXPECT_EQ(
      Needed(absl::StrCat(kPositionOfAttribute, "%4:i32 = bitcast %0\nstore_output[0, 0] %4\n")),
      "");
  const std::string other =
      "%0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0]\nstore_output[1, 0] %0, %1, %2, 1f\n"
      "%4:i32 = bitcast %3\nstore_output[0, 0] %4\n";
  EXPECT_EQ(Needed(other), "vertex");
  EXPECT_EQ(Needed(other, true), "instance");
}

TEST(Parts, StoresUnderAConditionAreAFault) {
  mir::Module m = Parsed(
      "%0:i32 = load_input[1, 0]\n%1:bool = ult %0, 4\n"
      "if %1 { store_output[0, 0] %0\nyield } else { yield }\n");
  mir::Builder b(m);
  EXPECT_EQ(Parts(b).Check().code(), absl::StatusCode::kInternal);
  mir::Module whole = Parsed(kPositionOfAttribute);
  mir::Builder of_whole(whole);
  EXPECT_EQ(Parts(of_whole).Check(), absl::OkStatus());
}

constexpr char kWhole[] =
    "%0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0]\n%4:i32 = load_input[1, 0]\n"
    "%5:f32 = fadd %0, 1f\n%6:f32 = fmul %1, 2f\n"
    "store_output[1, 0] %5, %1\nstore_output.indexed[2, 0] 1, %6\nstore_output[0, 0] %4\n";

TEST(Parts, TheTestedOutputs) {
  mir::Module m = Parsed(kWhole);
  mir::Builder b(m);
  Parts parts(b);
  EXPECT_TRUE(parts.has_distances());
  m.body = mir::NewRegion(m);
  b.SetRegion(m.body);
  const TestedOutputs tested = parts.CloneTested();
  // Components that the program does not store.
  EXPECT_EQ(m.value(tested.position[2]).bits, 0u);
  EXPECT_EQ(m.value(tested.position[3]).bits, 0x3f800000u);
  ASSERT_EQ(tested.distances.size(), 1u);
  const std::vector<ValueId> all = {tested.position[0], tested.position[1], tested.distances[0]};
  b.StoreOutput(1, 0, all);
  b.Return();
  EXPECT_EQ(mir::Verify(m), absl::OkStatus());
  EXPECT_THAT(OpsOf(m),
              ElementsAre(Op::kLoadInput, Op::kFadd, Op::kFmul, Op::kStoreOutput, Op::kReturn));
}

// The position comes from outside, and the distance of a component of it that is no sum as well.
TEST(Parts, TheRest) {
  mir::Module m = Parsed(kWhole);
  mir::Builder b(m);
  Parts parts(b);
  m.body = mir::NewRegion(m);
  b.SetRegion(m.body);
  const ValueId one = b.Float(1);
  parts.CloneRest({one, one, one, one});
  b.Return();
  EXPECT_EQ(mir::Verify(m), absl::OkStatus());
  EXPECT_THAT(OpsOf(m), ElementsAre(Op::kLoadInput, Op::kFmul, Op::kStoreOutput, Op::kStoreOutput,
                                    Op::kStoreOutput, Op::kReturn));
}

}  // namespace
}  // namespace kiln::amd
