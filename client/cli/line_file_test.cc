// Lines in files, pipes and on full disks.
#include "client/cli/line_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "client/cli/paths.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;

std::string Path(const char* name) { return testing::TempDir() + "/line_file_" + name; }

TEST(LineFile, WholeLinesInOrder) {
  const std::string path = Path("a");
  ASSERT_TRUE(WriteWholeFile(path, "of an earlier run\n").ok());
  LineFile file("--jsonl");
  ASSERT_TRUE(file.Open(path).ok());
  ASSERT_TRUE(file.Write({"one", "two"}).ok());
  ASSERT_TRUE(file.Write({}).ok());
  ASSERT_TRUE(file.Flush().ok());
  EXPECT_EQ(ReadWholeFile(path, 100).value(), "one\ntwo\n");
  LineFile none("--jsonl");
  ASSERT_TRUE(none.Open("").ok());
  EXPECT_FALSE(none.wanted());
  EXPECT_TRUE(none.Write({"x"}).ok());
}

TEST(LineFile, AFullDisk) {
  LineFile file("--jsonl");
  ASSERT_TRUE(file.Open("/dev/full").ok());
  EXPECT_TRUE(file.Write({"one"}).ok());
  const absl::Status full = file.Flush();
  EXPECT_TRUE(absl::IsPermissionDenied(full)) << full;
  EXPECT_THAT(std::string(full.message()),
              HasSubstr("--jsonl=/dev/full: cannot write: No space left"));
  EXPECT_EQ(file.Flush(), full);
  EXPECT_EQ(file.Write({"two"}), full);
}

TEST(LineFile, AnInputIsNotEmptied) {
  const std::string path = Path("input");
  ASSERT_TRUE(WriteWholeFile(path, "precious").ok());
  const std::string link = Path("input_link");
  unlink(link.c_str());
  ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
  for (const std::string& name : {path, link}) {
    LineFile file("--jsonl");
    const absl::Status same = file.Open(name, {"", "/nowhere", path});
    EXPECT_TRUE(absl::IsInvalidArgument(same)) << same;
    EXPECT_THAT(std::string(same.message()), HasSubstr(path + ", which is also an input"));
    EXPECT_EQ(ReadWholeFile(path, 100).value(), "precious");
  }
  LineFile other("--jsonl");
  EXPECT_TRUE(other.Open(link, {"/nowhere"}).ok());
  EXPECT_EQ(ReadWholeFile(path, 100).value(), "");
}

// A limit on the size of files stands in for the end of the disk.
TEST(LineFile, ADiskThatIsFullInTheMiddleOfALine) {
  const std::string path = Path("full");
  const auto before = signal(SIGXFSZ, SIG_IGN);
  rlimit limit = {};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small = {1000, limit.rlim_max};
  {
    LineFile file("--jsonl");
    ASSERT_TRUE(file.Open(path).ok());
    setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_TRUE(file.Write({std::string(400, 'a'), std::string(400, 'b')}).ok());
    EXPECT_TRUE(file.Flush().ok());
    EXPECT_TRUE(file.Write({std::string(100, 'c'), std::string(400, 'd')}).ok());
    EXPECT_FALSE(file.Flush().ok());
    EXPECT_FALSE(file.Write({"e"}).ok());
    EXPECT_FALSE(file.Flush().ok());
  }
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, before);
  EXPECT_EQ(
      ReadWholeFile(path, 2000).value(),
      std::string(400, 'a') + "\n" + std::string(400, 'b') + "\n" + std::string(100, 'c') + "\n");
}

TEST(LineFile, AReaderThatLeaves) {
  const auto before = signal(SIGPIPE, SIG_IGN);
  const std::string path = Path("fifo");
  unlink(path.c_str());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread reader([&] {
    FILE* f = fopen(path.c_str(), "r");
    EXPECT_EQ(fgetc(f), 'o');
    fclose(f);
  });
  LineFile file("--jsonl");
  ASSERT_TRUE(file.Open(path).ok());  // waits for the reader
  EXPECT_TRUE(file.Write({"one"}).ok());
  EXPECT_TRUE(file.Flush().ok());
  reader.join();
  EXPECT_TRUE(file.Write({"two"}).ok());
  EXPECT_TRUE(ReaderIsGone(file.Flush()));
  signal(SIGPIPE, before);
}

}  // namespace
}  // namespace kiln::client
