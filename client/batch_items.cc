// What a batch compiles: see batch_items.h.
#include "client/batch_items.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/entry_points.h"
#include "client/paths.h"
#include "client/request_options.h"
#include "client/spec_constant.h"
#include "client/stage_name.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

bool IsShaderName(absl::string_view file) {
  return absl::EndsWith(file, ".spv") || IsGlslFileName(file);
}

absl::Status Wrong(const char* key, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("\"", key, "\" ", what));
}

absl::Status GetString(const Json& line, const char* key, std::string* to) {
  auto it = line.find(key);
  if (it == line.end() || it->is_null()) return absl::OkStatus();
  if (!it->is_string()) return Wrong(key, "must be a string");
  *to = it->get<std::string>();
  return absl::OkStatus();
}

// Strings; whole numbers are taken as they are written.
absl::Status GetList(const Json& line, const char* key,
                     std::optional<std::vector<std::string>>* to) {
  auto it = line.find(key);
  if (it == line.end() || it->is_null()) return absl::OkStatus();
  if (!it->is_array()) return Wrong(key, "must be a list");
  to->emplace();
  for (const Json& element : *it) {
    if (element.is_string()) {
      (*to)->push_back(element.get<std::string>());
    } else if (element.is_number_integer()) {
      (*to)->push_back(element.dump());
    } else {
      return Wrong(key, "must be a list of strings");
    }
  }
  return absl::OkStatus();
}

absl::Status GetBool(const Json& line, const char* key, std::optional<bool>* to) {
  auto it = line.find(key);
  if (it == line.end() || it->is_null()) return absl::OkStatus();
  if (!it->is_boolean()) return Wrong(key, "must be true or false");
  *to = it->get<bool>();
  return absl::OkStatus();
}

// A dispatch width, or 0 for none.
absl::Status GetSize(const Json& line, const char* key, std::optional<uint32_t>* to) {
  auto it = line.find(key);
  if (it == line.end() || it->is_null()) return absl::OkStatus();
  if (!it->is_number_integer()) return Wrong(key, "must be a number");
  const std::string text = it->dump();
  if (text != "0") {
    if (auto parsed = ParseWidths({text}); !parsed.ok()) return Wrong(key, parsed.status().message());
  }
  *to = it->get<uint32_t>();
  return absl::OkStatus();
}

using Lists = std::optional<std::vector<std::string>>;

absl::Status ReadLists(const Json& line, const std::string& folder, ItemOptions* options) {
  Lists targets, include_dirs, spec, widths;
  for (absl::Status s :
       {GetList(line, "targets", &targets), GetList(line, "defines", &options->defines),
        GetList(line, "include_dirs", &include_dirs), GetList(line, "spec", &spec),
        GetList(line, "widths", &widths),
        GetList(line, "disable_passes", &options->disabled_passes)}) {
    if (!s.ok()) return s;
  }
  if (targets.has_value()) options->targets = *std::move(targets);
  if (include_dirs.has_value()) {
    for (const std::string& dir : *include_dirs) options->folders.push_back(JoinPath(folder, dir));
  }
  if (spec.has_value()) {
    auto constants = ParseSpecConstants(*spec);
    if (!constants.ok()) return constants.status();
    options->spec_constants = *std::move(constants);
  }
  if (widths.has_value()) {
    auto parsed = ParseWidths(*widths);
    if (!parsed.ok()) return parsed.status();
    options->widths = *std::move(parsed);
  }
  return absl::OkStatus();
}

absl::Status GetEntryPoint(const Json& line, ItemOptions* options) {
  std::string entry, entry_point;
  for (absl::Status s : {GetString(line, "entry", &entry),
                         GetString(line, "entry_point", &entry_point)}) {
    if (!s.ok()) return s;
  }
  if (!entry.empty() && !entry_point.empty() && entry != entry_point) {
    return absl::InvalidArgumentError("\"entry\" and \"entry_point\" name different ones");
  }
  const std::string& name = entry.empty() ? entry_point : entry;
  if (!name.empty()) options->entry_point = name;
  return absl::OkStatus();
}

absl::Status ReadOptions(const Json& line, const std::string& folder, ItemOptions* options) {
  std::string stage;
  for (absl::Status s :
       {GetString(line, "stage", &stage), GetEntryPoint(line, options),
        GetSize(line, "subgroup_size", &options->subgroup_size),
        GetBool(line, "full_subgroups", &options->full_subgroups),
        GetBool(line, "dispatch_base", &options->dispatch_base),
        GetBool(line, "no_validate", &options->no_validate)}) {
    if (!s.ok()) return s;
  }
  if (!stage.empty()) {
    auto parsed = ParseStage(stage);
    if (!parsed.ok()) return parsed.status();
    options->stage = *parsed;
  }
  return ReadLists(line, folder, options);
}

// A name of files: what an entry point may be called, a file perhaps may not.
std::string FileNameOf(const std::string& entry) {
  std::string name = entry.substr(0, 100);
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && !absl::StrContains("_.-+@$", c)) {
      c = '_';
    }
  }
  return name;
}

// `item` for one of its module's entry points.
BatchItem ForEntryPoint(const BatchItem& item, const EntryPoint& entry) {
  auto options = item.options == nullptr ? std::make_shared<ItemOptions>()
                                         : std::make_shared<ItemOptions>(*item.options);
  options->entry_point = entry.name;
  options->stage = entry.stage;
  BatchItem one = item;
  one.options = std::move(options);
  absl::StrAppend(&one.label, " (", Shortened(entry.name), ")");
  one.output = absl::StrCat(item.output.empty() ? item.name : item.output, ".",
                            FileNameOf(entry.name));
  return one;
}

// Which of the module's entry points are items of their own; none: the module is one, as it is.
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
    const bool named = item.options != nullptr && item.options->entry_point.has_value();
    const std::vector<EntryPoint> entries =
        named ? std::vector<EntryPoint>() : Chosen(item, stage);
    for (const EntryPoint& entry : entries) all.push_back(ForEntryPoint(item, entry));
    if (entries.empty()) all.push_back(std::move(item));
  }
  return all;
}

// Of what is found in a folder or spoken of from there. A link in somebody's tree that leads out of
// the working directory makes nothing there a part of the tree.
absl::StatusOr<std::string> TreeOf(const std::string& folder) {
  absl::StatusOr<std::string> named = NamedFolder(folder);
  return absl::IsOutOfRange(named.status()) ? RealFolder(".") : named;
}

}  // namespace

absl::StatusOr<BatchItems> BatchItems::Make(const std::string& root) {
  BatchItems items;
  items.root_ = root;
  std::error_code error;
  if (root.empty() || fs::is_directory(root, error)) return items;
  if (!fs::exists(root, error)) {
    return absl::NotFoundError(absl::StrCat("--root=", root, ": there is no such folder"));
  }
  return absl::InvalidArgumentError(absl::StrCat("--root=", root, ": is no folder"));
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

absl::Status BatchItems::AddPath(const std::string& path) {
  std::error_code error;
  std::string place = JoinPath(root_, path);
  // A path below the root may also be given from where one is.
  if (!fs::exists(place, error) && fs::exists(path, error)) place = path;
  if (fs::is_directory(place, error)) return AddFolder(place);
  if (!fs::exists(place, error)) {
    return absl::NotFoundError(absl::StrCat(place, ": there is no such file or folder"));
  }
  AddFile(place, nullptr, "", "");
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
    auto wrong = [&](absl::string_view what) {
      return absl::InvalidArgumentError(absl::StrCat(file, ":", number, ": ", what));
    };
    if (!IsUtf8({text_line.data(), text_line.size()})) {
      return wrong("this is not UTF-8, as JSON is; files with such names can be given with --list");
    }
    Json line = Json::parse(text_line.begin(), text_line.end(), nullptr, false);
    if (!line.is_object()) return wrong("this is no JSON object; one is needed on each line");
    std::string path, output;
    auto options = std::make_shared<ItemOptions>();
    for (absl::Status s : {GetString(line, "file", &path), GetString(line, "name", &output),
                           ReadOptions(line, start, options.get())}) {
      if (!s.ok()) return wrong(s.message());
    }
    if (path.empty()) return wrong("\"file\" is missing");
    AddFile(JoinPath(start, path), std::move(options), output, *tree);
  }
  return absl::OkStatus();
}

std::vector<BatchItem> BatchItems::Take(const std::string& entry, const std::string& stage) {
  if (entry.empty()) items_ = PerEntryPoint(std::move(items_), stage);
  // The same file with other options, or files of the same name: later ones get a number, and not
  // one that makes the name of another item of it.
  std::set<std::string> taken;
  std::vector<BatchItem*> again;
  for (BatchItem& item : items_) {
    if (item.output.empty()) item.output = item.name;
    item.output = ConfinedPath(item.output);
    if (!taken.insert(item.output).second) again.push_back(&item);
  }
  std::map<std::string, int> next;
  for (BatchItem* item : again) {
    int& n = next.try_emplace(item->output, 2).first->second;
    std::string numbered;
    do {
      numbered = absl::StrCat(item->output, "~", n++);
    } while (!taken.insert(numbered).second);
    item->output = numbered;
  }
  return std::move(items_);
}

}  // namespace kiln::client
