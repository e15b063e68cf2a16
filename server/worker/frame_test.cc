// Tests frames between parent and worker: round trips, split and hostile input.
#include "server/worker/frame.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "proto/worker.pb.h"

namespace kiln::worker {
namespace {

class FrameTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fd_), 0); }
  void TearDown() override {
    close(fd_[0]);
    if (fd_[1] >= 0) close(fd_[1]);
  }
  void Send(const std::string& bytes) {
    ASSERT_EQ(write(fd_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void HangUp() {
    close(fd_[1]);
    fd_[1] = -1;
  }
  int fd_[2];
};

Job Sample() {
  Job job;
  job.set_id(42);
  job.mutable_compile()->set_spirv(std::string(1000, 's'));
  return job;
}

TEST_F(FrameTest, RoundTrip) {
  ASSERT_TRUE(WriteFrame(fd_[1], Sample()).ok());
  Job got;
  ASSERT_TRUE(ReadFrame(fd_[0], &got).ok());
  EXPECT_EQ(got.id(), 42u);
  EXPECT_EQ(got.compile().spirv().size(), 1000u);
}

TEST_F(FrameTest, EndBetweenAndInsideFrames) {
  std::string frame;
  ASSERT_TRUE(AppendFrame(Sample(), &frame).ok());
  Send(frame.substr(0, frame.size() / 2));
  HangUp();
  Job got;
  EXPECT_TRUE(absl::IsUnavailable(ReadFrame(fd_[0], &got)));
  EXPECT_TRUE(absl::IsOutOfRange(ReadFrame(fd_[0], &got)));
}

TEST_F(FrameTest, ALengthBeyondTheLimitIsRefusedUnread) {
  Send("\xff\xff\xff\x7f");
  Job got;
  EXPECT_TRUE(absl::IsDataLoss(ReadFrame(fd_[0], &got)));
}

TEST_F(FrameTest, ReaderPutsPiecesTogether) {
  std::string frames;
  ASSERT_TRUE(AppendFrame(Sample(), &frames).ok());
  ASSERT_TRUE(AppendFrame(Sample(), &frames).ok());
  FrameReader reader;
  int count = 0;
  for (size_t i = 0; i < frames.size(); i += 100) {
    Send(frames.substr(i, 100));
    ASSERT_TRUE(reader.Fill(fd_[0]).ok());
    Job got;
    bool taken = true;
    while (taken) {
      ASSERT_EQ(reader.Take(&got, &taken), absl::StatusCode::kOk);
      count += taken ? 1 : 0;
    }
  }
  EXPECT_EQ(count, 2);
}

TEST_F(FrameTest, ReaderNamesGarbageAndTheEnd) {
  FrameReader reader;
  Send(std::string("\x04\0\0\0\xff\xff\xff\xff", 8));
  ASSERT_TRUE(reader.Fill(fd_[0]).ok());
  Job got;
  bool taken = false;
  EXPECT_EQ(reader.Take(&got, &taken), absl::StatusCode::kDataLoss);
  HangUp();
  EXPECT_TRUE(absl::IsOutOfRange(reader.Fill(fd_[0])));
}

TEST_F(FrameTest, AReaderGivesBackWhatALargeFrameTook) {
  Job large = Sample();
  large.mutable_compile()->set_spirv(std::string(8 << 20, 's'));
  std::string frame;
  ASSERT_TRUE(AppendFrame(large, &frame).ok());
  FrameReader reader;
  FrameWriter writer(frame);
  Job got;
  for (bool taken = false; !taken;) {
    if (!writer.done()) {
      ASSERT_TRUE(writer.Send(fd_[1]).ok());
    }
    ASSERT_TRUE(reader.Fill(fd_[0]).ok());
    ASSERT_EQ(reader.Take(&got, &taken), absl::StatusCode::kOk);
  }
  EXPECT_EQ(got.compile().spirv().size(), size_t{8} << 20);
  EXPECT_LE(reader.held(), size_t{1} << 20);
  Send(frame.substr(0, 100'000));
  ASSERT_TRUE(reader.Fill(fd_[0]).ok());
  reader.Clear();
  EXPECT_LE(reader.held(), size_t{1} << 10);
}

// The other side does not read.
TEST_F(FrameTest, AWriterDoesNotWait) {
  FrameWriter writer(std::string(8 << 20, 's'));
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(writer.Send(fd_[1]).ok());
  EXPECT_FALSE(writer.done());
  close(fd_[0]);
  EXPECT_TRUE(absl::IsUnavailable(writer.Send(fd_[1])));
  fd_[0] = dup(fd_[1]);
}

TEST_F(FrameTest, WritingWithoutAReaderIsAnErrorNotASignal) {
  close(fd_[0]);
  EXPECT_TRUE(absl::IsUnavailable(WriteFrame(fd_[1], Sample())));
  fd_[0] = dup(fd_[1]);
}

}  // namespace
}  // namespace kiln::worker
