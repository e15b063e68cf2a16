// Items of a batch: files from paths, folders, lists and manifests, in a fixed order.
//
// Folders are walked recursively, sorted by name, for *.spv, GLSL files, and HLSL files with a
// stage in their name (blur.ps.hlsl). A list has a path per line ("#" begins a comment). A manifest
// has a JSON object per line (manifest_line.h); its options replace those of the command line.
// Unknown keys are ignored, so that files which say more about their shaders can be used as they
// are. Relative paths, also in include_dirs, start from --root if it is given; else from the
// manifest's folder, and in lists and on the command line from the working directory. A list or
// manifest may come from the author of the shaders: only files below the start of its relative
// paths go to another machine, include_dirs or not, and files below -I (SourceOptions.confined).
// Only names are kept in memory, never contents.
//
// Permutations (permutations.h) of an item are items, with the same name and defines or constants
// more. A pair is one item with two files.
//
// A SPIR-V module with several entry points, none of which was chosen, is an item for each, in the
// module's order; with a requested stage, for those of this stage.
#ifndef KILN_CLIENT_BATCH_BATCH_ITEMS_H_
#define KILN_CLIENT_BATCH_BATCH_ITEMS_H_

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/batch/manifest_line.h"

namespace kiln::client {

struct BatchItem {
  std::string path;    // to open
  std::string name;    // in results: relative to the root if there is one
  std::string label;   // in messages: the name, and the entry point of several
  std::string output;  // of its files, unique in the batch
  std::shared_ptr<const ItemOptions> options;  // null: no options of its own
  // The folder that was walked, or from which the list's or manifest's paths start, as RealFolder
  // returns it. Empty: the item is named on the command line.
  std::string tree;
  // The fragment shader of a pair, whose vertex shader `path` is.
  struct Paired {
    std::string path, name, label, output;
  };
  std::optional<Paired> fragment = std::nullopt;
  std::string suffix = {};  // of `output`: names the permutation
};

// The most items of a batch that permutations may make.
inline constexpr size_t kMaxPermutedItems = 1'000'000;

class BatchItems {
 public:
  // `root`: empty or a folder. `flags`: names of the command's flags, which are no keys of
  // manifests. NotFound, InvalidArgument: the root's error.
  static absl::StatusOr<BatchItems> Make(const std::string& root,
                                         std::vector<std::string> flags = {});

  // Adds a file or folder of the command line. NotFound: there is none.
  absl::Status AddPath(const std::string& path);
  // Adds a pair of the command line, "VERTEX,FRAGMENT": two files. NotFound: there is none;
  // InvalidArgument: the text is no pair.
  absl::Status AddPair(absl::string_view text);
  // Adds all files below the root.
  absl::Status AddRoot();
  // InvalidArgument names the line.
  absl::Status AddList(const std::string& file, absl::string_view text);
  absl::Status AddManifest(const std::string& file, absl::string_view text);

  // Replaces each item by its permutations: its own, or else `common`'s if there are any.
  // InvalidArgument: too many, or a module of SPIR-V whose defines would have no effect.
  absl::Status Permute(const std::optional<Permutations>& common);

  // Keys of the manifest that were ignored, sorted.
  const std::set<std::string>& ignored_keys() const { return ignored_keys_; }

  // Gives every item its output name and returns the items. `entry` and `stage` are the command
  // line's, for items without their own; empty: none. Reads the files that are SPIR-V.
  std::vector<BatchItem> Take(const std::string& entry, const std::string& stage);

 private:
  absl::Status AddFolder(const std::string& folder);
  // Returns the path of a file or folder of the command line.
  absl::StatusOr<std::string> PlaceOf(const std::string& path) const;
  void AddFile(const std::string& path, std::shared_ptr<const ItemOptions> options,
               const std::string& output, const std::string& tree);

  std::string root_;
  std::vector<std::string> flags_;
  std::set<std::string> ignored_keys_;
  std::vector<BatchItem> items_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_BATCH_BATCH_ITEMS_H_
