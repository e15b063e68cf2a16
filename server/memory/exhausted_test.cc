// A process without memory ends with its last words, whichever way it asked.
#include "server/memory/exhausted.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace kiln::memory {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitised = true;  // their allocators end the process themselves
#else
constexpr bool kSanitised = false;
#endif

void SayIt() {
  constexpr char kText[] = "no more memory\n";
  if (write(STDERR_FILENO, kText, strlen(kText)) < 0) _exit(1);
}

// No more than is mapped now, and a little.
void LimitAddressSpace() {
  const rlimit limit = {uint64_t{256} << 20, uint64_t{256} << 20};
  setrlimit(RLIMIT_AS, &limit);
}

class ExhaustedDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitised) GTEST_SKIP() << "a sanitiser's allocator has its own end";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

// Each takes memory until it ends.
void TakeByNew() {
  EndWhenExhausted(SayIt);
  LimitAddressSpace();
  std::vector<std::unique_ptr<char[]>> all;
  for (;;) all.push_back(std::make_unique<char[]>(1 << 20));
}

void TakeByManyThreads() {
  EndWhenExhausted(SayIt);
  LimitAddressSpace();
  const auto take = [] {
    std::vector<std::string> all;
    for (;;) all.emplace_back(64 << 10, 'x');
  };
  std::thread one(take), two(take), three(take);
  take();
}

void AbortWith(bool memory) {
  EndWhenExhausted(SayIt);
  signal(SIGABRT, [](int) { EndIfExhausted(); });
  if (!memory) LimitAddressSpace();
  void* volatile taken = nullptr;  // a compiler may leave out what is not looked at
  do {
    if (!memory) taken = malloc(1 << 20);
  } while (taken != nullptr);
  abort();
}

TEST_F(ExhaustedDeathTest, NewEndsWithOneLine) {
  EXPECT_EXIT(TakeByNew(), testing::ExitedWithCode(kExhaustedExitCode), "^no more memory\n$");
}

TEST_F(ExhaustedDeathTest, OfManyThreadsOneSpeaks) {
  EXPECT_EXIT(TakeByManyThreads(), testing::ExitedWithCode(kExhaustedExitCode),
              "^no more memory\n$");
}

// As gRPC does where malloc gives nothing.
TEST_F(ExhaustedDeathTest, AbortForWantOfMemory) {
  EXPECT_EXIT(AbortWith(false), testing::ExitedWithCode(kExhaustedExitCode), "^no more memory\n$");
}

TEST_F(ExhaustedDeathTest, AnyOtherAbortIsOne) {
  EXPECT_EXIT(AbortWith(true), testing::KilledBySignal(SIGABRT), "^$");
}

}  // namespace
}  // namespace kiln::memory
