// A shader file as the source of a request: SPIR-V unchanged, GLSL and HLSL with includes and
// defines.
//
// The kind of a file is decided by its contents (the magic number of SPIR-V, in either byte order),
// then by its name, unless the options name a language. No other part of a module is read here: the
// workers do that.
#ifndef KILN_CLIENT_SOURCE_SOURCE_H_
#define KILN_CLIENT_SOURCE_SOURCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/source/include_scanner.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

enum class Language { kByName, kGlsl, kHlsl };

struct SourceOptions {
  Language language = Language::kByName;  // of files that are not SPIR-V
  kiln::v1::GlslSource::Hlsl hlsl;        // for HLSL; its entry point is the request's
  std::string stage;                      // the API's name; empty: from the file's name
  std::vector<std::string> defines;       // NAME or NAME=VALUE
  std::vector<std::string> folders;       // for includes
  std::string root;                       // names of includes are relative to it; may be empty
  uint64_t module_bytes = uint64_t{16} << 20;
  uint64_t glsl_bytes = uint64_t{4} << 20;
  size_t include_files = 1024;
  // Reads source and includes only from below `tree`, `root` and `named_folders`, after resolving
  // links.
  bool confined = false;
  // The real folder (RealFolder) in which a walk found the source, or from which a list or manifest
  // names it; such a source is a regular file. Empty: the user named the source, and its own folder
  // counts.
  std::string tree;
  std::string output;                      // name of its output files; empty: none are written
  std::vector<std::string> named_folders;  // -I; unlike `folders`, without those of manifests
  bool may_leave = false;                  // --allow-include-outside
};

// A file that went into a request.
struct SourceFile {
  std::string path;  // through which it was opened
  std::string name;  // in the request, so in messages about it
};

// Sets the source of `request` from `path` ("-": standard input), `name` in messages. A name or an
// output's name that no file can have is cannot_read before anything is compiled. Appends includes
// that were not found to `missing`, and those that were read, the source first, to `read` if it is
// not null (also if there is an error). Errors name file and remedy and carry a cause (CauseOf):
// cannot_read, empty_file, truncated_module, not_spirv, not_text, other_format, no_stage,
// too_large, include_error. Only cannot_read, other_format and no_stage are errors of the command
// line, not of the file.
absl::Status LoadSource(const std::string& path, const std::string& name,
                        const SourceOptions& options, kiln::v1::CompileRequest* request,
                        std::vector<MissingInclude>* missing,
                        std::vector<SourceFile>* read = nullptr);

// Returns "blur.comp:3: #include "x.glsl" was not found; looked beside blur.comp and in ...".
std::string DescribeMissing(const std::vector<MissingInclude>& missing,
                            const std::vector<std::string>& folders);

// Returns the name of the entry point that a text will have.
std::string EntryPointOf(const kiln::v1::GlslSource& text);

// InvalidArgument: not NAME or NAME=VALUE.
absl::Status CheckDefine(const std::string& define);

}  // namespace kiln::client

#endif  // KILN_CLIENT_SOURCE_SOURCE_H_
