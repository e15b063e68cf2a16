#include "core/target/statistics.h"

#include <string>

#include "gtest/gtest.h"

namespace kiln {
namespace {

constexpr StatisticRow kRows[] = {{.name = "waves", .unit = "waves", .better = Better::kHigher},
                                  {.name = "scalars", .unit = "registers"},
                                  {.name = "bytes", .unit = "bytes", .better = Better::kLower}};

std::string Text(const Statistics& statistics) {
  std::string text;
  for (const Statistic& s : statistics.Known()) {
    text += std::string(s.row->name) + " " + std::to_string(s.value) + ";";
  }
  return text;
}

TEST(Statistics, KnowsWhatWasSet) {
  Statistics statistics(kRows);
  EXPECT_EQ(Text(statistics), "");
  statistics.Set(2, 64);
  statistics.Set(0, 0);
  EXPECT_EQ(Text(statistics), "waves 0;bytes 64;");
  EXPECT_EQ(statistics.Find("waves"), 0);
  EXPECT_EQ(statistics.Find("scalars"), std::nullopt);
  EXPECT_EQ(statistics.Find("lds"), std::nullopt);
  EXPECT_EQ(statistics.At("bytes"), 64);
}

TEST(Statistics, OfNoTargetAreNone) {
  EXPECT_EQ(Text(Statistics()), "");
  EXPECT_EQ(Statistics().Find("bytes"), std::nullopt);
}

// The figures that a back end of these tests knows.
struct Facts {
  std::optional<int64_t> waves;
  int64_t bytes = 0;
};

constexpr StatedRow<Facts> kTable[] = {
    {kRows[0], [](const Facts& f) { return f.waves; }},
    {kRows[2], [](const Facts& f) { return std::optional(f.bytes); }},
};
constexpr auto kTableRows = RowsOf(kTable);

TEST(Statistics, AreStatedByATable) {
  EXPECT_EQ(kTableRows.size(), 2u);
  EXPECT_EQ(kTableRows[1].name, "bytes");
  EXPECT_EQ(Text(StatisticsFrom(kTable, kTableRows, {.waves = 4, .bytes = 64})),
            "waves 4;bytes 64;");
  const Statistics unknown =
      StatisticsFrom(kTable, kTableRows, {.waves = std::nullopt, .bytes = 0});
  EXPECT_EQ(Text(unknown), "bytes 0;");
  EXPECT_EQ(unknown.rows().data(), kTableRows.data());
}

}  // namespace
}  // namespace kiln
