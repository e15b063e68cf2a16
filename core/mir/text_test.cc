// Printer and parser: round trips, every op, error messages, and mutated text.
#include <random>
#include <string>

#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::mir {
namespace {

// Every feature of the text form, in the printer's layout.
constexpr char kSample[] = R"(mir 1
entry "ma\22in"
local_size 8, 4, 1
denorms_f16 preserve
denorms_f32 flush
denorms_f64 preserve
rounding_f16 to_even
rounding_f32 to_zero
rounding_f64 to_even
needs float64 4 at 17 ;%3
needs rounding_by_width ;%4
needs shared_int64_atomics at 260 ;%77
needs least_texel_offset -128 at 281 ;%78
needs greatest_texel_offset 2147483647
shared 1024
push 16
data 0x0000803f
resource 0 ubo 0.1.0 ;%12
resource 1 ssbo 1.0.3 readonly ;%13
resource 2 ssbo 1.1.0
resource 3 sampled_image 2.0.0 array 8 image 2d arrayed float unknown ;%14
resource 4 storage_image 2.1.0 image 2d multisampled uint r32ui
resource 5 sampler 2.2.0 array 0
resource 6 combined 2.3.0 image cube float unknown
private 0 64 ;%7
body {
  %2:i32 = local_index ;%20
  %3:i32 = workgroup_id[1]
  %4:i32 = iadd %2, 4 ;%27
  %6:f32, %7:f32 = load_ssbo.coherent[1, align 8] %4 ;%28
  %8:f32 = fadd.exact %6, 0.1f
  %9:bool = flt %8, f0x7fc00000
  %10:f32 = if %9 { ;%30
    %1:f32 = fmul %8, -0f
    yield %1
  } else {
    yield 1e-10f
  }
  %11:i32, %12:f32 = loop (%13:i32 = -5, %14:f32 = %10) {
    %15:bool = slt %13, 0xdeadbeef
    if %15 {
      break %13, undef.f32
    } else {
      yield
    }
    %16:i32 = iadd %13, 0x10001
    continue %16, %14
  }
  %20:i32 = ssbo_atomic[2, compare_exchange] 0, %11, 0x80000000
  %21:i32 = shared_atomic[increment] 0
  store_private[0, align 4] 0, %12, %20
  %22:f32 = sample.nonuniform.indexed[3, texel sampler 5 sampler_index dref lod at 1 -128 0] %20, %21, %12, 0f, 1f, 0.5f, 0f
  %23:f32, %24:f32, %25:f32, %26:f32 = gather[6, texel component 2] %12, %12, %12
  %27:i32 = image_atomic[4, texel umax sample] %20, %21, 0, 7
  image_store.coherent[4, texel sample] %20, %21, 3, 1, 2, 3, 4
  %31:i64 = shared_atomic[add] 8, 5i64
  %34:f64 = pack_f64 3, 0x7ff00000
  %35:f64 = ffma.no_contraction %34, 0.1d, -1.7976931348623157e+308d
  %36:f64 = select %9, d0x7ff8000000000001, 5e-324d
  %37:i32 = f64_high %35
  %32:i32, %33:i32 = shared_atomic64[compare_exchange] 8, 1, 2, 3, 4
  memory_barrier[3, device]
  memory_barrier.release[3, device]
  memory_barrier.acquire[1, workgroup]
  control_barrier[3, workgroup]
  loop {
    break
  }
  store_ssbo.volatile.nonuniform[2, align 16] %20, %10
  return
}
)";

Module MustParse(std::string_view text) {
  absl::StatusOr<Module> m = Parse(text);
  EXPECT_TRUE(m.ok()) << m.status();
  return m.ok() ? *std::move(m) : Module();
}

TEST(Text, RoundTripIsExact) {
  const Module m = MustParse(kSample);
  EXPECT_EQ(Verify(m), absl::OkStatus());
  EXPECT_EQ(Print(m), kSample);
  EXPECT_EQ(Print(MustParse(Print(m))), kSample);
}

TEST(Text, RoundingModesAreThoseOfTheResultsWidth) {
  Module m = MustParse("mir 1 rounding_f16 to_zero rounding_f32 to_even body { return }");
  EXPECT_TRUE(RoundsToZero(m, Op::kFadd, Type::kF16));
  EXPECT_FALSE(RoundsToZero(m, Op::kFadd, Type::kF32));
  EXPECT_TRUE(RoundsToZero(m, Op::kF2f, Type::kF16));
  EXPECT_TRUE(RoundsToZero(m, Op::kF2f16, Type::kI32));
  EXPECT_FALSE(RoundsToZero(m, Op::kF2u, Type::kI32));
  m.f32_mode.rounding = RoundingMode::kAny;  // has the other's
  EXPECT_TRUE(RoundsToZero(m, Op::kFadd, Type::kF32));
  m.f16_mode.rounding = RoundingMode::kAny;
  EXPECT_FALSE(RoundsToZero(m, Op::kFadd, Type::kF16));
}

TEST(Text, CommentsAndSpacingAreFree) {
  const Module m = MustParse("mir 1 // version\nbody{%9:i32=iadd 1,2 // sum\n return}");
  EXPECT_EQ(Print(m),
            "mir 1\nentry \"\"\nlocal_size 1, 1, 1\nbody {\n  %9:i32 = iadd 1, 2\n  return\n}\n");
}

TEST(Text, RenumberMakesNamesIndependentOfIndices) {
  const PrintOptions renumber{.renumber = true, .spirv_ids = false};
  const Module a = MustParse("mir 1 body { %7:i32 = ineg 1 ;%5\n %9:i32 = iadd %7, %7 return }");
  const Module b = MustParse("mir 1 body { %1:i32 = ineg 1 %0:i32 = iadd %1, %1 ;%8\n return }");
  EXPECT_NE(Print(a), Print(b));
  EXPECT_EQ(Print(a, renumber), Print(b, renumber));
}

TEST(Text, CompactKeepsTheProgram) {
  Module m = MustParse(kSample);
  const PrintOptions renumber{.renumber = true};
  const std::string before = Print(m, renumber);
  Compact(m);
  EXPECT_EQ(Verify(m), absl::OkStatus());
  EXPECT_EQ(Print(m, renumber), before);
  EXPECT_EQ(CountInstructions(m), 38);
  EXPECT_EQ(m.insts.size(), 38u);
}

// Each op that takes values only, made by the builder from its signature, survives the round trip.
TEST(Text, EveryFixedOpRoundTrips) {
  Module m;
  m.resources.push_back({});
  m.needs = {{Need::kFloat64}};
  m.body = NewRegion(m);
  Builder b(m);
  b.SetRegion(m.body);
  int made = 0;
  for (int i = 0; i < NumOps(); ++i) {
    const Op op = static_cast<Op>(i);
    const OpInfo& info = Info(op);
    // Convergent ones have immediates: SubgroupOpsRoundTrip.
    if (info.sources < 0 || info.results != 1 || info.Has('N') || info.Has('X')) continue;
    if (op == Op::kHelperInvocation) continue;  // not in compute: StagesRoundTrip
    std::vector<ValueId> sources;
    for (char c : info.signature.substr(info.signature.find('=') + 1)) {
      sources.push_back(c == 'f' || c == 's' || c == 't' ? b.Float(1.5f)
                        : c == 'd'                       ? b.Double(2.5)
                        : c == 'b'                       ? b.Bool(true)
                                                         : b.Int(7));
    }
    if (info.signature[0] == 'j' || info.signature[0] == 'g') {
      const bool truncates = op == Op::kTrunc;
      b.Convert(op,
                info.signature[0] == 'g' ? sources[0]
                                         : b.Constant(truncates ? Type::kI64 : Type::kI16, 7),
                info.signature[0] == 'g' ? Type::kF16 : Type::kI32);
    } else {
      b.Emit(op, sources);
    }
    ++made;
  }
  b.Return();
  EXPECT_EQ(made, 101);
  EXPECT_EQ(Verify(m), absl::OkStatus());
  const PrintOptions renumber{.renumber = true};
  EXPECT_EQ(Print(MustParse(Print(m)), renumber), Print(m, renumber));
}

TEST(Text, SubgroupOpsRoundTrip) {
  const std::string text = R"(mir 1
entry ""
local_size 32, 1, 1
body {
  %0:i32 = subgroup_size
  %1:i32 = num_subgroups
  %2:i32, %3:i32, %4:i32, %5:i32 = lane_mask[gt]
  %6:bool = subgroup_elect
  %7:bool = subgroup_any %6
  %8:bool = subgroup_all %6
  %9:i32, %10:i32, %11:i32, %12:i32 = ballot %7
  %13:i32 = read_first %9
  %14:f32 = read_lane 1f, 3
  %15:bool = shuffle %8, %13
  %16:i32 = quad_broadcast[3] %13
  %17:f32 = quad_swap[1] %14
  %18:f32 = reduce[fadd, 0] %17
  %19:i32 = reduce[umax, 4] %16
  %20:bool = inclusive_scan[and] %15
  %21:f32 = exclusive_scan[fmin] %18
  control_barrier[0, subgroup]
  control_barrier[2, workgroup]
  memory_barrier[7, device]
  %22:i32, %23:i32 = workgroup_scan[256] %0, 2, %13
  return
}
)";
  const Module m = MustParse(text);
  EXPECT_EQ(Verify(m), absl::OkStatus());
  EXPECT_EQ(Print(m), text);
}

// Every feature of graphics stages, in the printer's layout.
constexpr char kFragment[] = R"(mir 1
entry "main"
stage fragment
modes early_tests post_depth sample_rate depth less
input 0 location 0.0 f32 x3 centroid ;%4
input 1 location 0.3 i32 x1 flat
input 2 location 1.1 f16 x2 array 4 noperspective sample
input 3 builtin clip_distance f32 x1 array 8
input 4 builtin frag_coord f32 x4 ;%9
input 5 builtin front_facing bool x1
output 0 location 0.0 f32 x4 invariant
output 1 location 0.0 f32 x4 index 1
output 2 builtin sample_mask i32 x1 array 1
output 3 builtin frag_depth f32 x1
resource 0 combined 0.0.0 image 2d arrayed float unknown
body {
  %0:f32, %1:f32, %2:f32 = load_input[0, 0] ;%20
  %3:i32 = load_input[1, 0]
  %4:f16 = load_input.indexed[2, 1] %3
  %5:f32 = load_input.indexed[3, 0] 7
  %6:f32 = interpolate[0, centroid 0]
  %7:f32, %8:f32 = interpolate[0, sample 1] %3
  %9:f32 = interpolate[0, offset 2] 0.25f, %6
  %10:f32 = ddx[any] %6
  %11:f16 = ddy[coarse] %4
  %12:f32 = ddx[fine] %10
  %13:bool = load_input[5, 0]
  demote %13
  %14:bool = helper_invocation
  discard %14
  terminate false
  %15:f32, %16:f32, %17:f32, %18:f32 = sample_implicit[0, texel bias min_lod at 1 0 0] %0, %1, %2, 0.5f, 1f
  %19:f32 = sample_implicit[0, texel dref] %0, %1, %2, 0.5f
  %20:f32, %21:f32 = image_lod[0, texel] %0, %1
  store_output[0, 0] %15, %16, %17, %18
  store_output[1, 3] %19
  store_output.indexed[2, 0] 0, %3
  store_output[3, 0] %12
  return
}
)";

TEST(Text, StagesRoundTrip) {
  const Module m = MustParse(kFragment);
  EXPECT_EQ(Verify(m), absl::OkStatus());
  EXPECT_EQ(Print(m), kFragment);
  const std::string vertex = R"(mir 1
entry ""
stage vertex
input 0 location 0.0 i64 x3 flat
input 1 builtin vertex_index i32 x1
output 0 location 3.2 i32 x2
output 1 builtin position f32 x4 invariant
body {
  store_output[1, 0] 1f, 2f, 3f, 4f
  return
}
)";
  EXPECT_EQ(Print(MustParse(vertex)), vertex);
}

// A vertex program to which a target's lowering has given workgroups.
TEST(Text, TargetsOwnNumbersRoundTrip) {
  const std::string text = R"(mir 1
entry ""
stage vertex
local_size 64, 1, 1
shared 16
body {
  %0:i32 = launch_scalar[3]
  %1:i32 = launch_vector[1]
  store_shared[align 4] 0, %0
  control_barrier[2, workgroup]
  stage_effect[2] %1, 5
  stage_effect[0]
  return
}
)";
  const Module m = MustParse(text);
  EXPECT_EQ(Verify(m), absl::OkStatus());
  EXPECT_EQ(Print(m), text);
}

TEST(Text, ClocksAndWideTexelsRoundTrip) {
  const std::string text = R"(mir 1
entry ""
local_size 64, 1, 1
needs clocks
needs int64_images
resource 0 ubo 0.0.0
resource 1 ssbo 0.0.0
resource 2 storage_image 0.0.0 image 2d uint rg32ui
body {
  %0:i32, %1:i32 = read_clock[subgroup]
  %2:i32, %3:i32 = read_clock[device]
  %4:i32, %5:i32 = image_atomic64[2, texel compare_exchange] 1, 2, %0, %1, %2, %3
  return
}
)";
  const Module m = MustParse(text);
  EXPECT_EQ(Verify(m), absl::OkStatus());
  EXPECT_EQ(Print(m), text);
}

TEST(Text, CompactKeepsTheStage) {
  Module m = MustParse(kFragment);
  Compact(m);
  EXPECT_EQ(Verify(m), absl::OkStatus());
  EXPECT_EQ(Print(m, {.renumber = true}), Print(MustParse(kFragment), {.renumber = true}));
}

TEST(Text, FloatsKeepTheirBits) {
  std::mt19937 random(1);
  Module m;
  m.body = NewRegion(m);
  Builder b(m);
  b.SetRegion(m.body);
  std::vector<uint32_t> bits = {0, 0x80000000, 1, 0x007fffff, 0x7f7fffff, 0x7f800000, 0xffc00001};
  for (int i = 0; i < 2000; ++i) bits.push_back(random());
  for (uint32_t x : bits) b.Fneg(b.Constant(Type::kF32, x));
  b.Return();
  const Module back = MustParse(Print(m));
  ASSERT_EQ(back.region(back.body).insts.size(), bits.size() + 1);
  for (size_t i = 0; i < bits.size(); ++i) {
    EXPECT_EQ(back.value(back.source(back.region(back.body).insts[i], 0)).bits, bits[i]);
  }
}

TEST(Text, DoublesKeepTheirBits) {
  std::mt19937_64 random(1);
  Module m;
  m.needs = {{Need::kFloat64}};
  m.body = NewRegion(m);
  Builder b(m);
  b.SetRegion(m.body);
  std::vector<uint64_t> bits = {0,
                                uint64_t{1} << 63,
                                1,
                                0x000fffffffffffff,
                                0x7fefffffffffffff,
                                0x7ff0000000000000,
                                0xfff8000000000001,
                                0x3fb999999999999a};
  for (int i = 0; i < 500; ++i) bits.push_back(random());
  for (uint64_t x : bits) b.Fneg(b.Constant(Type::kF64, x));
  b.Return();
  const Module back = MustParse(Print(m));
  ASSERT_EQ(back.region(back.body).insts.size(), bits.size() + 1);
  for (size_t i = 0; i < bits.size(); ++i) {
    const Value& v = back.value(back.source(back.region(back.body).insts[i], 0));
    EXPECT_EQ(v.type, Type::kF64);
    EXPECT_EQ(v.bits, bits[i]);
  }
}

TEST(Text, ConstantsOfEveryTypeRoundTrip) {
  const std::string text =
      "mir 1\nentry \"\"\nlocal_size 1, 1, 1\ndenorms_f16 preserve\ndenorms_f32 flush\nbody {\n"
      "  %0:i8 = iadd 127i8, -128i8\n"
      "  %1:i16 = iadd -1i16, 32767i16\n"
      "  %2:i64 = iadd 0x123456789abcdef0i64, -1i64\n"
      "  %3:i64 = iadd 0x8000000000000000i64, 5i64\n"
      "  %4:f16 = fadd -0h, 0.1h\n"
      "  %5:f16 = fadd h0x7c00, h0xfe01\n"
      "  %6:f16 = fadd 65504h, 5.9604645e-08h\n"
      "  %7:f16 = fneg undef.f16\n"
      "  return\n}\n";
  const Module m = MustParse(text);
  EXPECT_EQ(Verify(m), absl::OkStatus());
  // 0.1 is not a half: it prints as the nearest half.
  EXPECT_THAT(Print(m), testing::HasSubstr("fadd -0h, 0.099975586h"));
  EXPECT_EQ(Print(MustParse(Print(m))), Print(m));
  for (uint32_t h = 0; h < 0x10000; ++h) {
    Module one;
    one.body = NewRegion(one);
    Builder b(one);
    b.SetRegion(one.body);
    b.Fneg(b.Constant(Type::kF16, h));
    b.Return();
    const Module back = MustParse(Print(one));
    ASSERT_EQ(back.value(back.source(back.region(back.body).insts[0], 0)).bits, h);
  }
}

struct BadText {
  const char* text;
  const char* message;
};

TEST(Text, ErrorsSayWhere) {
  const BadText cases[] = {
      {"", "1:1: expected 'mir 1' (found the end)"},
      {"mir 2", "1:5: unknown version"},
      {"mir 1\nshared x\nbody {", "2:8: expected a number"},
      {"mir 1\nbody {\n  %1:i32 = iadd %0, 4\n}", "3:17: value is not defined here (found '0')"},
      {"mir 1\nbody {\n  %1:i32 = ineg 4\n  %1:i32 = ineg 4\n}", "4:3: value is defined twice"},
      {"mir 1\nbody {\n  %1:i32 = iadd 4\n}", "3:12: expected 2 sources"},
      {"mir 1\nbody {\n  iadd 4, 4\n}", "3:3: expected 1 results"},
      {"mir 1\nbody {\n  %1:i24 = ineg 4\n}", "3:6: expected a type"},
      {"mir 1\nbody {\n  %1:i32 = frob 4\n}", "3:12: expected an operation"},
      {"mir 1\nbody {\n  %1:i32 = ineg.fast 4\n}", "3:12: unknown flag"},
      {"mir 1\nbody {\n  %1:i32, %3:i32 = load_push[align 4] 0\n}", "3:11: results must have"},
      {"mir 1\nbody {\n  if true { %1:i32 = ineg 4 yield }\n", "4:1: expected 'else'"},
      {"mir 1\nbody {\n  if true { %1:i32 = ineg 4 yield } else { %2:i32 = ineg %1 yield }\n}",
       "3:58: value is not defined here"},
      {"mir 1\nbody {\n  %1:i32 = loop (%2:i32 = 0) { break %2 }\n  %3:i32 = ineg %2\n}",
       "4:17: value is not defined here"},
      {"mir 1\nbody {\n  %5000000:i32 = ineg 1\n}", "3:3: value name too large"},
      {"mir 1\nbody {\n  %1:i32 = ineg 4294967296\n}", "3:17: expected an integer of 32 bits"},
      {"mir 1\nbody {\n  %1:i8 = ineg 256i8\n}", "3:16: expected an integer of 8 bits"},
      {"mir 1\nbody {\n  %1:i16 = ineg -32769i16\n}", "expected an integer of 16 bits"},
      {"mir 1\nbody {\n  %1:i16 = ineg 7i17\n}", "expected an integer type after"},
      {"mir 1\nbody {\n  %1:f16 = fneg h0x10000\n}", "expected the 16 bits of a float"},
      {"mir 1\nbody {\n  return\n} x", "4:3: expected the end"},
      {"mir 1\nbody {\n  return\n", "4:1: expected an operation (found the end)"},
      {"mir 1\nresource 1 ubo 0.0.0\nbody { return }", "2:10: expected index 0"},
      {"mir 1\nresource 0 ubo 0.0\nbody { return }", "2:16: expected set.binding.element"},
      {"mir 1\nstage mesh\nbody { return }", "2:7: expected a stage"},
      {"mir 1\nmodes depth equal\nbody { return }", "2:13: expected a depth mode"},
      {"mir 1\ninput 0 0.0 f32 x1\nbody { return }", "2:9: expected 'location' or 'builtin'"},
      {"mir 1\ninput 0 location 0 f32 x1\nbody { return }", "expected location.component"},
      {"mir 1\ninput 0 builtin position_w f32 x1\nbody { return }", "expected a built-in"},
      {"mir 1\ninput 0 location 0.0 f32 4\nbody { return }", "expected a number of components"},
      {"mir 1\nbody {\n  %1:f32 = ddx[near] 0f\n}", "3:16: expected any, coarse or fine"},
      {"mir 1\nbody {\n  %1:f32 = interpolate[0, at 0]\n}",
       "expected centroid, sample, offset or a vertex"},
  };
  for (const BadText& c : cases) {
    const absl::StatusOr<Module> m = Parse(c.text);
    ASSERT_FALSE(m.ok()) << c.text;
    EXPECT_EQ(m.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(m.status().message()), testing::HasSubstr(c.message)) << c.text;
  }
}

TEST(Text, DeepNestingIsAnError) {
  std::string text = "mir 1 body {";
  for (int i = 0; i < 100000; ++i) text += "loop {";
  const absl::StatusOr<Module> m = Parse(text);
  ASSERT_FALSE(m.ok());
  EXPECT_THAT(std::string(m.status().message()), testing::HasSubstr("nested too deeply"));
}

// Mutated text is an error or a module that prints and parses again. Neither parsing nor verifying
// it crashes.
TEST(Text, MutatedTextIsHandled) {
  std::mt19937 random(2);
  int parsed = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = i % 4 == 0 ? kFragment : kSample;
    for (int n = 1 + random() % 3; n > 0; --n) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0: text[at] = kSample[random() % (sizeof(kSample) - 1)]; break;
        case 1: text.erase(at, 1 + random() % 8); break;
        default: text.insert(at, text.substr(random() % text.size(), random() % 16)); break;
      }
    }
    const absl::StatusOr<Module> m = Parse(text);
    if (!m.ok()) continue;
    ++parsed;
    (void)Verify(*m).ok();
    const std::string printed = Print(*m);
    const absl::StatusOr<Module> again = Parse(printed);
    ASSERT_TRUE(again.ok()) << again.status() << "\n" << printed;
    ASSERT_EQ(Print(*again), printed);
  }
  EXPECT_GT(parsed, 500);
}

TEST(Text, PerVertexInputsAndBarycentricCoordinates) {
  const std::string text = R"(mir 1
entry ""
stage fragment
input 0 location 2.0 i32 x2 per_vertex
input 1 builtin bary_coord f32 x3 centroid
input 2 builtin bary_coord_no_perspective f32 x3 noperspective
needs barycentrics at 5 ;%9
body {
  %0:i32, %1:i32 = interpolate[0, vertex0 0]
  %2:i32 = interpolate[0, vertex2 1]
  %3:f32 = load_input[1, 2]
  %4:f32 = interpolate[2, centroid 0]
  return
}
)";
  const Module m = MustParse(text);
  EXPECT_EQ(Verify(m), absl::OkStatus());
  EXPECT_EQ(Print(m), text);
}

}  // namespace
}  // namespace kiln::mir
