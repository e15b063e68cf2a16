// Opens and checks the cache directory: see cache_directory.h.
#include "server/cache/cache_directory.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "server/cache/names.h"

namespace kiln::cache {
namespace {

namespace fs = std::filesystem;

constexpr char kNotAnyEntry[] = "lost+found";
constexpr char kAdvice[] = "name a directory that does not exist yet";

// Removes a slash at the end, which would make the system follow a link.
std::string WithoutEnd(const std::string& path) {
  absl::string_view rest = path;
  while (rest.size() > 1 && (absl::ConsumeSuffix(&rest, "/") ||
                             (absl::EndsWith(rest, "/.") && absl::ConsumeSuffix(&rest, ".")))) {
  }
  return std::string(rest);
}

// Recognises the lock file of earlier versions: a process's id, if there was room for one.
bool IsLockOfAKilnd(int directory) {
  files::Opened lock = files::OpenFile(directory, kLockName, O_RDONLY);
  char text[32];
  const ssize_t n = lock.ok() ? pread(lock.fd.get(), text, sizeof text, 0) : -1;
  return n >= 0 && n < static_cast<ssize_t>(sizeof text) &&
         std::all_of(text, text + n, [](char c) { return c >= '0' && c <= '9'; });
}

// RocksDB makes these two files in each database.
bool IsDatabase(int directory, const std::string& name) {
  const files::Opened database = files::OpenDirectory(directory, name);
  if (!database.ok()) return false;
  for (const char* file : {"CURRENT", "IDENTITY"}) {
    struct stat is;
    if (fstatat(database.fd.get(), file, &is, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(is.st_mode)) {
      return false;
    }
  }
  return true;
}

// Returns words to follow a name: why it is not taken for one of ours.
std::string WhoseItIs(int directory, const std::string& name) {
  struct stat is;
  if (fstatat(directory, name.c_str(), &is, AT_SYMLINK_NOFOLLOW) != 0 || is.st_uid == geteuid()) {
    return "";
  }
  return absl::StrCat(", which belongs to user ", is.st_uid);
}

bool OthersWrite(const struct stat& is) { return (is.st_mode & (S_IWGRP | S_IWOTH)) != 0; }

}  // namespace

absl::StatusOr<std::shared_ptr<const CacheDirectory>> CacheDirectory::Open(const std::string& path,
                                                                           DiskCause* cause) {
  std::shared_ptr<CacheDirectory> directory(new CacheDirectory(WithoutEnd(path)));
  absl::Status s = directory->Make(cause);
  if (s.ok()) s = directory->TakeOwner(cause);
  if (s.ok()) s = directory->TakeMarker(cause);
  if (!s.ok()) return s;
  return directory;
}

absl::Status CacheDirectory::Make(DiskCause* cause) {
  std::error_code made;
  const fs::path parent = fs::path(path_).parent_path();
  if (!parent.empty()) fs::create_directories(parent, made);
  if (!made && mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) {
    made = std::error_code(errno, std::generic_category());
  }
  files::Opened opened = files::OpenDirectory(AT_FDCWD, path_);
  fd_ = std::move(opened.fd);
  if (fd_.ok()) return absl::OkStatus();
  if (opened.unfit.empty()) {
    const int error = made ? made.value() : opened.error;
    *cause = CauseOfErrno(error);
    return absl::UnavailableError(absl::StrCat("cache directory ", path_, " cannot be ",
                                               made ? "created: " : "opened: ", strerror(error)));
  }
  const bool another = absl::StartsWith(opened.unfit, "belongs");
  *cause = another ? DiskCause::kNotOurs : DiskCause::kNotADirectory;
  return absl::UnavailableError(absl::StrCat(
      "cache directory ", path_, " ", opened.unfit,
      another ? ", whose owner could change the results that clients get: chown it, or " : ": ",
      kAdvice));
}

absl::Status CacheDirectory::TakeOwner(DiskCause* cause) {
  struct stat is;
  if (fstat(fd_.get(), &is) != 0) {
    *cause = CauseOfErrno(errno);
    return absl::UnavailableError(absl::StrCat("cache directory ", path_, ": ", strerror(errno)));
  }
  if (!OthersWrite(is)) return absl::OkStatus();
  if (Names().empty()) {
    if (fchmod(fd_.get(), 0700) != 0) {
      *cause = CauseOfErrno(errno);
      return absl::UnavailableError(
          absl::StrCat("cache directory ", path_,
                       " cannot be made inaccessible to other users: ", strerror(errno)));
    }
    // Checked again: other users could still put something there during the first check.
    if (Names().empty()) return absl::OkStatus();
    fchmod(fd_.get(), is.st_mode & 07777);
  }
  *cause = DiskCause::kOpenToOthers;
  return absl::UnavailableError(absl::StrFormat(
      "other users can write to cache directory %s (mode %04o) and may have changed its content: "
      "empty it and chmod 700 it (only chmod if these users are trusted), or %s",
      path_, is.st_mode & 07777, kAdvice));
}

absl::Status CacheDirectory::TakeMarker(DiskCause* cause) {
  const std::vector<std::string> names = Names();
  const bool marker = std::find(names.begin(), names.end(), kMarkerName) != names.end();
  if (!names.empty() && !marker && !IsOfAnEarlierVersion(names)) {
    auto found = std::find_if_not(names.begin(), names.end(), IsOurName);
    if (found == names.end()) {
      found = std::find_if(names.begin(), names.end(), [this](const std::string& name) {
        return !WhoseItIs(fd_.get(), name).empty();
      });
    }
    const std::string& other = found == names.end() ? names.front() : *found;
    *cause = DiskCause::kNotOurs;
    return absl::UnavailableError(absl::StrCat(
        "cache directory ", path_, " was not made by kilnd: there is no ", kMarkerName,
        " in it, but '", absl::CHexEscape(other), "'", WhoseItIs(fd_.get(), other), ": ", kAdvice,
        ", or make an empty file ", kMarkerName, " in it if it is a cache"));
  }
  if (!marker) {
    const files::Opened made = files::OpenFile(fd_.get(), kMarkerName, O_WRONLY | O_CREAT);
    if (!made.ok() && made.unfit.empty()) {
      *cause = CauseOfErrno(made.error);
      return absl::UnavailableError(
          absl::StrCat(path_, "/", kMarkerName, " cannot be created: ", made.Why()));
    }
  }
  if (!IsMarked()) {
    *cause = DiskCause::kNotOurs;
    return absl::UnavailableError(
        absl::StrCat(path_, "/", kMarkerName, " is not a regular file of kilnd's user: remove it"));
  }
  // Earlier versions let other users read.
  fchmod(fd_.get(), 0700);
  return absl::OkStatus();
}

// The marker's contents do not matter: it is never read or written.
bool CacheDirectory::IsMarked() const {
  struct stat is;
  return fstatat(fd_.get(), kMarkerName, &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(is.st_mode) &&
         is.st_uid == geteuid();
}

std::vector<std::string> CacheDirectory::Names() const {
  int error = 0;
  std::vector<std::string> names = files::Names(fd_.get(), &error);
  if (error != 0) return {"what cannot be read"};
  std::erase(names, kNotAnyEntry);
  return names;
}

// Names alone prove nothing: other programs have a `lock` and a `db` too.
bool CacheDirectory::IsOfAnEarlierVersion(const std::vector<std::string>& names) const {
  if (!std::all_of(names.begin(), names.end(), IsOurName)) return false;
  if (names == std::vector<std::string>{kLockName}) return IsLockOfAKilnd(fd_.get());
  return std::any_of(names.begin(), names.end(), [this](const auto& name) {
    return (GenerationNumber(name) != 0 || name == kOldLayoutName) && IsDatabase(fd_.get(), name);
  });
}

bool CacheDirectory::HasDatabase(const std::string& name) const {
  return IsDatabase(fd_.get(), name);
}

std::string ResolvedCacheDirectory(const std::string& path) {
  const std::string name = WithoutEnd(path);
  struct stat link, around;
  const auto trusted = [](const struct stat& is) {
    return is.st_uid == 0 || is.st_uid == geteuid();
  };
  if (lstat(name.c_str(), &link) != 0 || !S_ISLNK(link.st_mode) || !trusted(link)) return path;
  fs::path parent = fs::path(name).parent_path();
  if (parent.empty()) parent = ".";
  if (stat(parent.c_str(), &around) != 0 || !trusted(around)) return path;
  if (OthersWrite(around) && (around.st_mode & S_ISVTX) == 0) return path;
  std::error_code error;
  const fs::path real = fs::canonical(name, error);
  return error ? path : real.string();
}

bool CacheDirectory::IsStillOurs() const {
  struct stat is;
  return files::IsStill(fd_.get(), AT_FDCWD, path_) && fstat(fd_.get(), &is) == 0 &&
         is.st_uid == geteuid() && !OthersWrite(is) && IsMarked();
}

bool CacheDirectory::PutAside(const std::string& name) const {
  return renameat(fd_.get(), name.c_str(), fd_.get(), NewDoomedName().c_str()) == 0;
}

}  // namespace kiln::cache
