// Tests that a process without memory ends with its last words, in whichever way it asked.
#include "server/memory/exhausted.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
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

// Limits the address space to little more than is mapped now.
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

// These functions take memory until the process ends.
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

void EndOnSignals() {
  struct sigaction action = {};
  action.sa_sigaction = [](int signal, siginfo_t* info, void*) {
    EndIfExhausted(signal, *info);
    raise(signal);
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_SIGINFO);
  for (int signal : {SIGABRT, SIGSEGV}) sigaction(signal, &action, nullptr);
}

// Like gRPC, does not check what malloc returns; for small blocks and large ones.
void TakeByMalloc(size_t bytes) {
  EndWhenExhausted(SayIt);
  EndOnSignals();
  LimitAddressSpace();
  for (;;) *static_cast<char volatile*>(malloc(bytes)) = 1;
}

void AccessNull() {
  EndWhenExhausted(SayIt);
  EndOnSignals();
  char* volatile null = nullptr;
  null[0x20] = 1;
}

// One thread after the other, each with an arena of its own, which still has all that was freed
// when the next thread takes as much: 512 MiB in all.
void FreeInManyThreads() {
  EndWhenExhausted(SayIt);
  LimitAddressSpace();
  std::atomic<int> done = 0;
  for (int i = 0; i < 8; ++i) {
    std::thread([&done] {
      std::vector<std::string> all;
      while (all.size() < 64) all.emplace_back(1 << 20, 'x');
      all.clear();
      ++done;
      done.notify_one();
      for (;;) pause();
    }).detach();
    done.wait(i);
  }
  _exit(0);
}

void AbortWith(bool memory) {
  EndWhenExhausted(SayIt);
  EndOnSignals();
  if (!memory) LimitAddressSpace();
  const auto map = [] {
    return mmap(nullptr, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  };
  while (!memory && map() != MAP_FAILED) {
  }
  abort();
}

TEST_F(ExhaustedDeathTest, NewEndsWithOneLine) {
  EXPECT_EXIT(TakeByNew(), testing::ExitedWithCode(kExhaustedExitCode), "^no more memory\n$");
}

TEST_F(ExhaustedDeathTest, OfManyThreadsOneSpeaks) {
  EXPECT_EXIT(TakeByManyThreads(), testing::ExitedWithCode(kExhaustedExitCode),
              "^no more memory\n$");
}

TEST_F(ExhaustedDeathTest, MallocThatNothingLooksAtEndsWithOneLine) {
  for (size_t bytes : {size_t{100}, size_t{8} << 10, size_t{1} << 20, size_t{16} << 20}) {
    EXPECT_EXIT(TakeByMalloc(bytes), testing::ExitedWithCode(kExhaustedExitCode),
                "^no more memory\n$")
        << bytes;
  }
}

TEST_F(ExhaustedDeathTest, WhatIsFreeIsGivenBackFirst) {
  EXPECT_EXIT(FreeInManyThreads(), testing::ExitedWithCode(0), "^$");
}

// As libraries do if something other than malloc is refused.
TEST_F(ExhaustedDeathTest, AbortForWantOfMemory) {
  EXPECT_EXIT(AbortWith(false), testing::ExitedWithCode(kExhaustedExitCode), "^no more memory\n$");
}

TEST_F(ExhaustedDeathTest, AnyOtherNullPointerIsOne) {
  EXPECT_EXIT(AccessNull(), testing::KilledBySignal(SIGSEGV), "^$");
}

TEST_F(ExhaustedDeathTest, AnyOtherAbortIsOne) {
  EXPECT_EXIT(AbortWith(true), testing::KilledBySignal(SIGABRT), "^$");
}

}  // namespace
}  // namespace kiln::memory
