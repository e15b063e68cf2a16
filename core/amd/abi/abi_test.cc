// Tests abi.h: where data are and each field of the launch registers. That a program does not run
// with another value: tests/exec/code_objects_test.cc.
#include "core/amd/abi/abi.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

mir::Module Parsed(const std::string& head, const std::string& body) {
  auto m =
      mir::Parse(absl::StrCat("mir 1\nentry \"main\"\n", head, "body {\n", body, "  return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  return *std::move(m);
}

constexpr char kHead[] =
    "local_size 8, 4, 1\npush 16\nshared 513\nresource 0 ssbo 0.0.0\n"
    "resource 1 ssbo 0.1.0 array 0\n";
constexpr char kBody[] =
    "  %1:i32 = workgroup_id[1]\n  %2:i32 = num_workgroups[0]\n  %3:i32 = base_workgroup[0]\n"
    "  %4:i32 = load_push[align 4] 4\n  %5:i32 = subgroup_id\n"
    "  %6:i32 = load_ssbo.indexed[1, align 4] %1, 0\n"
    "  store_ssbo[0, align 4] 0, %1, %2, %3, %4, %5, %6\n";

TEST(Abi, RegistersFollowEachOther) {
  const mir::Module m = Parsed(kHead, kBody);
  const auto abi = AssignAbi(m);
  ASSERT_TRUE(abi.ok()) << abi.status();
  EXPECT_EQ(abi->descriptor_sgprs, std::vector<uint32_t>({2, 3}));
  EXPECT_EQ(abi->places[0].memory, 0u);
  EXPECT_EQ(abi->places[1].memory, 1u);
  EXPECT_FALSE(abi->push_pointer);
  EXPECT_EQ(abi->num_workgroups, 4u);
  EXPECT_EQ(abi->base_workgroup, 7u);
  EXPECT_EQ(abi->push_sgpr, 10u);
  EXPECT_EQ(abi->push_dwords, 4u);
  EXPECT_EQ(abi->user_sgprs, 14u);
  EXPECT_FALSE(abi->workgroup_id[0]);
  EXPECT_EQ(abi->workgroup_id[1], 14u);
  EXPECT_EQ(abi->wave_word, 15u);
  EXPECT_EQ(abi->start_sgprs, 16u);
  EXPECT_EQ(abi->local_ids, 2u);
}

TEST(Abi, PushConstantsBeyondTheRegistersHaveAPointer) {
  const mir::Module m =
      Parsed("local_size 1, 1, 1\npush 128\nresource 0 ssbo 0.0.0\n",
             "  %1:i32 = load_push[align 4] 100\n  store_ssbo[0, align 4] 0, %1\n");
  const auto abi = AssignAbi(m);
  ASSERT_TRUE(abi.ok()) << abi.status();
  EXPECT_EQ(abi->push_pointer, 3u);
  EXPECT_EQ(abi->push_sgpr, 4u);
  EXPECT_EQ(abi->push_dwords, 12u);
  EXPECT_EQ(abi->user_sgprs, kMaxUserSgprs);
}

// Each array of descriptors without length has an SGPR. With 31 user SGPRs, five of them for the
// draw's settings, one for push constants' address.
TEST(Abi, CullingNeedsRegisters) {
  const auto with = [](int arrays, PrimitiveCulling culling) -> std::string {
    std::string text = "mir 1\nentry \"main\"\nstage vertex\noutput 0 builtin position f32 x4\n";
    for (int i = 0; i < arrays; ++i)
      absl::StrAppend(&text, "resource ", i, " ssbo 0.", i, ".0 array 0\n");
    absl::StrAppend(&text, "body {\nstore_output[0, 0] 0f, 0f, 0f, 1f\n");
    for (int i = 0; i < arrays; ++i) {
      absl::StrAppend(&text, "%", i, ":i32 = load_ssbo.indexed[", i, ", align 4] 0, 0\n");
    }
    const auto m = mir::Parse(text + "return\n}\n");
    EXPECT_TRUE(m.ok()) << m.status();
    PipelineState state;
    state.primitive_culling = culling;
    const auto abi = AssignAbi(*m, AbiKind::kDriver, state);
    if (!abi.ok()) return std::string(CauseOf(abi.status()));
    EXPECT_LE(abi->user_sgprs - abi->first_user_sgpr, kMaxGraphicsUserSgprs);
    EXPECT_EQ(abi->vertex->culling_settings.has_value(), abi->vertex->culls);
    return abi->vertex->culls ? "culls" : "keeps";
  };
  using enum PrimitiveCulling;
  EXPECT_EQ(with(25, kDefault), "culls");
  EXPECT_EQ(with(25, kOn), "culls");
  EXPECT_EQ(with(26, kDefault), "keeps");
  EXPECT_EQ(with(26, kOff), "keeps");
  EXPECT_EQ(with(26, kOn), "primitive_culling");
  EXPECT_EQ(with(30, kDefault), "keeps");
  EXPECT_EQ(with(31, kDefault), "too_many_descriptors");
  EXPECT_EQ(with(31, kOn), "too_many_descriptors");
}

TEST(Abi, EachFieldOfTheRegisters) {
  const mir::Module m = Parsed(kHead, kBody);
  const auto abi = AssignAbi(m);
  ASSERT_TRUE(abi.ok()) << abi.status();
  ProgramShape shape;
  shape.vgprs = 33;
  shape.scratch_bytes_per_lane = 20;
  shape.shared_bytes = 600;
  const out::LaunchRecord r32 = LaunchOf(*abi, shape);
  // VGPRs, FLOAT_MODE, DX10_CLAMP, MEM_ORDERED.
  EXPECT_EQ(out::AmdOf(r32).rsrc1, 4u | 0xc0u << 12 | 1u << 21 | 1u << 30);
  // Scratch, user SGPRs, id y, tg_size, two local ids, two units of LDS.
  EXPECT_EQ(out::AmdOf(r32).rsrc2, 1u | 14u << 1 | 1u << 8 | 1u << 10 | 1u << 11 | 2u << 15);
  EXPECT_EQ(out::AmdOf(r32).rsrc3, 0u);
  EXPECT_EQ(r32.scratch_bytes_per_thread, 20u * 32);
  shape.width = 64;
  shape.scratch_bytes_per_lane = 0;
  const out::LaunchRecord r64 = LaunchOf(*abi, shape);
  EXPECT_EQ(out::AmdOf(r64).rsrc1 & 63, 8u);
  EXPECT_EQ(out::AmdOf(r64).rsrc2 & 1, 0u);
}

TEST(Abi, AKernelsArguments) {
  const mir::Module m = Parsed(
      "local_size 1, 1, 1\npush 20\nresource 0 ubo 1.2.0 array 2\n"
      "resource 1 ssbo 0.0.0\n",
      "  %1:i32 = load_push[align 4] 4\n  %2:i32 = num_workgroups[2]\n"
      "  %3:i32 = load_ubo.indexed[0, align 4] 1, 0\n"
      "  store_ssbo[1, align 4] 0, %1, %2, %3\n");
  const auto abi = AssignAbi(m, AbiKind::kKernarg);
  ASSERT_TRUE(abi.ok()) << abi.status();
  EXPECT_EQ(abi->user_sgprs, 4u);
  const out::AmdHsaKernel k = KernelOf(*abi, {});
  std::string text;
  for (const out::AmdHsaArgument& a : k.arguments) {
    absl::StrAppend(&text, a.name, " ", a.offset, "+", a.bytes, a.buffer ? " buffer" : "",
                    a.read_only ? " read" : "", "\n");
  }
  EXPECT_EQ(text,
            "push_constants 0+20\nnum_workgroups 32+12\nbuffer_1_2_0 48+8 buffer read\n"
            "buffer_1_2_0_bytes 56+4\nbuffer_1_2_1 64+8 buffer read\nbuffer_1_2_1_bytes 72+4\n"
            "buffer_0_0_0 80+8 buffer\nbuffer_0_0_0_bytes 88+4\n");
  EXPECT_EQ(k.kernarg_bytes, 96u);
  EXPECT_EQ(k.rsrc2 >> 15, 0u);
}

TEST(Abi, AKernelRefusesArraysWithoutLength) {
  const mir::Module m = Parsed(kHead, kBody);
  EXPECT_EQ(CauseOf(AssignAbi(m, AbiKind::kKernarg).status()), "kernel_arguments");
}

}  // namespace
}  // namespace kiln::amd
