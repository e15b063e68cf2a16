// Checks every result against the hardware's abilities, and in examples which of the possible
// results it is.
#include "core/intel/abi/attribute_numbers.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "core/base/cause.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using Slots = std::vector<std::optional<uint32_t>>;
using Numbers = std::vector<uint32_t>;

constexpr uint32_t kLocations = 4;  // the slot of location 0

Slots Range(uint32_t first, uint32_t end) {
  Slots slots;
  for (uint32_t s = first; s < end; ++s) slots.emplace_back(s);
  return slots;
}

Slots With(Slots slots, const Slots& more) {
  slots.insert(slots.end(), more.begin(), more.end());
  return slots;
}

Numbers Of(const Slots& slots) {
  const absl::StatusOr<Numbers> numbers = NumberAttributes(slots);
  EXPECT_TRUE(numbers.ok()) << numbers.status();
  return numbers.value_or(Numbers());
}

TEST(AttributeNumbers, UpToSixteenAreDense) {
  EXPECT_EQ(Of({}), Numbers());
  EXPECT_EQ(Of({std::nullopt}), Numbers({0}));
  EXPECT_EQ(Of({9, 30, 30, std::nullopt}), Numbers({0, 1, 2, 3}));
  EXPECT_EQ(Of(Range(5, 21))[15], 15u);
}

TEST(AttributeNumbers, DenseSlotsHaveTheirOwnNumbers) {
  for (const uint32_t count : {17u, 32u}) {
    const Numbers numbers = Of(Range(kLocations, kLocations + count));
    for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(numbers[i], i);
  }
}

// Vertices are read from an even slot on: location 1 is the second one, location 17 the 18th.
TEST(AttributeNumbers, TheFirstSlotIsEven) {
  const Numbers numbers = Of(Range(kLocations + 1, kLocations + 18));
  EXPECT_EQ(numbers[14], 14u);
  EXPECT_EQ(numbers[15], 16u) << "location 16";
  EXPECT_EQ(numbers[16], 15u) << "location 17";
}

TEST(AttributeNumbers, SlotsWithGaps) {
  const Numbers numbers = Of(With(Range(kLocations, kLocations + 15), {24, 26, 28}));
  EXPECT_EQ(numbers[15], 20u);
  EXPECT_EQ(numbers[16], 22u);
  EXPECT_EQ(numbers[17], 15u) << "the highest is routed";
}

TEST(AttributeNumbers, WhatFixedFunctionsMakeFillsGaps) {
  const Numbers numbers =
      Of(With(Range(kLocations, kLocations + 16), {kLocations + 18, std::nullopt, std::nullopt}));
  EXPECT_EQ(numbers[16], 18u);
  EXPECT_EQ(numbers[17], 16u);
  EXPECT_EQ(numbers[18], 17u);
}

TEST(AttributeNumbers, RefusesWhatCannotBeDelivered) {
  const auto cause = [](const Slots& slots) { return CauseOf(NumberAttributes(slots).status()); };
  EXPECT_EQ(cause({2, 33}), "ok");
  EXPECT_EQ(cause({3, 33}), "ok");
  EXPECT_EQ(cause({2, 34}), "fragment_inputs");
  EXPECT_EQ(cause(With({4}, Range(4, 24))), "fragment_inputs") << "17 of the first 16 slots";
  EXPECT_EQ(cause(With({20}, Range(4, 24))), "fragment_inputs") << "slot 20 twice";
  EXPECT_EQ(cause(With({23}, Range(5, 24))), "ok") << "slot 23 twice, slot 4 not";
  EXPECT_EQ(cause(With({std::nullopt}, Range(4, 35))), "ok");
  EXPECT_EQ(cause(With({std::nullopt}, Range(4, 36))), "fragment_inputs");
}

// Checks against the abilities of 3DSTATE_SBE and 3DSTATE_SBE_SWIZ, written independently of the
// code.
void ExpectDeliverable(const Slots& slots, const Numbers& numbers) {
  ASSERT_EQ(numbers.size(), slots.size());
  uint32_t first = 1000;
  for (const auto& s : slots) {
    if (s) first = std::min(first, *s & ~1u);
  }
  EXPECT_EQ(std::set<uint32_t>(numbers.begin(), numbers.end()).size(), numbers.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    EXPECT_LT(numbers[i], 32u);
    if (!slots[i]) continue;
    EXPECT_LT(*slots[i] - first, 32u);
    if (numbers[i] < 16) continue;
    EXPECT_EQ(numbers[i], *slots[i] - first);
  }
}

TEST(AttributeNumbers, AnySetIsDeliverableOrRefused) {
  std::mt19937 random(1);
  int accepted = 0, refused = 0, beyond = 0;
  for (int round = 0; round < 3000; ++round) {
    Slots slots;
    const uint32_t chance = random() % 4 + 1;
    for (uint32_t s = 2; s < 36; ++s) {
      if (random() % 4 < chance) slots.emplace_back(s);
      if (random() % 16 == 0) slots.emplace_back(s);
    }
    for (uint32_t made = random() % 3; made > 0; --made) slots.emplace_back();
    const absl::StatusOr<Numbers> numbers = NumberAttributes(slots);
    if (!numbers.ok()) {
      EXPECT_EQ(CauseOf(numbers.status()), "fragment_inputs");
      ++refused;
      continue;
    }
    ++accepted;
    beyond += std::any_of(numbers->begin(), numbers->end(), [](uint32_t n) { return n >= 16; });
    ExpectDeliverable(slots, *numbers);
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 500);
  EXPECT_GT(beyond, 200);
}

}  // namespace
}  // namespace kiln::intel
