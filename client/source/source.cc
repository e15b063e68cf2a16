// A shader file as the source of a request: see source.h.
#include "client/source/source.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "client/cli/paths.h"
#include "client/cli/stage_name.h"
#include "client/source/other_format.h"
#include "core/base/cause.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::GlslSource;

constexpr absl::string_view kMagic("\x03\x02\x23\x07", 4);
constexpr absl::string_view kMagicSwapped("\x07\x23\x02\x03", 4);

absl::Status Invalid(const std::string& name, absl::string_view what, const char* cause) {
  return WithForeignCause(absl::InvalidArgumentError(absl::StrCat(name, ": ", what)), cause);
}

bool BeginsWithMagic(absl::string_view bytes) {
  return bytes.substr(0, 4) == kMagic || bytes.substr(0, 4) == kMagicSwapped;
}

absl::Status CheckSpirv(const std::string& name, absl::string_view bytes) {
  if (!BeginsWithMagic(bytes)) {
    return Invalid(
        name,
        absl::StrCat("is not SPIR-V: it begins with ", absl::BytesToHexString(bytes.substr(0, 4)),
                     " instead of 03022307 or 07230203"),
        "not_spirv");
  }
  if (bytes.size() % 4 != 0 || bytes.size() < 20) {
    return Invalid(
        name,
        absl::StrCat("is truncated: ", bytes.size(),
                     " bytes, but SPIR-V has a header of 20 bytes and then whole words of 4 bytes"),
        "truncated_module");
  }
  return absl::OkStatus();
}

// Checks a name, which goes into outputs' names, records and messages. A file's name may have bytes
// that no text has; names of outputs need room for more.
absl::Status CheckName(const std::string& name) {
  constexpr size_t kMaxBytes = 1024;
  for (const char c : name) {
    if (!absl::ascii_iscntrl(static_cast<unsigned char>(c))) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        Quoted(absl::CHexEscape(name)), ": names with control characters are not accepted"));
  }
  if (name.size() <= kMaxBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(Quoted(name), ": the name has ", name.size(),
                                                 " bytes; at most ", kMaxBytes, " are accepted"));
}

// Checks the name of outputs: a component of it, with target, width and ending, is a file's name,
// which has at most 255 bytes (NAME_MAX).
absl::Status CheckOutput(const std::string& output) {
  constexpr size_t kMaxBytes = 200;
  if (absl::Status status = CheckName(output); !status.ok()) return status;
  for (const absl::string_view part : absl::StrSplit(output, '/')) {
    if (part.size() <= kMaxBytes) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        Quoted(output), ": outputs cannot be named after this file: a component of the name has ",
        part.size(), " bytes; at most ", kMaxBytes, " are accepted"));
  }
  return absl::OkStatus();
}

void AddDefines(const std::vector<std::string>& defines, GlslSource* glsl) {
  for (const std::string& text : defines) {
    size_t equals = text.find('=');
    auto* define = glsl->add_defines();
    define->set_name(text.substr(0, equals));
    // "-D NAME" is empty, as for shader compilers, not 1 as for C compilers.
    if (equals != std::string::npos) define->set_value(text.substr(equals + 1));
  }
}

// Returns the folders whose files may go to another machine. Missing folders allow nothing, nor do
// names below the working directory that links lead out of.
std::vector<std::string> SendableFolders(const std::string& path, const SourceOptions& options) {
  std::vector<std::string> folders;
  const auto add = [&folders](const std::string& folder) {
    if (auto real = RealFolder(folder); real.ok()) folders.push_back(*std::move(real));
  };
  if (options.tree.empty()) {
    add(FolderOf(path));
  } else {
    folders.push_back(options.tree);
  }
  const auto add_named = [&folders](const std::string& folder) {
    if (auto real = NamedFolder(folder); real.ok()) folders.push_back(*std::move(real));
  };
  if (!options.root.empty()) add_named(options.root);
  for (const std::string& folder : options.named_folders) add_named(folder);
  return folders;
}

// Returns the function that reads the source at `path` and its includes.
ReadFile Reader(const std::string& path, const SourceOptions& options) {
  if (!options.confined || options.may_leave) return ReadRegularFile;
  return [folders = SendableFolders(path, options)](const std::string& file,
                                                    uint64_t most) -> absl::StatusOr<std::string> {
    absl::StatusOr<std::string> text = ReadRegularFileBelow(folders, file, most);
    if (!absl::IsOutOfRange(text.status())) return text;
    return absl::InvalidArgumentError(
        absl::StrCat(text.status().message(),
                     ", outside of the source's folder and -I, and would be sent to another "
                     "machine; name its folder, not a link to it, with -I DIR, or give "
                     "--allow-include-outside"));
  };
}

// A file that the user names may be a pipe, unless it goes to another machine.
absl::StatusOr<std::string> ReadSource(const std::string& path, const SourceOptions& options,
                                       const ReadFile& read) {
  const uint64_t most = std::max(options.module_bytes, options.glsl_bytes);
  const bool confined = options.confined && !options.may_leave;
  const bool may_be_pipe = options.tree.empty() && (path == "-" || !confined);
  return may_be_pipe ? ReadWholeFile(path, most) : read(path, most);
}

// Returns `read` that also adds the files it reads to `files`. Their names are those that
// ResolveIncludes gives them.
ReadFile Noting(const ReadFile& read, const std::string& root, std::vector<SourceFile>* files) {
  if (files == nullptr) return read;
  return [=](const std::string& path, uint64_t most) {
    absl::StatusOr<std::string> text = read(path, most);
    if (text.ok()) files->push_back({path, NameOfInclude(path, root)});
    return text;
  };
}

bool IsHlsl(const std::string& name, const SourceOptions& options) {
  if (options.language != Language::kByName) return options.language == Language::kHlsl;
  return IsHlslFileName(name);
}

// Sets the text of a source of GLSL or HLSL.
absl::Status SetText(const std::string& path, const std::string& name, const std::string& text,
                     const SourceOptions& options, const ReadFile& read, CompileRequest* request,
                     std::vector<MissingInclude>* missing) {
  std::string stage = options.stage.empty() ? StageFromFileName(name) : options.stage;
  if (stage.empty()) {
    return Invalid(name,
                   IsHlsl(name, options)
                       ? std::string("the stage is not known; give a profile, -T ps_6_0, or a "
                                     "name such as blur.ps.hlsl or blur.frag.hlsl")
                       : absl::StrCat("the stage is not known; give --stage=STAGE (", StageNames(),
                                      ") or a name such as blur.comp or blur.comp.glsl"),
                   "no_stage");
  }
  if (text.find('\0') != std::string::npos) {
    return Invalid(name, "is neither SPIR-V nor text", "not_text");
  }
  GlslSource* glsl = request->mutable_glsl();
  glsl->set_name(ValidUtf8(name));
  glsl->set_stage(stage);
  glsl->set_text(ValidUtf8(text));
  AddDefines(options.defines, glsl);
  if (IsHlsl(name, options)) {
    *glsl->mutable_hlsl() = options.hlsl;
    glsl->mutable_hlsl()->set_entry_point(request->entry_point());
  }
  IncludeLimits limits{options.include_files, options.glsl_bytes};
  absl::Status status =
      ResolveIncludes(path, {options.folders, options.root}, limits, read, glsl, missing);
  bool too_large = absl::IsResourceExhausted(status);
  return WithForeignCause(std::move(status), too_large ? "too_large" : "include_error");
}

}  // namespace

absl::Status LoadSource(const std::string& path, const std::string& name,
                        const SourceOptions& options, CompileRequest* request,
                        std::vector<MissingInclude>* missing, std::vector<SourceFile>* files) {
  if (files != nullptr && path != "-") files->push_back({path, ValidUtf8(name)});
  for (absl::Status status : {CheckName(name), CheckOutput(options.output)}) {
    if (!status.ok()) return WithForeignCause(std::move(status), "cannot_read");
  }
  const ReadFile read = Reader(path, options);
  absl::StatusOr<std::string> bytes = ReadSource(path, options, read);
  if (!bytes.ok()) {
    bool large = absl::IsResourceExhausted(bytes.status());
    return WithForeignCause(bytes.status(), large ? "too_large" : "cannot_read");
  }
  if (bytes->empty()) return Invalid(name, "is empty", "empty_file");
  if (BeginsWithMagic(*bytes) || absl::EndsWith(name, ".spv")) {
    if (absl::Status status = CheckSpirv(name, *bytes); !status.ok()) return status;
    request->set_spirv(*std::move(bytes));
    return absl::OkStatus();
  }
  if (const std::string other = DescribeOtherFormat(name, *bytes); !other.empty()) {
    return Invalid(name, other, "other_format");
  }
  return SetText(path, name, *bytes, options, Noting(read, options.root, files), request, missing);
}

std::string DescribeMissing(const std::vector<MissingInclude>& missing,
                            const std::vector<std::string>& folders) {
  std::string text;
  for (const MissingInclude& m : missing) {
    std::string where = folders.empty() ? "" : absl::StrCat("in ", absl::StrJoin(folders, ", "));
    if (!m.line.angle) where = absl::StrCat("beside it", where.empty() ? "" : ", ", where);
    if (where.empty()) where = "in no folder, as no -I is given";
    absl::StrAppend(&text, text.empty() ? "" : "\n", m.includer, ":", m.line.line,
                    ": this include was not found: ", Quoted(m.line.spelled), " (looked ", where,
                    "); name its folder with -I DIR");
  }
  return text;
}

std::string EntryPointOf(const GlslSource& text) {
  return text.hlsl().entry_point().empty() ? "main" : text.hlsl().entry_point();
}

absl::Status CheckDefine(const std::string& define) {
  std::string name = define.substr(0, define.find('='));
  bool good = !name.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(name[0]));
  for (char c : name) good &= absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  if (good && define.find('\n') == std::string::npos) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("-D ", define, ": must be NAME or NAME=VALUE, where NAME is an identifier"));
}

}  // namespace kiln::client
