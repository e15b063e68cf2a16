// Tests the decisions of selection, as text: uniform or per lane, flags or stored booleans,
// payloads, control flow, the tables of the ABI.
#include "core/intel/select/select.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/intel/abi/abi.h"
#include "core/intel/abi/launch.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/lir/print.h"
#include "core/lir/verify.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

constexpr char kHeader[] =
    "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nshared 256\npush 16\n"
    "resource 0 ssbo 0.0.0\nresource 1 ubo 0.1.0\nbody {\n";

mir::Module Module(const std::string& text) {
  absl::StatusOr<mir::Module> m = mir::Parse(text);
  EXPECT_TRUE(m.ok()) << m.status();
  return m.ok() ? *std::move(m) : mir::Module();
}

std::string Lir(const std::string& body, int width = 8, const char* header = kHeader) {
  const mir::Module m = Module(absl::StrCat(header, body, "  return\n}\n"));
  const absl::StatusOr<Abi> abi = AssignAbi(m, Tgl());
  if (!abi.ok()) return std::string(abi.status().message());
  const absl::StatusOr<lir::Function> f = Select(m, *abi, *AtWidth(m, *abi, width));
  if (!f.ok()) return std::string(f.status().message());
  if (absl::Status s = lir::Verify(MachineOf(Tgl()), *f); !s.ok()) return std::string(s.message());
  const std::string text = lir::Print(MachineOf(Tgl()), *f);
  return text.substr(text.find("block b0"));
}

TEST(Select, UniformValuesAreComputedOnce) {
  EXPECT_EQ(Lir("  %1:i32 = load_push[align 4] 4\n"
                "  %2:i32 = workgroup_id[1]\n"
                "  %3:i32 = iadd %1, %2\n"
                "  %4:i32 = shl %3, 2\n"
                "  store_ssbo[0, align 4] %4, %3\n"),
            "block b0 depth 0\n"
            "  %2:d = add %1.1:d %0.6:d {nomask}\n"
            "  %3:ud = shl %2:ud #0x2:ud {nomask}\n"
            "  %4:ud = mov %2:ud {w8}\n"
            "  %5:ud = mov %3:ud {w8}\n"
            "  msg.write %5:ud %4:ud {w8 [untyped_write channels 1]}\n"
            "  %6x8:ud = mov %0x8:ud {w8 nomask}\n"
            "  eot %6x8:ud {w8 nomask}\n");
}

TEST(Select, VectorsThatLieTogetherAreNotCopied) {
  EXPECT_EQ(Lir("  %1:i32 = subgroup_invocation\n"
                "  %2:i32 = shl %1, 3\n"
                "  %3:i32, %4:i32 = load_shared[align 8] %2\n"
                "  store_ssbo[0, align 8] %2, %3, %4\n"
                "  store_ssbo[0, align 8] %2, %4, %3\n",
                16),
            "block b0 depth 0\n"
            "  %1:uw = lane_ids {w16 nomask}\n"
            "  %2:ud = mov %1:uw {w16}\n"
            "  %3:ud = shl %2:ud #0x3:ud {w16}\n"
            "  %4x2:ud = msg.read %3:ud {w16 [untyped_read bti 254 lanes 16 channels 3]}\n"
            "  msg.write %3:ud %4x2:ud {w16 [untyped_write lanes 16 channels 3]}\n"
            "  %5x2:ud = collect %4.1:ud %4:ud {w16}\n"
            "  msg.write %3:ud %5x2:ud {w16 [untyped_write lanes 16 channels 3]}\n"
            "  %6x8:ud = mov %0x8:ud {w8 nomask}\n"
            "  eot %6x8:ud {w8 nomask}\n");
}

int Count(const std::string& text, const std::string& what) {
  int n = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

// Data that is read only to be stored is read by each lane, and the response is the payload.
TEST(Select, CopiesAreReadByEachLane) {
  const std::string copy =
      Lir("  %1:i32, %2:i32 = load_ssbo[0, align 4] 0\n"
          "  store_ssbo[0, align 4] 64, %1, %2\n");
  EXPECT_EQ(Count(copy, "x2:ud = msg.read %"), 1) << copy;
  EXPECT_EQ(Count(copy, "collect"), 0) << copy;
  const std::string used =
      Lir("  %1:i32, %2:i32 = load_ssbo[0, align 4] 0\n"
          "  %3:i32 = iadd %1, %2\n"
          "  store_ssbo[0, align 4] 64, %1, %2, %3\n");
  EXPECT_EQ(Count(used, "= header "), 1) << used;
}

// A carry that is only added is a compare's -1 with a negation.
TEST(Select, CarriesAreAddedWithoutBecomingOne) {
  const std::string added =
      Lir("  %1:i32 = subgroup_invocation\n"
          "  %2:i32 = uadd_carry %1, -5\n"
          "  %3:i32 = iadd %1, %2\n"
          "  store_ssbo[0, align 4] 0, %3\n");
  EXPECT_EQ(Count(added, "= and "), 0) << added;
  EXPECT_EQ(Count(added, "add %2:d -%"), 1) << added;
  const std::string stored =
      Lir("  %1:i32 = subgroup_invocation\n"
          "  %2:i32 = uadd_carry %1, -5\n"
          "  store_ssbo[0, align 4] 0, %2\n");
  EXPECT_EQ(Count(stored, "= and "), 1) << stored;
}

// Descriptor bits of a block read of 2 owords through data cache 0: header, type 1, size 2.
TEST(Select, BuffersAtAnOffsetThatLanesShareAreReadInBlocks) {
  // Memory that is not written: data in the same 32 bytes is read once.
  const std::string unchanging =
      Lir("  %1:i32 = load_ssbo[0, align 4] 4\n"
          "  %2:i32 = load_ssbo[0, align 4] 24\n"
          "  %3:i32 = iadd %1, %2\n"
          "  store_ssbo[1, align 4] 0, %3\n",
          8,
          "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nresource 0 ssbo 0.0.0 unchanging\n"
          "resource 1 ssbo 0.1.0\nbody {\n");
  EXPECT_EQ(Count(unchanging, "= msg %"), 1) << unchanging;
  // Memory that is written: by one message each, at the offset itself, which need not be that of a
  // dword.
  const std::string changing =
      Lir("  %1:i16 = load_ssbo[0, align 2] 6\n"
          "  store_ssbo[0, align 4] 4, 7\n"
          "  %2:i16 = load_ssbo[0, align 2] 6\n"
          "  store_ssbo[0, align 2] 12, %1, %2\n");
  EXPECT_EQ(Count(changing, "= msg.read %"), 2) << changing;
  EXPECT_EQ(Count(changing, "= header #0x4:ud"), 2) << changing;
}

// 747796405 is 27763 * 26935, 277803737 is 27689 * 10033; 2147483647 is prime.
TEST(Select, ProductsWithTwoShortFactorsAreTwoMultiplications) {
  const auto products = [](const std::string& factor) {
    const std::string text =
        Lir("  %0:i32 = local_index\n"
            "  %1:i32 = load_ssbo[0, align 4] %0\n  %2:i32 = imul %1, " +
            factor + "\n  store_ssbo[0, align 4] 0, %2\n");
    return std::pair(Count(text, " = mul "), Count(text, " = mul32 "));
  };
  EXPECT_EQ(products("12345"), std::pair(1, 0));
  EXPECT_EQ(products("747796405"), std::pair(2, 0));
  EXPECT_EQ(products("277803737"), std::pair(2, 0));
  EXPECT_EQ(products("2147483647"), std::pair(0, 1));
}

// Elements of two bytes are written together if the known bits of the offset allow it.
TEST(Select, AlignmentIsSeenInTheOffset) {
  const auto writes = [](const std::string& shift) {
    return Count(Lir("  %1:i32 = local_index\n  %2:i32 = shl %1, " + shift +
                     "\n  store_ssbo[0, align 2] %2, 1i16, 2i16, 3i16, 4i16\n"),
                 "msg.write");
  };
  EXPECT_EQ(writes("1"), 4);
  EXPECT_EQ(writes("2"), 1);
  EXPECT_EQ(writes("3"), 1);
}

// Returns the LIR of image operations. Sixteen lanes send typed messages in halves.
std::string ImageLir(const std::string& body, int width) {
  const mir::Module m =
      Module(absl::StrCat("mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nresource 0 ssbo 0.0.0\n"
                          "resource 1 sampled_image 0.1.0 image 1d float unknown\n"
                          "resource 2 storage_image 0.2.0 image 2d float r8\n"
                          "resource 3 sampled_image 0.3.0 array 2 image 2d float unknown\nbody {\n",
                          body, "  return\n}\n"));
  const absl::StatusOr<Abi> abi = AssignAbi(m, Tgl());
  if (!abi.ok()) return std::string(abi.status().message());
  const absl::StatusOr<lir::Function> f = Select(m, *abi, *AtWidth(m, *abi, width));
  if (!f.ok()) return std::string(f.status().message());
  if (absl::Status s = lir::Verify(MachineOf(Tgl()), *f); !s.ok()) return std::string(s.message());
  const std::string text = lir::Print(MachineOf(Tgl()), *f);
  return text.substr(text.find("block b0"));
}

TEST(SelectImages, ResponsesEndWithTheLastComponentUsed) {
  const std::string text = ImageLir(
      "  %1:i32 = subgroup_invocation\n"
      "  %2:f32, %3:f32, %4:f32, %5:f32 = fetch[1, texel lod] %1, 0\n"
      "  store_ssbo[0, align 4] %1, %3\n",
      16);
  EXPECT_NE(text.find("x2:ud = sampler %2:ud {w16"), std::string::npos) << text;
}

TEST(SelectImages, WritesHaveTheChannelsOfTheFormatInHalves) {
  const std::string text = ImageLir(
      "  %1:i32 = subgroup_invocation\n"
      "  image_store[2, texel] %1, 3, 0.5f, 1f, 1f, 1f\n",
      16);
  EXPECT_NE(text.find("mov %2:ud {w8 g8 nomask}"), std::string::npos) << text;
  EXPECT_NE(text.find("{w8 [typed_write channels 1]}"), std::string::npos) << text;
  EXPECT_NE(text.find("{w8 g8 [typed_write channels 1 high_slots 1]}"), std::string::npos) << text;
}

TEST(SelectImages, UniformIndicesGoIntoTheDescriptor) {
  const std::string text = ImageLir(
      "  %1:i32 = workgroup_id[0]\n"
      "  %2:f32, %3:f32, %4:f32, %5:f32 = fetch.indexed[3, texel lod] %1, 1, 2, 0\n"
      "  store_ssbo[0, align 4] 0, %2\n",
      8);
  EXPECT_NE(text.find("sampler #0x1:ud #0x2:ud %0.1:ud {w8 nomask"), std::string::npos) << text;
}

// The handle of element 1 + index is read from the memory at binding table index 0.
TEST(SelectImages, ArraysWithoutLengthAreReachedByHandles) {
  const mir::Module m = Module(
      "mir 1\nentry \"main\"\nlocal_size 1, 1, 1\n"
      "resource 0 sampled_image 0.2.0 array 0 image 2d float unknown\nbody {\n"
      "  %1:i32 = workgroup_id[0]\n  %2:i32 = image_levels.indexed[0, texel] %1\n"
      "  %3:i32 = image_levels.indexed[0, texel] 5\n"
      "  return\n}\n");
  const absl::StatusOr<Abi> abi = AssignAbi(m, Tgl());
  ASSERT_TRUE(abi.ok()) << abi.status();
  ASSERT_EQ(abi->binding_table.size(), 1u);
  EXPECT_EQ(abi->binding_table[0].what, out::SurfaceContent::kDescriptorMemory);
  ASSERT_EQ(abi->descriptor_memory.size(), 1u);
  EXPECT_EQ(abi->descriptor_memory[0].resource, 0u);
  EXPECT_EQ(abi->descriptor_memory[0].count, 0u);
  const out::LaunchRecord r = LaunchOf(m, *abi, *AtWidth(m, *abi, 8));
  ASSERT_EQ(r.resources.size(), 1u);
  EXPECT_EQ(r.resources[0].kind, out::ResourceKind::kSampledImage);
  EXPECT_EQ(r.resources[0].binding, 2u);
  EXPECT_EQ(r.resources[0].elements, 0u);
  ASSERT_EQ(r.descriptor_memory.size(), 1u);
  EXPECT_EQ(r.descriptor_memory[0].count, 0u);
  EXPECT_EQ(r.descriptor_memory[0].stride, 8u);
  const absl::StatusOr<lir::Function> f = Select(m, *abi, *AtWidth(m, *abi, 8));
  ASSERT_TRUE(f.ok()) << f.status();
  const std::string text = lir::Print(MachineOf(Tgl()), *f);
  EXPECT_NE(text.find("shl %0.1:ud #0x3:ud"), std::string::npos) << text;
  EXPECT_NE(text.find("header #0x20:ud"), std::string::npos) << text;     // elements 4 to 7
  EXPECT_NE(text.find(".2:ud {w8 nomask ["), std::string::npos) << text;  // element 5 is dword 2
}

// Wa_1407528679: where a thread may run for its fused neighbour alone, it has not computed the
// index, and the handle is whatever lies there.
TEST(SelectImages, WhatAValueChoseIsAskedForByThreadsWithLanesOnly) {
  const auto guarded = [](const std::string& array, const std::string& index) {
    const mir::Module m = Module(absl::StrCat(
        "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nresource 0 ssbo 0.0.0\n"
        "resource 1 sampled_image 0.2.0 array ",
        array,
        " image 2d float unknown\nbody {\n"
        "  %1:i32 = local_index\n  %2:bool = ult %1, 6\n  if %2 {\n    %3:i32 = read_first %1\n"
        "    %4:i32 = image_levels.indexed[1, texel] ",
        index,
        "\n"
        "    store_ssbo[0, align 4] 0, %4\n    yield\n  } else {\n    yield\n  }\n  return\n}\n"));
    const absl::StatusOr<Abi> abi = AssignAbi(m, Tgl());
    EXPECT_TRUE(abi.ok()) << abi.status();
    const absl::StatusOr<lir::Function> f = Select(m, *abi, *AtWidth(m, *abi, 8));
    EXPECT_TRUE(f.ok()) << f.status();
    for (const lir::Block& b : f->blocks) {
      for (lir::InstId i : b.insts) {
        if (f->inst(i).op == kSampler) return f->inst(i).predicate_mode != 0;
      }
    }
    ADD_FAILURE() << "no sampler message";
    return false;
  };
  EXPECT_TRUE(guarded("3", "%3"));
  EXPECT_FALSE(guarded("3", "2"));
  EXPECT_TRUE(guarded("0", "%3")) << "by handle";
  EXPECT_FALSE(guarded("0", "2")) << "a handle at a known place";
}

TEST(Select, CompareMakesAFlagAtItsUse) {
  const std::string text =
      Lir("  %1:i32 = subgroup_invocation\n"
          "  %2:bool = slt %1, 3\n"
          "  %3:i32 = select %2, %1, 7\n"
          "  store_ssbo[0, align 4] %1, %3\n");
  EXPECT_NE(text.find("  %3:uw = cmp %2:d #0x3:d {w8 cmod 5}\n"
                      "  %4:ud = sel %2:ud #0x7:ud %3:uw {w8 pred 1}\n"),
            std::string::npos)
      << text;
}

// A flag is live in one line of code: for another, the number is kept and compared with zero there.
TEST(Select, ConditionsOfAnotherLineAreStored) {
  const auto compares = [](const std::string& condition) {
    const std::string text =
        Lir("  %0:i32 = local_index\n  %1:bool = ult %0, 4\n"
            "  if %1 {\n    store_ssbo[0, align 4] 0, %0\n    yield\n"
            "  } else {\n    yield\n  }\n  %2:bool = ult %0, 4\n"
            "  %3:i32 = select " +
            condition + ", 7, 8\n  store_ssbo[0, align 4] 4, %3\n");
    return Count(text, ":d #0x0:d {w8 cmod 2");
  };
  EXPECT_EQ(compares("%2"), 0);
  EXPECT_EQ(compares("%1"), 1);
}

TEST(Select, CombinedBooleansAreStored) {
  const std::string text =
      Lir("  %1:i32 = subgroup_invocation\n"
          "  %2:bool = slt %1, 3\n"
          "  %3:bool = sge %1, 1\n"
          "  %4:bool = and %2, %3\n"
          "  %5:i32 = select %4, 1, 0\n"
          "  store_ssbo[0, align 4] %1, %5\n");
  EXPECT_NE(text.find("  %7:d = and %4:d %6:d {w8}\n"
                      "  %8:ud = and %7:ud #0x1:ud {w8}\n"),
            std::string::npos)
      << text;
}

TEST(Select, EmptyThenSideIsSwapped) {
  EXPECT_EQ(Lir("  %1:i32 = subgroup_invocation\n"
                "  %2:bool = slt %1, 3\n"
                "  if %2 {\n    yield\n  } else {\n"
                "    store_ssbo[0, align 4] %1, %1\n    yield\n  }\n"),
            "block b0 depth 0\n"
            "  %1:uw = lane_ids {w8 nomask}\n"
            "  %2:ud = mov %1:uw {w8}\n"
            "  %3:uw = cmp %2:d #0x3:d {w8 cmod 5}\n"
            "  if %3:uw {w8 pred 1 inv}\n"
            "  -> b1, b2\n"
            "block b1 depth 0\n"
            "  msg.write %2:ud %2:ud {w8 [untyped_write channels 1]}\n"
            "  endif {w8}\n"
            "  -> b2\n"
            "block b2 depth 0\n"
            "  %4x8:ud = mov %0x8:ud {w8 nomask}\n"
            "  eot %4x8:ud {w8 nomask}\n");
}

TEST(Select, UniformBufferIsReadInChunksOf32Bytes) {
  const std::string text =
      Lir("  %1:i32 = load_ubo[1, align 4] 4\n"
          "  %2:i32 = load_ubo[1, align 4] 28\n"
          "  %3:i32 = iadd %1, %2\n"
          "  store_ssbo[0, align 4] %3, %3\n");
  EXPECT_NE(text.find("  %1x8:ud = header #0x0:ud {w8 nomask}\n"
                      "  %2x8:ud = msg %1x8:ud {w8 nomask [const_block_read_unaligned header 1 bti "
                      "1 owords 2]}"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("add %2.1:d %2.7:d {nomask}"), std::string::npos) << text;
}

TEST(Abi, TablesFollowUse) {
  const mir::Module m = Module(
      "mir 1\nentry \"main\"\nlocal_size 20, 1, 1\npush 64\ndata 0x00000000\n"
      "resource 0 ssbo 0.0.0\nresource 1 ssbo 0.1.0\nresource 2 ubo 1.0.2\nbody {\n"
      "  %1:i32 = local_index\n"
      "  %2:i32 = load_push[align 4] 8\n"
      "  %3:i32 = num_workgroups[2]\n"
      "  %4:i32 = load_constant[align 4] %1\n"
      "  %5:i32 = load_ubo[2, align 4] 0\n"
      "  store_ssbo[1, align 4] %1, %2, %3, %4, %5\n"
      "  return\n}\n");
  const absl::StatusOr<Abi> abi = AssignAbi(m, Tgl());
  ASSERT_TRUE(abi.ok());
  EXPECT_EQ(abi->resource_surface, (std::vector<uint32_t>{Abi::kNoSurface, 0, 1}));
  EXPECT_EQ(abi->constant_surface, 2u);
  EXPECT_FALSE(abi->push_surface.has_value());
  const out::LaunchRecord r = LaunchOf(m, *abi, *AtWidth(m, *abi, 16));
  ASSERT_EQ(r.push.size(), 3u);
  EXPECT_EQ(r.push[0].bytes, 12u);
  EXPECT_EQ(r.push[1].at, 12u);
  EXPECT_EQ(r.push[2].at, 32u);
  const out::IntelLaunch& intel = out::IntelOf(r);
  EXPECT_EQ(intel.push_registers, 2u);
  EXPECT_EQ(intel.compute.threads_per_group, 2u);
  EXPECT_EQ(intel.compute.last_thread_mask, 0xfu);
}

// Returns a module that uses resources (lines without number, "ssbo 0.0.0") by constant index 0 of
// arrays.
mir::Module Using(const std::vector<std::string>& resources) {
  std::string text = "mir 1\nentry \"main\"\nlocal_size 1, 1, 1\n", body;
  for (size_t i = 0; i < resources.size(); ++i) {
    absl::StrAppend(&text, "resource ", i, " ", resources[i], "\n");
    const bool array = absl::StrContains(resources[i], "array");
    if (absl::StrContains(resources[i], "ssbo")) {
      absl::StrAppend(&body, "  store_ssbo", array ? ".indexed" : "", "[", i, ", align 4] 0, ",
                      array ? "0, 1\n" : "1\n");
    } else if (absl::StrContains(resources[i], "combined")) {
      const size_t v = 4 * i + 1;
      absl::StrAppend(&body, "  %", v, ":f32, %", v + 1, ":f32, %", v + 2, ":f32, %", v + 3,
                      ":f32 = sample", array ? ".indexed" : "", "[", i, ", texel lod] ",
                      array ? "0, " : "", "0f, 0f, 0f\n");
    }
  }
  return Module(absl::StrCat(text, "body {\n", body, "  return\n}\n"));
}

Abi AbiUsing(const std::vector<std::string>& resources) {
  const absl::StatusOr<Abi> abi = AssignAbi(Using(resources), Tgl());
  EXPECT_TRUE(abi.ok()) << abi.status();
  return abi.ok() ? *abi : Abi();
}

constexpr const char* kImage = " image 2d float unknown";

TEST(Abi, WhatFitsTheTablesIsInThem) {
  const Abi abi =
      AbiUsing({"ssbo 0.0.0 array 224", absl::StrCat("combined 0.1.0 array 16", kImage)});
  EXPECT_EQ(abi.binding_table.size(), 240u);
  EXPECT_EQ(abi.sampler_table.size(), 16u);
  EXPECT_TRUE(abi.descriptor_memory.empty());
}

TEST(Abi, TheLargestBindingThatOverflowsIsInMemory) {
  const Abi abi = AbiUsing({"ssbo 0.0.0 array 100", "ssbo 0.1.0 array 100", "ssbo 0.2.0 array 50"});
  EXPECT_EQ(abi.resource_surface, (std::vector<uint32_t>{0, Abi::kNoSurface, 100}));
  EXPECT_EQ(abi.surface_memory, (std::vector<uint32_t>{Abi::kNoSurface, 150, Abi::kNoSurface}));
  EXPECT_EQ(abi.binding_table.size(), 151u);
  ASSERT_EQ(abi.descriptor_memory.size(), 1u);
  EXPECT_EQ(abi.descriptor_memory[0].resource, 1u);
  EXPECT_EQ(abi.descriptor_memory[0].count, 100u);
}

// Combined images keep their surfaces in the table when only their samplers do not fit.
TEST(Abi, SamplersAloneMayBeInMemory) {
  const Abi abi = AbiUsing({absl::StrCat("combined 0.0.0 array 9", kImage),
                            absl::StrCat("combined 0.1.0 array 8", kImage)});
  EXPECT_EQ(abi.resource_surface, (std::vector<uint32_t>{0, 9}));
  EXPECT_EQ(abi.resource_sampler, (std::vector<uint32_t>{Abi::kNoSurface, 0}));
  EXPECT_EQ(abi.sampler_memory, (std::vector<uint32_t>{17, Abi::kNoSurface}));
  EXPECT_EQ(abi.surface_memory, (std::vector<uint32_t>{Abi::kNoSurface, Abi::kNoSurface}));
}

TEST(Abi, ElementsOfOneBindingShareAMemory) {
  std::vector<std::string> elements;
  for (int i = 0; i < 241; ++i) elements.push_back(absl::StrCat("ssbo 0.7.", 3 * i));
  const Abi abi = AbiUsing(elements);
  EXPECT_EQ(abi.binding_table.size(), 1u);
  ASSERT_EQ(abi.descriptor_memory.size(), 1u);
  EXPECT_EQ(abi.descriptor_memory[0].count, 721u);
  EXPECT_EQ(abi.surface_memory, std::vector<uint32_t>(241, 0));
}

TEST(Abi, TooManyDescriptorsAreRefusedByName) {
  std::vector<std::string> bindings;
  for (int i = 0; i < 241; ++i) {
    bindings.push_back(absl::StrCat("ssbo 0.", i, ".0 ;%", 1000 + i));
  }
  EXPECT_EQ(CauseOf(AssignAbi(Using(bindings), Tgl()).status()), "too_many_descriptors");
  EXPECT_EQ(SpirvIdOf(AssignAbi(Using(bindings), Tgl()).status()), 1240u);
  bindings.pop_back();
  EXPECT_EQ(AbiUsing(bindings).binding_table.size(), 240u);
  EXPECT_EQ(CauseOf(AssignAbi(Using({"ssbo 0.0.0 array 1048577"}), Tgl()).status()),
            "too_many_descriptors");
  EXPECT_EQ(AbiUsing({"ssbo 0.0.0 array 1048576"}).descriptor_memory[0].count, 1048576u);
}

}  // namespace
}  // namespace kiln::intel
