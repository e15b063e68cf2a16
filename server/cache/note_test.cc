// Tests notes: what is read again, and what damage makes unknown.
#include "server/cache/note.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "server/files/own.h"

namespace kiln::cache {
namespace {

class NoteTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string path = testing::TempDir() + "/note";
    std::filesystem::remove(path);
    file_ = files::Descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_TRUE(file_.ok());
  }
  files::Descriptor file_;
};

TEST_F(NoteTest, IsReadAgain) {
  EXPECT_EQ(ReadNote(file_.get()).salt, 0u);
  ASSERT_TRUE(WriteNote(file_.get(), {7, 3, 1000, 42, 8}));
  const Note note = ReadNote(file_.get());
  EXPECT_EQ(note.written, 7u);
  EXPECT_EQ(note.gone, 3u);
  EXPECT_EQ(note.invalid_bytes, 1000u);
  EXPECT_EQ(note.salt, 42u);
  EXPECT_EQ(note.not_erased, 8u);
  ASSERT_TRUE(WriteNote(file_.get(), {7, 3, 1000, 42, 0}));
  EXPECT_EQ(ReadNote(file_.get()).not_erased, 0u);
}

// The note of versions before there was a salt.
TEST_F(NoteTest, OfAnEarlierVersionHasTheFirstNumber) {
  const uint64_t words[] = {7, ~uint64_t{7}};
  ASSERT_EQ(pwrite(file_.get(), words, sizeof words, 0), static_cast<ssize_t>(sizeof words));
  EXPECT_EQ(ReadNote(file_.get()).written, 7u);
  EXPECT_EQ(ReadNote(file_.get()).salt, 0u);
  EXPECT_EQ(ReadNote(file_.get()).not_erased, 0u);
}

TEST_F(NoteTest, AFlippedBitCostsOneNumberAndNeverTheSalt) {
  ASSERT_TRUE(WriteNote(file_.get(), {7, 3, 1000, 42, 8}));
  const off_t size = lseek(file_.get(), 0, SEEK_END);
  for (off_t at = 0; at < size; ++at) {
    char byte = 0;
    ASSERT_EQ(pread(file_.get(), &byte, 1, at), 1);
    const char altered = static_cast<char>(byte ^ 0x10);
    ASSERT_EQ(pwrite(file_.get(), &altered, 1, at), 1);
    const Note note = ReadNote(file_.get());
    EXPECT_EQ(note.salt, 42u) << at;
    EXPECT_TRUE(note.written == 7 || note.written == 0) << at;
    ASSERT_EQ(pwrite(file_.get(), &byte, 1, at), 1);
  }
}

}  // namespace
}  // namespace kiln::cache
