// Tests the MIR of images, samplers, texel buffers and arrays of descriptors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/base/cause.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

// Returns the instructions and resources of a kernel, with values renumbered.
std::string Text(const std::string& globals, const std::string& body) {
  const absl::StatusOr<mir::Module> m =
      ImportVerified(CompileCompute(KernelText(globals, "out_[id + 64u] = in_[id]; " + body)));
  if (!m.ok()) return m.status().ToString();
  mir::PrintOptions options;
  options.renumber = true;
  options.spirv_ids = false;
  return mir::Print(*m, options);
}

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr char kFloat[] = "vec2 p = vec2(float(id), 0.5); vec4 r = vec4(0); ";
constexpr char kStore[] = " out_[id] = floatBitsToUint(r.x + r.y + r.z + r.w);";

std::string Sample(const std::string& sampler, const std::string& statement) {
  return Text("layout(binding = 2) uniform " + sampler + " s;", kFloat + statement + kStore);
}

TEST(Image, SamplesSayWhatTheyAreGiven) {
  EXPECT_THAT(Sample("sampler2D", "r = textureLod(s, p, 1.5);"),
              AllOf(HasSubstr("resource 2 combined 0.2.0 image 2d float unknown"),
                    HasSubstr("= sample[2, texel lod] %"), HasSubstr(", 0.5f, 1.5f\n")));
  EXPECT_THAT(Sample("sampler3D", "r = textureGrad(s, p.xyx, p.xyx, p.yxy);"),
              HasSubstr("= sample[2, texel grad] %"));
  EXPECT_THAT(Sample("sampler2DArray", "r = textureLodOffset(s, p.xyy, 0.0, ivec2(-3, 2));"),
              AllOf(HasSubstr("image 2d arrayed float"), HasSubstr("[2, texel lod at -3 2 0] %")));
  EXPECT_THAT(
      Sample("samplerCubeArrayShadow", "r.x = texture(s, p.xyxx, 0.25);"),
      AllOf(HasSubstr("image cube arrayed float"), HasSubstr("= sample[2, texel dref lod] ")));
  EXPECT_THAT(Sample("sampler2DShadow", "r.x = textureProjLod(s, p.xyxx, 0.0);"),
              AllOf(HasSubstr("= fdiv "), HasSubstr("= sample[2, texel dref lod] ")));
  EXPECT_THAT(Sample("usampler1D", "r.x = float(textureLod(s, p.x, 0.0).y);"),
              AllOf(HasSubstr("image 1d uint unknown"), HasSubstr(":i32 = sample[2, texel lod]")));
}

TEST(Image, GathersAreOneMessageEachUnlessTheyHaveFourOffsets) {
  EXPECT_THAT(Sample("sampler2D", "r = textureGather(s, p, 2);"),
              HasSubstr("= gather[2, texel component 2] "));
  EXPECT_THAT(Sample("sampler2D", "r = textureGatherOffset(s, p, ivec2(id, 1));"),
              HasSubstr("= gather[2, texel offsets] "));
  EXPECT_THAT(Sample("samplerCubeShadow", "r = textureGather(s, p.xyx, 0.5);"),
              HasSubstr("= gather[2, texel dref] "));
  const std::string four =
      Sample("sampler2D",
             "const ivec2 o[4] = ivec2[4](ivec2(0, 1), ivec2(2, 3), ivec2(4, 5), ivec2(-6, 7));"
             "r = textureGatherOffsets(s, p, o, 1);");
  EXPECT_THAT(four, AllOf(HasSubstr("= gather[2, texel component 1 at 0 1 0] "),
                          HasSubstr("= gather[2, texel component 1 at -6 7 0] ")));
}

// Imports a kernel that samples with this image operand Offset, a %v2int.
std::string SampledAtOffset(const std::string& operation, const std::string& operands) {
  const auto module = ImportVerified(Assemble(KernelAssembly(
      R"(OpDecorate %t DescriptorSet 0
OpDecorate %t Binding 2
%v2int = OpTypeVector %int 2
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%p_sampled = OpTypePointer UniformConstant %sampled
%t = OpVariable %p_sampled UniformConstant
%center = OpConstantComposite %v2float %f_0 %f_1
%i_1 = OpConstant %int 1
%i_8 = OpConstant %int 8
%near = OpConstantComposite %v2int %i_1 %i_1
%i_9 = OpConstant %int 9
%i_m9 = OpConstant %int -9
%i_m200 = OpConstant %int -200
%i_m201 = OpConstant %int -201
%far = OpConstantComposite %v2int %i_1 %i_8
%far_both = OpConstantComposite %v2int %i_m9 %i_8
%farther = OpConstantComposite %v2int %i_1 %i_m200
%farthest = OpConstantComposite %v2int %i_m201 %i_9
)",
      "%i = OpBitcast %int %x\n%value = OpCompositeConstruct %v2int %i %i_1\n"
      "%beyond = OpCompositeConstruct %v2int %i %i_8\n%s = OpLoad %sampled %t\n%r = " +
          operation + " %v4float %s %center " + operands +
          "\n%e = OpCompositeExtract %float %r 0\n%result = OpBitcast %uint %e\n",
      true, "", "OpCapability Shader\nOpCapability ImageGatherExtended\n")));
  if (!module.ok()) return TextOf(module.status());
  return mir::Print(*module, {.renumber = true, .spirv_ids = false});
}

// VK_KHR_maintenance8: Offset is an operand of samples and fetches as well.
TEST(Image, OffsetsOfSamplesMayBeChosenByValue) {
  EXPECT_THAT(SampledAtOffset("OpImageSampleExplicitLod", "Lod|Offset %f_0 %value"),
              HasSubstr("= sample[2, texel lod offsets] 0f, 1f, 0f, %"));
  EXPECT_THAT(SampledAtOffset("OpImageSampleExplicitLod", "Lod|Offset %f_0 %near"),
              HasSubstr("= sample[2, texel lod at 1 1 0] 0f, 1f, 0f\n"));
  EXPECT_THAT(SampledAtOffset("OpImageSampleImplicitLod", "Offset %value"),
              HasSubstr("= sample[2, texel offsets] 0f, 1f, %"));
  // Targets differ in how far constant components may reach (core/target/check_features.h).
  EXPECT_THAT(SampledAtOffset("OpImageSampleExplicitLod", "Lod|Offset %f_0 %beyond"),
              AllOf(HasSubstr("needs greatest_texel_offset 8\n"),
                    ContainsRegex("= sample\\[2, texel lod offsets\\] 0f, 1f, 0f, %[0-9]+, 8\n")));
  EXPECT_THAT(SampledAtOffset("OpImageSampleExplicitLod", "Lod|Offset %f_0 %far"),
              AllOf(HasSubstr("needs greatest_texel_offset 8\n"),
                    HasSubstr("= sample[2, texel lod at 1 8 0] 0f, 1f, 0f\n")));
  EXPECT_THAT(SampledAtOffset("OpImageSampleImplicitLod", "Offset %value"),
              Not(HasSubstr("needs")));
}

// The farthest of several; none for gathers.
TEST(Image, FarOffsetsAreNeeded) {
  const std::string text = SampledAtOffset(
      "OpImageSampleExplicitLod %v4float %s %center Lod|Offset %f_0 %far_both\n"
      "%r1 = OpImageSampleExplicitLod %v4float %s %center Lod|Offset %f_0 %farther\n"
      "%r2 = OpImageGather %v4float %s %center %i_1 Offset %farthest\n"
      "%r3 = OpImageSampleExplicitLod",
      "Lod|Offset %f_0 %far_both");
  EXPECT_THAT(text, AllOf(HasSubstr("needs least_texel_offset -200\n"),
                          HasSubstr("needs greatest_texel_offset 8\n")));
}

TEST(Image, SeparateSamplersAndFunctionsLeadToTheirDescriptors) {
  const std::string text = Text(
      "layout(binding = 2) uniform texture2D t; layout(binding = 3) uniform sampler s;\n"
      "vec4 get(texture2D image, vec2 p) { return textureLod(sampler2D(image, s), p, 0.0); }\n",
      "vec2 p = vec2(float(id)); out_[id] = floatBitsToUint(get(t, p).x);");
  EXPECT_THAT(text, AllOf(HasSubstr("resource 2 sampled_image 0.2.0 image 2d float unknown"),
                          HasSubstr("resource 3 sampler 0.3.0\n"),
                          HasSubstr("= sample[2, texel sampler 3 lod] ")));
}

TEST(Image, FetchesAndTexelBuffers) {
  EXPECT_THAT(Sample("sampler2D", "r = texelFetchOffset(s, ivec2(id, 1), 2, ivec2(0, 3));"),
              AllOf(HasSubstr("= fetch[2, texel lod] %"), HasSubstr(", 2\n")));
  EXPECT_THAT(
      Sample("sampler2DMS", "r = texelFetch(s, ivec2(id, 1), 3);"),
      AllOf(HasSubstr("image 2d multisampled float"), HasSubstr("= fetch[2, texel sample] ")));
  EXPECT_THAT(Sample("samplerBuffer", "r = texelFetch(s, int(id));"),
              AllOf(HasSubstr("resource 2 uniform_texel_buffer 0.2.0 image buffer float unknown"),
                    HasSubstr("= fetch[2, texel] %")));
  EXPECT_THAT(Text("layout(binding = 2, r32i) uniform readonly iimageBuffer b;",
                   "out_[id] = uint(imageLoad(b, int(id)).x);"),
              AllOf(HasSubstr("storage_texel_buffer 0.2.0 image buffer sint r32i readonly"),
                    HasSubstr("= image_load[2, texel] %")));
}

TEST(Image, StorageImages) {
  const std::string text = Text(
      "layout(binding = 2, rgba16f) uniform coherent imageCube c;\n"
      "layout(binding = 3, r32ui) uniform uimage2DMSArray m;",
      "vec4 v = imageLoad(c, ivec3(id, 1, 5)); imageStore(c, ivec3(id, 2, 4), v);"
      "out_[id] = imageAtomicCompSwap(m, ivec3(id, 0, 2), 3, 7u, 9u);");
  EXPECT_THAT(text, AllOf(HasSubstr("storage_image 0.2.0 image cube float rgba16f\n"),
                          HasSubstr("image 2d arrayed multisampled uint r32ui\n"),
                          HasSubstr("= image_load.coherent[2, texel] %"),
                          HasSubstr("image_store.coherent[2, texel] %"),
                          HasSubstr("= image_atomic[3, texel compare_exchange sample] %"),
                          HasSubstr(", 0, 2, 3, 7, 9\n")));
}

// Stores and loads that no operand makes available and visible may be by a barrier.
TEST(Image, NonPrivateTexelsAreCoherent) {
  EXPECT_THAT(Text("#pragma use_vulkan_memory_model\n"
                   "#extension GL_KHR_memory_scope_semantics : require\n"
                   "layout(binding = 2, r32ui) uniform nonprivate uimage2D i;\n"
                   "layout(binding = 3, r32ui) uniform uimage2D own;",
                   "imageStore(i, ivec2(id), imageLoad(i, ivec2(id, 1)));"
                   "imageStore(own, ivec2(id), imageLoad(own, ivec2(id, 1)));"),
              AllOf(HasSubstr("= image_load.coherent[2, texel] %"),
                    HasSubstr("image_store.coherent[2, texel] %"),
                    HasSubstr("= image_load[3, texel] %"), HasSubstr("image_store[3, texel] %")));
}

TEST(Image, Queries) {
  EXPECT_THAT(
      Sample("samplerCubeArray",
             "r.xyz = vec3(textureSize(s, 1)); r.w = float(textureQueryLevels(s));"),
      AllOf(HasSubstr("= image_size[2, texel lod] 1\n"), HasSubstr("= image_levels[2, texel]\n")));
  EXPECT_THAT(
      Text("layout(binding = 2, r32f) uniform image2DMS m;",
           "out_[id] = uint(imageSize(m).x + imageSamples(m));"),
      AllOf(HasSubstr("= image_size[2, texel]\n"), HasSubstr("= image_samples[2, texel]\n")));
}

TEST(Image, ArraysChosenByConstantAreSingleDescriptors) {
  const std::string text = Text("layout(binding = 2) uniform sampler2D s[4][3];",
                                "out_[id] = uint(textureLod(s[2][1], vec2(0.5), 0.0).x);");
  EXPECT_THAT(text,
              AllOf(HasSubstr("resource 2 combined 0.2.7 image 2d"), Not(HasSubstr("array"))));
}

TEST(Image, ArraysChosenByValueAreOneResource) {
  const std::string text = Text(
      "#extension GL_EXT_nonuniform_qualifier : require\n"
      "layout(binding = 2) uniform texture2D t[4][3]; layout(binding = 3) uniform sampler s[];\n",
      "uint i = in_[id]; vec4 a = textureLod(sampler2D(t[i][1], s[nonuniformEXT(i)]), vec2(0), 0.0);"
      "vec4 b = textureLod(sampler2D(t[3][2], s[5]), vec2(1), 0.0);"
      "out_[id] = floatBitsToUint(a.x + b.x);");
  EXPECT_THAT(
      text, AllOf(HasSubstr("resource 2 sampled_image 0.2.0 array 12 image 2d float unknown"),
                  HasSubstr("resource 3 sampler 0.3.0 array 0\n"),
                  HasSubstr("= sample.nonuniform.indexed[2, texel sampler 3 sampler_index lod] "),
                  HasSubstr("= sample.indexed[2, texel sampler 3 sampler_index lod] 11, 5, 1f, ")));
}

TEST(Image, BuffersChosenByValue) {
  const std::string text = Text(
      "#extension GL_EXT_nonuniform_qualifier : require\n"
      "layout(binding = 2) buffer B { uint n; uint x[]; } b[8];\n"
      "layout(binding = 3) uniform U { vec4 v; } u[];\n",
      "uint i = in_[id]; b[i].x[3] = b[nonuniformEXT(i + 1)].x[2] + uint(u[i].v.y);"
      "atomicAdd(b[2].n, 1u); out_[id] = uint(b[i].x.length());");
  EXPECT_THAT(text, AllOf(HasSubstr("resource 2 ssbo 0.2.0 array 8\n"),
                          HasSubstr("resource 3 ubo 0.3.0 array 0\n"),
                          HasSubstr("= load_ssbo.nonuniform.indexed[2, align 4] %"),
                          HasSubstr("= load_ubo.indexed[3, align 4] %"),
                          HasSubstr("store_ssbo.indexed[2, align 16] %"),
                          HasSubstr("= ssbo_atomic.indexed[2, add] 2, 0, 1\n"),
                          HasSubstr("= ssbo_size.indexed[2] %")));
}

TEST(Image, FloatAtomics) {
  const std::string extension = "#extension GL_EXT_shader_atomic_float : require\n";
  EXPECT_THAT(Text(extension + "layout(binding = 2) buffer B { float x; } b[4];",
                   "out_[id] = floatBitsToUint(atomicAdd(b[in_[id]].x, 0.5));"),
              HasSubstr(":f32 = ssbo_atomic.indexed[2, fadd] %"));
  EXPECT_THAT(Text(extension + "layout(binding = 2, r32f) uniform image2D m;",
                   "out_[id] = floatBitsToUint(imageAtomicAdd(m, ivec2(id), 0.5));"),
              HasSubstr(":i32 = image_atomic[2, texel fadd] %"));
  EXPECT_THAT(Text("layout(binding = 2, r32f) uniform image2D m;",
                   "out_[id] = floatBitsToUint(imageAtomicExchange(m, ivec2(id), 0.5));"),
              HasSubstr(":i32 = image_atomic[2, texel exchange] %"));
}

TEST(Image, VariablesMayShareADescriptor) {
  const std::string text = Text(
      "layout(binding = 2) uniform texture2D a; layout(binding = 2) uniform textureCube b;\n"
      "layout(binding = 2) uniform sampler s;\n",
      "out_[id] = uint(textureLod(sampler2D(a, s), vec2(0), 0.0).x +"
      "textureLod(samplerCube(b, s), vec3(0), 0.0).x);");
  EXPECT_THAT(text, AllOf(HasSubstr("resource 2 sampled_image 0.2.0 image 2d"),
                          HasSubstr("resource 3 sampled_image 0.2.0 image cube"),
                          HasSubstr("resource 4 sampler 0.2.0")));
}

// Bindings of mutable descriptors: each kind is a resource of its own, an array apart from others.
TEST(Image, VariablesOfSeveralKindsMayShareABinding) {
  const std::string text = Text(
      "layout(binding = 2) uniform A { uint a; } a[4];\n"
      "layout(binding = 2) buffer B { uint b; } b[9];\n"
      "layout(binding = 2) uniform sampler s; layout(binding = 2) uniform texture2D t[3];\n"
      "layout(binding = 2, r32ui) uniform uimageBuffer u;\n",
      "b[7].b = a[in_[id] & 3u].a + a[1].a + imageLoad(u, 3).x +"
      "uint(textureLod(sampler2D(t[id % 3u], s), vec2(0), 0.0).x);");
  EXPECT_THAT(text, AllOf(HasSubstr("ubo 0.2.0 array 4\n"), HasSubstr("ssbo 0.2.7\n"),
                          HasSubstr("sampled_image 0.2.0 array 3 image 2d"),
                          HasSubstr("sampler 0.2.0 array 3\n"),
                          HasSubstr("storage_texel_buffer 0.2.0 array 3 image buffer uint r32ui")));
}

// Variables of one binding may be arrays of different lengths: all elements that are accessed are
// in the array that an index by value makes of them.
TEST(Image, ArraysOfABindingMayDifferInLength) {
  const std::string text = Text(
      "layout(binding = 2) uniform A { uint a; } a[2];\n"
      "layout(binding = 2) uniform B { uint b; } b[8];\n"
      "layout(binding = 3) uniform texture2D t[2]; layout(binding = 3) uniform sampler s[9];\n",
      "out_[id] = a[in_[id] & 1u].a + b[5].b +"
      "uint(textureLod(sampler2D(t[in_[id] & 1u], s[6]), vec2(0), 0.0).x);");
  EXPECT_THAT(text, AllOf(HasSubstr("ubo 0.2.0 array 6\n"),
                          HasSubstr("sampled_image 0.3.0 array 2 image 2d"),
                          HasSubstr("sampler 0.3.0 array 7\n")));
}

constexpr char kInt64[] =
    "#extension GL_EXT_shader_image_int64 : require\n"
    "#extension GL_EXT_shader_explicit_arithmetic_types : require\n";

// Texels of one integer of 64 bits are those of two of 32.
TEST(Image, TexelsOf64Bits) {
  const std::string moves =
      Text(std::string(kInt64) + "layout(binding = 2, r64ui) uniform u64image2D m;",
           "u64vec4 t = imageLoad(m, ivec2(id)); imageStore(m, ivec2(id, 1), t + 5ul);"
           "out_[id] = uint(t.w);");
  EXPECT_THAT(moves, AllOf(HasSubstr("needs int64_images"),
                           HasSubstr("storage_image 0.2.0 image 2d uint rg32ui"),
                           ContainsRegex("image_store\\[2, texel\\] %[0-9]+, 1, %[0-9]+, %[0-9]+, "
                                         "0, 0\n"),
                           ContainsRegex("align 4\\] %[0-9]+, 1\n")));
  const std::string atomics = Text(
      std::string(kInt64) + "layout(binding = 2, r64i) uniform i64image3D m;",
      "int64_t a = imageAtomicMax(m, ivec3(id), -7l); a += imageAtomicCompSwap(m, ivec3(1), a, 9l);"
      "out_[id] = uint(a);");
  EXPECT_THAT(atomics, AllOf(HasSubstr("image 3d sint rg32i"),
                             ContainsRegex(":i32, %[0-9]+:i32 = image_atomic64\\[2, texel smax\\] "
                                           "%[0-9]+, %[0-9]+, %[0-9]+, -7, %[0-9]+\n"),
                             ContainsRegex("= image_atomic64\\[2, texel compare_exchange\\] 1, 1, "
                                           "1, %[0-9]+, %[0-9]+, 9, %[0-9]+\n")));
}

// GLSL has no sampled images of 64-bit integers.
TEST(Image, SampledTexelsOf64Bits) {
  const auto text = [](const std::string& read) {
    const auto module = ImportVerified(Assemble(KernelAssembly(
        "OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 2\n%ulong = OpTypeInt 64 0\n"
        "%v4ulong = OpTypeVector %ulong 4\n%image = OpTypeImage %ulong 2D 0 0 0 1 Unknown\n"
        "%sampled = OpTypeSampledImage %image\n%p_sampled = OpTypePointer UniformConstant %sampled\n"
        "%t = OpVariable %p_sampled UniformConstant\n"
        "%center = OpConstantComposite %v2float %f_1 %f_1\n"
        "%corner = OpConstantComposite %v2uint %u_3 %u_4\n",
        "%s = OpLoad %sampled %t\n%i = OpImage %image %s\n" + read +
            "%e = OpCompositeExtract %ulong %r 0\n%result = OpUConvert %uint %e\n",
        true, "",
        "OpCapability Shader\nOpCapability Int64\nOpCapability Int64ImageEXT\n"
        "OpExtension \"SPV_EXT_shader_image_int64\"\n")));
    if (!module.ok()) return TextOf(module.status());
    return mir::Print(*module, {.renumber = true, .spirv_ids = false});
  };
  EXPECT_THAT(
      text("%r = OpImageFetch %v4ulong %i %corner Lod %u_0\n"),
      AllOf(HasSubstr("needs int64_images"), HasSubstr("combined 0.2.0 image 2d uint unknown"),
            HasSubstr("= fetch[2, texel lod] 3, 4, 0\n")));
  EXPECT_THAT(text("%r = OpImageSampleExplicitLod %v4ulong %s %center Lod %f_0\n"),
              HasSubstr("= sample[2, texel lod] 1f, 1f, 0f\n"));
  EXPECT_THAT(text("%r = OpImageGather %v4ulong %s %center %u_0\n"),
              HasSubstr("images: gather from an image of 64-bit integers"));
}

TEST(Image, WrongAtomicsOf64BitsAreRefused) {
  const auto error = [](const std::string& format, const std::string& component) {
    const auto module = ImportVerified(Assemble(KernelAssembly(
        "OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 2\n%ulong = OpTypeInt 64 0\n"
        "%l_1 = OpConstant %ulong 1\n%image = OpTypeImage " +
            component + " Buffer 0 0 0 2 " + format +
            "\n%p_image = OpTypePointer UniformConstant %image\n"
            "%t = OpVariable %p_image UniformConstant\n%p_texel = OpTypePointer Image %ulong\n",
        "%p = OpImageTexelPointer %p_texel %t %id %u_0\n"
        "%old = OpAtomicIAdd %ulong %p %u_1 %u_0 %l_1\n%result = OpUConvert %uint %old\n",
        true, "",
        "OpCapability Shader\nOpCapability Int64\nOpCapability Int64Atomics\n"
        "OpCapability ImageBuffer\nOpCapability Int64ImageEXT\n"
        "OpExtension \"SPV_EXT_shader_image_int64\"\n")));
    return module.ok() ? "" : TextOf(module.status());
  };
  EXPECT_EQ(error("R64ui", "%ulong"), "");
  EXPECT_THAT(error("Unknown", "%ulong"), HasSubstr("on an image without a format"));
  EXPECT_THAT(error("R32ui", "%uint"), HasSubstr("to another type than the image's"));
  EXPECT_THAT(error("R32ui", "%ulong"), HasSubstr("images: image of this type"));
  EXPECT_THAT(error("R64ui", "%uint"), HasSubstr("images: image of this type"));
}

// An index chosen in a loop is still known after it.
TEST(Image, ImagesLoadedInOneRegionAreUsedInAnother) {
  const std::string text = Text(
      "layout(binding = 2) uniform texture2D t[4]; layout(binding = 3) uniform sampler s;\n"
      "vec4 get(texture2D image) { return textureLod(sampler2D(image, s), vec2(0), 0.0); }\n",
      "uint i = 0u; for (;; ++i) { if (in_[i] == 5u || i == 3u) break; }"
      "out_[id] = uint(get(t[i]).x);");
  EXPECT_THAT(text, HasSubstr("= sample.indexed[2, texel sampler 3 lod] %"));
}

}  // namespace
}  // namespace kiln::front
