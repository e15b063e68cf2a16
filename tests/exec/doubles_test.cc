// Every operation on floats of 64 bits through gfx1030's compiler and simulator: results are the
// interpreter's bit by bit, subnormal numbers included; any NaN is as good as another.
#include <bit>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "core/mir/mir.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

constexpr uint32_t kGroups = 8, kLanes = 64, kInvocations = kGroups * kLanes, kSources = 3;

exec::Setup OnGfx1030() {
  exec::Setup setup;
  setup.target = Target::kGfx1030;
  setup.widths = exec::WidthsOf(setup.target);
  return setup;
}

// Numbers at the ends of the ranges of all types, and drawn ones: of any bits, of moderate size, of
// few bits, and those whose fraction is nearly all ones or zeros, by which division is hardest.
uint64_t Draw(std::mt19937_64& random) {
  constexpr double kSpecial[] = {0.0,       -0.0,     1.0,       -1.0,      0.5,         1.5,
                                 2.5,       0x1p31,   -0x1p31,   0x1p32,    0x1p63,      -0x1p63,
                                 0x1p64,    0x1p-767, 0x1p-1022, 0x1p-1074, 0x1p1023,    65504.0,
                                 65520.0,   0x1p-24,  0x1p-25,   0x1p-149,  0x1p-126,    0x1p128,
                                 0x1p-1060, 255.5,    -128.5,    32767.5,   4294967295.5};
  constexpr uint64_t kFraction = (uint64_t{1} << 52) - 1, kInfinity = uint64_t{0x7ff} << 52;
  const uint64_t bits = random(), sign = bits & uint64_t{1} << 63;
  const uint64_t near_one = sign | (1023 - 30 + bits % 61) << 52;
  switch (random() % 8) {
    case 0: return bits;
    case 1: return std::bit_cast<uint64_t>(kSpecial[bits % std::size(kSpecial)]);
    case 2: return near_one | (random() & kFraction);
    case 3: return near_one | (random() & kFraction & ~uint64_t{0} << random() % 52);
    case 4: return near_one | (kFraction - random() % 3);
    case 5: return near_one | random() % 3;
    case 6: return sign | (random() & kFraction);  // subnormal
    default: return random() % 4 == 0 ? sign | kInfinity | random() % 2 * 5 : near_one;
  }
}

oracle::LaunchInputs Inputs(uint32_t seed) {
  oracle::LaunchInputs in;
  in.groups = {kGroups, 1, 1};
  in.denormals = oracle::Denormals::kFlush;  // of singles
  std::mt19937_64 random(seed);
  for (uint32_t binding = 0; binding < 3; ++binding) {
    oracle::BoundBuffer b;
    b.binding = binding;
    b.address = 0x7fff0000u + uint64_t{0x20000} * binding;
    b.bytes.resize(size_t{8} * kInvocations * kSources);
    for (size_t i = 0; binding != 1 && i < b.bytes.size(); i += 8) {
      const uint64_t bits = Draw(random);
      std::memcpy(&b.bytes[i], &bits, 8);
    }
    in.buffers.push_back(std::move(b));
  }
  return in;
}

// Returns a module that stores one operation on sources of one type, loaded by lanes or, odd ones
// if `mixed`, uniformly.
std::string Module(const std::string& op, const std::string& type, int sources,
                   const std::string& result, bool mixed, const std::string& head = "") {
  std::string text = absl::Substitute(
      "mir 1\nentry \"main\"\nlocal_size $0, 1, 1\n$1needs float64\nresource 0 ssbo 0.0.0\n"
      "resource 1 ssbo 0.1.0\nresource 2 ubo 0.2.0\nbody {\n%1:i32 = local_index\n"
      "%2:i32 = workgroup_id[0]\n%3:i32 = imul %2, $0\n%4:i32 = iadd %1, %3\n"
      "%5:i32 = imul %4, $2\n%6:i32 = imul %2, $2\n%7:i32 = shl %4, 3\n",
      kLanes, head, 8 * kSources);
  std::string list;
  for (int i = 0; i < sources; ++i) {
    const bool uniform = mixed && i % 2 == 1;
    absl::StrAppend(&text, "%", 10 + 2 * i, ":i32 = iadd ", uniform ? "%6, " : "%5, ", 8 * i, "\n%",
                    11 + 2 * i, ":", type, " = load_", uniform ? "ubo[2" : "ssbo[0", ", align 8] %",
                    10 + 2 * i, "\n");
    absl::StrAppend(&list, i == 0 ? "" : ", ", "%", 11 + 2 * i);
  }
  absl::StrAppend(&text, "%20:", result, " = ", op, " ", list, "\n");
  std::string stored = "%20";
  if (result[0] == 'f') {
    const std::string zero = result == "f64" ? "0d" : result == "f32" ? "0f" : "0h";
    absl::StrAppend(&text, "%21:bool = feq %20, %20\n%22:", result, " = select %21, %20, ", zero,
                    "\n");
    stored = "%22";
  } else if (result == "bool") {
    absl::StrAppend(&text, "%22:i32 = select %20, 5, 9\n");
    stored = "%22";
  }
  return absl::StrCat(text, "store_ssbo[1, align 8] %7, ", stored, "\nreturn\n}\n");
}

void ExpectAgreement(const std::string& text) {
  const auto module = mir::Parse(text);
  ASSERT_TRUE(module.ok()) << module.status() << text;
  for (uint32_t seed : {1, 2}) {
    EXPECT_EQ(exec::CompareModule(*module, Inputs(seed), OnGfx1030()), "") << text;
  }
}

void ExpectAgreement(const std::string& op, const std::string& type, int sources,
                     const std::string& result) {
  for (bool mixed : {false, true}) ExpectAgreement(Module(op, type, sources, result, mixed));
}

// All rows of ops.def whose sources are doubles if they are floats.
TEST(Doubles, OperationsAgreeWithTheInterpreter) {
  int tested = 0;
  for (int i = 0; i < mir::NumOps(); ++i) {
    const mir::OpInfo& info = mir::Info(static_cast<mir::Op>(i));
    const std::string_view of = info.signature;
    const bool floats = of == "f=f" || of == "f=ff" || of == "f=fff" || of == "b=ff";
    if (!info.Has('P') || info.Has('L') || !floats) continue;
    ++tested;
    ExpectAgreement(std::string(info.name), "f64", info.sources, of[0] == 'b' ? "bool" : "f64");
  }
  EXPECT_EQ(tested, 23);
}

TEST(Doubles, ConversionsAgreeWithTheInterpreter) {
  for (const char* type : {"i8", "i16", "i32", "i64"}) {
    ExpectAgreement("f2i", "f64", 1, type);
    ExpectAgreement("f2u", "f64", 1, type);
    ExpectAgreement("i2f", type, 1, "f64");
    ExpectAgreement("u2f", type, 1, "f64");
  }
  for (const char* type : {"f16", "f32"}) {
    ExpectAgreement("f2f", "f64", 1, type);
    ExpectAgreement("f2f", type, 1, "f64");
  }
  ExpectAgreement("bitcast", "f64", 1, "i64");
  ExpectAgreement("bitcast", "i64", 1, "f64");
  ExpectAgreement("f64_low", "f64", 1, "i32");
  ExpectAgreement("f64_high", "f64", 1, "i32");
  ExpectAgreement("pack_f64", "i32", 2, "f64");
}

// Rounding and flushing as the module says; conversions in several steps round once.
TEST(Doubles, FollowTheModulesModes) {
  const std::string to_zero = "rounding_f16 to_zero\nrounding_f32 to_zero\nrounding_f64 to_zero\n";
  const std::string by_width =
      "rounding_f16 to_zero\nrounding_f32 to_even\nrounding_f64 to_zero\nneeds rounding_by_width\n";
  for (const std::string& head :
       {to_zero, by_width, std::string("denorms_f16 flush\ndenorms_f64 flush\n"),
        std::string("denorms_f16 preserve\ndenorms_f32 preserve\n")}) {
    for (const char* op : {"fadd", "fmul", "ffma"}) {
      ExpectAgreement(Module(op, "f64", op == std::string("ffma") ? 3 : 2, "f64", false, head));
    }
    for (const char* type : {"f16", "f32"}) {
      ExpectAgreement(Module("f2f", "f64", 1, type, false, head));
      ExpectAgreement(Module("f2f", type, 1, "f64", false, head));
      ExpectAgreement(Module("fadd", type, 2, type, false, head));
      ExpectAgreement(Module("fmul", type, 2, type, false, head));
    }
    for (const char* type : {"i64", "i32"}) {
      ExpectAgreement(Module("i2f", type, 1, "f64", false, head));
      ExpectAgreement(Module("f2i", "f64", 1, type, false, head));
    }
  }
}

// Constants with and without a low half, modifiers, and the number of each lane through a loop, a
// branch and shared memory.
TEST(Doubles, ConstantsAndModifiers) {
  for (const char* expression :
       {"ffma %11, 3d, 0.1d", "fadd %11, 0.1d", "fmul 0.25d, %11", "fdiv 1d, %11", "fdiv %11, 0.1d",
        "fsub 0d, %11", "fmax %11, 1.5d"}) {
    ExpectAgreement(absl::StrCat(
        "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nneeds float64\nresource 0 ssbo 0.0.0\n"
        "resource 1 ssbo 0.1.0\nresource 2 ubo 0.2.0\nbody {\n%1:i32 = local_index\n"
        "%2:i32 = shl %1, 3\n%10:f64 = load_ssbo[0, align 8] %2\n%11:f64 = fneg %10\n%12:f64 = ",
        expression,
        "\n%13:f64 = fabs %12\n%14:f64 = fneg %13\n%15:f64 = fadd %14, %11\n"
        "%16:bool = feq %15, %15\n%17:f64 = select %16, %15, %14\n%18:bool = feq %17, %17\n"
        "%19:f64 = select %18, %17, 0.1d\nstore_ssbo[1, align 8] %2, %19\nreturn\n}\n"));
  }
}

TEST(Doubles, MoveBetweenLanes) {
  for (const char* read : {"read_first %3", "read_lane %3, 5", "shuffle %3, %5", "shuffle %3, %7",
                           "quad_swap[1] %3", "quad_broadcast[2] %3"}) {
    ExpectAgreement(absl::StrCat(
        "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nneeds float64\nresource 0 ssbo 0.0.0\n"
        "resource 1 ssbo 0.1.0\nresource 2 ubo 0.2.0\nbody {\n%1:i32 = local_index\n"
        "%2:i32 = shl %1, 3\n%3:f64 = load_ssbo[0, align 8] %2\n%4:i32 = subgroup_invocation\n"
        "%5:i32 = xor %4, 21\n%6:i32 = isub 31, %4\n%7:i32 = and %6, 31\n%10:f64 = ",
        read, "\n%11:i32 = f64_low %10\n%12:i32 = f64_high %10\n",
        "store_ssbo[1, align 8] %2, %11, %12\nreturn\n}\n"));
  }
}

// Sums and products that are exact in any order, in all lanes and in some.
TEST(Doubles, AreCombinedBetweenLanes) {
  for (const char* op : {"fadd", "fmul", "fmin", "fmax"}) {
    const std::string name = op;
    const bool product = name == "fmul";  // of ones and twos
    for (const std::string& combine :
         {absl::StrCat("reduce[", name, ", 0]"), absl::StrCat("reduce[", name, ", 2]"),
          absl::StrCat("reduce[", name, ", 8]"), absl::StrCat("reduce[", name, ", 32]"),
          absl::StrCat("inclusive_scan[", name, "]"), absl::StrCat("exclusive_scan[", name, "]")}) {
      ExpectAgreement(absl::StrCat(
          "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nneeds float64\nresource 0 ssbo 0.0.0\n"
          "resource 1 ssbo 0.1.0\nresource 2 ubo 0.2.0\nbody {\n%1:i32 = local_index\n"
          "%2:i32 = shl %1, 3\n%3:i32 = load_ssbo[0, align 8] %2\n%4:i32 = and %3, ",
          product ? "1" : "1023", "\n%5:i32 = iadd %4, 1\n%6:f64 = u2f %5\n%7:f64 = fmul %6, ",
          product ? "1d" : "-0.5d", "\n%8:f64 = ", combine,
          " %7\n%9:i32 = and %1, 5\n%10:bool = ieq %9, 4\n%11:f64 = if %10 {\n  %12:f64 = ",
          combine, " %7\n  yield %12\n} else {\n  %13:f64 = ", combine,
          " %6\n  yield %13\n}\n%14:i32 = shl %1, 4\n",
          "store_ssbo[1, align 8] %14, %8, %11\nreturn\n}\n"));
    }
  }
}

// Sums are exact in any order. The old values depend on the order of lanes, and are not compared.
TEST(Doubles, AtomicsAgreeWithTheInterpreter) {
  for (const char* place : {"ssbo_atomic[1, ", "shared_atomic[", "global_atomic["}) {
    const bool shared = place[0] == 's' && place[1] == 'h';
    const std::string where = place[0] == 'g' ? "%12, %13" : "%2";
    for (const char* op : {"fadd", "fmin", "fmax"}) {
      ExpectAgreement(absl::StrCat(
          "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nshared 64\nneeds float64\n"
          "needs float64_atomics\n",
          place[0] == 'g' ? "needs addresses\n" : "",
          "resource 0 ssbo 0.0.0\nresource 1 ssbo 0.1.0\nresource 2 ubo 0.2.0\nbody {\n"
          "%1:i32 = local_index\n%2:i32 = and %1, 24\n%3:i32 = shl %1, 3\n"
          "%4:i32 = load_ssbo[0, align 8] %3\n%5:i32 = and %4, 1023\n%6:f64 = u2f %5\n"
          "%7:f64 = fmul %6, 0.5d\n%10:i32, %11:i32 = ssbo_address[1]\n%12:i32 = iadd %10, %2\n"
          "%14:i32 = uadd_carry %10, %2\n%13:i32 = iadd %11, %14\n"
          "store_shared[align 8] %2, 16d\ncontrol_barrier[2, workgroup]\n%20:f64 = ",
          place, op, "] ", where, ", %7\ncontrol_barrier[2, workgroup]\n",
          shared ? "%21:f64 = load_shared[align 8] %2\nstore_ssbo[1, align 8] %3, %21\n" : "",
          "return\n}\n"));
    }
  }
}

TEST(Doubles, CrossControlFlowAndMemory) {
  ExpectAgreement(
      "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nshared 512\nneeds float64\n"
      "resource 0 ssbo 0.0.0\nresource 1 ssbo 0.1.0\nresource 2 ubo 0.2.0\nbody {\n"
      "%1:i32 = local_index\n%2:i32 = shl %1, 3\n%3:f64 = load_ssbo[0, align 8] %2\n"
      "%4:i32 = and %1, 7\n%5:f64 = loop (%6:i32 = 0, %7:f64 = 1d) {\n"
      "  %8:bool = uge %6, %4\n  if %8 {\n    break %7\n  } else {\n    yield\n  }\n"
      "  %9:f64 = fmul %7, 1.5d\n  %10:i32 = iadd %6, 1\n  continue %10, %9\n}\n"
      "store_shared[align 8] %2, %5\ncontrol_barrier[2, workgroup]\n"
      "%11:i32 = xor %2, 8\n%12:f64 = load_shared[align 8] %11\n%13:bool = ult %4, 3\n"
      "%14:f64 = if %13 {\n  yield %12\n} else {\n  %15:f64 = fadd %12, %12\n  yield %15\n}\n"
      "store_ssbo[1, align 8] %2, %14\nreturn\n}\n");
}

}  // namespace
}  // namespace kiln
