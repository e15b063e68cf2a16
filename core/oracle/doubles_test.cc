// The interpreter's 64-bit floats: each op on corner values, flushing, rounding, memory, atomics.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/float_bits.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::oracle {
namespace {

using testing::ElementsAre;
using Quads = std::vector<uint64_t>;

constexpr uint64_t kNan = 0x7ff8000000000000, kInf = 0x7ff0000000000000;
constexpr uint64_t kSign = uint64_t{1} << 63;

// Runs a body on a storage buffer of elements of 64 bits.
Quads RunBody(const std::string& body, const Quads& data, const std::string& header = "",
              LaunchInputs inputs = {}) {
  const absl::StatusOr<mir::Module> m =
      mir::Parse(absl::StrCat("mir 1 ", header, " needs float64 needs float64_atomics shared 64",
                              " resource 0 ssbo 0.0.0 body {\n", body, "\nreturn }"));
  EXPECT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  BoundBuffer buffer;
  buffer.bytes.resize(8 * data.size());
  std::memcpy(buffer.bytes.data(), data.data(), buffer.bytes.size());
  inputs.buffers.push_back(buffer);
  const absl::StatusOr<InterpStatistics> run = Interpret(*m, inputs);
  EXPECT_TRUE(run.ok()) << run.status();
  Quads out(data.size());
  std::memcpy(out.data(), inputs.buffers.back().bytes.data(), 8 * out.size());
  return out;
}

// Returns the bits of one op on one or two doubles; bools and i32 as 0 or more in the low bits.
uint64_t Of(const std::string& op, const std::string& type, std::vector<uint64_t> operands,
            const std::string& header = "") {
  operands.resize(3);
  const bool unary = op[0] == '1';
  const std::string name = op.substr(1);
  std::string body =
      absl::StrCat("%0:f64, %1:f64, %2:f64 = load_ssbo[0, align 8] 0\n%3:", type, " = ", name,
                   unary          ? " %0"
                   : op[0] == '2' ? " %0, %1"
                                  : " %0, %1, %2",
                   "\n");
  if (type == "bool") {
    absl::StrAppend(&body, "%4:i64 = select %3, 1i64, 0i64\n");
  } else if (type == "i64" || type == "f64") {
    absl::StrAppend(&body, "%4:", type, " = select true, %3, %3\n");
  } else {
    absl::StrAppend(&body, type == "f32" ? "%5:i32 = bitcast %3\n" : "%5:i32 = iadd %3, 0\n",
                    "%4:i64 = zext %5\n");
  }
  absl::StrAppend(&body, "store_ssbo[0, align 8] 0, %4");
  return RunBody(body, operands, header)[0];
}

uint64_t Bits(double x) { return std::isnan(x) ? kNan : DoubleBits(x); }

const std::vector<double> kValues = {0.0,
                                     -0.0,
                                     1.0,
                                     -1.0,
                                     0.5,
                                     -2.5,
                                     3.5,
                                     1.0 / 3,
                                     -1e300,
                                     1e300,
                                     5e-324,
                                     -5e-324,
                                     0x1p-1022,
                                     0x1.fffffffffffffp-1023,
                                     0x1p52 + 1,
                                     0x1.fffffffffffffp51,
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::quiet_NaN(),
                                     std::numeric_limits<double>::max()};

TEST(Doubles, ArithmeticIsCorrectlyRounded) {
  for (double a : kValues) {
    EXPECT_EQ(Of("1fsqrt", "f64", {DoubleBits(a)}), Bits(std::sqrt(a))) << a;
    EXPECT_EQ(Of("1ffloor", "f64", {DoubleBits(a)}), Bits(std::floor(a))) << a;
    EXPECT_EQ(Of("1fceil", "f64", {DoubleBits(a)}), Bits(std::ceil(a))) << a;
    EXPECT_EQ(Of("1ftrunc", "f64", {DoubleBits(a)}), Bits(std::trunc(a))) << a;
    EXPECT_EQ(Of("1fround_even", "f64", {DoubleBits(a)}), Bits(std::nearbyint(a))) << a;
    EXPECT_EQ(Of("1ffract", "f64", {DoubleBits(a)}), Bits(a - std::floor(a))) << a;
    EXPECT_EQ(Of("1f2f", "f32", {DoubleBits(a)}),
              std::isnan(a) ? 0x7fc00000 : AsBits(static_cast<float>(a)))
        << a;
    for (double b : kValues) {
      const Quads s = {DoubleBits(a), DoubleBits(b), DoubleBits(0.1)};
      EXPECT_EQ(Of("2fadd", "f64", s), Bits(a + b)) << a << " " << b;
      EXPECT_EQ(Of("2fsub", "f64", s), Bits(a - b)) << a << " " << b;
      EXPECT_EQ(Of("2fmul", "f64", s), Bits(a * b)) << a << " " << b;
      EXPECT_EQ(Of("2fdiv", "f64", s), Bits(a / b)) << a << " " << b;
      EXPECT_EQ(Of("2fmod", "f64", s), Bits(a - b * std::floor(a / b))) << a << " " << b;
      EXPECT_EQ(Of("2frem", "f64", s), Bits(a - b * std::trunc(a / b))) << a << " " << b;
      EXPECT_EQ(Of("3ffma", "f64", s), Bits(std::fma(a, b, 0.1))) << a << " " << b;
      EXPECT_EQ(Of("2flt", "bool", s), a < b) << a << " " << b;
      EXPECT_EQ(Of("2fge", "bool", s), a >= b) << a << " " << b;
      EXPECT_EQ(Of("2feq", "bool", s), a == b) << a << " " << b;
      EXPECT_EQ(Of("2fne", "bool", s), a != b) << a << " " << b;
    }
  }
}

TEST(Doubles, SignsAndExtremes) {
  EXPECT_EQ(Of("1fneg", "f64", {kNan | kSign}), kNan);
  EXPECT_EQ(Of("1fabs", "f64", {kNan | kSign | 5}), kNan | 5);
  EXPECT_EQ(Of("1fsign", "f64", {kSign}), kSign);
  EXPECT_EQ(Of("1fsign", "f64", {DoubleBits(-7.0)}), DoubleBits(-1.0));
  EXPECT_EQ(Of("2fmin", "f64", {kNan, DoubleBits(3.0)}), DoubleBits(3.0));
  EXPECT_EQ(Of("2fmax", "f64", {DoubleBits(3.0), kNan}), DoubleBits(3.0));
  EXPECT_EQ(Of("2fmin", "f64", {DoubleBits(-3.0), kInf}), DoubleBits(-3.0));
  EXPECT_EQ(Of("1fsaturate", "f64", {kNan}), 0u);
  EXPECT_EQ(Of("1fsaturate", "f64", {DoubleBits(1.5)}), DoubleBits(1.0));
  EXPECT_EQ(Of("1fsaturate", "f64", {DoubleBits(0.1)}), DoubleBits(0.1));
}

TEST(Doubles, ConvertToIntegersWithSaturation) {
  const auto to = [](const char* op, const char* type, double x) {
    return Of(op, type, {DoubleBits(x)});
  };
  EXPECT_EQ(to("1f2i", "i32", 2147483647.9), 0x7fffffffu);
  EXPECT_EQ(to("1f2i", "i32", -2147483648.9), 0x80000000u);
  EXPECT_EQ(to("1f2i", "i32", 1e30), 0x7fffffffu);
  EXPECT_EQ(to("1f2i", "i32", NAN), 0u);
  EXPECT_EQ(to("1f2u", "i32", 4294967295.9), 0xffffffffu);
  EXPECT_EQ(to("1f2u", "i32", -0.9), 0u);
  EXPECT_EQ(to("1f2u", "i64", 0x1.fffffffffffffp63), 0xfffffffffffff800u);
  EXPECT_EQ(to("1f2u", "i64", 0x1p64), ~uint64_t{0});
  EXPECT_EQ(to("1f2i", "i64", -0x1p63), uint64_t{1} << 63);
  EXPECT_EQ(to("1f2i", "i64", 0x1p63), ~uint64_t{0} >> 1);
}

TEST(Doubles, ConvertFromIntegersAndNarrowerFloats) {
  const auto from = [](const std::string& text) {
    return RunBody(text + "\nstore_ssbo[0, align 8] 0, %0", {0})[0];
  };
  EXPECT_EQ(from("%0:f64 = u2f 0xffffffff"), DoubleBits(4294967295.0));
  EXPECT_EQ(from("%0:f64 = i2f 0xffffffff"), DoubleBits(-1.0));
  EXPECT_EQ(from("%0:f64 = u2f 0xffffffffffffffffi64"), DoubleBits(0x1p64));
  EXPECT_EQ(from("%0:f64 = u2f 0x20000000000001i64"), DoubleBits(0x1p53));
  EXPECT_EQ(from("%0:f64 = i2f 0x8000000000000000i64"), DoubleBits(-0x1p63));
  EXPECT_EQ(from("%0:f64 = f2f 1e-45f"), DoubleBits(0x1p-149));
  EXPECT_EQ(from("%0:f64 = f2f f0xff800000"), kInf | kSign);
  EXPECT_EQ(from("%0:f64 = f2f f0xffc00001"), kNan);
  EXPECT_EQ(from("%0:f64 = f2f h0x0001"), DoubleBits(0x1p-24));
  EXPECT_EQ(from("%0:f64 = pack_f64 1, 0x80000000"), kSign | 1);
  EXPECT_EQ(Of("1f64_low", "i32", {0x123456789abcdef0}), 0x9abcdef0u);
  EXPECT_EQ(Of("1f64_high", "i32", {0x123456789abcdef0}), 0x12345678u);
  EXPECT_EQ(Of("1bitcast", "i64", {kNan | 7}), kNan | 7);
  // To half in one step: by way of a float, 1 + 2^-11 + 2^-40 would be a tie.
  const std::string half = "%1:f16 = f2f %0\n%2:i16 = bitcast %1\n%3:i64 = zext %2\n";
  EXPECT_EQ(RunBody("%0:f64 = load_ssbo[0, align 8] 0\n" + half + "store_ssbo[0, align 8] 0, %3",
                    {DoubleBits(1 + 0x1p-11 + 0x1p-40)})[0],
            0x3c01u);
}

TEST(Doubles, FlushOnlyWhereTheirModeSaysSo) {
  const Quads tiny = {1, DoubleBits(1.0)};
  for (const char* mode : {"", "denorms_f64 preserve", "denorms_f32 flush"}) {
    EXPECT_EQ(Of("2fmul", "f64", tiny, mode), 1u) << mode;
    EXPECT_EQ(Of("2feq", "bool", {1, 0}, mode), 0u) << mode;
  }
  EXPECT_EQ(Of("2fmul", "f64", tiny, "denorms_f64 flush"), 0u);
  EXPECT_EQ(Of("2fmul", "f64", {1 | kSign, DoubleBits(1.0)}, "denorms_f64 flush"), kSign);
  EXPECT_EQ(Of("2feq", "bool", {1, 0}, "denorms_f64 flush"), 1u);
  EXPECT_EQ(Of("2fmul", "f64", {DoubleBits(0x1p-1000), DoubleBits(0x1p-60)}, "denorms_f64 flush"),
            0u);
  EXPECT_EQ(Of("1fneg", "f64", {1}, "denorms_f64 flush"), kSign | 1);  // moves bits
  // A float that is subnormal as such, but not as a double.
  EXPECT_EQ(Of("1f2f", "f32", {DoubleBits(0x1p-140)}, "denorms_f64 flush denorms_f32 preserve"),
            AsBits(0x1p-140f));
}

TEST(Doubles, RoundAsTheirModeSays) {
  const Quads tenth = {DoubleBits(1.0), DoubleBits(10.0)};
  const uint64_t nearest = DoubleBits(0.1), below = nearest - 1;
  EXPECT_EQ(Of("2fdiv", "f64", tenth), nearest);
  EXPECT_EQ(Of("2fdiv", "f64", tenth, "rounding_f64 to_even"), nearest);
  EXPECT_EQ(Of("2fdiv", "f64", tenth, "rounding_f64 to_zero"), below);
  // Without a mode of their own they have that of halfs, else that of singles.
  EXPECT_EQ(Of("2fdiv", "f64", tenth, "rounding_f16 to_zero"), below);
  EXPECT_EQ(Of("2fdiv", "f64", tenth, "rounding_f32 to_zero"), below);
  const std::string apart = "rounding_f32 to_zero rounding_f64 to_even needs rounding_by_width";
  EXPECT_EQ(Of("2fdiv", "f64", tenth, apart), nearest);
  const uint64_t between = DoubleBits(1 + 0x1.8p-23);
  EXPECT_EQ(Of("1f2f", "f32", {between}, apart), AsBits(1 + 0x1p-23f));
  EXPECT_EQ(Of("1f2f", "f32", {between}, "rounding_f64 to_zero"), AsBits(1 + 0x1p-22f));
  EXPECT_EQ(Of("3ffma", "f64", {DoubleBits(1.0), DoubleBits(1.0), DoubleBits(-0x1p-60)},
               "rounding_f64 to_zero"),
            DoubleBits(1.0) - 1);
  EXPECT_EQ(Of("1fsqrt", "f64", {DoubleBits(3.0)}, "rounding_f64 to_zero"),
            DoubleBits(std::sqrt(3.0)) - (std::sqrt(3.0L) < std::sqrt(3.0)));
  EXPECT_EQ(Of("1fround_even", "f64", {DoubleBits(2.5000001)}, "rounding_f64 to_zero"),
            DoubleBits(3.0));
}

TEST(Doubles, InSharedMemoryAndAtomics) {
  EXPECT_THAT(RunBody("store_shared[align 8] 8, 1.5d, -2d\n"
                      "%0:f64 = shared_atomic[fadd] 8, 0.25d\n"
                      "%1:f64, %2:f64 = load_shared[align 8] 8\n"
                      "store_ssbo[0, align 8] 0, %0, %1, %2\n"
                      "%3:f64 = ssbo_atomic[0, fmin] 24, -1d\n"
                      "%4:f64 = ssbo_atomic[0, fmax] 32, d0x7ff8000000000000",
                      {0, 0, 0, DoubleBits(4.0), DoubleBits(4.0)}),
              ElementsAre(DoubleBits(1.5), DoubleBits(1.75), DoubleBits(-2.0), DoubleBits(-1.0),
                          DoubleBits(4.0)));
}

TEST(Doubles, ReducedOverASubgroup) {
  EXPECT_THAT(RunBody("%0:i32 = local_index\n%1:f64 = u2f %0\n%2:f64 = fadd %1, 0.5d\n"
                      "%3:f64 = reduce[fmul, 0] %2\n%4:f64 = exclusive_scan[fmin] %2\n"
                      "%5:f64 = reduce[fadd, 0] %2\n%6:bool = ieq %0, 0\n"
                      "if %6 { store_ssbo[0, align 8] 0, %3, %4, %5 yield } else { yield }",
                      {0, 0, 0}, "local_size 4, 1, 1"),
              ElementsAre(DoubleBits(0.5 * 1.5 * 2.5 * 3.5), kInf, DoubleBits(8.0)));
}

// Targets may contract sums and products, and round nothing else in another way.
TEST(Doubles, PerturbedWhereTheyMayBe) {
  const auto results = [](const std::string& op, const Quads& operands) {
    Quads seen;
    for (uint32_t seed = 1; seed < 30; ++seed) {
      LaunchInputs inputs;
      inputs.perturb_seed = seed;
      const uint64_t r = RunBody("%0:f64, %1:f64 = load_ssbo[0, align 8] 0\n%2:f64 = " + op +
                                     " %0, %1\nstore_ssbo[0, align 8] 0, %2",
                                 operands, "", inputs)[0];
      if (std::find(seen.begin(), seen.end(), r) == seen.end()) seen.push_back(r);
    }
    return seen.size();
  };
  const Quads inexact = {DoubleBits(0.1), DoubleBits(0.7)};
  EXPECT_EQ(results("fmul", inexact), 3u);
  EXPECT_EQ(results("fadd", inexact), 3u);
  EXPECT_EQ(results("fdiv", inexact), 1u);
  EXPECT_EQ(results("fmod", inexact), 1u);
  EXPECT_EQ(results("fadd", {DoubleBits(0.5), DoubleBits(0.25)}), 1u);
  EXPECT_EQ(results("fmul", {DoubleBits(0.1), DoubleBits(4.0)}), 1u);
}

}  // namespace
}  // namespace kiln::oracle
