#include "core/mid/lower/lower_nonuniform.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

mir::Module Module(const std::string& body) {
  absl::StatusOr<mir::Module> m = mir::Parse(R"(mir 1
local_size 32, 1, 1
push 16
resource 0 ssbo 0.0.0 array 4
resource 1 ssbo 0.1.0
resource 2 sampled_image 0.2.0 array 8 image 2d float unknown
resource 3 sampler 0.3.0 array 8
body {
)" + body + "  return\n}\n");
  EXPECT_TRUE(m.ok()) << m.status();
  return *std::move(m);
}

mir::Module Fragment(const std::string& body) {
  absl::StatusOr<mir::Module> m = mir::Parse(R"(mir 1
stage fragment
resource 0 combined 0.0.0 array 8 image 2d float unknown
input 0 location 0.0 i32 x1 flat
input 1 location 1.0 f32 x2
output 0 location 0.0 f32 x4
body {
)" + body + "  return\n}\n");
  EXPECT_TRUE(m.ok()) << m.status();
  return *std::move(m);
}

// A target whose subgroups have up to 64 lanes, each with offsets of its own.
constexpr Features ManyLanes() {
  Features features = kFewFeatures;
  features.most_lanes = 64;
  features.sample_offsets.by_lane = true;
  return features;
}

// The body after the pass, values renumbered.
std::string Lowered(mir::Module m, const Features& features = kFewFeatures) {
  EXPECT_EQ(mir::Verify(m), absl::OkStatus());
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(LowerNonuniform(m, features, context).ok());
  EXPECT_EQ(mir::Verify(m), absl::OkStatus());
  mir::PrintOptions options;
  options.renumber = true;
  const std::string text = mir::Print(m, options);
  const size_t start = text.find("body {\n") + 7;
  return text.substr(start, text.rfind("  return\n") - start);
}

std::string Lowered(const std::string& body, const Features& features = kFewFeatures) {
  return Lowered(Module(body), features);
}
std::string LoweredFragment(const std::string& body) { return Lowered(Fragment(body)); }

// Without the mark the first lane's index is used, read once for a region and those inside it.
TEST(LowerNonuniform, TheFirstLanesIndexIsReadOnce) {
  EXPECT_EQ(Lowered(R"(  %0:i32 = local_index
  %1:bool = ult %0, 9
  if %1 {
    %2:i32 = load_ssbo.indexed[0, align 4] %0, 0
    store_ssbo[1, align 4] %0, %2
    yield
  } else {
    yield
  }
  %3:i32 = load_ssbo.indexed[0, align 4] %0, 8
  store_ssbo.indexed[0, align 4] %0, 12, %3
  if %1 {
    store_ssbo.indexed[0, align 4] %0, 16, %3
    yield
  } else {
    yield
  }
)"),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 9
  if %1 {
    %2:i32 = read_first.uniform %0
    %3:i32 = load_ssbo.indexed[0, align 4] %2, 0
    store_ssbo[1, align 4] %0, %3
    yield
  } else {
    yield
  }
  %4:i32 = read_first.uniform %0
  %5:i32 = load_ssbo.indexed[0, align 4] %4, 8
  store_ssbo.indexed[0, align 4] %4, 12, %5
  if %1 {
    store_ssbo.indexed[0, align 4] %4, 16, %5
    yield
  } else {
    yield
  }
)");
}

TEST(LowerNonuniform, DifferentIndicesGoOneByOne) {
  EXPECT_EQ(Lowered(R"(  %0:i32 = local_index
  %1:i32 = load_ssbo.nonuniform.indexed[0, align 4] %0, 8
  store_ssbo[1, align 4] %0, %1
)"),
            R"(  %0:i32 = local_index
  %1:i32 = loop {
    %2:i32 = read_first %0
    %3:bool = ieq %0, %2
    if %3 {
      %4:i32 = load_ssbo.indexed[0, align 4] %2, 8
      break %4
    } else {
      yield
    }
    continue
  }
  store_ssbo[1, align 4] %0, %1
)");
}

TEST(LowerNonuniform, ImageAndSamplerMustBothAgree) {
  EXPECT_EQ(Lowered(R"(  %0:i32 = local_index
  %1:i32 = and %0, 3
  %2:f32, %3:f32, %4:f32, %5:f32 = sample.nonuniform.indexed[2, texel sampler 3 sampler_index] %0, %1, 0f, 0f
  store_ssbo[1, align 4] 0, %3
)"),
            R"(  %0:i32 = local_index
  %1:i32 = and %0, 3
  %2:f32, %3:f32, %4:f32, %5:f32 = loop {
    %6:i32 = read_first %0
    %7:i32 = read_first %1
    %8:bool = ieq %0, %6
    %9:bool = ieq %1, %7
    %10:bool = and %8, %9
    if %10 {
      %11:f32, %12:f32, %13:f32, %14:f32 = sample.indexed[2, texel sampler 3 sampler_index] %6, %7, 0f, 0f
      break %11, %12, %13, %14
    } else {
      yield
    }
    continue
  }
  store_ssbo[1, align 4] 0, %3
)");
}

// One message has one offset: samples with different ones are executed one by one, without a mark.
// An offset that all lanes share stays; a gather has an offset for each lane.
TEST(LowerNonuniform, OffsetsOfSamplesGoOneByOne) {
  EXPECT_EQ(Lowered(R"(  %0:i32 = local_index
  %1:i32 = workgroup_id[0]
  %2:f32, %3:f32, %4:f32, %5:f32 = sample.indexed[2, texel sampler 3 sampler_index offsets] 1, 2, 0f, 0f, %0, %1
  store_ssbo[1, align 4] 0, %3
)"),
            R"(  %0:i32 = local_index
  %1:i32 = workgroup_id[0]
  %2:f32, %3:f32, %4:f32, %5:f32 = loop {
    %6:i32 = read_first %0
    %7:bool = ieq %0, %6
    if %7 {
      %8:f32, %9:f32, %10:f32, %11:f32 = sample.indexed[2, texel sampler 3 sampler_index offsets] 1, 2, 0f, 0f, %6, %1
      break %8, %9, %10, %11
    } else {
      yield
    }
    continue
  }
  store_ssbo[1, align 4] 0, %3
)");
  const std::string kept[] = {R"(  %0:i32 = workgroup_id[0]
  %1:f32, %2:f32, %3:f32, %4:f32 = sample.indexed[2, texel sampler 3 sampler_index offsets] 1, 2, 0f, 0f, %0, 3
  store_ssbo[1, align 4] 0, %1
)",
                              R"(  %0:i32 = local_index
  %1:f32, %2:f32, %3:f32, %4:f32 = gather.indexed[2, texel sampler 3 sampler_index offsets] 1, 2, 0f, 0f, %0, %0
  store_ssbo[1, align 4] 0, %1
)"};
  for (const std::string& body : kept) EXPECT_EQ(Lowered(body), body);
  const std::string by_lane = R"(  %0:i32 = local_index
  %1:f32, %2:f32, %3:f32, %4:f32 = sample.indexed[2, texel sampler 3 sampler_index offsets] 1, 2, 0f, 0f, %0, 3
  store_ssbo[1, align 4] 0, %1
)";
  EXPECT_NE(Lowered(by_lane), by_lane);
  EXPECT_EQ(Lowered(by_lane, ManyLanes()), by_lane);
}

// Without the mark the image is the first lane's, for every offset.
TEST(LowerNonuniform, OffsetsBesideIndicesWithoutAMark) {
  EXPECT_EQ(Lowered(R"(  %0:i32 = local_index
  %1:f32, %2:f32, %3:f32, %4:f32 = sample.indexed[2, texel sampler 3 sampler_index offsets] %0, 2, 0f, 0f, %0, 1
  store_ssbo[1, align 4] 0, %1
)"),
            R"(  %0:i32 = local_index
  %1:i32 = read_first.uniform %0
  %2:f32, %3:f32, %4:f32, %5:f32 = loop {
    %6:i32 = read_first %0
    %7:bool = ieq %0, %6
    if %7 {
      %8:f32, %9:f32, %10:f32, %11:f32 = sample.indexed[2, texel sampler 3 sampler_index offsets] %1, 2, 0f, 0f, %6, 1
      break %8, %9, %10, %11
    } else {
      yield
    }
    continue
  }
  store_ssbo[1, align 4] 0, %2
)");
}

TEST(LowerNonuniform, QuadsStayWholeForDerivativesWithOffsets) {
  const std::string text = LoweredFragment(R"(  %0:i32 = load_input[0, 0]
  %1:f32, %2:f32 = load_input[1, 0]
  %3:f32, %4:f32, %5:f32, %6:f32 = sample_implicit.indexed[0, texel offsets] 1, %1, %2, %0, 0
  store_output[0, 0] %4, %6
)");
  EXPECT_NE(text.find("read_lane %0"), text.npos) << text;
  EXPECT_NE(text.find("find_lsb"), text.npos) << text;
}

// Lanes that are served stay active for the derivatives of their neighbours.
TEST(LowerNonuniform, QuadsStayWholeForDerivatives) {
  EXPECT_EQ(LoweredFragment(R"(  %0:i32 = load_input[0, 0]
  %1:f32, %2:f32 = load_input[1, 0]
  %3:f32, %4:f32, %5:f32, %6:f32 = sample_implicit.nonuniform.indexed[0, texel] %0, %1, %2
  store_output[0, 0] %4, %6
)"),
            R"(  %0:i32 = load_input[0, 0]
  %1:f32, %2:f32 = load_input[1, 0]
  %3:i32, %4:i32, %5:i32, %6:i32 = ballot true
  %7:f32, %8:f32 = loop (%9:i32 = %3, %10:f32 = undef.f32, %11:f32 = undef.f32) {
    %12:i32 = find_lsb %9
    %13:i32 = read_lane %0, %12
    %14:f32, %15:f32, %16:f32, %17:f32 = sample_implicit.indexed[0, texel] %13, %1, %2
    %18:bool = ieq %0, %13
    %19:i32, %20:i32, %21:i32, %22:i32 = ballot %18
    %23:i32 = not %19
    %24:i32 = and %9, %23
    %25:f32 = select %18, %15, %10
    %26:f32 = select %18, %17, %11
    %27:bool = ieq %24, 0
    if %27 {
      break %25, %26
    } else {
      yield
    }
    continue %24, %25, %26
  }
  store_output[0, 0] %7, %8
)");
}

// Returns the outputs of fragments in one subgroup, with two images of which each has one byte
// everywhere.
std::vector<std::vector<uint64_t>> OutputsOf(const mir::Module& module, uint32_t fragments) {
  oracle::LaunchInputs inputs;
  inputs.stage.invocations = fragments;
  inputs.subgroup_size = std::max(32u, fragments);
  inputs.stage.inputs.resize(2);
  for (uint32_t i = 0; i < 2; ++i) {
    oracle::BoundImage& image = inputs.images.emplace_back();
    image.element = i;
    image.width = image.height = 8;
    for (uint32_t k = 0; k < 256; ++k) image.bytes.push_back(static_cast<uint8_t>(k));
    inputs.samplers.emplace_back().element = i;
  }
  const auto done = oracle::Interpret(module, inputs);
  EXPECT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done.ok() ? done->undefined_results : 1, 0);
  return inputs.stage.outputs;
}

std::vector<std::vector<uint64_t>> OutputsOfAQuad(const mir::Module& module) {
  return OutputsOf(module, 4);
}

// The level of a quad whose lanes sample different images.
TEST(LowerNonuniform, MixedQuadsHaveTheirLevel) {
  mir::Module m = Fragment(R"(  %0:i32 = subgroup_invocation
  %1:i32 = and %0, 1
  %2:i32 = ushr %0, 1
  %3:f32 = u2f %1
  %4:f32 = u2f %2
  %5:f32 = fmul %3, 0.25f
  %6:f32 = fmul %4, 0.5f
  %7:f32, %8:f32 = image_lod.nonuniform.indexed[0, texel] %1, %5, %6
  %9:f32 = u2f %0
  store_output[0, 0] %8, %9
)");
  const auto before = OutputsOfAQuad(m);
  EXPECT_EQ(before[0][0], 0x40000000u);  // 2
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*LowerNonuniform(m, kFewFeatures, context));
  EXPECT_EQ(OutputsOfAQuad(m), before);
}

// Lanes 32 to 63 are served, too.
TEST(LowerNonuniform, AllOf64LanesAreServed) {
  mir::Module m = Fragment(R"(  %0:i32 = subgroup_invocation
  %1:i32 = ushr %0, 5
  %2:f32 = u2f %0
  %3:f32 = fmul %2, 0.015625f
  %4:f32, %5:f32, %6:f32, %7:f32 = sample_implicit.nonuniform.indexed[0, texel] %1, %3, %3
  store_output[0, 0] %4, %5
)");
  const auto before = OutputsOf(m, 64);
  PassContext context = PassContext::ForTest();
  mir::Module few = m;
  EXPECT_TRUE(*LowerNonuniform(few, kFewFeatures, context));
  EXPECT_NE(OutputsOf(few, 64), before);
  EXPECT_TRUE(*LowerNonuniform(m, ManyLanes(), context));
  EXPECT_EQ(OutputsOf(m, 64), before);
}

// Each lane's texel, at the level of the whole quad.
TEST(LowerNonuniform, MixedQuadsHaveTheirOffsets) {
  mir::Module m = Fragment(R"(  %0:i32 = subgroup_invocation
  %1:i32 = and %0, 1
  %2:i32 = ushr %0, 1
  %3:f32 = u2f %1
  %4:f32 = u2f %2
  %5:f32 = fmul %3, 0.125f
  %6:f32 = fmul %4, 0.125f
  %7:i32 = iadd %1, %2
  %8:f32, %9:f32, %10:f32, %11:f32 = sample_implicit.indexed[0, texel offsets] 1, %5, %6, %7, %2
  store_output[0, 0] %8, %9
)");
  const auto before = OutputsOfAQuad(m);
  std::set<uint64_t> texels(before[0].begin(), before[0].begin() + 4);
  EXPECT_EQ(texels.size(), 4u);
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*LowerNonuniform(m, kFewFeatures, context));
  EXPECT_EQ(OutputsOfAQuad(m), before);
}

TEST(LowerNonuniform, UniformIndicesStay) {
  EXPECT_EQ(Lowered(R"(  %0:i32 = load_push[align 4] 0
  store_ssbo.nonuniform.indexed[0, align 4] %0, 0, 7
  store_ssbo.indexed[0, align 4] 3, 0, 7
)"),
            R"(  %0:i32 = load_push[align 4] 0
  store_ssbo.indexed[0, align 4] %0, 0, 7
  store_ssbo.indexed[0, align 4] 3, 0, 7
)");
}

// A counter is equal in all lanes that are still in the loop.
TEST(LowerNonuniform, UniformIndicesInLoopsStay) {
  EXPECT_EQ(Lowered(R"(  %0:i32 = local_index
  loop (%1:i32 = 0) {
    store_ssbo.nonuniform.indexed[0, align 4] %1, 0, 7
    %2:bool = ieq %0, %1
    if %2 {
      break
    } else {
      yield
    }
    %3:i32 = iadd %1, 1
    continue %3
  }
)"),
            R"(  %0:i32 = local_index
  loop (%1:i32 = 0) {
    store_ssbo.indexed[0, align 4] %1, 0, 7
    %2:bool = ieq %0, %1
    if %2 {
      break
    } else {
      yield
    }
    %3:i32 = iadd %1, 1
    continue %3
  }
)");
}

// Without the mark Vulkan guarantees that all lanes agree, also where analysis cannot see it.
TEST(LowerNonuniform, UnmarkedIndicesAreTheFirstLanes) {
  EXPECT_EQ(Lowered(R"(  %0:i32 = load_ssbo.volatile[1, align 4] 0
  store_ssbo.indexed[0, align 4] %0, 0, 7
)"),
            R"(  %0:i32 = load_ssbo.volatile[1, align 4] 0
  %1:i32 = read_first.uniform %0
  store_ssbo.indexed[0, align 4] %1, 0, 7
)");
}

// Every lane reads from and writes to the buffer that it chose, before and after.
TEST(LowerNonuniform, KeepsTheMeaning) {
  mir::Module m = Module(R"(  %0:i32 = local_index
  %1:i32 = umul_high %0, 0x55555556
  %2:i32 = and %1, 3
  %3:i32 = shl %0, 2
  %4:i32 = load_ssbo.nonuniform.indexed[0, align 4] %2, 128
  %5:i32 = iadd %4, %0
  store_ssbo.nonuniform.indexed[0, align 4] %2, %3, %5
  %6:i32 = ssbo_atomic.nonuniform.indexed[0, add] %2, 132, 1
  store_ssbo[1, align 4] %3, %6
)");
  const auto run = [](const mir::Module& module) {
    oracle::LaunchInputs inputs;
    inputs.push_constants.resize(16);
    for (uint32_t i = 0; i < 4; ++i) {
      inputs.buffers.push_back({0, 0, i, std::vector<uint8_t>(136)});
      inputs.buffers.back().bytes[128] = static_cast<uint8_t>(100 * i);
    }
    inputs.buffers.push_back({0, 1, 0, std::vector<uint8_t>(128)});
    inputs.images.emplace_back().binding = 2;
    inputs.images.back().bytes.resize(4);
    inputs.samplers.emplace_back().binding = 3;
    EXPECT_TRUE(oracle::Interpret(module, inputs).ok());
    std::string bytes;
    for (const oracle::BoundBuffer& b : inputs.buffers)
      bytes.append(b.bytes.begin(), b.bytes.end());
    return bytes;
  };
  const std::string before = run(m);
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*LowerNonuniform(m, kFewFeatures, context));
  EXPECT_EQ(run(m), before);
  EXPECT_EQ(before[136 + 4 * 3], 103);
  EXPECT_EQ(before[132], 3 + 3 + 3);
}

}  // namespace
}  // namespace kiln::mid
