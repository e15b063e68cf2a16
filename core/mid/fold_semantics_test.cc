// Folding against the interpreter's definition of each op: two independent implementations, on
// corners and random bits, subnormals kept and flushed.
#include <array>
#include <random>
#include <type_traits>
#include <vector>

#include "core/mid/fold.h"
#include "core/mir/semantics.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using mir::Op;
using mir::Type;

// The interpreter's result.
template <bool kFlush>
std::optional<uint32_t> Defined(Op op, const std::array<uint32_t, 4>& s) {
  std::optional<uint32_t> result;
  mir::semantics::VisitExact<kFlush>(op, [&](auto f) {
    using F = decltype(f);
    if constexpr (std::is_invocable_v<F, uint32_t>) {
      result = f(s[0]);
    } else if constexpr (std::is_invocable_v<F, uint32_t, uint32_t>) {
      result = f(s[0], s[1]);
    } else if constexpr (std::is_invocable_v<F, uint32_t, uint32_t, uint32_t>) {
      result = f(s[0], s[1], s[2]);
    } else {
      result = f(s[0], s[1], s[2], s[3]);
    }
  });
  return result;
}

TEST(FoldSemantics, AgreesWithTheInterpreterOnEveryOp) {
  constexpr uint32_t kCorners[] = {
      0,          1,          2,          5,          31,         32,         33,
      0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000,
      0x40200000, 0x4b000001, 0x4f000000, 0x4f800000, 0xcf000000, 0x7f800000, 0xff800000,
      0x7fc00000, 0x7f800001, 0x00800000, 0x00000123, 0x80000123, 0x33800000, 0x477fefff,
      0x477ff000, 0x38800000, 0x0000fc01, 0x7f7fffff,
  };
  std::mt19937 random(1);
  int ops = 0;
  for (int i = 0; i < mir::NumOps(); ++i) {
    const Op op = static_cast<Op>(i);
    const mir::OpInfo& info = mir::Info(op);
    if (!Defined<false>(op, {1, 1, 1, 1}).has_value()) continue;
    int64_t folded = 0;
    for (int n = 0; n < 40000; ++n) {
      std::array<uint32_t, 4> s;
      for (uint32_t& x : s) {
        x = random() % 3 != 0 ? kCorners[random() % std::size(kCorners)]
                              : static_cast<uint32_t>(random()) >> (random() % 32);
      }
      const char first = info.signature[info.signature.find('=') + 1];
      if (first == 'b') s[0] &= 1;
      const Type type = info.signature[0] == 'f'   ? Type::kF32
                        : info.signature[0] == 'b' ? Type::kBool
                                                   : Type::kI32;
      const std::optional<uint32_t> got =
          FoldOp(op, type, absl::MakeConstSpan(s.data(), static_cast<size_t>(info.sources)));
      if (!got.has_value()) continue;
      ++folded;
      ASSERT_EQ(*got, *Defined<false>(op, s))
          << info.name << std::hex << " " << s[0] << " " << s[1] << " " << s[2] << " " << s[3];
      ASSERT_EQ(*got, *Defined<true>(op, s))
          << info.name << " flushed" << std::hex << " " << s[0] << " " << s[1] << " " << s[2];
    }
    ops += folded > 0;
  }
  EXPECT_GT(ops, 60);
}

}  // namespace
}  // namespace kiln::mid
