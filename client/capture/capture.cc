// A capture of Fossilize: see capture.h.
#include "client/capture/capture.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/capture/entry_json.h"
#include "client/capture/module_code.h"
#include "client/cli/paths.h"

namespace kiln::client {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kEnding = ".foz";
constexpr FozTag kPipelineTags[] = {FozTag::kGraphicsPipeline, FozTag::kComputePipeline,
                                    FozTag::kRayTracingPipeline};

// Splits "base.7" of a path without its ending; false: there is no number.
bool SplitNumber(absl::string_view stem, absl::string_view* base, uint64_t* number) {
  const size_t dot = stem.rfind('.');
  if (dot == absl::string_view::npos || dot == 0 || stem[dot - 1] == '/') return false;
  const absl::string_view digits = stem.substr(dot + 1);
  if (digits.empty() || digits.size() > 9 ||
      digits.find_first_not_of("0123456789") != absl::string_view::npos) {
    return false;
  }
  *base = stem.substr(0, dot);
  return absl::SimpleAtoi(digits, number);
}

// Returns the files of the capture that exist, base.foz first.
std::vector<std::string> FilesOf(const std::string& base) {
  std::error_code error;
  std::vector<std::string> files;
  if (fs::exists(base, error)) files.push_back(base);
  const std::string folder = FolderOf(base);
  std::map<uint64_t, std::string> numbered;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    absl::string_view stem = name, own;
    uint64_t number = 0;
    if (!absl::ConsumeSuffix(&stem, kEnding) || !SplitNumber(stem, &own, &number)) continue;
    if (absl::StrCat(own, kEnding) == NameOf(base)) {
      numbered.emplace(number, JoinPath(folder, name));
    }
  }
  for (auto& [number, file] : numbered) files.push_back(std::move(file));
  return files;
}

}  // namespace

std::string PipelineKindWord(FozTag kind) {
  switch (kind) {
    case FozTag::kGraphicsPipeline: return "graphics";
    case FozTag::kComputePipeline: return "compute";
    case FozTag::kRayTracingPipeline: return "ray_tracing";
    default: return "";
  }
}

std::string PipelineId::Name() const {
  return absl::StrCat(PipelineKindWord(kind), "/", HashText(hash));
}

bool IsCaptureName(absl::string_view path) { return absl::EndsWith(path, kEnding); }

std::string CaptureBase(absl::string_view path) {
  absl::string_view stem = path, base;
  uint64_t number = 0;
  if (!absl::ConsumeSuffix(&stem, kEnding) || !SplitNumber(stem, &base, &number)) {
    return std::string(path);
  }
  return absl::StrCat(base, kEnding);
}

absl::StatusOr<std::unique_ptr<Capture>> Capture::Open(const std::string& base) {
  const std::vector<std::string> files = FilesOf(base);
  if (files.empty()) return absl::NotFoundError(absl::StrCat(base, ": there is no such file"));
  std::unique_ptr<Capture> capture(new Capture);
  for (const std::string& path : files) {
    absl::StatusOr<std::unique_ptr<FozFile>> file = FozFile::Open(path);
    if (!file.ok()) return file.status();
    if (!(*file)->trouble().empty()) {
      absl::StrAppend(&capture->trouble_, capture->trouble_.empty() ? "" : "; ", path, ": ",
                      (*file)->trouble());
    }
    capture->files_.push_back(*std::move(file));
  }
  capture->ListPipelines();
  return capture;
}

void Capture::ListPipelines() {
  for (const FozTag tag : kPipelineTags) {
    std::vector<uint64_t> hashes;
    for (const auto& file : files_) {
      const std::vector<uint64_t> own = file->Hashes(tag);
      hashes.insert(hashes.end(), own.begin(), own.end());
    }
    std::sort(hashes.begin(), hashes.end());
    hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
    for (const uint64_t hash : hashes) pipelines_.push_back({tag, hash});
  }
}

absl::StatusOr<std::string> Capture::Payload(FozTag tag, uint64_t hash) const {
  absl::Status status = absl::NotFoundError("no file of the capture has it");
  for (const auto& file : files_) {
    const FozEntry* entry = file->Find(tag, hash);
    if (entry == nullptr) continue;
    absl::StatusOr<std::string> payload = file->Read(*entry);
    if (payload.ok()) return payload;
    status = payload.status();
  }
  return status;
}

absl::StatusOr<std::string> Capture::Module(uint64_t hash) const {
  const absl::StatusOr<std::string> payload = Payload(FozTag::kModule, hash);
  return payload.ok() ? ModuleCode(*payload, hash) : payload.status();
}

}  // namespace kiln::client
