// Items of a batch: see batch_items.h.
#include "client/batch/batch_items.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/cli/paths.h"
#include "client/cli/stage_name.h"
#include "client/request/spec_constant.h"
#include "client/source/entry_points.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

namespace fs = std::filesystem;

// HLSL counts only with a stage in its name: most folders have files that are includes, or have
// several entry points, which need a list or manifest.
bool IsShaderName(absl::string_view file) {
  return absl::EndsWith(file, ".spv") || IsGlslFileName(file) ||
         (IsHlslFileName(file) && !StageFromFileName(file).empty());
}

// Makes a file name of an entry point's name, which may have characters that file names must not
// have.
std::string FileNameOf(const std::string& entry) {
  std::string name = entry.substr(0, 100);
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && !absl::StrContains("_.-+@$", c)) {
      c = '_';
    }
  }
  return name;
}

// Returns `item` for one of its module's entry points.
BatchItem ForEntryPoint(const BatchItem& item, const EntryPoint& entry) {
  auto options = item.options == nullptr ? std::make_shared<ItemOptions>()
                                         : std::make_shared<ItemOptions>(*item.options);
  options->entry_point = entry.name;
  options->stage = entry.stage;
  BatchItem one = item;
  one.options = std::move(options);
  absl::StrAppend(&one.label, " (", Quoted(entry.name), ")");
  one.output =
      absl::StrCat(item.output.empty() ? item.name : item.output, ".", FileNameOf(entry.name));
  return one;
}

// Returns the module's entry points that are separate items; none: the module is one item.
std::vector<EntryPoint> Chosen(const BatchItem& item, const std::string& stage) {
  std::vector<EntryPoint> all = EntryPointsOfFile(item.path);
  if (all.size() < 2) return {};
  const std::string& wanted =
      item.options != nullptr && !item.options->stage.empty() ? item.options->stage : stage;
  if (wanted.empty()) return all;
  std::erase_if(all, [&](const EntryPoint& entry) { return entry.stage != wanted; });
  return all;
}

std::vector<BatchItem> PerEntryPoint(std::vector<BatchItem> items, const std::string& stage) {
  std::vector<BatchItem> all;
  for (BatchItem& item : items) {
    const bool named = item.fragment.has_value() ||
                       (item.options != nullptr && item.options->entry_point.has_value());
    const std::vector<EntryPoint> entries = named ? std::vector<EntryPoint>() : Chosen(item, stage);
    for (const EntryPoint& entry : entries) all.push_back(ForEntryPoint(item, entry));
    if (entries.empty()) all.push_back(std::move(item));
  }
  return all;
}

bool IsSpirv(const std::string& path) {
  return absl::EndsWith(path, ".spv") || !EntryPointsOfFile(path).empty();
}

// Returns `item` with a permutation added.
BatchItem ForPermutation(const BatchItem& item, const Permutation& permutation) {
  auto options = item.options == nullptr ? std::make_shared<ItemOptions>()
                                         : std::make_shared<ItemOptions>(*item.options);
  options->permutations.reset();
  options->added = permutation;
  std::vector<std::string> parts = permutation.defines;
  for (const auto& constant : permutation.spec_constants) {
    parts.push_back(SpecConstantText(constant));
  }
  BatchItem one = item;
  one.options = std::move(options);
  const std::string said = parts.empty() ? "" : absl::StrCat(" (", absl::StrJoin(parts, " "), ")");
  one.label += said;
  if (one.fragment.has_value()) one.fragment->label += said;
  if (!parts.empty()) {
    one.suffix =
        absl::StrCat(".", FileNameOf(absl::StrReplaceAll(absl::StrJoin(parts, "."), {{"=", "-"}})));
  }
  return one;
}

// Returns the tree of items found in a folder, or named relative to it. A link in another user's
// tree that leads out of the working directory does not make its target part of the tree.
absl::StatusOr<std::string> TreeOf(const std::string& folder) {
  absl::StatusOr<std::string> named = NamedFolder(folder);
  return absl::IsOutOfRange(named.status()) ? RealFolder(".") : named;
}

}  // namespace

absl::StatusOr<BatchItems> BatchItems::Make(const std::string& root,
                                            std::vector<std::string> flags) {
  BatchItems items;
  items.root_ = root;
  items.flags_ = std::move(flags);
  std::error_code error;
  if (root.empty() || fs::is_directory(root, error)) return items;
  if (!fs::exists(root, error)) {
    return absl::NotFoundError(absl::StrCat("--root=", root, ": there is no such folder"));
  }
  return absl::InvalidArgumentError(absl::StrCat("--root=", root, ": is not a folder"));
}

void BatchItems::AddFile(const std::string& path, std::shared_ptr<const ItemOptions> options,
                         const std::string& output, const std::string& tree) {
  std::string name = root_.empty() ? path : RelativeTo(root_, path);
  items_.push_back({path, name, name, output, std::move(options), tree});
}

absl::Status BatchItems::AddFolder(const std::string& folder) {
  const absl::StatusOr<std::string> tree = TreeOf(folder);
  if (!tree.ok()) return tree.status();
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    std::string path = it->path().string();
    std::error_code ignored;
    if (IsShaderName(path) && it->is_regular_file(ignored)) files.push_back(std::move(path));
  }
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat(folder, ": cannot read this folder: ", error.message()));
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) AddFile(file, nullptr, "", *tree);
  return absl::OkStatus();
}

absl::StatusOr<std::string> BatchItems::PlaceOf(const std::string& path) const {
  std::error_code error;
  std::string place = JoinPath(root_, path);
  // A path below the root may also be given relative to the working directory.
  if (!fs::exists(place, error) && fs::exists(path, error)) place = path;
  if (fs::exists(place, error)) return place;
  return absl::NotFoundError(absl::StrCat(place, ": there is no such file or folder"));
}

absl::Status BatchItems::AddPath(const std::string& path) {
  const absl::StatusOr<std::string> place = PlaceOf(path);
  if (!place.ok()) return place.status();
  std::error_code error;
  if (fs::is_directory(*place, error)) return AddFolder(*place);
  AddFile(*place, nullptr, "", "");
  return absl::OkStatus();
}

absl::Status BatchItems::AddPair(absl::string_view text) {
  const std::vector<std::string> files = absl::StrSplit(text, ',');
  if (files.size() != 2 || files[0].empty() || files[1].empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        text, ": must be VERTEX,FRAGMENT, two files; a manifest takes names with commas"));
  }
  if (StageFromFileName(files[0]) == "fragment" || StageFromFileName(files[1]) == "vertex") {
    return absl::InvalidArgumentError(
        absl::StrCat(text, ": the vertex shader comes first, then the fragment shader"));
  }
  const absl::StatusOr<std::string> vertex = PlaceOf(files[0]), fragment = PlaceOf(files[1]);
  if (!vertex.ok()) return vertex.status();
  if (!fragment.ok()) return fragment.status();
  AddFile(*vertex, nullptr, "", "");
  const std::string name = root_.empty() ? *fragment : RelativeTo(root_, *fragment);
  items_.back().fragment = {*fragment, name, name, ""};
  return absl::OkStatus();
}

absl::Status BatchItems::AddRoot() { return AddFolder(root_); }

absl::Status BatchItems::AddList(const std::string& file, absl::string_view text) {
  static_cast<void>(file);
  const absl::StatusOr<std::string> tree = TreeOf(root_);
  if (!tree.ok()) return tree.status();
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    AddFile(JoinPath(root_, line), nullptr, "", *tree);
  }
  return absl::OkStatus();
}

absl::Status BatchItems::AddManifest(const std::string& file, absl::string_view text) {
  std::string folder = file == "-" ? "" : FolderOf(file);
  const std::string& start = root_.empty() ? folder : root_;
  const absl::StatusOr<std::string> tree = TreeOf(start);
  if (!tree.ok()) return tree.status();
  int number = 0;
  for (absl::string_view text_line : absl::StrSplit(text, '\n')) {
    ++number;
    text_line = absl::StripAsciiWhitespace(text_line);
    if (text_line.empty()) continue;
    absl::StatusOr<ManifestLine> line = ReadManifestLine(text_line, start, flags_, &ignored_keys_);
    if (!line.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ":", number, ": ", line.status().message()));
    }
    auto options = std::make_shared<const ItemOptions>(std::move(line->options));
    const std::string& output = options->name;
    AddFile(JoinPath(start, line->file), options, output, *tree);
    if (line->fragment.empty()) continue;
    const std::string path = JoinPath(start, line->fragment);
    const std::string name = root_.empty() ? path : RelativeTo(root_, path);
    items_.back().fragment = {path, name, name, output};
  }
  return absl::OkStatus();
}

absl::Status BatchItems::Permute(const std::optional<Permutations>& common) {
  const auto permutations_of = [&](const BatchItem& item) -> const Permutations* {
    const bool own = item.options != nullptr && item.options->permutations.has_value();
    if (own) return &*item.options->permutations;
    return common.has_value() ? &*common : nullptr;
  };
  size_t count = 0;
  for (const BatchItem& item : items_) {
    const Permutations* permutations = permutations_of(item);
    count += permutations == nullptr ? 1 : permutations->size();
    if (permutations == nullptr) continue;
    if (count > kMaxPermutedItems) {
      return absl::InvalidArgumentError(
          absl::StrCat(item.label, ": with its permutations the batch has more than ",
                       kMaxPermutedItems, " items, the most that are accepted"));
    }
    const bool spirv =
        IsSpirv(item.path) || (item.fragment.has_value() && IsSpirv(item.fragment->path));
    if (permutations->HasDefines() && spirv) {
      return absl::InvalidArgumentError(
          absl::StrCat(item.label,
                       ": permutations of defines have no effect on SPIR-V; give it those of "
                       "specialisation constants, ID=TYPE:VALUE,VALUE..."));
    }
  }
  std::vector<BatchItem> all;
  all.reserve(count);
  for (BatchItem& item : items_) {
    const Permutations* permutations = permutations_of(item);
    if (permutations == nullptr) {
      all.push_back(std::move(item));
      continue;
    }
    for (size_t i = 0; i < permutations->size(); ++i) {
      all.push_back(ForPermutation(item, permutations->At(i)));
    }
  }
  items_ = std::move(all);
  return absl::OkStatus();
}

std::vector<BatchItem> BatchItems::Take(const std::string& entry, const std::string& stage) {
  if (entry.empty()) items_ = PerEntryPoint(std::move(items_), stage);
  // The same file with other options, or files of the same name: later ones get a number that does
  // not collide with another item's name.
  std::set<std::string> taken;
  std::vector<std::string*> again;
  const auto name = [&](const BatchItem& item, const std::string& file, const char* stage,
                        std::string* output) {
    const std::string stem = output->empty() ? file : absl::StrCat(*output, stage);
    *output = ConfinedPath(absl::StrCat(stem, item.suffix));
    if (!taken.insert(*output).second) again.push_back(output);
  };
  for (BatchItem& item : items_) {
    const bool pair = item.fragment.has_value();
    name(item, item.name, pair ? ".vertex" : "", &item.output);
    if (pair) name(item, item.fragment->name, ".fragment", &item.fragment->output);
  }
  std::map<std::string, int> next;
  for (std::string* output : again) {
    int& n = next.try_emplace(*output, 2).first->second;
    std::string numbered;
    do {
      numbered = absl::StrCat(*output, "~", n++);
    } while (!taken.insert(numbered).second);
    *output = numbered;
  }
  return std::move(items_);
}

}  // namespace kiln::client
