// Tests bit instructions on 8, 16, 32 and 64 bits (VK_KHR_maintenance9), imported and interpreted,
// against the definition of each bit in the SPIR-V specification ("Bit Instructions"; GLSL.std.450,
// FindILsb, FindSMsb, FindUMsb), at the boundaries of fields.
#include <bit>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "core/front/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

constexpr uint32_t kLanes = 32;

bool BitOf(uint64_t x, uint32_t i) { return (x >> i & 1) != 0; }

// Makes a number of `width` bits from a function of the bit's index.
uint64_t FromBits(uint32_t width, const std::function<bool(uint32_t)>& bit) {
  uint64_t x = 0;
  for (uint32_t i = 0; i < width; ++i) x |= uint64_t{bit(i)} << i;
  return x;
}

std::vector<uint32_t> Inputs() {
  std::vector<uint32_t> in = {
      0,    0,      1,          0x80000000, 0xffffffff, 0xffffffff, 0x80,       0x8000,
      0x7f, 0x7fff, 0x7fffffff, 0,          0xffffff80, 0xffff8000, 0xfffffffe, 0x55555555};
  uint32_t x = 99;
  while (in.size() < kLanes) in.push_back(x = x * 1664525u + 1013904223u);
  return in;
}

// A kernel of one instruction that computes %r from %b and %n, another number of the type %t.
struct Kernel {
  uint32_t width;
  std::string types = {};
  std::string code;     // $0: its width
  uint32_t result = 0;  // bits of %r; 0: the same
};

using Model = std::function<uint64_t(uint64_t base, uint64_t other)>;

void Expect(const Kernel& k, const Model& model) {
  const uint32_t result = k.result == 0 ? k.width : k.result;
  const auto type = [](uint32_t width) {
    return width == 32 ? std::string("%uint") : absl::StrCat("%t", width);
  };
  const std::string load = R"(
%j0 = OpIAdd %uint %id %u_7
%j = OpBitwiseAnd %uint %j0 %u_31
%py = OpAccessChain %p_word %in %u_0 %j
%y = OpLoad %uint %py
)";
  std::string make, fold;
  if (k.width == 64) {
    make =
        "%v = OpCompositeConstruct %v2uint %x %y\n%b = OpBitcast %t64 %v\n"
        "%w = OpCompositeConstruct %v2uint %y %x\n%n = OpBitcast %t64 %w\n";
  } else if (k.width == 32) {
    make = "%b = OpCopyObject %uint %x\n%n = OpCopyObject %uint %y\n";
  } else {
    make = absl::StrCat("%b = OpUConvert ", type(k.width), " %x\n%n = OpUConvert ", type(k.width),
                        " %y\n");
  }
  if (result == 64) {
    fold =
        "%h = OpBitcast %v2uint %r\n%lo = OpCompositeExtract %uint %h 0\n"
        "%hi = OpCompositeExtract %uint %h 1\n%nine = OpIMul %uint %hi %u_9\n"
        "%result = OpBitwiseXor %uint %lo %nine\n";
  } else {
    fold = absl::StrCat("%result = ", result == 32 ? "OpCopyObject" : "OpUConvert", " %uint %r\n");
  }
  std::string code = k.code;
  for (size_t at = code.find("%t "); at != code.npos; at = code.find("%t ")) {
    code.replace(at, 3, type(k.width) + " ");
  }
  const std::string text = KernelAssembly(
      "%t8 = OpTypeInt 8 0\n%t16 = OpTypeInt 16 0\n%t64 = OpTypeInt 64 0\n%u_31 = OpConstant %uint "
      "31\n" +
          k.types,
      absl::StrCat(load, make, code, "\n", fold), true, "",
      "OpCapability Shader\nOpCapability Int8\nOpCapability Int16\nOpCapability Int64\n");
  const auto module = ImportVerified(Assemble(text));
  ASSERT_TRUE(module.ok()) << module.status() << text;
  const std::vector<uint32_t> in = Inputs();
  const auto out = RunWords(*module, in, kLanes);
  ASSERT_TRUE(out.ok()) << out.status();
  const uint64_t mask = ~uint64_t{0} >> (64 - k.width);
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint64_t x = in[i], y = in[(i + 7) % kLanes];
    const uint64_t wanted =
        model((k.width == 64 ? x | y << 32 : x) & mask, (k.width == 64 ? y | x << 32 : y) & mask);
    const auto lo = static_cast<uint32_t>(wanted), hi = static_cast<uint32_t>(wanted >> 32);
    ASSERT_EQ((*out)[i], result == 64 ? lo ^ hi * 9 : lo)
        << code << " of " << k.width << " bits, lane " << i;
  }
}

constexpr uint32_t kWidths[] = {8, 16, 32, 64};

TEST(BitInstructions, CountAndReverse) {
  for (const uint32_t width : kWidths) {
    const auto count = [](uint64_t b, uint64_t) { return static_cast<uint64_t>(std::popcount(b)); };
    Expect({width, "", "%r = OpBitCount %t %b"}, count);
    for (const uint32_t result : kWidths) {
      const std::string type = result == 32 ? "%uint" : absl::StrCat("%t", result);
      Expect({width, "", absl::StrCat("%r = OpBitCount ", type, " %b"), result}, count);
    }
    Expect({width, "", "%r = OpBitReverse %t %b"}, [=](uint64_t b, uint64_t) {
      return FromBits(width, [=](uint32_t i) { return BitOf(b, width - 1 - i); });
    });
  }
}

TEST(BitInstructions, FirstAndLastBits) {
  for (const uint32_t width : kWidths) {
    const uint64_t none = ~uint64_t{0} >> (64 - width);
    const auto highest = [=](uint64_t b, bool wanted) {
      for (uint32_t i = width; i-- > 0;) {
        if (BitOf(b, i) == wanted) return uint64_t{i};
      }
      return none;
    };
    Expect({width, "", "%r = OpExtInst %t %glsl FindILsb %b"}, [=](uint64_t b, uint64_t) {
      for (uint32_t i = 0; i < width; ++i) {
        if (BitOf(b, i)) return uint64_t{i};
      }
      return none;
    });
    Expect({width, "", "%r = OpExtInst %t %glsl FindUMsb %b"},
           [=](uint64_t b, uint64_t) { return highest(b, true); });
    Expect({width, "", "%r = OpExtInst %t %glsl FindSMsb %b"},
           [=](uint64_t b, uint64_t) { return highest(b, !BitOf(b, width - 1)); });
  }
}

// References for the three field instructions, with all bits of the field within the number.
uint64_t Inserted(uint32_t width, uint64_t base, uint64_t insert, uint32_t offset, uint32_t count) {
  return FromBits(width, [=](uint32_t i) {
    return i >= offset && i - offset < count ? BitOf(insert, i - offset) : BitOf(base, i);
  });
}
uint64_t Extracted(uint32_t width, bool is_signed, uint64_t base, uint32_t offset, uint32_t count) {
  return FromBits(width, [=](uint32_t i) {
    if (i < count) return BitOf(base, offset + i);
    return is_signed && count != 0 && BitOf(base, offset + count - 1);
  });
}

void ExpectField(uint32_t width, const std::string& types, const std::string& prepare,
                 const std::function<std::pair<uint32_t, uint32_t>(uint64_t)>& field) {
  Expect({width, types, prepare + "%r = OpBitFieldInsert %t %b %n %offset %count"},
         [&](uint64_t b, uint64_t n) {
           const auto [offset, count] = field(n);
           return Inserted(width, b, n, offset, count);
         });
  for (const bool is_signed : {false, true}) {
    const std::string op = is_signed ? "OpBitFieldSExtract" : "OpBitFieldUExtract";
    Expect({width, types, prepare + "%r = " + op + " %t %b %offset %count"},
           [&](uint64_t b, uint64_t n) {
             const auto [offset, count] = field(n);
             return Extracted(width, is_signed, b, offset, count);
           });
  }
}

TEST(BitInstructions, FieldsWithConstantBounds) {
  for (const uint32_t w : kWidths) {
    const std::pair<uint32_t, uint32_t> fields[] = {
        {0, 0}, {0, w}, {w, 0}, {w - 1, 1}, {0, 1}, {1, w - 1}, {0, w - 1}, {w / 2, w / 2}, {3, 2}};
    for (const auto& f : fields) {
      ExpectField(w,
                  absl::Substitute("%offset = OpConstant %uint $0\n%count = OpConstant %uint $1\n",
                                   f.first, f.second),
                  "", [&](uint64_t) { return f; });
    }
  }
}

// Fields up to the last bit, from a bit chosen by lane; offset and count of every width.
TEST(BitInstructions, FieldsWithBoundsChosenByValue) {
  for (const uint32_t w : kWidths) {
    for (const uint32_t bounds : kWidths) {
      const std::string type = bounds == 32 ? "%uint" : absl::StrCat("%t", bounds);
      const std::string convert = bounds == 32 ? "OpCopyObject" : "OpUConvert";
      const std::string last =
          absl::StrCat("%last = OpConstant %uint ", w - 1, "\n%bits = OpConstant %uint ", w, "\n");
      const std::string from =
          w == 32 ? "%n32 = OpCopyObject %uint %n\n" : "%n32 = OpUConvert %uint %n\n";
      ExpectField(w, last,
                  absl::StrCat(from, "%o32 = OpBitwiseAnd %uint %n32 %last\n",
                               "%c32 = OpISub %uint %bits %o32\n%offset = ", convert, " ", type,
                               " %o32\n%count = ", convert, " ", type, " %c32\n"),
                  [&](uint64_t n) {
                    const auto offset = static_cast<uint32_t>(n) & (w - 1);
                    return std::pair(offset, w - offset);
                  });
    }
  }
}

}  // namespace
}  // namespace kiln::front
