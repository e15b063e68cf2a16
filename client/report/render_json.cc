// A report as JSON: see render.h.
#include <nlohmann/json.hpp>

#include "client/report/render.h"

namespace kiln::client::report {
namespace {

using Json = nlohmann::ordered_json;

Json SpreadJson(const Spread& s) {
  return {{"min", s.least}, {"max", s.most}, {"mean", s.mean}, {"median", s.median}};
}

Json GroupJson(const Group& group) {
  Json json = {{"count", group.count}};
  if (group.count == 0) return json;
  json["absolute"] = SpreadJson(group.absolute);
  json["relative"] = SpreadJson(group.relative);
  return json;
}

Json IntervalJson(const Interval& interval) {
  return interval.known ? Json::array({interval.low, interval.high}) : Json(nullptr);
}

constexpr size_t kNamed = 5;  // of "best" and "worst"

Json ChangesJson(const std::vector<Change>& changes, size_t most = SIZE_MAX) {
  Json list = Json::array();
  for (const Change& c : changes) {
    if (list.size() == most) break;
    list.push_back({{"shader", c.shader}, {"before", c.before}, {"after", c.after}});
  }
  return list;
}

const char* Word(Direction better) {
  switch (better) {
    case Direction::kLower: return "lower";
    case Direction::kHigher: return "higher";
    case Direction::kNeither: break;
  }
  return "neither";
}

Json StatisticJson(const StatisticReport& s) {
  return {{"name", s.name},
          {"better", Word(s.better)},
          {"compared", s.compared},
          {"before", s.total_before},
          {"after", s.total_after},
          {"affected", s.affected()},
          {"affected_before", s.affected_before},
          {"affected_after", s.affected_after},
          {"helped", GroupJson(s.helped)},
          {"hurt", GroupJson(s.hurt)},
          {"changed", GroupJson(s.changed)},
          {"mean_interval_absolute", IntervalJson(s.absolute)},
          {"mean_interval_relative", IntervalJson(s.relative)},
          {"verdict", std::string(VerdictWord(s.verdict))},
          {"best", ChangesJson(s.best, kNamed)},
          {"worst", ChangesJson(s.worst, kNamed)},
          {"helped_shaders", ChangesJson(s.best)},
          {"hurt_shaders", ChangesJson(s.worst)},
          {"changed_shaders", ChangesJson(s.other)}};
}

Json StatisticsJson(const std::vector<StatisticReport>& statistics) {
  Json list = Json::array();
  for (const StatisticReport& s : statistics) list.push_back(StatisticJson(s));
  return list;
}

Json FoldersJson(const Report& report) {
  Json list = Json::array();
  for (const auto& [folder, totals] : report.folders) {
    Json statistics = Json::array();
    for (const auto& [name, t] : totals) {
      statistics.push_back({{"name", name},
                            {"compared", t.compared},
                            {"before", t.before},
                            {"after", t.after},
                            {"helped", t.helped},
                            {"hurt", t.hurt}});
    }
    list.push_back({{"folder", folder}, {"statistics", std::move(statistics)}});
  }
  return list;
}

}  // namespace

std::string RenderJson(const Report& report, const Names& names) {
  Json json = {{"before", names.before},
               {"after", names.after},
               {"results_before", report.modules_before},
               {"results_after", report.modules_after},
               {"only_before", report.only_before},
               {"only_after", report.only_after},
               {"repeated", report.repeated},
               {"compared", report.compared},
               {"statistics", StatisticsJson(report.statistics)},
               {"loops_changed", ChangesJson(report.loops_changed)},
               {"loops_changed_statistics", StatisticsJson(report.loops_changed_statistics)},
               {"folders", FoldersJson(report)},
               {"status_changed", report.status_changed},
               {"lost", report.lost},
               {"gained", report.gained}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kiln::client::report
