// Differences between two sets of results: see compare.h.
#include "client/report/compare.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"

namespace kiln::client::report {
namespace {

// A variant or module of both sets, and its statistics.
struct Pair {
  std::string shader;
  std::string folder;
  Numbers before;
  Numbers after;
  std::string key_before, key_after;
};

struct Pairs {
  std::vector<Pair> compared;       // variants whose loops did not change
  std::vector<Pair> loops_changed;  // the others
  std::vector<Pair> modules;        // compile time, as statistic 0
};

std::string FolderOf(const std::string& file) {
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : file.substr(0, slash);
}

bool SameModule(const ResultKey& a, const ResultKey& b) {
  return a.file == b.file && a.target == b.target;
}

// The parts of a key that distinguish the results of a file and target.
struct Several {
  bool entries = false;
  bool permutations = false;
};

std::string PermutationText(const ResultKey& key) {
  if (!key.permutation.has_value()) return "";
  const Permutation& p = *key.permutation;
  if (!p.name.empty()) return p.name;
  if (p.widths.empty()) return p.options.empty() ? "no options" : p.options;
  return absl::StrCat(p.options, p.options.empty() ? "" : "; ", "widths ", p.widths);
}

// Returns "file target", with distinguishing parts in brackets: "file (entry point) [A=1] target".
std::string NameOf(const ResultKey& key, const Several& several) {
  std::string name = key.file;
  if (several.entries) absl::StrAppend(&name, " (", key.entry, ")");
  if (several.permutations) absl::StrAppend(&name, " [", PermutationText(key), "]");
  return absl::StrCat(name, " ", key.target);
}

using Entry = std::map<ResultKey, Result>::value_type;

// Returns the results of one file and target, in one set.
std::vector<const Entry*> GroupAt(const ResultSet& set, const ResultKey& key) {
  std::vector<const Entry*> group;
  for (auto it = set.results.lower_bound({key.file, key.target});
       it != set.results.end() && SameModule(it->first, key); ++it) {
    group.push_back(&*it);
  }
  return group;
}

using Entries = std::vector<const Entry*>;  // null: taken out

// Relates keys that may mean the same result.
using Relation = bool (*)(const ResultKey&, const ResultKey&);

bool SaysTheSame(const ResultKey& a, const ResultKey& b) { return a.MayBe(b); }

bool IsOfTheSameModule(const ResultKey& a, const ResultKey& b) { return a.MayBeSameModule(b); }

// Returns the only related one of `group`; null: none or several.
const Entry* OnlyOne(const Entry& wanted, const Entries& group, Relation related) {
  const Entry* only = nullptr;
  for (const Entry* e : group) {
    if (e == nullptr || !related(e->first, wanted.first)) continue;
    if (only != nullptr) return nullptr;
    only = e;
  }
  return only;
}

using EntryPairs = std::vector<std::pair<const Entry*, const Entry*>>;

// Joins equal keys; both lists are sorted by key.
void JoinEqual(Entries* before, Entries* after, EntryPairs* pairs) {
  size_t i = 0;
  for (const Entry*& b : *before) {
    while (i < after->size() && (*after)[i]->first < b->first) ++i;
    if (i == after->size() || (*after)[i]->first != b->first) continue;
    pairs->emplace_back(b, (*after)[i]);
    b = (*after)[i] = nullptr;
    ++i;
  }
  std::erase(*before, nullptr);
  std::erase(*after, nullptr);
}

// Joins results that are each other's only candidates.
void JoinRelated(Relation related, Entries* before, Entries* after, EntryPairs* pairs) {
  for (const Entry*& b : *before) {
    const Entry* a = OnlyOne(*b, *after, related);
    if (a == nullptr || OnlyOne(*a, *before, related) != b) continue;
    pairs->emplace_back(b, a);
    *std::find(after->begin(), after->end(), a) = nullptr;
    b = nullptr;
  }
  std::erase(*before, nullptr);
  std::erase(*after, nullptr);
}

// Parts of a key that two sets have in common for the same result; nullopt: they say nothing.
using Parts = std::optional<std::array<std::string, 4>>;
using PartsOf = Parts (*)(const ResultKey&);

// The name stays when the options that it stands for change.
Parts NamePartsOf(const ResultKey& key) {
  if (!key.permutation.has_value() || key.permutation->name.empty()) return std::nullopt;
  return {{key.permutation->name, "", key.entry, key.stage}};
}

// Whichever widths were requested: variants are compared by their names anyway.
Parts AllButWidthsOf(const ResultKey& key) {
  if (!key.permutation.has_value()) return std::nullopt;
  return {{key.permutation->name, key.permutation->options, key.entry, key.stage}};
}

// Returns those of `group` whose parts are unique in it.
std::map<std::array<std::string, 4>, const Entry*> ByParts(const Entries& group, PartsOf parts_of) {
  std::map<std::array<std::string, 4>, const Entry*> unique;
  for (const Entry* e : group) {
    const Parts parts = parts_of(e->first);
    if (!parts.has_value()) continue;
    const auto [it, is_new] = unique.try_emplace(*parts, e);
    if (!is_new) it->second = nullptr;
  }
  std::erase_if(unique, [](const auto& entry) { return entry.second == nullptr; });
  return unique;
}

// Joins those with equal parts.
void JoinByParts(PartsOf parts_of, Entries* before, Entries* after, EntryPairs* pairs) {
  const auto ours = ByParts(*before, parts_of), theirs = ByParts(*after, parts_of);
  std::set<const Entry*> joined;
  for (const auto& [parts, b] : ours) {
    const auto a = theirs.find(parts);
    if (a == theirs.end()) continue;
    pairs->emplace_back(b, a->second);
    joined.insert({b, a->second});
  }
  for (Entries* group : {before, after}) {
    std::erase_if(*group, [&](const Entry* e) { return joined.count(e) != 0; });
  }
}

bool AllSayAll(const Entries& group) {
  return std::all_of(group.begin(), group.end(), [](const Entry* e) { return e->first.SaysAll(); });
}

// A module has at most this many entry points with separate results; more results are permutations.
constexpr size_t kMaxEntryPoints = 256;

// Returns true if no two of `group` are about the same module.
bool HasNoPermutations(const Entries& group) {
  return group.size() <= kMaxEntryPoints &&
         std::all_of(group.begin(), group.end(),
                     [&](const Entry* e) { return OnlyOne(*e, group, IsOfTheSameModule) == e; });
}

// Pairs results that are about the same: first those with equal keys; then those that are each
// other's only candidates by the parts that both keys have (a set older than "entry", a stage that
// only one set knows); then those that differ in the requested widths alone; then by name; and, if
// no set has permutations, whatever the options of the two batches were.
EntryPairs Join(Entries before, Entries after) {
  EntryPairs pairs;
  const bool alone = HasNoPermutations(before) && HasNoPermutations(after);
  JoinEqual(&before, &after, &pairs);
  if (!AllSayAll(before) || !AllSayAll(after)) JoinRelated(SaysTheSame, &before, &after, &pairs);
  JoinByParts(AllButWidthsOf, &before, &after, &pairs);
  JoinByParts(NamePartsOf, &before, &after, &pairs);
  if (alone) JoinRelated(IsOfTheSameModule, &before, &after, &pairs);
  return pairs;
}

// Returns the parts of the keys that differ within one of the sets.
Several WhatTells(const Entries& before, const Entries& after) {
  Several several;
  for (const Entries* group : {&before, &after}) {
    for (const Entry* e : *group) {
      const ResultKey& first = group->front()->first;
      several.entries |= e->first.entry != first.entry || e->first.stage != first.stage;
      several.permutations |= e->first.permutation != first.permutation;
    }
  }
  return several;
}

std::string StatusText(const Result& result) {
  if (result.cause.empty() || result.status == "ok") return result.status;
  return absl::StrCat(result.status, " (", result.cause, ")");
}

// Returns the position of the first kind that says that two variants have different shapes; none:
// the same shape, as far as is known.
std::optional<size_t> OtherShape(absl::Span<const StatisticKind> kinds, const Numbers& before,
                                 const Numbers& after) {
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].shape && before[i] != after[i]) return i;
  }
  return std::nullopt;
}

void CompareResult(const std::string& shader, const std::string& folder, const Result& before,
                   const Result& after, absl::Span<const StatisticKind> kinds, Report* report,
                   Pairs* pairs) {
  if (before.status != after.status) {
    report->status_changed.push_back(
        absl::StrCat(shader, ": ", StatusText(before), " -> ", StatusText(after)));
  }
  if (before.status == "ok" && after.status == "ok") {
    pairs->modules.push_back(
        {shader, folder, {before.compile_us}, {after.compile_us}, before.key, after.key});
  }
  for (const auto& [name, numbers] : before.variants) {
    auto other = after.variants.find(name);
    if (other == after.variants.end()) {
      report->lost[name].push_back(shader);
      continue;
    }
    const Pair pair = {
        absl::StrCat(shader, " ", name), folder, numbers, other->second, before.key, after.key};
    const std::optional<size_t> shape = OtherShape(kinds, pair.before, pair.after);
    if (shape)
      report->loops_changed.push_back({pair.shader, pair.before[*shape], pair.after[*shape]});
    (shape ? pairs->loops_changed : pairs->compared).push_back(pair);
  }
  for (const auto& [name, numbers] : after.variants) {
    if (before.variants.count(name) == 0) report->gained[name].push_back(shader);
  }
}

bool IsBetter(bool more, Direction better) { return more == (better == Direction::kHigher); }

Group GroupOf(const std::vector<Change>& changes) {
  Group group;
  group.count = static_cast<int64_t>(changes.size());
  if (changes.empty()) return group;
  std::vector<double> absolute, relative;
  for (const Change& c : changes) {
    absolute.push_back(static_cast<double>(c.after - c.before));
    relative.push_back(c.Relative());
  }
  group.absolute = SpreadOf(absolute);
  group.relative = SpreadOf(relative);
  return group;
}

// Returns the verdict of one interval.
Verdict VerdictOf(const Interval& interval, Direction better) {
  if (better == Direction::kNeither) return Verdict::kChanged;
  if (!interval.known || (interval.low <= 0 && interval.high >= 0)) return Verdict::kInconclusive;
  return IsBetter(interval.low > 0, better) ? Verdict::kHelped : Verdict::kHurt;
}

// Sorts by relative size, largest first; equal ones in order of their names.
std::vector<Change> ByExtent(std::vector<Change> changes) {
  auto size = [](const Change& c) { return std::abs(c.Relative()); };
  std::stable_sort(changes.begin(), changes.end(),
                   [&](const Change& a, const Change& b) { return size(a) > size(b); });
  return changes;
}

StatisticReport Summarise(const StatisticKind& kind, size_t index, const std::vector<Pair>& pairs) {
  StatisticReport s;
  s.name = kind.name;
  s.better = kind.better;
  s.shape = kind.shape;
  std::vector<Change> helped, hurt, changed;
  std::vector<double> absolute, relative;
  for (const Pair& pair : pairs) {
    const Change change = {pair.shader, pair.before[index], pair.after[index], pair.key_before,
                           pair.key_after};
    if (change.before < 0 || change.after < 0) continue;
    ++s.compared;
    s.total_before += change.before;
    s.total_after += change.after;
    if (change.before == change.after) continue;
    s.affected_before += change.before;
    s.affected_after += change.after;
    absolute.push_back(static_cast<double>(change.after - change.before));
    relative.push_back(change.Relative());
    (kind.better == Direction::kNeither                    ? changed
     : IsBetter(change.after > change.before, kind.better) ? helped
                                                           : hurt)
        .push_back(change);
  }
  s.helped = GroupOf(helped);
  s.hurt = GroupOf(hurt);
  s.changed = GroupOf(changed);
  s.best = ByExtent(std::move(helped));
  s.worst = ByExtent(std::move(hurt));
  s.other = ByExtent(std::move(changed));
  if (absolute.empty()) return s;
  s.absolute = MeanInterval(absolute);
  s.relative = MeanInterval(relative);
  const Verdict a = VerdictOf(s.absolute, kind.better);
  const Verdict r = VerdictOf(s.relative, kind.better);
  s.verdict = kind.measured ? Verdict::kOneRun : a == r ? a : Verdict::kInconclusive;
  return s;
}

// Adds the same statistic by folder.
void AddFolders(const StatisticReport& s, size_t index, const std::vector<Pair>& pairs,
                Report* report) {
  std::map<std::string, FolderTotal> totals;
  for (const Pair& pair : pairs) {
    const int64_t before = pair.before[index], after = pair.after[index];
    if (before < 0 || after < 0) continue;
    FolderTotal& total = totals[pair.folder];
    ++total.compared;
    total.before += before;
    total.after += after;
    if (before == after || s.better == Direction::kNeither) continue;
    ++(IsBetter(after > before, s.better) ? total.helped : total.hurt);
  }
  for (const auto& [folder, total] : totals) report->folders[folder].emplace_back(s.name, total);
}

void AddStatistic(const StatisticKind& kind, size_t index, const std::vector<Pair>& pairs,
                  Report* report) {
  StatisticReport s = Summarise(kind, index, pairs);
  if (s.compared == 0) return;
  if (!s.shape) AddFolders(s, index, pairs, report);
  report->statistics.push_back(std::move(s));
}

void Summarise(const Pairs& pairs, absl::Span<const StatisticKind> kinds, Report* report) {
  std::vector<Pair> all = pairs.compared;
  all.insert(all.end(), pairs.loops_changed.begin(), pairs.loops_changed.end());
  for (size_t i = 0; i < kinds.size(); ++i) {
    AddStatistic(kinds[i], i, kinds[i].shape ? all : pairs.compared, report);
    if (kinds[i].shape) continue;
    StatisticReport s = Summarise(kinds[i], i, pairs.loops_changed);
    if (s.compared != 0) report->loops_changed_statistics.push_back(std::move(s));
  }
  AddStatistic({.name = std::string(kCompileTime), .better = Direction::kLower, .measured = true},
               0, pairs.modules, report);
}

int64_t Count(const std::map<std::string, std::vector<std::string>>& by_variant) {
  int64_t count = 0;
  for (const auto& [name, shaders] : by_variant) count += static_cast<int64_t>(shaders.size());
  return count;
}

}  // namespace

absl::string_view VerdictWord(Verdict verdict) {
  switch (verdict) {
    case Verdict::kUnchanged: return "unchanged";
    case Verdict::kHelped: return "helped";
    case Verdict::kHurt: return "hurt";
    case Verdict::kChanged: return "changed";
    case Verdict::kOneRun: return "one_run";
    case Verdict::kInconclusive: break;
  }
  return "inconclusive";
}

absl::string_view VerdictText(Verdict verdict) {
  return verdict == Verdict::kOneRun ? "none: time, one run" : VerdictWord(verdict);
}

double Change::Relative() const {
  if (before == 0) return after == 0 ? 0 : 1;
  return static_cast<double>(after - before) / static_cast<double>(before);
}

int64_t Report::Lost() const { return Count(lost); }
int64_t Report::Gained() const { return Count(gained); }

Report Compare(const ResultSet& before, const ResultSet& after,
               absl::Span<const StatisticKind> kinds) {
  Report report;
  report.modules_before = static_cast<int64_t>(before.results.size());
  report.modules_after = static_cast<int64_t>(after.results.size());
  report.repeated = before.repeated + after.repeated;
  Pairs pairs;
  int64_t common = 0;
  for (auto it = before.results.begin(); it != before.results.end();) {
    const ResultKey& key = it->first;
    const std::vector<const Entry*> ours = GroupAt(before, key), theirs = GroupAt(after, key);
    const Several several = WhatTells(ours, theirs);
    it = std::next(it, static_cast<std::ptrdiff_t>(ours.size()));
    for (const auto& [b, a] : Join(ours, theirs)) {
      ++common;
      const bool less = a->first.entry.empty() ||
                        (!a->first.permutation.has_value() && b->first.permutation.has_value());
      const ResultKey& named = less ? b->first : a->first;
      CompareResult(NameOf(named, several), FolderOf(key.file), b->second, a->second, kinds,
                    &report, &pairs);
    }
  }
  report.only_before = report.modules_before - common;
  report.only_after = report.modules_after - common;
  report.compared = static_cast<int64_t>(pairs.compared.size());
  Summarise(pairs, kinds, &report);
  return report;
}

}  // namespace kiln::client::report
