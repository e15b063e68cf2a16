// Tests caches.h: which copies a load may be answered from, and that it never goes back in time.
#include "core/sim/rdna2/caches.h"

#include <functional>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr uint64_t kLine = 0;
constexpr uint32_t kHere = 0, kSameWgp = 1, kSameArray = 2, kOtherArray = 4;

struct Machine {
  explicit Machine(uint64_t seed)
      : random(seed), history(kLineBytes, 1000), caches(random, history) {}

  Splitmix random;
  scene::MemoryHistory history;
  Caches caches;

  void Store(uint32_t cu) {
    const std::vector<uint8_t> before(4);
    history.Change(kLine, before);
    caches.Change(cu, kLine, 0, before.size());
  }
  uint64_t Load(uint32_t cu, Nearest nearest) {
    return caches.Load(cu, false, kLine, nearest).TimeOf(0);
  }
};

// Returns the times that a load may see in any run.
std::set<uint64_t> Times(const std::function<uint64_t(Machine&)>& run) {
  std::set<uint64_t> times;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Machine machine(seed);
    times.insert(run(machine));
  }
  return times;
}

std::set<uint64_t> TimesAfterStore(uint32_t by, Nearest nearest) {
  return Times([=](Machine& m) {
    m.Load(kHere, Nearest::kOwn);
    m.Store(by);
    return m.Load(kHere, nearest);
  });
}

TEST(Caches, StoresOfOthersAreSeenByBits) {
  const std::set<uint64_t> both = {0, 1}, fresh = {1};
  EXPECT_EQ(TimesAfterStore(kHere, Nearest::kOwn), fresh);
  EXPECT_EQ(TimesAfterStore(kSameWgp, Nearest::kOwn), both);
  EXPECT_EQ(TimesAfterStore(kSameWgp, Nearest::kOwnElseL2), both);
  EXPECT_EQ(TimesAfterStore(kSameWgp, Nearest::kArray), fresh);
  EXPECT_EQ(TimesAfterStore(kSameArray, Nearest::kArray), fresh);
  EXPECT_EQ(TimesAfterStore(kOtherArray, Nearest::kArray), both);
  EXPECT_EQ(TimesAfterStore(kOtherArray, Nearest::kL2), fresh);
}

TEST(Caches, CopiesMayBeOthers) {
  const std::set<uint64_t> both = {0, 1};
  EXPECT_EQ(Times([](Machine& m) {
              m.Store(kSameWgp);
              return m.Load(kHere, Nearest::kOwn);
            }),
            both);
}

TEST(Caches, InvalidatesEmptyOneLevel) {
  const auto after = [](uint32_t by, bool vector, bool array) {
    return Times([=](Machine& m) {
      m.Load(kHere, Nearest::kOwn);
      m.Store(by);
      if (array) m.caches.EmptyArray(kHere);
      if (vector) m.caches.EmptyVector(kHere);
      return m.Load(kHere, Nearest::kOwn);
    });
  };
  const std::set<uint64_t> both = {0, 1}, fresh = {1};
  EXPECT_EQ(after(kSameWgp, true, false), fresh);
  EXPECT_EQ(after(kSameWgp, false, true), both);
  EXPECT_EQ(after(kOtherArray, true, false), both);
  EXPECT_EQ(after(kOtherArray, false, true), both);
  EXPECT_EQ(after(kOtherArray, true, true), fresh);
}

// L0 may be filled again from an old L1 between the two.
TEST(Caches, TheArraysCacheIsEmptiedBeforeTheOwn) {
  const auto after = [](bool own_first, bool loads) {
    return Times([=](Machine& m) {
      if (loads) m.Load(kHere, Nearest::kOwn);
      m.Store(kOtherArray);
      if (own_first) m.caches.EmptyVector(kHere);
      m.caches.EmptyArray(kHere);
      if (!own_first) m.caches.EmptyVector(kHere);
      return m.Load(kHere, Nearest::kOwn);
    });
  };
  for (const bool loads : {false, true}) {
    EXPECT_EQ(after(true, loads), (std::set<uint64_t>{0, 1}));
    EXPECT_EQ(after(false, loads), (std::set<uint64_t>{1}));
  }
}

TEST(Caches, TheScalarCacheIsNotCoherent) {
  const auto after = [](bool empties) {
    return Times([=](Machine& m) {
      m.caches.Load(kHere, true, kLine, Nearest::kOwn);
      m.Store(kHere);
      if (empties) m.caches.EmptyScalar(kSameWgp);
      return m.caches.Load(kHere, true, kLine, Nearest::kOwn).TimeOf(0);
    });
  };
  EXPECT_EQ(after(false), (std::set<uint64_t>{0, 1}));
  EXPECT_EQ(after(true), (std::set<uint64_t>{1}));
}

// Plain loads of one CU of a line, beside loads with bits, stores and invalidates of any.
TEST(Caches, PlainLoadsNeverGoBack) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Machine m(seed);
    std::vector<uint64_t> last(kCus);
    for (int i = 0; i < 60; ++i) {
      const uint32_t cu = m.random.Draw(kCus);
      switch (m.random.Draw(6)) {
        case 0: m.Store(cu); break;
        case 1: m.caches.EmptyVector(cu); break;
        case 2: m.caches.EmptyArray(cu); break;
        case 3: m.Load(cu, Nearest::kL2); break;
        default: {
          const uint64_t time = m.Load(cu, Nearest::kOwn);
          ASSERT_GE(time, last[cu]) << "seed " << seed << " step " << i;
          ASSERT_LE(time, m.history.now());
          last[cu] = time;
        }
      }
    }
  }
}

}  // namespace
}  // namespace kiln::sim::rdna2
