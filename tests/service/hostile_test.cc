// kilnd and clients that use HTTP/2 against it (http2_attacker.py), with bounded traffic: the
// daemon ends those that never make a call, and still answers after those that make calls only to
// reset or ignore them.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/service/kilnd_process.h"

namespace kiln::test {
namespace {

class HostileTest : public testing::Test {
 protected:
  void SetUp() override {
    kilnd_ =
        std::make_unique<KilndProcess>(std::vector<std::string>{"--workers=1", "--idle-time=1s"});
    ASSERT_TRUE(kilnd_->AwaitReady()) << kilnd_->log();
  }
  // Returns the attacker's output.
  std::string Attack(const std::string& what) {
    std::string command = "python3 tests/service/http2_attacker.py " + what +
                          " --server=" + kilnd_->address() +
                          " --pid=" + std::to_string(kilnd_->pid()) + " --connections=4";
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    std::array<char, 4096> bytes;
    while (size_t n = fread(bytes.data(), 1, bytes.size(), pipe)) text.append(bytes.data(), n);
    EXPECT_EQ(pclose(pipe), 0) << what;
    return text;
  }
  static double Figure(const std::string& json, const std::string& name) {
    size_t at = json.find("\"" + name + "\": ");
    return at == std::string::npos ? -1 : atof(json.c_str() + at + name.size() + 4);
  }
  bool Answers() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    kiln::v1::Capabilities capabilities;
    return kilnd_->Stub()->GetCapabilities(&context, {}, &capabilities).ok();
  }

  std::unique_ptr<KilndProcess> kilnd_;
};

// No call begins, so the time that a client may be without one runs out, however much it sends.
TEST_F(HostileTest, HeadersWithoutEndAreEnded) {
  for (std::string attack : {"one_header", "many_headers", "frames", "empty_frames"}) {
    std::string seen = Attack(attack + " --bytes=262144 --seconds=30");
    EXPECT_EQ(Figure(seen, "ended"), 4) << seen;
    EXPECT_LT(Figure(seen, "seconds"), 29) << seen;
    EXPECT_TRUE(Answers()) << seen;
  }
}

// More frames that a server must answer than HTTP/2 permits.
TEST_F(HostileTest, PingsWithoutEndAreEnded) {
  std::string seen = Attack("pings --count=1000 --seconds=30");
  EXPECT_EQ(Figure(seen, "ended"), 4) << seen;
  EXPECT_TRUE(Answers()) << seen;
}

// gRPC 1.51 has no bound that ends these; their memory is returned afterwards.
TEST_F(HostileTest, CallsThatAreResetOrNotReadLeaveADaemonThatAnswers) {
  for (std::string attack : {"reset", "unread", "settings"}) {
    std::string seen = Attack(attack + " --count=500 --seconds=1");
    EXPECT_TRUE(Answers()) << seen;
    EXPECT_LT(Figure(seen, "resident_most"), 300) << seen;
  }
}

}  // namespace
}  // namespace kiln::test
