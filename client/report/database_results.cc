// The results in a database: see database_results.h.
#include "client/report/database_results.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/paths.h"
#include "client/database/pair_name.h"
#include "client/database/schema.h"
#include "client/database/sql.h"

namespace kiln::client::report {
namespace {

constexpr absl::string_view kHeader("SQLite format 3\0", 16);

// Figures by result, then by variant.
using Figures = std::map<int64_t, std::map<std::string, Numbers>>;

absl::StatusOr<Figures> ReadFigures(SqlDatabase* db, absl::Span<const StatisticKind> kinds) {
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < kinds.size(); ++i) places.emplace(kinds[i].name, i);
  auto query = db->Prepare(
      "SELECT result, variant, name, value FROM variant LEFT JOIN statistic USING (result, "
      "variant)");
  if (!query.ok()) return query.status();
  Figures figures;
  query->Start();
  for (;;) {
    const absl::StatusOr<bool> row = query->Next();
    if (!row.ok()) return row.status();
    if (!*row) return figures;
    Numbers& numbers = figures[query->Int(0)][query->Text(1)];
    numbers.resize(kinds.size(), -1);
    const auto place = places.find(query->Text(2));
    if (place != places.end()) numbers[place->second] = query->Int(3);
  }
}

// Returns the state as keys of JSON lines have it.
std::string StateText(const std::string& text) {
  const auto state = nlohmann::json::parse(text, nullptr, false);
  if (!state.is_object()) return "";
  return state.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Permutation PermutationOf(const SqlStatement& row) {
  Permutation permutation = {row.Text(4), row.Text(5)};
  const auto add = [&](const std::string& part) {
    if (part.empty()) return;
    absl::StrAppend(&permutation.options, permutation.options.empty() ? "" : "; ", part);
  };
  add(row.Text(6));
  if (row.Int(7) != 0) add(absl::StrCat("subgroup ", row.Int(7)));
  // A capture's pipeline has one state, and its name is that of no other.
  if (row.Text(14) == kFileKind || row.Text(14) == kPairKind) add(StateText(row.Text(15)));
  return permutation;
}

// Returns the key of a row. A stage of a pair has its own file's name, as in JSON lines.
ResultKey KeyOf(const SqlStatement& row) {
  ResultKey key = {row.Text(0), row.Text(1), row.Text(2), row.Text(3), PermutationOf(row)};
  if (row.Text(14) != kPairKind) return key;
  const auto files = FilesOfPair(key.file);
  if (!files.has_value()) return key;
  const bool is_vertex = row.Int(13) == 0;
  key.file = is_vertex ? files->first : files->second;
  std::string& options = key.permutation->options;
  absl::StrAppend(&options, options.empty() ? "" : "; ", "with ",
                  is_vertex ? files->second : files->first);
  return key;
}

}  // namespace

bool IsDatabase(const std::string& path) {
  const absl::StatusOr<std::string> start = ReadRegularFileStart(path, kHeader.size());
  return start.ok() && *start == kHeader;
}

absl::StatusOr<ResultSet> ReadDatabaseResults(const std::string& path,
                                              absl::Span<const StatisticKind> kinds) {
  auto db = SqlDatabase::Open(path, SqlDatabase::Mode::kRead);
  if (!db.ok()) return db.status();
  if (absl::Status s = CheckSchema(db->get()); !s.ok()) return s;
  const absl::StatusOr<Figures> figures = ReadFigures(db->get(), kinds);
  if (!figures.ok()) return figures.status();
  auto query = (*db)->Prepare(
      "SELECT file, target, entry, stage, name, defines, spec, subgroup_size, status, cause, "
      "compile_us, result, pipeline, number, kind, state, "
      "(SELECT key FROM result AS made WHERE made.id = stage_result.result) FROM stage_result ORDER BY source, pipeline, number, "
      "target");
  if (!query.ok()) return query.status();
  ResultSet set;
  query->Start();
  for (;;) {
    const absl::StatusOr<bool> row = query->Next();
    if (!row.ok()) return row.status();
    if (!*row) break;
    ResultKey key = KeyOf(*query);
    Result result;
    result.status = query->Text(8);
    result.cause = query->Text(9);
    result.compile_us = query->Int(10);
    result.key = query->Text(16);
    if (const auto it = figures->find(query->Int(11)); it != figures->end()) {
      result.variants = it->second;
    }
    set.vague |= !key.SaysAll();
    if (!set.results.emplace(std::move(key), std::move(result)).second) ++set.repeated;
  }
  if (set.results.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": has no results"));
  }
  return set;
}

}  // namespace kiln::client::report
