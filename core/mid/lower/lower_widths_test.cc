// lower_int64 and lower_int8: every operation of the width, and control flow that carries it, gives
// the same results as before.
#include <bit>
#include <cstring>
#include <random>
#include <string>

#include "core/mid/lower/lower_int64.h"
#include "core/mid/lower/lower_int8.h"
#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using mir::Module;
using mir::Op;
using mir::Type;
using mir::ValueId;

constexpr uint32_t kLanes = 256;
constexpr Type kTypes[] = {Type::kBool, Type::kI8,  Type::kI16, Type::kI32,
                           Type::kI64,  Type::kF16, Type::kF32, Type::kF64};

absl::StatusOr<bool> Lower(Type type, Module& m) {
  PassContext context = PassContext::ForTest(-1);
  return type == Type::kI64 ? LowerInt64(m, context) : LowerInt8(m, context);
}

uint64_t Draw(Type type, std::mt19937_64& random) {
  constexpr uint64_t kInts[] = {0,
                                1,
                                2,
                                3,
                                7,
                                31,
                                32,
                                33,
                                63,
                                64,
                                0x7f,
                                0x80,
                                0xff,
                                0xffffffff,
                                0x100000000,
                                0x7fffffff,
                                0x80000000,
                                ~uint64_t{0},
                                uint64_t{1} << 63,
                                ~uint64_t{0} >> 1,
                                0xffffff7fffffffff,
                                0x0000008000008001};
  constexpr float kFloats[] = {
      0.0f,          -0.0f,         0.5f,          -1.5f,         255.0f,       256.0f,
      -129.0f,       4294967296.0f, 4294967040.0f, 9.2233715e18f, 9.223372e18f, -9.223372e18f,
      1.8446743e19f, 1.8446744e19f, 1e30f,         -1e30f,        12345678.0f};
  if (type == Type::kF32) {
    const float f = random() % 2 ? kFloats[random() % std::size(kFloats)]
                                 : static_cast<float>(static_cast<int64_t>(random())) *
                                       (1.0f / static_cast<float>(uint64_t{1} << random() % 63));
    return random() % 20 == 0 ? 0x7fc00000 : std::bit_cast<uint32_t>(f);
  }
  if (type == Type::kF64) {
    constexpr double kDoubles[] = {0.0,
                                   -0.0,
                                   -0.5,
                                   0x1p32,
                                   0x1p32 - 1,
                                   0x1p63,
                                   -0x1p63,
                                   0x1p64,
                                   0x1.fffffffffffffp63,
                                   0x1.fffffffffffffp62,
                                   -0x1.8p63,
                                   1e300,
                                   -1e300,
                                   0x1p-1074,
                                   -0x1p-1022,
                                   123456789012.75};
    const auto d = static_cast<double>(static_cast<int64_t>(random()));
    const double scaled = d / static_cast<double>(uint64_t{1} << random() % 63);
    const double x = random() % 2 ? kDoubles[random() % std::size(kDoubles)] : scaled;
    return random() % 20 == 0 ? 0x7ff8000000000000 : std::bit_cast<uint64_t>(x);
  }
  const uint64_t bits =
      random() % 2 ? kInts[random() % std::size(kInts)] : random() >> (random() % 64);
  return bits & mir::MaskOf(type);
}

std::vector<uint8_t> Execute(const Module& m, const std::vector<uint8_t>& input,
                             uint32_t subgroup_size = 32) {
  oracle::LaunchInputs inputs;
  inputs.subgroup_size = subgroup_size;
  inputs.buffers = {{0, 0, 0, input}, {0, 1, 0, std::vector<uint8_t>(8 * kLanes)}};
  const auto run = oracle::Interpret(m, inputs);
  EXPECT_TRUE(run.ok()) << run.status() << mir::Print(m);
  return inputs.buffers[1].bytes;
}

bool Uses(const Module& m, Type type, bool only_arithmetic) {
  bool found = false;
  mir::ForEachInst(m, m.body, [&](mir::InstId id) {
    const mir::Inst& inst = m.inst(id);
    const bool conversion = inst.op == Op::kTrunc || inst.op == Op::kZext || inst.op == Op::kSext;
    if (only_arithmetic && (!mir::Info(inst.op).Has('P') || conversion)) return;
    for (ValueId v : m.sources(id)) found = found || m.value(v).type == type;
    for (int i = 0; i < inst.num_results; ++i) {
      found = found || m.value(m.result(id, i)).type == type;
    }
  });
  return found;
}

// out[lane] = op(in[lane]...).
Module OneOp(Op op, Type result, const std::vector<Type>& sources) {
  Module m;
  m.local_size = {kLanes, 1, 1};
  m.needs = {{mir::Need::kFloat64}};
  m.resources = {{}, {.binding = 1}};
  m.body = mir::NewRegion(m);
  mir::Builder b(m);
  b.SetRegion(m.body);
  const ValueId base = b.Imul(b.LocalIndex(), b.Int(32));
  std::vector<ValueId> values;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Type type = sources[i] == Type::kBool ? Type::kI32 : sources[i];
    const ValueId offset = b.Iadd(base, b.Int(static_cast<uint32_t>(8 * i)));
    const ValueId v = m.result(b.Load(Op::kLoadSsbo, 0, offset, {type}, 8));
    values.push_back(sources[i] == Type::kBool ? b.Ine(v, b.Int(0)) : v);
  }
  ValueId r = m.result(b.EmitInst(op, values, absl::MakeConstSpan(&result, 1)));
  if (result == Type::kBool) r = b.Select(r, b.Int(1), b.Int(0));
  b.Store(Op::kStoreSsbo, 1, b.Imul(b.LocalIndex(), b.Int(8)), {r}, 8);
  b.Return();
  return m;
}

bool LetterFits(char letter, Type type) {
  switch (letter) {
    case 'b': return type == Type::kBool;
    case 'u': return type == Type::kI32;
    case 's': return type == Type::kF32;
    case 'd': return type == Type::kF64;
    case 'i':
    case 'j': return mir::IsInt(type);
    case 'f':
    case 'g': return mir::IsFloat(type);
    case 'n': return !mir::IsFloat(type);
    default: return true;
  }
}

// Every op with a fixed signature that has a source or result of the width.
int CheckAllOps(Type width) {
  std::mt19937_64 random(1);
  int checked = 0;
  for (int n = 0; n < mir::NumOps(); ++n) {
    const Op op = static_cast<Op>(n);
    const mir::OpInfo& info = mir::Info(op);
    if (!info.Has('P') || info.sources < 1 || info.results != 1) continue;
    const std::string_view letters = info.signature.substr(2);
    for (Type result : kTypes) {
      for (Type first : kTypes) {
        // The letter that may be of the width: the result's, or the first source's.
        std::vector<Type> sources;
        bool fits = LetterFits(info.signature[0], result) && (result == width || first == width);
        for (char c : letters) {
          const Type t = c == 'u'                 ? Type::kI32
                         : c == 's'               ? Type::kF32
                         : c == 'd'               ? Type::kF64
                         : c == '*'               ? first
                         : c == 'b'               ? Type::kBool
                         : c == info.signature[0] ? result
                                                  : first;
          fits = fits && LetterFits(c, t);
          sources.push_back(t);
        }
        if (!fits || (info.signature.find_first_of("jg") != 0 && sources[0] != first &&
                      letters.find('b') == letters.npos)) {
          continue;
        }
        const bool widens = mir::BitsOf(result) > mir::BitsOf(sources[0]);
        if (op == Op::kBitcast && (mir::IsFloat(result) == mir::IsFloat(first) || widens ||
                                   mir::BitsOf(first) != mir::BitsOf(result))) {
          continue;
        }
        if ((op == Op::kTrunc && (widens || result == first)) ||
            ((op == Op::kZext || op == Op::kSext) && !widens)) {
          continue;
        }
        Module m = OneOp(op, result, sources);
        EXPECT_EQ(mir::Verify(m), absl::OkStatus()) << mir::Print(m);
        std::vector<uint8_t> input(32 * kLanes);
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
          for (size_t i = 0; i < sources.size(); ++i) {
            const uint64_t bits = Draw(sources[i], random);
            std::memcpy(&input[32 * lane + 8 * i], &bits, 8);
          }
        }
        const std::vector<uint8_t> before = Execute(m, input);
        const absl::StatusOr<bool> lowered = Lower(width, m);
        EXPECT_TRUE(lowered.ok()) << lowered.status();
        EXPECT_EQ(mir::Verify(m), absl::OkStatus()) << mir::Print(m);
        EXPECT_FALSE(Uses(m, width, width == Type::kI8)) << mir::Print(m);
        const std::vector<uint8_t> after = Execute(m, input);
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
          uint64_t x[5];
          std::memcpy(x, &input[32 * lane], 32);
          uint64_t want, got;
          std::memcpy(&want, &before[8 * lane], 8);
          std::memcpy(&got, &after[8 * lane], 8);
          if (want == got) continue;
          ADD_FAILURE() << info.name << " to type " << static_cast<int>(result) << std::hex
                        << " of " << x[0] << " " << x[1] << " " << x[2] << " " << x[3] << ": "
                        << want << " became " << got;
          break;
        }
        ++checked;
      }
    }
  }
  return checked;
}

// Elements of an access have one size, so that doubles beside integers are split with these.
TEST(LowerInt64, DoublesInTheSameAccess) {
  const std::string text =
      "mir 1 local_size 256, 1, 1 needs float64 resource 0 ssbo 0.0.0 resource 1 ssbo 0.1.0 body {\n"
      "%0:i32 = local_index %1:i32 = imul %0, 16 %2:i32 = imul %0, 8 %3:i32 = and %2, 1016\n"
      "%4:f64, %5:i64 = load_ssbo[0, align 8] %1 %6:f64 = fadd %4, 1d %7:i64 = iadd %5, 3i64\n"
      "%8:i64 = bitcast %6 %9:f64 = bitcast %7\n"
      "store_ssbo[1, align 8] %3, %9, %8 return }";
  auto m = mir::Parse(text);
  ASSERT_TRUE(m.ok()) << m.status();
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus());
  std::mt19937_64 random(3);
  std::vector<uint8_t> input(16 * kLanes);
  for (uint8_t& byte : input) byte = static_cast<uint8_t>(random() & 0x3f);
  const std::vector<uint8_t> before = Execute(*m, input);
  ASSERT_TRUE(Lower(Type::kI64, *m).value());
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus()) << mir::Print(*m);
  EXPECT_FALSE(Uses(*m, Type::kI64, false)) << mir::Print(*m);
  EXPECT_EQ(Execute(*m, input), before);
}

TEST(LowerInt64, EveryOperation) { EXPECT_GT(CheckAllOps(Type::kI64), 50); }
TEST(LowerInt8, EveryOperation) { EXPECT_GT(CheckAllOps(Type::kI8), 50); }

TEST(LowerInt64, CarriedValues) {
  auto m = mir::Parse(R"(mir 1 local_size 256, 1, 1
    resource 0 ssbo 0.0.0 resource 1 ssbo 0.1.0 body {
    %0:i32 = local_index
    %1:i32 = imul %0, 32
    %2:i64, %3:i64 = load_ssbo[0, align 8] %1
    %4:bool = ult %2, %3
    %5:i32, %6:i64 = if %4 {
      yield 3, %3
    } else {
      %7:i64 = isub %2, %3
      yield 5, %7
    }
    %8:i64, %9:i32 = loop (%10:i32 = %5, %11:i64 = %6, %12:i64 = -1i64) {
      %13:bool = ieq %10, 0
      if %13 {
        break %11, %10
      } else {
        yield
      }
      %14:i64 = iadd %11, %12
      %15:i32 = isub %10, 1
      continue %15, %12, %14
    }
    %16:i64 = read_first %8
    %17:i32 = shl %0, 3
    store_ssbo[1, align 8] %17, %8
    return })");
  ASSERT_TRUE(m.ok()) << m.status();
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus());
  std::mt19937_64 random(2);
  std::vector<uint8_t> input(32 * kLanes);
  for (uint8_t& byte : input) byte = static_cast<uint8_t>(random());
  const std::vector<uint8_t> before = Execute(*m, input);
  const auto lowered = Lower(Type::kI64, *m);
  ASSERT_TRUE(lowered.ok() && *lowered) << lowered.status();
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus()) << mir::Print(*m);
  EXPECT_FALSE(Uses(*m, Type::kI64, false)) << mir::Print(*m);
  EXPECT_EQ(Execute(*m, input), before);
}

// out[lane] = scan(in[lane]), in the lanes whose dword after their input is odd.
std::string ScanModule(Type type, const std::string& scan) {
  const std::string t = type == Type::kI64 ? "i64" : "i8";
  return "mir 1 local_size 256, 1, 1 resource 0 ssbo 0.0.0 resource 1 ssbo 0.1.0 body { "
         "%0:i32 = local_index %1:i32 = imul %0, 32 %2:i32 = iadd %1, 8 %3:i32 = shl %0, 3 %4:" +
         t +
         " = load_ssbo[0, align 8] %1 %5:i32 = load_ssbo[0, align 8] %2 %6:i32 = and %5, 1 "
         "%7:bool = ine %6, 0 if %7 { %8:" +
         t + " = " + scan + " %4 store_ssbo[1, align 8] %3, %8 yield } else { yield } return }";
}

TEST(LowerWidths, ScansBetweenLanes) {
  std::mt19937_64 random(3);
  int checked = 0;
  for (Type type : {Type::kI8, Type::kI64}) {
    for (const char* op : {"iadd", "imul", "imin", "imax", "umin", "umax", "and", "or", "xor"}) {
      const std::string name = op;
      for (const std::string& scan :
           {"reduce[" + name + ", 0]", "reduce[" + name + ", 4]", "inclusive_scan[" + name + "]",
            "exclusive_scan[" + name + "]"}) {
        auto m = mir::Parse(ScanModule(type, scan));
        ASSERT_TRUE(m.ok()) << m.status();
        std::vector<uint8_t> input(32 * kLanes);
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
          const uint64_t bits = Draw(type, random), on = random();
          std::memcpy(&input[32 * lane], &bits, 8);
          std::memcpy(&input[32 * lane + 8], &on, 8);
        }
        Module lowered = *m;
        const auto changed = Lower(type, lowered);
        ASSERT_TRUE(changed.ok() && *changed) << changed.status();
        EXPECT_EQ(mir::Verify(lowered), absl::OkStatus()) << mir::Print(lowered);
        EXPECT_FALSE(Uses(lowered, type, type == Type::kI8)) << mir::Print(lowered);
        for (uint32_t size : {8u, 32u, 128u}) {
          EXPECT_EQ(Execute(lowered, input, size), Execute(*m, input, size))
              << scan << " in subgroups of " << size << "\n"
              << mir::Print(lowered);
        }
        ++checked;
      }
    }
  }
  EXPECT_EQ(checked, 2 * 9 * 4);
}

// On pairs, in place; the results stay the same.
TEST(LowerInt64, AtomicsOnSharedMemoryStayThere) {
  auto m = mir::Parse(R"(mir 1 local_size 8, 1, 1 shared 128 needs shared_int64_atomics
    resource 0 ssbo 0.0.0 body {
    %0:i32 = local_index
    %1:i32 = shl %0, 3
    %2:i64 = load_ssbo[0, align 8] %1
    store_shared[align 8] %1, %2
    %3:i64 = shared_atomic[add] %1, %2
    %4:i64 = shared_atomic[compare_exchange] %1, 7i64, %3
    %5:i64 = shared_atomic[smin] %1, %2
    %6:i64 = shared_atomic[store] %1, 0x123456789abcdef0i64
    %7:i64 = shared_atomic[decrement] %1
    %8:i64 = shared_atomic[load] %1
    %9:i64 = shared_atomic[xor] 120, %2
    %10:i32 = imul %0, 48
    %11:i32 = iadd %10, 64
    store_ssbo[0, align 8] %11, %3, %4, %5, %7, %8
    return })");
  ASSERT_TRUE(m.ok()) << m.status();
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus());
  const auto run = [](const mir::Module& module) {
    oracle::LaunchInputs inputs;
    oracle::BoundBuffer buffer{0, 0, 0, std::vector<uint8_t>(64 + 8 * 48)};
    for (size_t i = 0; i < 64; ++i) buffer.bytes[i] = static_cast<uint8_t>(37 * i + 131);
    inputs.buffers.push_back(std::move(buffer));
    EXPECT_TRUE(oracle::Interpret(module, inputs).ok());
    return inputs.buffers[0].bytes;
  };
  const std::vector<uint8_t> before = run(*m);
  const auto lowered = Lower(Type::kI64, *m);
  ASSERT_TRUE(lowered.ok() && *lowered) << lowered.status();
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus()) << mir::Print(*m);
  EXPECT_FALSE(Uses(*m, Type::kI64, false)) << mir::Print(*m);
  EXPECT_THAT(mir::Print(*m), testing::HasSubstr("shared_atomic64[compare_exchange]"));
  EXPECT_EQ(run(*m), before) << mir::Print(*m);
}

// By address, and on a surface whose bounds are checked; the results stay the same.
TEST(LowerInt64, AtomicsGoByAddress) {
  auto m = mir::Parse(R"(mir 1 local_size 8, 1, 1 push 8
    resource 0 ssbo 0.0.0 resource 1 ssbo 0.1.0 resource 2 ssbo 0.2.0 array 2 body {
    %0:i32 = local_index
    %1:i32 = shl %0, 3
    %2:i64 = load_ssbo[0, align 8] %1
    %3:i64 = ssbo_atomic[1, add] %1, %2
    %4:i64 = ssbo_atomic[1, compare_exchange] %1, 7i64, %3
    %5:i64 = ssbo_atomic[1, umax] 64, %2
    %6:i64 = ssbo_atomic[1, load] %1
    %7:i64 = ssbo_atomic.indexed[2, store] 1, %1, %6
    %8:i32, %9:i32 = load_push[align 4] 0
    %10:i32 = iadd %8, %1
    %11:i64 = global_atomic[xor] %10, %9, %3
    %12:i32 = imul %0, 32
    %13:i32 = iadd %12, 64
    store_ssbo[0, align 8] %13, %3, %4, %5, %11
    return })");
  ASSERT_TRUE(m.ok()) << m.status();
  const auto run = [](const mir::Module& module) {
    oracle::LaunchInputs inputs;
    for (uint32_t b = 0; b < 5; ++b) {
      oracle::BoundBuffer buffer{0, b < 2 ? b : 2, b < 2 ? 0 : b - 2,
                                 std::vector<uint8_t>(b == 0 ? 512 : 64)};
      if (b == 4) buffer = {9, 9, 0, std::vector<uint8_t>(64), 0xffffffe0u};
      for (size_t i = 0; i < buffer.bytes.size(); ++i) {
        buffer.bytes[i] = static_cast<uint8_t>(37 * i + 11 * b);
      }
      inputs.buffers.push_back(std::move(buffer));
    }
    const uint64_t address = inputs.buffers[4].address;
    inputs.push_constants.resize(8);
    std::memcpy(inputs.push_constants.data(), &address, 8);
    EXPECT_TRUE(oracle::Interpret(module, inputs).ok());
    std::vector<uint8_t> all;
    for (const auto& b : inputs.buffers) all.insert(all.end(), b.bytes.begin(), b.bytes.end());
    return all;
  };
  const std::vector<uint8_t> before = run(*m);
  const auto lowered = Lower(Type::kI64, *m);
  ASSERT_TRUE(lowered.ok() && *lowered) << lowered.status();
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus()) << mir::Print(*m);
  EXPECT_FALSE(Uses(*m, Type::kI64, false)) << mir::Print(*m);
  EXPECT_THAT(mir::Print(*m), testing::HasSubstr("global_atomic64[compare_exchange]"));
  EXPECT_EQ(run(*m), before) << mir::Print(*m);
}

TEST(LowerInt8, ModulesWithoutBytesStay) {
  auto m = mir::Parse("mir 1 body { %0:i32 = iadd 1, 2 return }");
  ASSERT_TRUE(m.ok());
  const std::string before = mir::Print(*m);
  for (Type t : {Type::kI8, Type::kI64}) {
    const auto changed = Lower(t, *m);
    ASSERT_TRUE(changed.ok());
    EXPECT_FALSE(*changed);
  }
  EXPECT_EQ(mir::Print(*m), before);
}

}  // namespace
}  // namespace kiln::mid
