#include "proto/statistics.h"

#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

using v1::Statistics;
using v1::Variant;

std::string Text(const Statistics& statistics) {
  Variant variant;
  *variant.mutable_statistics() = statistics;
  std::string text;
  for (const NamedValue& v : ReadStatistics(variant)) {
    absl::StrAppend(&text, v.name, " ", v.value, ";");
  }
  return text;
}

// All names that there were before there were values, and one more.
std::vector<NamedValue> Thirteen() {
  return {{"instructions", 1}, {"sync_instructions", 2},
          {"sends", 3},        {"cycles", 4},
          {"spills", 5},       {"fills", 6},
          {"loops", 7},        {"registers", 8},
          {"bytes", 9},        {"spill_bytes", 10},
          {"barriers", 13},    {"fill_bytes", 11},
          {"exit_cycles", 12}};
}

TEST(Statistics, AreReadInTheOrderInWhichTheyWerePacked) {
  EXPECT_EQ(Text(PackStatistics({})), Text(Statistics()));
  EXPECT_EQ(Text(PackStatistics({{"vgprs", 40}, {"bytes", 0}})), "vgprs 40;bytes 0;");
  EXPECT_EQ(Text(PackStatistics(Thirteen())),
            "instructions 1;sync_instructions 2;sends 3;cycles 4;spills 5;fills 6;loops 7;"
            "registers 8;bytes 9;spill_bytes 10;barriers 13;fill_bytes 11;exit_cycles 12;");
}

TEST(Statistics, ClientsThatKnowOnlyFieldsGetAllOrNone) {
  const Statistics all = PackStatistics(Thirteen());
  EXPECT_EQ(all.instructions(), 1);
  EXPECT_EQ(all.exit_cycles(), 12);
  EXPECT_EQ(PackStatistics({{"instructions", 1}, {"vgprs", 2}}).instructions(), 0);
}

TEST(Statistics, OfDaemonsThatKnowOnlyFields) {
  Statistics old = PackStatistics(Thirteen());
  old.clear_values();
  EXPECT_EQ(Text(old),
            "instructions 1;sync_instructions 2;sends 3;cycles 4;spills 5;fills 6;loops 7;"
            "registers 8;bytes 9;spill_bytes 10;fill_bytes 11;exit_cycles 12;");
  EXPECT_TRUE(ReadStatistics(Variant()).empty());
}

TEST(Statistics, NamesThatNoFigureMayHaveAreLeftOut) {
  const std::string longest(60, 'x'), longer(61, 'x');
  EXPECT_EQ(Text(PackStatistics({{"a\":1,\"b", 1},
                                 {"", 2},
                                 {longer, 3},
                                 {"Cycles", 4},
                                 {"name", 5},
                                 {"width", 6},
                                 {"binary", 7},
                                 {"assembly", 8},
                                 {"n_2", 9},
                                 {longest, 10}})),
            "n_2 9;" + longest + " 10;");
}

TEST(Statistics, EachNameIsReadOnce) {
  EXPECT_EQ(Text(PackStatistics({{"a", 1}, {"b", 2}, {"a", 3}})), "a 1;b 2;");
}

TEST(Statistics, NegativeValuesAreLeftOut) {
  EXPECT_EQ(Text(PackStatistics({{"a", -1}, {"b", 0}, {"a", 3}})), "b 0;a 3;");
  Statistics old = PackStatistics(Thirteen());
  old.clear_values();
  old.set_sends(-3);
  EXPECT_EQ(Text(old).substr(0, 40), "instructions 1;sync_instructions 2;cycle");
}

TEST(Statistics, NoMoreAreReadThanAVariantMayHave) {
  std::vector<std::string> names;
  for (int i = 0; i < 70; ++i) names.push_back("n" + std::to_string(i));
  std::vector<NamedValue> values;
  for (const std::string& name : names) values.push_back({name, 1});
  Variant variant;
  *variant.mutable_statistics() = PackStatistics(values);
  EXPECT_FALSE(IsPacked(variant.statistics()));
  values.resize(64);
  EXPECT_EQ(ReadStatistics(variant), values);
  EXPECT_TRUE(IsPacked(PackStatistics(values)));
}

TEST(IsPacked, AcceptsWhatAWorkerPacks) {
  EXPECT_TRUE(IsPacked(PackStatistics(Thirteen())));
  EXPECT_TRUE(IsPacked(PackStatistics({{"vgprs", 40}})));
  EXPECT_TRUE(IsPacked(Statistics()));
  const std::vector<std::function<void(Statistics*)>> wrong = {
      [](Statistics* s) { s->add_values()->set_name("bytes"); },
      [](Statistics* s) { s->mutable_values(3)->set_value(-1); },
      [](Statistics* s) { s->mutable_values(3)->set_name("bytes"); },
      [](Statistics* s) { s->mutable_values(10)->set_name("a b"); },
      [](Statistics* s) { s->mutable_values(10)->clear_name(); },
      [](Statistics* s) { s->mutable_values(10)->set_name("Barriers"); },
      [](Statistics* s) { s->mutable_values(10)->set_name("width"); },
      [](Statistics* s) { s->set_bytes(77); },
      [](Statistics* s) { s->set_bytes(-1); },
      [](Statistics* s) { s->clear_values(); },
  };
  for (size_t i = 0; i < wrong.size(); ++i) {
    Statistics s = PackStatistics(Thirteen());
    wrong[i](&s);
    EXPECT_FALSE(IsPacked(s)) << i;
  }
}

}  // namespace
}  // namespace kiln
