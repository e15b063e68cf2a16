// A file of lines that is written while a batch runs: --jsonl.
//
// The file holds whole lines at every time, as far as possible: lines are collected and written
// together, and when the disk becomes full in the middle of one, the file is cut back to the line
// before (pipes cannot be). Then nothing more is written: lines after a gap would break the order.
#ifndef KILN_CLIENT_CLI_LINE_FILE_H_
#define KILN_CLIENT_CLI_LINE_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace kiln::client {

class LineFile {
 public:
  // `flag` is for messages: "--jsonl".
  explicit LineFile(std::string flag) : flag_(std::move(flag)) {}
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  // "-": standard output; "": no file, and writing does nothing. Empties an existing file. Waits
  // for the reader of a FIFO. InvalidArgument: the file is one of `inputs`, and is not emptied.
  absl::Status Open(const std::string& name, const std::vector<std::string>& inputs = {});
  bool wanted() const { return fd_ >= 0; }
  bool is_stdout() const { return wanted() && name_ == "-"; }

  // Errors are those of WriteError; the first one is kept and returned again.
  absl::Status Write(const std::vector<std::string>& lines);
  absl::Status Flush();

 private:
  const std::string flag_;
  std::string name_;
  int fd_ = -1;
  std::string pending_;  // whole lines
  absl::Status error_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_CLI_LINE_FILE_H_
