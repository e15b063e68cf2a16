#include "core/amd/optimise/neighbours.h"

#include <string>

#include "core/amd/lir/machine.h"
#include "core/lir/parse.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

lir::Function Parsed(const std::string& insts) {
  auto f = lir::Parse(Gfx1030Machine(),
                      "function gfx1030 width 32\nvalue %0 V 4x1\nvalue %1 V 4x1\n"
                      "value %2 V 4x1\nvalue %3 V 4x1\nvalue %4 V 4x1\nvalue %5 S 4x1\n"
                      "value %6 SCC 0x1\nvalue %7 S 4x1\nlivein %0 at 0\nlivein %5 at 4\n"
                      "block b0 depth 0\n" +
                          insts + "  end\n");
  EXPECT_TRUE(f.ok()) << f.status();
  return f.ok() ? *std::move(f) : lir::Function();
}

// Returns the new order of the instructions by their old numbers, or "" if it cannot be.
std::string Order(lir::Function f, uint32_t a, uint32_t b) {
  Neighbours neighbours(Gfx1030Machine(), f);
  const std::vector<lir::InstId> before = f.blocks[0].insts;
  const bool together = neighbours.BringTogether(lir::BlockId(0), lir::InstId(a), lir::InstId(b));
  std::string order;
  for (lir::InstId id : f.blocks[0].insts) order += std::to_string(id.index);
  neighbours.Undo(0);
  EXPECT_EQ(f.blocks[0].insts, before);
  return together ? order : "";
}

TEST(Neighbours, ReadersOfTheFirstMoveAfterBoth) {
  const lir::Function f = Parsed(
      "  %1 = v_not_b32 %0 {[]}\n  %2 = v_not_b32 %1 {[]}\n  %3 = v_not_b32 %0 {[]}\n"
      "  %4 = v_not_b32 %3 {[]}\n");
  EXPECT_EQ(Order(f, 0, 3), "20314");
  EXPECT_EQ(Order(f, 3, 0), "20314") << "in either order";
  EXPECT_EQ(Order(f, 0, 1), "");
}

TEST(Neighbours, ByWayOfMemoryTheyMayDependToo) {
  const lir::Function f = Parsed(
      "  %1 = v_not_b32 %0 {[]}\n  buffer_store_dword %0 _ _ %1 {[]}\n"
      "  %2 = buffer_load_dword %0 _ _ {[]}\n  %3 = v_not_b32 %2 {[]}\n");
  EXPECT_EQ(Order(f, 0, 3), "");
}

// SCC has one place: what makes and reads it stays in order.
TEST(Neighbours, SccKeepsItsOrder) {
  const lir::Function f = Parsed(
      "  %1 = v_not_b32 %0 {[]}\n  %7 = v_readfirstlane_b32 %1 {[]}\n"
      "  %6 = s_cmp_eq_u32 %7 %7 {nomask []}\n  %2 = v_not_b32 %0 {[]}\n");
  EXPECT_EQ(Order(f, 0, 3), "03124");
}

TEST(Neighbours, FarOnesStayApart) {
  std::string insts = "  %1 = v_not_b32 %0 {[]}\n";
  for (size_t i = 0; i <= Neighbours::kMaxBetween; ++i) {
    insts += "  buffer_store_dword %0 _ _ %0 {[]}\n";
  }
  const lir::Function f = Parsed(insts + "  %2 = v_not_b32 %0 {[]}\n");
  EXPECT_EQ(Order(f, 0, static_cast<uint32_t>(Neighbours::kMaxBetween) + 2), "");
}

}  // namespace
}  // namespace kiln::amd
