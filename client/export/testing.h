// Results and a target's statistics for tests of this folder.
#ifndef KILN_CLIENT_EXPORT_TESTING_H_
#define KILN_CLIENT_EXPORT_TESTING_H_

#include <string>
#include <utility>
#include <vector>

#include "client/export/exported_result.h"
#include "kiln/v1/compile.pb.h"
#include "proto/statistics.h"

namespace kiln::client {

// Returns capabilities with the targets "one", which has `size` (better lower), `room` (better
// higher), `shape` (neither) and the estimate `guess` (lower), and "two", which has `size` alone.
inline kiln::v1::Capabilities TwoTargets() {
  using Info = kiln::v1::Capabilities::StatisticInfo;
  kiln::v1::Capabilities capabilities;
  for (const char* name : {"one", "two"}) {
    auto* target = capabilities.add_targets();
    target->set_name(name);
    const auto add = [&](const char* statistic, Info::Better better) {
      auto* row = target->add_statistics();
      row->set_name(statistic);
      row->set_better(better);
      return row;
    };
    add("size", Info::LOWER);
    if (target->name() == "two") continue;
    add("room", Info::HIGHER);
    add("shape", Info::NEITHER);
    add("guess", Info::LOWER)->set_estimated(true);
  }
  return capabilities;
}

// Returns an ok result of one variant, "W8", with these figures.
inline ExportedResult Made(const std::string& file, const std::vector<NamedValue>& figures,
                           const std::string& target = "one") {
  ExportedResult made;
  made.file = file;
  made.read = {{"src/" + file, file}};
  made.result.set_target(target);
  made.result.set_stage("compute");
  made.result.set_entry_point("main");
  made.result.set_status(kiln::v1::TargetResult::OK);
  made.result.set_cause("ok");
  auto* variant = made.result.add_variants();
  variant->set_name("W8");
  variant->set_width(8);
  *variant->mutable_statistics() = PackStatistics(figures);
  return made;
}

// Returns a result that is not ok, with one error at a place.
inline ExportedResult Failed(const std::string& file, kiln::v1::TargetResult::Status status,
                             const std::string& cause, const Diagnostic& error) {
  ExportedResult failed = Made(file, {});
  failed.result.clear_variants();
  failed.result.set_status(status);
  failed.result.set_cause(cause);
  failed.result.set_message(error.text);
  failed.diagnostics = {error};
  return failed;
}

}  // namespace kiln::client

#endif  // KILN_CLIENT_EXPORT_TESTING_H_
