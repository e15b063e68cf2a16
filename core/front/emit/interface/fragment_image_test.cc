// Tests images in fragments: implicit LODs, input attachments; and inputs interpolated at other
// positions in the pixel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "core/base/cause.h"
#include "core/front/testing/fragment_testing.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A GLSL fragment shader with a vec4 input `p` at location 0 and a vec4 output `o`.
absl::StatusOr<mir::Module> Glsl(const std::string& globals, const std::string& body) {
  return ImportVerified(
      CompileFragment("#version 460\n#extension GL_ARB_sparse_texture_clamp : enable\n"
                      "#extension GL_EXT_nonuniform_qualifier : enable\n"
                      "layout(location = 0) in vec4 p;\nlayout(location = 0) out vec4 o;\n" +
                      globals + "\nvoid main() {\n" + body + "\n}\n"));
}

std::string Text(const std::string& globals, const std::string& body) {
  const auto m = Glsl(globals, body);
  if (!m.ok()) return TextOf(m.status());
  mir::PrintOptions options;
  options.renumber = true;
  options.spirv_ids = false;
  return mir::Print(*m, options);
}

std::string Sample(const std::string& sampler, const std::string& value) {
  return Text("layout(binding = 0) uniform " + sampler + " s;", "o = vec4(" + value + ");");
}

// ---- Implicit LODs ----

TEST(FragmentImages, SamplesTakeTheLevelOfTheirQuad) {
  EXPECT_THAT(Sample("sampler2D", "texture(s, p.xy)"), HasSubstr("= sample_implicit[0, texel] "));
  EXPECT_THAT(Sample("sampler2D", "texture(s, p.xy, 1.5)"),
              HasSubstr("= sample_implicit[0, texel bias] "));
  EXPECT_THAT(Sample("sampler2D", "textureClampARB(s, p.xy, 2.5)"),
              HasSubstr("= sample_implicit[0, texel min_lod] "));
  EXPECT_THAT(Sample("sampler2D", "textureClampARB(s, p.xy, 2.5, 0.5)"),
              HasSubstr("= sample_implicit[0, texel bias min_lod] "));
  EXPECT_THAT(Sample("sampler2DArray", "textureOffset(s, p.xyz, ivec2(1, -2))"),
              HasSubstr("= sample_implicit[0, texel at 1 -2 0] "));
  EXPECT_THAT(Sample("samplerCubeArrayShadow", "texture(s, p, 0.5)"),
              HasSubstr(":f32 = sample_implicit[0, texel dref] "));
  EXPECT_THAT(Sample("sampler2D", "textureProj(s, p.xyz)"),
              AllOf(HasSubstr("= fdiv "), HasSubstr("= sample_implicit[0, texel] ")));
  EXPECT_THAT(Sample("sampler2DShadow", "textureProj(s, p, 0.25)"),
              AllOf(HasSubstr("= fdiv "), HasSubstr("= sample_implicit[0, texel dref bias] ")));
  EXPECT_THAT(Sample("sampler2D", "textureLod(s, p.xy, 0.0)"),
              AllOf(HasSubstr("= sample[0, texel lod] "), Not(HasSubstr("implicit"))));
}

TEST(FragmentImages, LevelsAreAskedForWithoutLayers) {
  EXPECT_EQ(
      Text("layout(binding = 0) uniform sampler2DArray s;", "o.xy = textureQueryLod(s, p.xy);"),
      R"(mir 1
entry "main"
stage fragment
input 0 location 0.0 f32 x4
output 0 location 0.0 f32 x4
resource 0 combined 0.0.0 image 2d arrayed float unknown
body {
  %0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0]
  %4:f32, %5:f32 = image_lod[0, texel] %0, %1
  store_output[0, 0] %4, %5
  return
}
)");
  EXPECT_THAT(
      Text("layout(binding = 0) uniform textureCube t; layout(binding = 1) uniform sampler s;",
           "o.xy = textureQueryLod(samplerCube(t, s), p.xyz);"),
      HasSubstr("= image_lod[0, texel sampler 1] "));
}

TEST(FragmentImages, LevelsOfComputeAreNotAskedFor) {
  EXPECT_THAT(
      TextOf(ImportVerified(
                 CompileCompute(
                     "#version 460\n#extension GL_NV_compute_shader_derivatives : enable\n"
                     "layout(local_size_x = 4) in;\nlayout(derivative_group_linearNV) in;\n"
                     "layout(binding = 0) uniform sampler2D s;\n"
                     "layout(binding = 1) buffer O { vec2 o; };\n"
                     "void main() { o = textureQueryLod(s, vec2(gl_LocalInvocationID.xy)); }\n"))
                 .status()),
      HasSubstr("derivatives: OpImageQueryLod"));
}

TEST(FragmentImages, DerivativesNeedNoGroup) {
  EXPECT_THAT(Text("", "o.x = dFdx(p.x); o.y = dFdyFine(p.y); o.z = fwidthCoarse(p.z);"),
              AllOf(HasSubstr("= ddx[any] "), HasSubstr("= ddy[fine] "),
                    HasSubstr("= ddx[coarse] "), HasSubstr("= ddy[coarse] ")));
}

// glslang's sampled image type for a comparing sampler has another depth.
TEST(FragmentImages, ComparingSamplersOfImagesThatAreNoDepths) {
  EXPECT_THAT(Text("layout(binding = 0) uniform texture2D t;\n"
                   "layout(binding = 1) uniform samplerShadow s;",
                   "o = vec4(texture(sampler2DShadow(t, s), p.xyz));"),
              HasSubstr("= sample_implicit[0, texel sampler 1 dref] "));
}

TEST(FragmentImages, AreStoredAsInCompute) {
  EXPECT_THAT(
      Text("layout(binding = 0, r32ui) uniform uimage2D i;\n"
           "layout(push_constant) uniform P { ivec2 at; };",
           "o.x = float(imageAtomicAdd(i, at, 2u)); imageStore(i, at.yx, uvec4(3));"),
      AllOf(HasSubstr("= image_atomic["), HasSubstr("image_store["), HasSubstr("push 8\n")));
}

// ---- Input attachments ----

TEST(Attachments, AreFetchedAtTheFragmentsPlaceAndLayer) {
  EXPECT_EQ(Text("layout(input_attachment_index = 1, binding = 3) uniform subpassInput a;",
                 "o = subpassLoad(a);"),
            R"(mir 1
entry "main"
stage fragment
input 0 builtin layer i32 x1
input 1 builtin frag_coord f32 x4
output 0 location 0.0 f32 x4
resource 0 sampled_image 0.3.0 image 2d arrayed float unknown
body {
  %0:f32, %1:f32 = load_input[1, 0]
  %2:i32 = f2i %0
  %3:i32 = iadd %2, 0
  %4:i32 = f2i %1
  %5:i32 = iadd %4, 0
  %6:i32 = load_input[0, 0]
  %7:f32, %8:f32, %9:f32, %10:f32 = fetch[0, texel] %3, %5, %6
  store_output[0, 0] %7, %8, %9, %10
  return
}
)");
}

TEST(Attachments, OfSeveralSamplesKindsAndInArrays) {
  EXPECT_THAT(Text("layout(input_attachment_index = 0, binding = 0) uniform subpassInputMS a;",
                   "o = subpassLoad(a, 2);"),
              AllOf(HasSubstr("image 2d arrayed multisampled float"),
                    HasSubstr("= fetch[0, texel sample] ")));
  EXPECT_THAT(Text("layout(input_attachment_index = 0, binding = 0) uniform isubpassInput a;",
                   "o = vec4(subpassLoad(a));"),
              HasSubstr("image 2d arrayed sint"));
  EXPECT_THAT(Text("layout(input_attachment_index = 0, binding = 0) uniform subpassInput a[3];",
                   "o = subpassLoad(a[int(p.x)]) + subpassLoad(a[2]);"),
              AllOf(HasSubstr("sampled_image 0.0.0 array 3"), HasSubstr("= fetch.indexed[0, ")));
  // The position is one input, also if the program itself reads parts of it.
  EXPECT_THAT(Text("layout(input_attachment_index = 0, binding = 0) uniform subpassInput a;",
                   "o = subpassLoad(a) + gl_FragCoord + vec4(gl_Layer);"),
              AllOf(HasSubstr("input 0 builtin layer i32 x1\ninput 1 builtin frag_coord f32 x4\n"),
                    Not(HasSubstr("input 2"))));
}

TEST(Attachments, AreOnlyReadAndOnlyByFragments) {
  const std::string declarations = R"(
      OpDecorate %7 DescriptorSet 0
      OpDecorate %7 Binding 0
      OpDecorate %7 InputAttachmentIndex 0
      %image = OpTypeImage %float SubpassData 0 0 0 2 Unknown
      %p_image = OpTypePointer UniformConstant %image
      %7 = OpVariable %p_image UniformConstant
      %zero = OpConstantNull %v4float
      %at = OpConstantComposite %v2int %i_0 %i_1)";
  const auto text = [&](const std::string& access) {
    return FragmentText(
        {.declarations = declarations, .main = "%i = OpLoad %image %7\n" + access + "\nOpReturn"});
  };
  EXPECT_THAT(text("%r = OpImageRead %v4float %i %at\nOpStore %color %r"), HasSubstr("= fetch["));
  EXPECT_EQ(text("%r = OpImageFetch %v4float %i %at"),
            "input attachment used other than by OpImageRead (%7)");
  EXPECT_EQ(text("OpImageWrite %i %at %zero"),
            "input attachment used other than by OpImageRead (%7)");
  EXPECT_EQ(text("%r = OpImageQuerySize %v2int %i"),
            "input attachment used other than by OpImageRead (%7)");
}

// Each fragment reads its texel, with the offset that SPIR-V allows and GLSL does not have.
TEST(Attachments, AsTheyRun) {
  const auto m = ImportFragment({.declarations = R"(
      OpDecorate %7 DescriptorSet 0
      OpDecorate %7 Binding 0
      %image = OpTypeImage %float SubpassData 0 0 0 2 Unknown
      %p_image = OpTypePointer UniformConstant %image
      %7 = OpVariable %p_image UniformConstant
      %at = OpConstantComposite %v2int %i_1 %i_0)",
                                 .main = R"(
      %i = OpLoad %image %7
      %r = OpImageRead %v4float %i %at
      OpStore %color %r
      OpReturn)"});
  ASSERT_TRUE(m.ok()) << m.status();
  oracle::LaunchInputs inputs;
  oracle::BoundImage image;
  image.format = mir::ImageFormat::kR32f;
  image.width = image.height = 4;
  image.arrayed = true;
  image.layers = 2;
  image.bytes.resize(4 * image.Texels());
  for (size_t t = 0; t < image.Texels(); ++t) {
    const float texel = static_cast<float>(t);
    std::memcpy(&image.bytes[4 * t], &texel, 4);
  }
  inputs.images.push_back(image);
  const auto bits = [](float f) { return uint64_t{std::bit_cast<uint32_t>(f)}; };
  inputs.stage.inputs = {{1, 1, 1, 1},                                     // the layer
                         {bits(0.5f), bits(1.5f), bits(0.5f), bits(1.5f),  // x
                          bits(2.5f), bits(2.5f), bits(3.5f), bits(3.5f),  // y
                          0, 0, 0, 0, 0, 0, 0, 0}};
  const auto run = oracle::Interpret(*m, inputs);
  ASSERT_TRUE(run.ok()) << run.status() << mir::Print(*m);
  const std::vector<uint64_t>& out = inputs.stage.outputs[0];
  for (int lane = 0; lane < 4; ++lane) {
    const int x = lane % 2 + 1, y = 2 + lane / 2;
    EXPECT_EQ(out[lane], bits(static_cast<float>(16 + 4 * y + x))) << lane;
  }
}

// ---- Interpolation at other positions ----

TEST(Interpolation, AtACentroidASampleAndAnOffset) {
  EXPECT_EQ(Text("layout(location = 1) in vec2 q[3]; layout(location = 4) flat in vec2 f;"
                 "layout(location = 5) flat in int i;",
                 "o.xy = interpolateAtCentroid(p.yz); o.z = interpolateAtSample(q[i].y, 3);"
                 "o.w = interpolateAtOffset(q[2], vec2(0.25, p.x)).x;"),
            R"(mir 1
entry "main"
stage fragment
input 0 location 0.0 f32 x4
input 1 location 1.0 f32 x2 array 3
input 2 location 5.0 i32 x1 flat
output 0 location 0.0 f32 x4
body {
  %0:f32, %1:f32, %2:f32, %3:f32 = interpolate[0, centroid 0]
  %4:i32 = load_input[2, 0]
  %5:f32 = interpolate.indexed[1, sample 1] %4, 3
  %6:f32 = load_input[0, 0]
  %7:f32, %8:f32 = interpolate.indexed[1, offset 0] 2, 0.25f, %6
  store_output[0, 0] %1, %2, %5, %7
  return
}
)");
}

TEST(Interpolation, OfFlatInputsAndWhatHasNone) {
  const auto text = [](const std::string& declarations, const std::string& type) {
    return FragmentText({.declarations = declarations + "%p = OpTypePointer Input " + type +
                                         "\n%7 = OpVariable %p Input\n",
                         .main = "%8 = OpExtInst " + type +
                                 " %glsl InterpolateAtCentroid %7\nOpStore %color %8\nOpReturn"});
  };
  EXPECT_THAT(text("OpDecorate %7 Location 1\nOpDecorate %7 Flat\n", "%v4float"),
              AllOf(HasSubstr("= load_input[0, 0]\n"), Not(HasSubstr("interpolate"))));
  EXPECT_EQ(text("OpDecorate %7 BuiltIn FragCoord\n", "%v4float"),
            "interpolation of an input that is not a 32-bit float (%8)");
  EXPECT_EQ(text("OpDecorate %7 Location 1\n", "%v4uint"),
            "interpolation of an input that is not a 32-bit float (%8)");
  EXPECT_EQ(FragmentText({.main = "%8 = OpExtInst %v4float %glsl InterpolateAtCentroid %color\n"
                                  "OpReturn"}),
            "interpolation of an operand that is not an input (%8)");
  EXPECT_EQ(
      FragmentText({.declarations = "OpDecorate %7 Location 1\n%7 = OpVariable %in_float Input",
                    .main = "%8 = OpExtInst %float %glsl InterpolateAtOffset %7 %f_0\n"
                            "OpReturn"}),
      "sample index or offset of an interpolation has the wrong type (%8)");
}

}  // namespace
}  // namespace kiln::front
