// Tests that what back ends declare can be used as data: by any client, and for several targets at
// once.
#include "core/driver/targets.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/driver/compile.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

constexpr size_t kMaxNameBytes = 60;  // of a key of the client's JSON
constexpr size_t kMaxRows = 64;       // of a worker's answer

// Other keys of the objects in which the client writes statistics: of a variant, and of an
// analysis.
const std::set<std::string_view> kTaken = {"name",
                                           "width",
                                           "binary",
                                           "assembly",
                                           "file",
                                           "target",
                                           "messages",
                                           "opcodes",
                                           "units",
                                           "redundant_syncs",
                                           "findings",
                                           "missing_waits",
                                           "missing_if_skipped",
                                           "throughput_cycles",
                                           "bottleneck",
                                           "cycles_not_judged",
                                           "compile_us"};

bool IsWord(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
         });
}

TEST(StatisticsOf, RowsAreWhole) {
  for (const Target target : AllTargets()) {
    SCOPED_TRACE(TargetName(target));
    const absl::Span<const StatisticRow> rows = StatisticsOf(target);
    EXPECT_FALSE(rows.empty());
    EXPECT_LE(rows.size(), kMaxRows);
    std::set<std::string_view> names, headers;
    for (const StatisticRow& row : rows) {
      SCOPED_TRACE(row.name);
      EXPECT_TRUE(IsWord(row.name));
      EXPECT_FALSE(kTaken.contains(row.name));
      EXPECT_TRUE(names.insert(row.name).second);
      EXPECT_TRUE(row.header.empty() || headers.insert(row.header).second);
      EXPECT_FALSE(row.unit.empty());
      EXPECT_TRUE(row.counts.size() > 10 && (row.counts.back() == '.')) << row.counts;
    }
    EXPECT_FALSE(headers.empty());
  }
}

// Keys of refusals from before there was a compiler must differ from all later ones.
TEST(CheckCompiler, ATargetWithoutACompilerHasVersion0) {
  for (const Target target : AllTargets()) {
    EXPECT_EQ(CheckCompiler(target).ok(), CodeGenerationVersion(target) != 0) << TargetName(target);
  }
}

// A pass that is left out on request is left out of the compile for each target that has it, and so
// must be unnecessary for all of them.
TEST(Backends, APassIsOptionalForAllTargetsOrForNone) {
  std::map<std::string_view, bool> optional;
  size_t shared = 0;
  for (const Backend* backend : Backends()) {
    if (backend->passes == nullptr) continue;
    for (const PassRow& row : backend->passes()) {
      const auto [known, is_new] = optional.try_emplace(row.name, row.optional);
      shared += is_new ? 0 : 1;
      EXPECT_EQ(known->second, row.optional) << backend->name << " " << row.name;
    }
  }
  EXPECT_GT(shared, 5u);
}

// Passes over MIR ask for the operations of a target that compiles, and of no other.
TEST(Backends, HaveFeaturesIfTheyHaveACompiler) {
  for (const Backend* backend : Backends()) {
    EXPECT_EQ(backend->compile != nullptr, backend->features != nullptr) << backend->name;
  }
}

// A row stands where its value of Target says.
TEST(Backends, AreInTheOrderOfTarget) {
  const std::map<Target, std::string_view> names = {{Target::kTgl, "tgl"},
                                                    {Target::kGfx1030, "gfx1030"}};
  ASSERT_EQ(ShippedBackends().size(), names.size());
  for (const auto& [target, name] : names) {
    EXPECT_EQ(TargetName(target), name);
    EXPECT_EQ(BackendOf(target).name, name);
    const absl::StatusOr<Target> parsed = ParseTarget(name);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, target);
  }
}

TEST(StatisticsOf, ABackEndWithoutAFunctionDeclaresNone) {
  EXPECT_TRUE(StatisticsOf(Backend{.name = "bare"}).empty());
}

// A command has one option for all targets whose tools have a switch of that name.
TEST(Switches, RowsAreWhole) {
  std::map<std::string_view, std::string_view> analysis, simulation;
  for (const Backend* backend : Backends()) {
    SCOPED_TRACE(backend->name);
    for (const auto& [rows, help] : {std::pair{backend->analysis_switches, &analysis},
                                     std::pair{backend->simulation_switches, &simulation}}) {
      std::set<std::string_view> names;
      for (const Switch& row : rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
                  row.name.npos);
        EXPECT_TRUE(!row.name.empty() && names.insert(row.name).second);
        EXPECT_GT(row.help.size(), 10u);
        EXPECT_EQ(help->try_emplace(row.name, row.help).first->second, row.help);
      }
    }
    EXPECT_TRUE(backend->analyze != nullptr || backend->analysis_switches.empty());
    EXPECT_TRUE(backend->simulate != nullptr || backend->simulation_switches.empty());
  }
}

TEST(VariantName, TellsWidthsApart) {
  for (const Target target : AllTargets()) {
    EXPECT_NE(VariantName(target, 8), VariantName(target, 16)) << TargetName(target);
  }
}

// A report compares results of several targets by name.
TEST(StatisticsOf, ANameMeansTheSameForAllTargets) {
  std::map<std::string_view, const StatisticRow*> by_name;
  for (const Target target : AllTargets()) {
    for (const StatisticRow& row : StatisticsOf(target)) {
      const StatisticRow& first = *by_name.try_emplace(row.name, &row).first->second;
      EXPECT_EQ(row.unit, first.unit) << row.name;
      EXPECT_EQ(row.better, first.better) << row.name;
      EXPECT_EQ(row.estimated, first.estimated) << row.name;
      EXPECT_EQ(row.shape, first.shape) << row.name;
    }
  }
}

}  // namespace
}  // namespace kiln
