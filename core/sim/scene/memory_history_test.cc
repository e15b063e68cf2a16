// Tests memory_history.h.
#include "core/sim/scene/memory_history.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

using Bytes = std::vector<uint8_t>;

// Memory of 16 bytes, named from 100 on, in lines of 8.
struct Memory {
  Bytes bytes = Bytes(16);
  MemoryHistory history{8, 4};

  void Write(uint64_t at, const Bytes& values) {
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const Bytes before(first, first + static_cast<std::ptrdiff_t>(values.size()));
    history.Change(100 + at, before);
    std::copy(values.begin(), values.end(), first);
  }
  Bytes At(uint64_t time) const {
    Bytes copy = bytes;
    history.Restore(100, time, absl::MakeSpan(copy));
    return copy;
  }
};

TEST(MemoryHistory, RestoresEveryTime) {
  Memory memory;
  std::vector<Bytes> contents = {memory.bytes};
  // Lines end at names 104 and 112: the second change is in two lines.
  memory.Write(0, {1, 2});
  contents.push_back(memory.bytes);
  memory.Write(2, {3, 4, 5});
  contents.push_back(memory.bytes);
  memory.Write(1, {6});
  contents.push_back(memory.bytes);
  EXPECT_EQ(memory.history.now(), 3u);
  EXPECT_EQ(memory.history.oldest(), 0u);
  for (uint64_t t = 0; t < contents.size(); ++t) EXPECT_EQ(memory.At(t), contents[t]) << t;
}

TEST(MemoryHistory, RestoresAPart) {
  Memory memory;
  memory.Write(2, {3, 4, 5});
  Bytes part = {4, 5};
  memory.history.Restore(103, 0, absl::MakeSpan(part));
  EXPECT_EQ(part, Bytes({0, 0}));
}

TEST(MemoryHistory, ForgetsTheOldest) {
  Memory memory;
  for (uint8_t i = 1; i <= 4; ++i) memory.Write(i, {i});
  EXPECT_EQ(memory.history.oldest(), 0u);
  memory.Write(5, {5});
  EXPECT_EQ(memory.history.oldest(), 1u);
  EXPECT_EQ(memory.At(1), Bytes({0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  memory.history.Forget();
  EXPECT_EQ(memory.history.oldest(), memory.history.now());
  EXPECT_EQ(memory.At(5), memory.bytes);
}

TEST(MemoryHistory, CutsLinesByNames) {
  const MemoryHistory history(8, 1);
  std::vector<std::pair<uint64_t, uint64_t>> parts;
  history.ForEachLine(6, 12, [&](uint64_t line, uint64_t offset, uint64_t size) {
    parts.emplace_back(line, size);
    EXPECT_EQ(6 + offset, std::max<uint64_t>(line, 6));
  });
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {{0, 2}, {8, 8}, {16, 2}};
  EXPECT_EQ(parts, expected);
}

}  // namespace
}  // namespace kiln::sim::scene
