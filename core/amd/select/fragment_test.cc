// Tests what selection reads of a fragment's inputs.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/amd/select/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kOut[] = "output 0 location 0.0 f32 x1\n";
constexpr char kStoreFloat[] = "store_output[0, 0] %0\n";
// The same for a number.
constexpr char kStoreBits[] = "%9:f32 = bitcast %0\nstore_output[0, 0] %9\n";

std::string Of(const std::string& inputs, const std::string& body,
               const FragmentState& state = {}) {
  return SelectedFragment(absl::StrCat(inputs, kOut), body, 32, state);
}

FragmentState Samples(uint32_t samples, bool each = false) {
  FragmentState state;
  state.samples = samples;
  state.sample_shading = each;
  return state;
}

size_t Count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(SelectFragment, InterpolatesInTwoSteps) {
  const std::string text =
      Of("input 0 location 3.0 f32 x2\n",
         absl::StrCat("%1:f32, %2:f32 = load_input[0, 0]\nstore_output[0, 0] %2\n"));
  EXPECT_EQ(Count(text, "v_interp_p1_f32"), 1u) << text;
  EXPECT_EQ(Count(text, "v_interp_p2_f32"), 1u) << "the first component is not read";
  EXPECT_THAT(text, HasSubstr("channel 1"));
}

// The address of descriptors has its high half in the SGPR behind it, if that is free.
TEST(SelectFragment, AddressesAreMadeInPlace) {
  const std::string body = "%0:f32 = load_ssbo[0, align 4] 0\n";
  EXPECT_THAT(Of("resource 0 ssbo 0.0.0\n", body + kStoreFloat), HasSubstr("with_high"));
  EXPECT_THAT(Of("resource 0 ssbo 0.0.0\npush 4\n",
                 body + "%1:f32 = load_push[align 4] 0\n%2:f32 = fadd %0, %1\n"
                        "store_output[0, 0] %2\n"),
              Not(HasSubstr("with_high")));
}

// The provoking vertex's value is P0, parameter 2 of v_interp_mov_f32.
TEST(SelectFragment, FlatInputsAreMoved) {
  const std::string text = Of("input 0 location 0.0 i32 x1 flat\n",
                              absl::StrCat("%0:i32 = load_input[0, 0]\n", kStoreBits));
  EXPECT_THAT(text, HasSubstr("v_interp_mov_f32 #0x2"));
  EXPECT_THAT(text, Not(HasSubstr("v_interp_p1_f32")));
}

TEST(SelectFragment, TheViewportIsAFlatAttribute) {
  const std::string text =
      Of("input 0 location 0.0 i32 x1 flat\n"
         "input 1 builtin viewport_index i32 x1\n",
         "%1:i32 = load_input[0, 0]\n%2:i32 = load_input[1, 0]\n"
         "%0:i32 = iadd %1, %2\n" +
             std::string(kStoreBits));
  EXPECT_EQ(Count(text, "v_interp_mov_f32"), 2u) << text;
  EXPECT_THAT(text, HasSubstr("attribute 1"));
}

// Fields of one register: the sample's number, and the layer.
TEST(SelectFragment, SampleAndLayerAreFieldsOfARegister) {
  const auto load = [](const char* builtin) {
    return std::string("input 0 builtin ") + builtin + " i32 x1\n";
  };
  const std::string body = absl::StrCat("%0:i32 = load_input[0, 0]\n", kStoreBits);
  EXPECT_THAT(Of(load("sample_id"), body, Samples(4, true)), HasSubstr("#0x8:b32 #0x4:b32"));
  EXPECT_THAT(Of(load("sample_id"), body), Not(HasSubstr("v_bfe_u32"))) << "of one sample it is 0";
  EXPECT_THAT(Of(load("layer"), body), HasSubstr("#0x10:b32 #0xd:b32"));
}

TEST(SelectFragment, ASamplesMaskIsItsOwnBit) {
  const std::string body = absl::StrCat("%0:i32 = load_input.indexed[0, 0] 0\n", kStoreBits);
  const std::string input = "input 0 builtin sample_mask i32 x1 array 1\n";
  EXPECT_THAT(Of(input, body, Samples(4)), Not(HasSubstr("v_lshlrev_b32")));
  EXPECT_THAT(Of(input, body, Samples(4, true)), HasSubstr("v_lshlrev_b32"));
}

// The slopes of barycentrics are differences within quads, which are whole only at the start: the
// interpolation may be where some lanes do not come.
TEST(SelectFragment, SlopesAreComputedAtTheStart) {
  const std::string text =
      Of("input 0 location 0.0 f32 x1\ninput 1 builtin front_facing bool x1\n",
         "%1:bool = load_input[1, 0]\n%0:f32 = if %1 {\n"
         "%2:f32 = interpolate[0, offset 0] 0.25f, 0.5f\nyield %2\n} else {\nyield 0f\n}\n" +
             std::string(kStoreFloat));
  const size_t branch = text.find("mask_if"), last = text.rfind("v_sub_f32");
  ASSERT_NE(branch, std::string::npos) << text;
  ASSERT_NE(last, std::string::npos) << text;
  EXPECT_LT(last, branch);
  EXPECT_GT(text.find("v_interp_p1_f32"), branch);
}

// i / w, j / w and 1 / w: three differences in each direction, and a division.
TEST(SelectFragment, WeightsWithPerspectiveAreMovedByThePullModel) {
  const std::string body =
      absl::StrCat("%0:f32 = interpolate[0, offset 1] 0.25f, 0.5f\n", kStoreFloat);
  const std::string weights = Of("input 0 builtin bary_coord f32 x3\n", body);
  EXPECT_EQ(Count(weights, "v_rcp_f32"), 1u) << weights;
  const std::string attribute = Of("input 0 location 0.0 f32 x3\n", body);
  EXPECT_EQ(Count(attribute, "v_rcp_f32"), 0u) << attribute;
  EXPECT_EQ(Count(attribute, "v_sub_f32"), 4u) << attribute;
}

// The only sample of a pixel is in its centre, whatever the shader asks for.
TEST(SelectFragment, OneSampleIsAtTheCentre) {
  const std::string input = "input 0 location 0.0 f32 x1\n";
  const std::string body = absl::StrCat("%0:f32 = interpolate[0, sample 0] 0\n", kStoreFloat);
  EXPECT_THAT(Of(input, body), Not(HasSubstr("v_sub_f32")));
  EXPECT_THAT(Of(input, body, Samples(4)), HasSubstr("v_sub_f32"));
}

// Centroids are the centres where prim_mask is negative.
TEST(SelectFragment, CentroidsMayBeLeftOut) {
  const std::string centroid = "input 0 location 0.0 f32 x1 centroid\n";
  const std::string both = centroid + "input 1 location 1.0 f32 x1\n";
  const std::string one = "%0:f32 = load_input[0, 0]\n";
  EXPECT_THAT(Of(centroid, one + kStoreFloat, Samples(4)), Not(HasSubstr("v_cndmask_b32")));
  EXPECT_EQ(Count(Of(both, one + "%1:f32 = load_input[1, 0]\nstore_output[0, 0] %1\n" + kStoreFloat,
                     Samples(4)),
                  "v_cndmask_b32"),
            2u);
}

// Without helpers HelperInvocation is an immediate, and so is what a select makes of it.
TEST(SelectFragment, WhatImmediatesAreTruncatedFromIsGone) {
  const std::string input = "input 0 location 0.0 f32 x1\n";
  const auto of = [&](const char* widening) {
    return Of(input,
              absl::StrCat("%1:bool = helper_invocation\n%2:i16 = select %1, 1i16, 15769i16\n"
                           "%3:i8 = trunc %2\n%4:i32 = ",
                           widening, " %3\n%0:f32 = u2f %4\n", kStoreFloat));
  };
  for (const char* widening : {"zext", "sext"}) {
    const std::string text = of(widening);
    EXPECT_THAT(text, Not(HasSubstr("3d99"))) << text;
    EXPECT_THAT(text, Not(HasSubstr("15769"))) << text;
  }
}

TEST(SelectFragment, HelpersAreThoseThatAreNotLive) {
  const std::string input = "input 0 location 0.0 f32 x1\n";
  const std::string helps =
      "%2:bool = helper_invocation\n%3:i32 = select %2, 1, 2\n"
      "%0:f32 = bitcast %3\nstore_output[0, 0] %0\n";
  const std::string whole =
      "%1:f32 = load_input[0, 0]\n%4:f32 = ddx[any] %1\n"
      "store_output[0, 0] %4\n";
  EXPECT_THAT(Of(input, helps), Not(HasSubstr("helper_mask"))) << "no lane helps";
  EXPECT_THAT(Of(input, whole + helps), HasSubstr("helper_mask"));
}

TEST(SelectFragment, PerVertexInputsAreMovesOfEachParameter) {
  const std::string text = Of("input 0 location 0.0 f32 x2 per_vertex\n",
                              "%1:f32 = interpolate[0, vertex0 0]\n"
                              "%2:f32 = interpolate[0, vertex1 1]\n"
                              "%3:f32 = interpolate[0, vertex2 0]\n"
                              "%4:f32 = fadd %1, %2\n%0:f32 = fadd %3, %4\n" +
                                  std::string(kStoreFloat));
  EXPECT_EQ(Count(text, "v_interp_mov_f32"), 3u) << text;
  EXPECT_THAT(text, HasSubstr("v_interp_mov_f32 #0x2"));
  EXPECT_THAT(text, HasSubstr("v_interp_mov_f32 #0x0"));
  EXPECT_THAT(text, HasSubstr("v_interp_mov_f32 #0x1"));
}

// The order of i and j is the hardware's: two bits for each quad say where vertex 0 is.
TEST(SelectFragment, WeightsAreSortedByTheProvokingVertex) {
  const std::string body = absl::StrCat("%0:f32 = load_input[0, 1]\n", kStoreFloat);
  const std::string text = Of("input 0 builtin bary_coord f32 x3\n", body);
  EXPECT_THAT(text, HasSubstr("v_bfe_u32"));
  EXPECT_THAT(text, HasSubstr("s_bfe_u32")) << "the kind of primitive";
  EXPECT_THAT(text, HasSubstr("v_cndmask_b32"));
  EXPECT_THAT(text, Not(HasSubstr("v_interp")));
}

}  // namespace
}  // namespace kiln::amd
