// What a batch compiles: files from paths, folders, lists and manifests, in a fixed order.
//
// Folders are walked recursively, sorted by name, for *.spv and GLSL files. A list has a path per
// line ("#" begins a comment). A manifest has a JSON object per line (manifest_line.h); what is
// there replaces what the command line says. Keys of others are ignored, so that files which say
// more about their shaders can be used as they are. Relative paths, also in include_dirs, start
// from
// --root where it is given, else from the manifest's folder; in lists and on the command line from
// --root, else from the working directory. A list or manifest may come from whoever wrote the
// shaders: to another machine goes what lies below where its relative paths start, include_dirs or
// not, and what -I names (SourceOptions.confined). Only names are kept in memory, never contents.
//
// A SPIR-V module with several entry points of which nobody chose one is an item for each, in the
// module's order; where a stage is asked for, for those of this stage.
#ifndef KILN_CLIENT_BATCH_BATCH_ITEMS_H_
#define KILN_CLIENT_BATCH_BATCH_ITEMS_H_

#include <memory>
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
  std::string name;    // in results: relative to the root where there is one
  std::string label;   // in messages: the name, and which entry point of several
  std::string output;  // of its files, unique in the batch
  std::shared_ptr<const ItemOptions> options;  // null: none of its own
  // What found or named it: the folder that was walked, or from which the list's or manifest's
  // paths start, as RealFolder gives it. Empty: it is named on the command line.
  std::string tree;
};

class BatchItems {
 public:
  // `root`: empty or a folder. `flags`: names of the command's flags, which are no keys of
  // manifests. NotFound, InvalidArgument: what is wrong with the root.
  static absl::StatusOr<BatchItems> Make(const std::string& root,
                                         std::vector<std::string> flags = {});

  // A file or folder of the command line. NotFound: there is none.
  absl::Status AddPath(const std::string& path);
  // Everything below the root.
  absl::Status AddRoot();
  // InvalidArgument names the line.
  absl::Status AddList(const std::string& file, absl::string_view text);
  absl::Status AddManifest(const std::string& file, absl::string_view text);

  // Keys of the manifest that were ignored, sorted.
  const std::set<std::string>& ignored_keys() const { return ignored_keys_; }

  // Gives every item its output name and hands the items over. `entry` and `stage` are what the
  // command line asks of items that do not say; empty: nothing. Reads the files that are SPIR-V.
  std::vector<BatchItem> Take(const std::string& entry, const std::string& stage);

 private:
  absl::Status AddFolder(const std::string& folder);
  void AddFile(const std::string& path, std::shared_ptr<const ItemOptions> options,
               const std::string& output, const std::string& tree);

  std::string root_;
  std::vector<std::string> flags_;
  std::set<std::string> ignored_keys_;
  std::vector<BatchItem> items_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_BATCH_BATCH_ITEMS_H_
