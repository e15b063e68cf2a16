#include "core/mid/analysis/module_cursor.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

mir::Module Parsed(const std::string& body) {
  absl::StatusOr<mir::Module> m =
      mir::Parse("mir 1 local_size 8, 1, 1 resource 0 ssbo 0.0.0 body { " + body + " return }");
  EXPECT_TRUE(m.ok()) << m.status();
  return m.ok() ? *std::move(m) : mir::Module();
}

TEST(ModuleCursor, VisitsARegionUpToItsTerminator) {
  mir::Module m = Parsed("%0:i32 = local_index %1:i32 = workgroup_id[0] %2:i32 = iadd %0, %1");
  for (size_t i = 0; i < m.insts.size(); ++i) m.insts[i].spirv_id = 100 + static_cast<uint32_t>(i);
  ModuleCursor cursor(m, UniformFor::kLanes);
  std::vector<std::string> visited;
  std::vector<uint32_t> places;
  EXPECT_TRUE(cursor
                  .VisitRegion(m.body,
                               [&](mir::InstId id) {
                                 EXPECT_EQ(cursor.at(), id);
                                 visited.push_back(std::string(mir::Info(m.inst(id).op).name));
                                 places.push_back(cursor.spirv_id());
                                 return absl::OkStatus();
                               })
                  .ok());
  EXPECT_EQ(visited, (std::vector<std::string>{"local_index", "workgroup_id", "iadd"}));
  EXPECT_EQ(places, (std::vector<uint32_t>{100, 101, 102}));
}

TEST(ModuleCursor, StopsAtAnErrorAndNamesThePlace) {
  mir::Module m = Parsed("%0:i32 = local_index %1:i32 = ineg %0");
  m.insts[0].spirv_id = 7;
  ModuleCursor cursor(m, UniformFor::kLanes);
  int visits = 0;
  const auto visit = [&](mir::InstId) {
    ++visits;
    return cursor.Unexpected("why");
  };
  const absl::Status s = cursor.VisitRegion(m.body, visit);
  EXPECT_EQ(visits, 1);
  EXPECT_EQ(s.code(), absl::StatusCode::kInternal);
  EXPECT_NE(std::string(s.message()).find("selection: local_index: why"), std::string::npos) << s;
  EXPECT_EQ(SpirvIdOf(s), 7);
  const absl::Status refused = cursor.Refuse("half_floats", "this");
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(CauseOf(refused), "half_floats");
  EXPECT_EQ(SpirvIdOf(refused), 7);
}

TEST(ModuleCursor, KnowsDefinitionsAndUses) {
  const mir::Module m =
      Parsed("%0:i32 = local_index %1:i32 = workgroup_id[0] %2:bool = ieq %0, %1");
  ModuleCursor cursor(m, UniformFor::kLanes);
  const mir::ValueId index(0), group(1), same(2);
  EXPECT_FALSE(cursor.IsUniform(index));
  EXPECT_TRUE(cursor.IsUniform(group));
  EXPECT_TRUE(cursor.IsBool(same));
  EXPECT_TRUE(cursor.MakesBool(*cursor.DefinedBy(same, mir::Op::kIeq)));
  EXPECT_FALSE(cursor.MakesBool(*cursor.DefinedBy(index, mir::Op::kLocalIndex)));
  EXPECT_FALSE(cursor.DefinedBy(index, mir::Op::kIeq).has_value());
  EXPECT_TRUE(cursor.Used(index));
  EXPECT_FALSE(cursor.Used(same));
  EXPECT_EQ(cursor.UsedMask(*cursor.DefinedBy(group, mir::Op::kWorkgroupId)), 1);
  EXPECT_EQ(cursor.UsedMask(*cursor.DefinedBy(same, mir::Op::kIeq)), 0);
}

}  // namespace
}  // namespace kiln::mid
