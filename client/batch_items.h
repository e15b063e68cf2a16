// What a batch compiles: files from paths, folders, lists and manifests, in a fixed order.
//
// Folders are walked recursively, sorted by name, for *.spv and GLSL files. A list has a path per
// line ("#" begins a comment). A manifest has a JSON object per line:
//   {"file": PATH, "name": NAME, "targets": [T...], "stage": S, "entry_point": NAME,
//    "defines": ["NAME=V"...], "include_dirs": [DIR...], "spec": ["ID=TYPE:VALUE"...],
//    "widths": [N...], "subgroup_size": N, "full_subgroups": BOOL,
//    "dispatch_base": BOOL, "no_validate": BOOL, "disable_passes": [NAME...]}
// Only "file" is needed; what is there replaces what the command line says. "entry", as results
// name it, is another name of "entry_point". Other keys are ignored, so that files which say more
// about their shaders can be used as they are. Relative paths, also in include_dirs, start from
// --root where it is given, else from the manifest's folder; in lists and on the command line from
// --root, else from the working directory. A list or manifest may come from whoever wrote the
// shaders: to another machine goes what lies below where its relative paths start, include_dirs or
// not, and what -I names (SourceOptions.confined). Only names are kept in memory, never contents.
//
// A SPIR-V module with several entry points of which nobody chose one is an item for each, in the
// module's order; where a stage is asked for, for those of this stage.
#ifndef KILN_CLIENT_BATCH_ITEMS_H_
#define KILN_CLIENT_BATCH_ITEMS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/compile.pb.h"

namespace kiln::client {

// What a manifest line says beside the file.
struct ItemOptions {
  std::vector<std::string> targets;
  std::string stage;  // as the API names it
  std::optional<std::string> entry_point;
  std::optional<std::vector<std::string>> defines;
  std::vector<std::string> folders;
  std::optional<std::vector<kiln::v1alpha::SpecConstant>> spec_constants;
  std::optional<std::vector<uint32_t>> widths;
  std::optional<uint32_t> subgroup_size;  // required; 0: none
  std::optional<bool> full_subgroups;
  std::optional<bool> dispatch_base;
  std::optional<bool> no_validate;
  std::optional<std::vector<std::string>> disabled_passes;
};

struct BatchItem {
  std::string path;                            // to open
  std::string name;                            // in results: relative to the root where there is one
  std::string label;                           // in messages: the name, and which entry point of several
  std::string output;                          // of its files, unique in the batch
  std::shared_ptr<const ItemOptions> options;  // null: none of its own
  // What found or named it: the folder that was walked, or from which the list's or manifest's
  // paths start, as RealFolder gives it. Empty: it is named on the command line.
  std::string tree;
};

class BatchItems {
 public:
  // `root`: empty or a folder. NotFound, InvalidArgument: what is wrong with it.
  static absl::StatusOr<BatchItems> Make(const std::string& root);

  // A file or folder of the command line. NotFound: there is none.
  absl::Status AddPath(const std::string& path);
  // Everything below the root.
  absl::Status AddRoot();
  // InvalidArgument names the line.
  absl::Status AddList(const std::string& file, absl::string_view text);
  absl::Status AddManifest(const std::string& file, absl::string_view text);

  // Gives every item its output name and hands the items over. `entry` and `stage` are what the
  // command line asks of items that do not say; empty: nothing. Reads the files that are SPIR-V.
  std::vector<BatchItem> Take(const std::string& entry, const std::string& stage);

 private:
  absl::Status AddFolder(const std::string& folder);
  void AddFile(const std::string& path, std::shared_ptr<const ItemOptions> options,
               const std::string& output, const std::string& tree);

  std::string root_;
  std::vector<BatchItem> items_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_BATCH_ITEMS_H_
