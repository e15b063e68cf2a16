// A shader file as the source of a request: SPIR-V as it is, GLSL with its includes and defines.
//
// What a file is, its contents say first (the magic number of SPIR-V, in either byte order), then
// its name. Nothing else of a module is looked at here: the workers do that.
#ifndef KILN_CLIENT_SOURCE_SOURCE_H_
#define KILN_CLIENT_SOURCE_SOURCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/source/include_scanner.h"
#include "proto/compile.pb.h"

namespace kiln::client {

struct SourceOptions {
  std::string stage;                 // as the API names it; empty: from the file's name
  std::vector<std::string> defines;  // NAME or NAME=VALUE
  std::vector<std::string> folders;  // for includes
  std::string root;                  // names of includes are relative to it; may be empty
  uint64_t module_bytes = uint64_t{16} << 20;
  uint64_t glsl_bytes = uint64_t{4} << 20;
  size_t include_files = 1024;
  // Source and includes only from below `tree`, `root` and `named_folders`, wherever links lead.
  bool confined = false;
  // The real folder (RealFolder) that the source was found in or spoken of from, by a walk, list or
  // manifest; such a source is a regular file. Empty: the user named the source, and its folder is
  // meant.
  std::string tree;
  std::string output;  // name of the files that are written of it; empty: none are
  std::vector<std::string> named_folders;  // -I, unlike `folders` without those of manifests
  bool may_leave = false;                  // --allow-include-outside
};

// Sets the source of `request` from `path` ("-": standard input), `name` in messages. A name or an
// output's name that no file can have is cannot_read before anything is compiled. `missing` is
// told of includes that were not found. Errors name file and remedy and carry a cause (CauseOf):
// cannot_read, empty_file, truncated_module, not_spirv, not_text, other_format, no_stage,
// too_large, include_error. Only cannot_read, other_format and no_stage are the fault of the
// command line, not of the file.
absl::Status LoadSource(const std::string& path, const std::string& name,
                        const SourceOptions& options, kiln::v1alpha::CompileRequest* request,
                        std::vector<MissingInclude>* missing);

// "blur.comp:3: #include "x.glsl" was not found; looked beside blur.comp and in ...".
std::string DescribeMissing(const std::vector<MissingInclude>& missing,
                            const std::vector<std::string>& folders);

// InvalidArgument: not NAME or NAME=VALUE.
absl::Status CheckDefine(const std::string& define);

}  // namespace kiln::client

#endif  // KILN_CLIENT_SOURCE_SOURCE_H_
