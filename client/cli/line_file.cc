// A file of lines: see line_file.h.
#include "client/cli/line_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/cli/paths.h"

namespace kiln::client {
namespace {

constexpr size_t kTogether = size_t{1} << 16;

// Cuts off the beginning of an incomplete line. Has no effect on pipes and devices.
void CutBack(int fd, absl::string_view written) {
  const size_t line_feed = written.rfind('\n');
  const size_t torn = written.size() - (line_feed == absl::string_view::npos ? 0 : line_feed + 1);
  const off_t end = lseek(fd, 0, SEEK_CUR);
  if (torn == 0 || end < static_cast<off_t>(torn)) return;
  if (ftruncate(fd, end - static_cast<off_t>(torn)) != 0) return;
}

}  // namespace

LineFile::~LineFile() {
  if (fd_ > STDERR_FILENO) close(fd_);
}

absl::Status LineFile::Open(const std::string& name, const std::vector<std::string>& inputs) {
  name_ = name;
  if (name.empty()) return absl::OkStatus();
  const std::string what = absl::StrCat(flag_, "=", name);
  fd_ = name == "-" ? STDOUT_FILENO : open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) return WriteError(what, errno);
  struct stat is;
  if (name == "-" || fstat(fd_, &is) != 0 || !S_ISREG(is.st_mode)) return absl::OkStatus();
  for (const std::string& input : inputs) {
    struct stat in;
    if (stat(input.c_str(), &in) != 0 || in.st_dev != is.st_dev || in.st_ino != is.st_ino) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": this is ", input, ", which is also an input"));
  }
  return ftruncate(fd_, 0) == 0 ? absl::OkStatus() : WriteError(what, errno);
}

absl::Status LineFile::Write(const std::vector<std::string>& lines) {
  if (!wanted()) return absl::OkStatus();
  for (const std::string& line : lines) absl::StrAppend(&pending_, line, "\n");
  return pending_.size() < kTogether ? error_ : Flush();
}

absl::Status LineFile::Flush() {
  if (!error_.ok() || pending_.empty()) return error_;
  size_t written = 0;
  error_ = WriteAll(fd_, absl::StrCat(flag_, "=", name_), pending_, &written);
  if (!error_.ok()) CutBack(fd_, absl::string_view(pending_).substr(0, written));
  pending_.clear();
  return error_;
}

}  // namespace kiln::client
