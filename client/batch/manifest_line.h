// One line of a manifest of `kiln batch`: a JSON object that names a file and its options.
//
//   {"file": PATH, "name": NAME, "targets": [T...], "stage": S, "entry_point": NAME,
//    "defines": ["NAME=V"...], "include_dirs": [DIR...], "spec": ["ID=TYPE:VALUE"...],
//    "widths": [N...], "subgroup_size": N, "full_subgroups": BOOL,
//    "container": NAME, "dispatch_base": BOOL, "no_validate": BOOL, "disable_passes": [NAME...],
//    "state": {...}, "permutations": "A=0,1;B=0..3",
//    "lang": "hlsl", "row_major": BOOL, "register_shifts": ["KIND:N[:SPACE]"...]}
//
// A pair of a pipeline has "vertex": PATH and "fragment": PATH instead of "file" and "stage", and
// may have "vertex_spec": ["ID=TYPE:VALUE"...] for constants of the vertex shader alone; its
// entry point is NAME or VERTEX,FRAGMENT. In a line without a pair only "file" is required.
// "state" is pipeline state in the form of --state. "entry", the name in results, is another name
// of "entry_point". A key that looks like one of these, or that the command line or a job of `kiln
// run` has, is an error with the remedy: ignoring it would compile something other than intended.
// All other keys may belong to the corpus that the manifest describes; they are collected, to be
// reported once.
#ifndef KILN_CLIENT_BATCH_MANIFEST_LINE_H_
#define KILN_CLIENT_BATCH_MANIFEST_LINE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/batch/permutations.h"
#include "client/source/source.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// The options that a manifest line gives for its file.
struct ItemOptions {
  std::string name;  // of the result and its files; empty: the file's
  std::vector<std::string> targets;
  std::string stage;  // with the API's name
  std::optional<std::string> entry_point;
  std::optional<Language> language;
  std::optional<bool> row_major;
  std::optional<std::vector<kiln::v1::GlslSource::RegisterShift>> register_shifts;
  std::optional<std::vector<std::string>> defines;
  std::vector<std::string> folders;
  std::optional<std::vector<kiln::v1::SpecConstant>> spec_constants;
  std::optional<std::vector<uint32_t>> widths;
  std::optional<uint32_t> subgroup_size;  // required; 0: none
  std::optional<bool> full_subgroups;
  std::optional<bool> dispatch_base;
  std::optional<std::string> container;  // as requests have it
  std::optional<bool> no_validate;
  std::optional<std::vector<std::string>> disabled_passes;
  std::optional<kiln::v1::PipelineState> state;
  std::optional<Permutations> permutations;
  // Constants of a pair's vertex shader instead of spec_constants.
  std::optional<std::vector<kiln::v1::SpecConstant>> vertex_spec;
  // One permutation: added to `defines` and `spec_constants`, or to those of the command line.
  Permutation added = {};
};

struct ManifestLine {
  std::string file;      // as written in the line; of a pair, its vertex shader
  std::string fragment;  // of a pair, its fragment shader; else empty
  ItemOptions options;
};

// `folder`: where relative include_dirs start. `flags`: the names of the command's flags, without
// dashes. Keys that belong to none of them are added to `ignored`. InvalidArgument describes the
// error in the line, without its number.
absl::StatusOr<ManifestLine> ReadManifestLine(absl::string_view text, const std::string& folder,
                                              const std::vector<std::string>& flags,
                                              std::set<std::string>* ignored);

}  // namespace kiln::client

#endif  // KILN_CLIENT_BATCH_MANIFEST_LINE_H_
