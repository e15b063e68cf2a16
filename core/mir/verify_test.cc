// For each invariant of verify.h: a good module, one change that breaks it, and the number
// reported.
#include "core/mir/verify.h"

#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/mir/build.h"
#include "core/mir/immediates.h"
#include "core/mir/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::mir {
namespace {

constexpr char kGood[] = R"(mir 1
entry "main"
shared 64
resource 0 ubo 0.0.0
resource 1 ssbo 0.1.0 readonly
resource 2 ssbo 0.2.0
private 0 64
body {
  %0:i32 = workgroup_id[1]
  %1:f32, %2:f32 = load_ssbo[1, align 8] %0
  %3:f32 = fadd.exact %1, %2
  %4:bool = flt %3, 1f
  %5:f32 = if %4 {
    %6:f32 = fneg %3
    yield %6
  } else {
    yield 0f
  }
  %7:i32 = loop (%8:i32 = 0, %9:f32 = %5) {
    %10:bool = sge %8, 4
    if %10 {
      break %8
    } else {
      yield
    }
    %11:i32 = iadd %8, 1
    continue %11, %9
  }
  %12:i32 = ssbo_atomic[2, add] 0, %7
  %13:f32 = select %4, %3, %5
  %14:i32 = bitcast %13
  store_ssbo[2, align 4] %12, %14
  memory_barrier[1, device]
  control_barrier[0, subgroup]
  %30:i32 = reduce[iadd, 4] 1
  %31:i32 = quad_swap[1] %30
  return
}
)";

Module Good() {
  absl::StatusOr<Module> m = Parse(kGood);
  EXPECT_TRUE(m.ok()) << m.status();
  return *std::move(m);
}

InstId Find(const Module& m, Op op) {
  InstId found;
  ForEachInst(m, m.body, [&](InstId i) {
    if (m.inst(i).op == op && !found.valid()) found = i;
  });
  EXPECT_TRUE(found.valid());
  return found;
}
Inst& FindInst(Module& m, Op op) { return m.inst(Find(m, op)); }
std::vector<InstId>& Body(Module& m) { return m.region(m.body).insts; }
Region& RegionOf(Module& m, Op op, int r) { return m.region(FindInst(m, op).regions[r]); }

struct Break {
  const char* what;
  int invariant;
  std::function<void(Module&)> change;
};

TEST(Verify, GoodModule) { EXPECT_EQ(Verify(Good()), absl::OkStatus()); }

TEST(Verify, EachInvariantIsChecked) {
  const ValueId kF(3), kI(0);
  const Break cases[] = {
      {"no body", 1, [](Module& m) { m.body = RegionId(); }},
      {"region owned twice", 1,
       [](Module& m) { FindInst(m, Op::kIf).regions[1] = FindInst(m, Op::kIf).regions[0]; }},
      {"region missing", 1, [](Module& m) { FindInst(m, Op::kIf).regions[1] = RegionId(99); }},
      {"body nested in itself", 1, [](Module& m) { FindInst(m, Op::kLoop).regions[0] = m.body; }},
      {"instruction twice", 1, [](Module& m) { Body(m).insert(Body(m).begin(), Body(m)[0]); }},
      {"instruction missing", 1, [](Module& m) { Body(m)[0] = InstId(1000); }},
      {"bad op", 1, [](Module& m) { FindInst(m, Op::kFadd).op = static_cast<Op>(5000); }},
      {"sources outside", 1, [](Module& m) { FindInst(m, Op::kFadd).first_source = 1000000; }},
      {"results outside", 1,
       [](Module& m) { FindInst(m, Op::kFadd).first_result = ValueId(9999); }},
      {"source missing", 1, [](Module& m) { m.sources(Find(m, Op::kFadd))[0] = ValueId(9999); }},
      {"if with one region", 2, [](Module& m) { FindInst(m, Op::kIf).num_regions = 1; }},
      {"add with region", 2,
       [](Module& m) {
         const RegionId extra = NewRegion(m);
         Inst& add = FindInst(m, Op::kFadd);
         add.num_regions = 1;
         add.regions[0] = extra;
       }},
      {"no terminator", 3, [](Module& m) { Body(m).pop_back(); }},
      {"empty region", 3, [](Module& m) { RegionOf(m, Op::kIf, 1).insts.clear(); }},
      {"terminator inside", 3, [](Module& m) { std::swap(Body(m)[0], Body(m).back()); }},
      {"return in an if", 3,
       [](Module& m) {
         InstId yield = RegionOf(m, Op::kIf, 1).insts.back();
         m.inst(yield).op = Op::kReturn;
         m.inst(yield).num_sources = 0;
       }},
      {"break outside of loops", 3,
       [](Module& m) { m.inst(RegionOf(m, Op::kIf, 1).insts.back()).op = Op::kBreak; }},
      {"yield in a loop body", 3,
       [](Module& m) { m.inst(RegionOf(m, Op::kLoop, 0).insts.back()).op = Op::kYield; }},
      {"body ends with yield", 3, [](Module& m) { m.inst(Body(m).back()).op = Op::kYield; }},
      {"yield carries nothing", 4, [](Module& m) { FindInst(m, Op::kYield).num_sources = 0; }},
      {"yield of another type", 4, [=](Module& m) { m.sources(Find(m, Op::kYield))[0] = kI; }},
      {"break of another type", 4, [=](Module& m) { m.sources(Find(m, Op::kBreak))[0] = kF; }},
      {"break carries nothing", 4, [](Module& m) { FindInst(m, Op::kBreak).num_sources = 0; }},
      {"continue too short", 4, [](Module& m) { FindInst(m, Op::kContinue).num_sources = 1; }},
      {"continue of another type", 4,
       [=](Module& m) { m.sources(Find(m, Op::kContinue))[1] = kI; }},
      {"loop source of another type", 4, [=](Module& m) { m.sources(Find(m, Op::kLoop))[0] = kF; }},
      {"loop source missing", 4, [](Module& m) { FindInst(m, Op::kLoop).num_sources = 1; }},
      {"parameters of an if", 4,
       [](Module& m) { AddParam(m, FindInst(m, Op::kIf).regions[0], Type::kI32); }},
      {"too few sources", 5, [](Module& m) { FindInst(m, Op::kFadd).num_sources = 1; }},
      {"int to fadd", 5, [=](Module& m) { m.sources(Find(m, Op::kFadd))[0] = kI; }},
      {"result type", 5,
       [](Module& m) { m.value(FindInst(m, Op::kFadd).first_result).type = Type::kI32; }},
      {"select of two types", 5, [=](Module& m) { m.sources(Find(m, Op::kSelect))[1] = kI; }},
      {"select by int", 5, [=](Module& m) { m.sources(Find(m, Op::kSelect))[0] = kI; }},
      {"bitcast to the same", 5, [=](Module& m) { m.sources(Find(m, Op::kBitcast))[0] = kI; }},
      {"load of a bool", 5,
       [](Module& m) { m.value(FindInst(m, Op::kLoadSsbo).first_result).type = Type::kBool; }},
      {"store of nothing", 5, [](Module& m) { FindInst(m, Op::kStoreSsbo).num_sources = 1; }},
      {"atomic without value", 5, [](Module& m) { FindInst(m, Op::kSsboAtomic).num_sources = 1; }},
      {"atomic on a float", 5, [=](Module& m) { m.sources(Find(m, Op::kSsboAtomic))[1] = kF; }},
      {"use before definition", 6, [](Module& m) { std::swap(Body(m)[2], Body(m)[3]); }},
      {"use of the other side's value", 6,
       [](Module& m) { m.sources(RegionOf(m, Op::kIf, 1).insts.back())[0] = ValueId(6); }},
      {"use of a parameter outside", 6,
       [](Module& m) { m.sources(Find(m, Op::kSsboAtomic))[1] = ValueId(8); }},
      {"use of the loop's result inside", 6,
       [](Module& m) { m.sources(Find(m, Op::kBreak))[0] = ValueId(7); }},
      {"result owned by another", 6,
       [](Module& m) { m.value(FindInst(m, Op::kFadd).first_result).owner = 0; }},
      {"result with wrong component", 6,
       [](Module& m) { m.value(FindInst(m, Op::kFadd).first_result).component = 1; }},
      {"parameter owned by another", 6,
       [](Module& m) { m.value(ValueId(8)).owner = m.body.index; }},
      {"bool of 2", 7,
       [](Module& m) {
         Builder(m).Bool(true);
         m.values.back().bits = 2;
       }},
      {"component 3", 8, [](Module& m) { FindInst(m, Op::kWorkgroupId).imm0 = 3; }},
      {"resource missing", 8, [](Module& m) { FindInst(m, Op::kLoadSsbo).imm0 = 3; }},
      {"ssbo op on a ubo", 8, [](Module& m) { FindInst(m, Op::kLoadSsbo).imm0 = 0; }},
      {"read-only written", 8, [](Module& m) { FindInst(m, Op::kStoreSsbo).imm0 = 1; }},
      {"atomic on read-only", 8, [](Module& m) { FindInst(m, Op::kSsboAtomic).imm0 = 1; }},
      {"alignment 12", 8, [](Module& m) { FindInst(m, Op::kLoadSsbo).imm1 = 12; }},
      {"alignment 2", 8, [](Module& m) { FindInst(m, Op::kLoadSsbo).imm1 = 2; }},
      {"atomic op", 8, [](Module& m) { FindInst(m, Op::kSsboAtomic).imm1 = 99; }},
      {"memory classes", 8, [](Module& m) { FindInst(m, Op::kMemoryBarrier).imm0 = 8; }},
      {"a barrier orders nothing", 8, [](Module& m) { FindInst(m, Op::kMemoryBarrier).imm0 = 0; }},
      {"scope", 8, [](Module& m) { FindInst(m, Op::kMemoryBarrier).imm1 = 3; }},
      {"waiting for the device", 8, [](Module& m) { FindInst(m, Op::kControlBarrier).imm1 = 2; }},
      {"cluster of 3", 8, [](Module& m) { FindInst(m, Op::kReduce).imm1 = 3; }},
      {"operator", 8, [](Module& m) { FindInst(m, Op::kReduce).imm0 = 13; }},
      {"operator of floats", 5,
       [](Module& m) { FindInst(m, Op::kReduce).imm0 = static_cast<uint32_t>(ReduceOp::kFadd); }},
      {"quad swapped by 0", 8, [](Module& m) { FindInst(m, Op::kQuadSwap).imm0 = 0; }},
      {"immediate of an add", 8, [](Module& m) { FindInst(m, Op::kFadd).imm0 = 1; }},
      {"unknown flag", 9, [](Module& m) { FindInst(m, Op::kFadd).flags = 128; }},
      {"acquiring add", 9, [](Module& m) { FindInst(m, Op::kFadd).flags = kAcquires; }},
      {"release and acquire", 9,
       [](Module& m) { FindInst(m, Op::kMemoryBarrier).flags = kReleases | kAcquires; }},
      {"float flags on ints", 9, [](Module& m) { FindInst(m, Op::kIadd).flags = kNoContraction; }},
      {"uniform add", 9, [](Module& m) { FindInst(m, Op::kFadd).flags = kUniform; }},
      {"volatile add", 9, [](Module& m) { FindInst(m, Op::kFadd).flags = kVolatile; }},
      {"resources out of order", 10, [](Module& m) { m.resources[1].binding = 7; }},
      {"shared memory of 6 bytes", 10, [](Module& m) { m.shared_bytes = 6; }},
      {"private array of 6 bytes", 10, [](Module& m) { m.private_arrays[0].bytes = 6; }},
      {"local size 0", 10, [](Module& m) { m.local_size[2] = 0; }},
  };
  for (const Break& c : cases) {
    Module m = Good();
    c.change(m);
    const absl::Status status = Verify(m);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << c.what;
    EXPECT_THAT(std::string(status.message()),
                testing::StartsWith(absl::StrCat("MIR invariant ", c.invariant, ": ")))
        << c.what;
  }
}

// Returns the verifier's verdict on a workgroup of that size with a scan of this text.
std::string OfScan(const std::string& size, const std::string& scan) {
  const absl::StatusOr<Module> m =
      Parse(absl::StrCat("mir 1 local_size ", size, " body { ", scan, " return }"));
  return std::string((m.ok() ? Verify(*m) : m.status()).message());
}

TEST(Verify, ScansOfTheWorkgroup) {
  using testing::HasSubstr;
  const std::string one = "%1:i32, %2:i32 = workgroup_scan[";
  const std::string two = "%1:i32, %2:i32, %3:i32, %4:i32 = workgroup_scan[";
  EXPECT_EQ(OfScan("32, 8, 1", one + "256] 0, 8, 3"), "");
  EXPECT_EQ(OfScan("32, 3, 1", two + "128] 0, 3, 3, 4"), "");
  EXPECT_THAT(OfScan("32, 8, 1", one + "128] 0, 8, 3"), HasSubstr("cannot be scanned"));
  EXPECT_THAT(OfScan("48, 1, 1", one + "128] 0, 2, 3"), HasSubstr("cannot be scanned"));
  EXPECT_THAT(OfScan("32, 1, 1", one + "257] 0, 1, 3"), HasSubstr("no such workgroup"));
  EXPECT_THAT(OfScan("32, 1, 1", one + "0] 0, 1, 3"), HasSubstr("no such workgroup"));
  for (const std::string& scan :
       {one + "32] 0, 1, 3, 4", two + "32] 0, 1, 3", one + "32] 0, 1", one + "32] 0, 1, 3f"}) {
    EXPECT_THAT(OfScan("32, 1, 1", scan), HasSubstr("a scan has")) << scan;
  }
}

TEST(Verify, WorkgroupsOfVertices) {
  using testing::HasSubstr;
  const auto of = [](const std::string& header, const std::string& body) {
    const absl::StatusOr<Module> m =
        Parse(absl::StrCat("mir 1 ", header, " body { ", body, " return }"));
    return std::string((m.ok() ? Verify(*m) : m.status()).message());
  };
  const std::string access = "store_shared[align 4] 0, 1",
                    barrier = "control_barrier[2, workgroup]";
  for (const std::string& body : {access, barrier}) {
    EXPECT_EQ(of("stage vertex local_size 32, 1, 1 shared 4", body), "");
    EXPECT_THAT(of("stage vertex", body), HasSubstr("op")) << body;
    EXPECT_THAT(of("stage fragment", body), HasSubstr("op")) << body;
  }
  EXPECT_THAT(of("stage vertex shared 4", ""), HasSubstr("shared memory without workgroups"));
  EXPECT_THAT(of("stage fragment local_size 32, 1, 1", ""), HasSubstr("a local size of fragments"));
  EXPECT_THAT(of("local_size 32, 1, 1", "stage_effect[0]"), HasSubstr("op"));
}

TEST(Verify, MessageShowsTheInstruction) {
  Module m = Good();
  FindInst(m, Op::kFadd).flags = kVolatile;
  EXPECT_EQ(Verify(m).message(),
            "MIR invariant 9: a memory flag on an op that accesses no memory\n"
            "  in: %3:f32 = fadd.volatile %1, %2");
}

// One instruction in a module with resources of each kind; invariant 0: it is well-formed.
struct ResourceCase {
  int invariant;
  const char* instruction;
};

TEST(Verify, ResourcesFitTheirOps) {
  const ResourceCase cases[] = {
      {0, "%1:f32, %2:f32, %3:f32, %4:f32 = sample[1, texel sampler 2] 0f, 0f"},
      {0,
       "%1:f32 = sample.nonuniform.indexed[3, texel dref grad] 7, 0f, 0f, 0f, 1f, 1f, 1f, 1f, 1f, 1f, 1f"},
      {0,
       "%1:f32, %2:f32, %3:f32, %4:f32 = gather[1, texel sampler 4 sampler_index dref offsets] 9, 0f, 0f, 1f, 2, 2"},
      {0, "%1:i32, %2:i32, %3:i32, %4:i32 = image_load[5, texel] 0, 0, 0"},
      {0, "image_store[5, texel] 0, 0, 0, 1, 2, 3, 4"},
      {0, "%1:i32 = image_atomic[5, texel compare_exchange] 0, 0, 0, 1, 2"},
      {0, "%1:i32, %2:i32 = image_size.indexed[3, texel lod] 0, 0"},
      {0, "%1:i32 = image_levels[1, texel]"},
      {0, "%1:i32 = load_ssbo.indexed[0, align 4] 3, 0"},
      {0, "store_ssbo.indexed[0, align 4] 3, 0, 0.5f"},
      {0, "%1:i32 = ssbo_size.indexed[0] 3"},
      {0, "%1:i32 = ssbo_atomic.indexed[0, add] 3, 0, 1"},
      {0, "%1:f32, %2:f32, %3:f32, %4:f32 = fetch[6, texel] 0"},
      {5, "%1:f32, %2:f32, %3:f32 = sample[1, texel sampler 2] 0f, 0f"},
      {5, "%1:i32, %2:i32, %3:i32, %4:i32 = sample[1, texel sampler 2] 0f, 0f"},
      {5, "%1:f32, %2:f32, %3:f32, %4:f32 = sample[1, texel sampler 2] 0f, 0"},
      {5, "%1:f32, %2:f32, %3:f32, %4:f32 = sample[1, texel sampler 2] 0f"},
      {5, "%1:f32, %2:f32, %3:f32, %4:f32 = fetch[1, texel lod] 0, 0, 0f"},
      {5, "image_store[5, texel] 0, 0, 0, 1f, 2f, 3f, 4f"},
      {5, "%1:i32 = image_size.indexed[3, texel lod] 0, 0"},
      {5, "%1:i32 = load_ssbo.indexed[0, align 4] 3"},
      {5, "%1:i32 = load_ssbo.indexed[0, align 4] 3, 0f"},
      {5, "%1:i32 = ssbo_size.indexed[0]"},
      {8, "%1:f32, %2:f32, %3:f32, %4:f32 = sample[1, texel] 0f, 0f"},
      {8, "%1:f32, %2:f32, %3:f32, %4:f32 = sample[1, texel sampler 1] 0f, 0f"},
      {8, "%1:f32, %2:f32, %3:f32, %4:f32 = sample[1, texel sampler 4] 0f, 0f"},
      {8, "%1:f32, %2:f32, %3:f32, %4:f32 = sample[1, texel sampler 2 sampler_index] 0, 0f, 0f"},
      {8, "%1:f32, %2:f32, %3:f32, %4:f32 = sample[1, texel sampler 2 bias lod] 0f, 0f, 0f, 0f"},
      {8, "%1:f32, %2:f32, %3:f32, %4:f32 = sample[1, texel sampler 2 component 1] 0f, 0f"},
      {8, "%1:f32, %2:f32, %3:f32, %4:f32 = gather[1, texel sampler 2 lod] 0f, 0f, 0f"},
      {8, "%1:f32, %2:f32, %3:f32, %4:f32 = fetch[1, texel sampler 2] 0, 0"},
      {8, "%1:f32, %2:f32, %3:f32, %4:f32 = fetch[1, texel sample] 0, 0, 0"},
      {8, "%1:f32, %2:f32, %3:f32, %4:f32 = fetch[6, texel lod] 0, 0"},
      {8, "%1:f32, %2:f32, %3:f32, %4:f32 = image_load[1, texel] 0, 0"},
      {8, "%1:i32, %2:i32, %3:i32, %4:i32 = fetch[5, texel] 0, 0, 0"},
      {8, "image_store[7, texel] 0, 0, 1f, 2f, 3f, 4f"},
      {8, "%1:f32, %2:f32, %3:f32, %4:f32 = fetch[9, texel] 0, 0"},
      {8, "%1:i32 = load_ssbo[5, align 4] 0"},
      {9, "%1:i32 = load_ssbo[0, align 4] 0"},
      {9, "%1:i32 = load_ubo.indexed[8, align 4] 0, 0"},
      {9, "%1:i32 = iadd.indexed 0, 0"},
  };
  for (const ResourceCase& c : cases) {
    const absl::StatusOr<Module> m = Parse(absl::StrCat(R"(mir 1
resource 0 ssbo 0.0.0 array 4
resource 1 sampled_image 0.1.0 image 2d float unknown
resource 2 sampler 0.2.0
resource 3 combined 0.3.0 array 0 image cube float unknown
resource 4 sampler 0.4.0 array 16
resource 5 storage_image 0.5.0 image 2d arrayed uint r32ui
resource 6 uniform_texel_buffer 0.6.0 image buffer float unknown
resource 7 storage_image 0.7.0 image 2d float rgba8 readonly
resource 8 ubo 0.8.0
body { )",
                                                        c.instruction, " return }"));
    ASSERT_TRUE(m.ok()) << m.status() << "\n" << c.instruction;
    const absl::Status status = Verify(*m);
    if (c.invariant == 0) {
      EXPECT_EQ(status, absl::OkStatus()) << c.instruction;
    } else {
      EXPECT_THAT(std::string(status.message()),
                  testing::StartsWith(absl::StrCat("MIR invariant ", c.invariant, ": ")))
          << c.instruction;
    }
  }
}

// A header and a body; invariant 0: they are well-formed.
struct StageCase {
  int invariant;
  const char* header;
  const char* body;
};

TEST(Verify, StagesInterfacesAndTheirOps) {
  constexpr char kInputs[] =
      "stage fragment input 0 location 0.0 f32 x3 input 1 location 0.3 i32 x1 flat "
      "input 2 location 1.0 f32 x4 array 4 input 3 builtin front_facing bool x1 "
      "output 0 location 0.0 f32 x4 output 1 builtin sample_mask i32 x1 array 1";
  constexpr char kPerVertex[] =
      "stage fragment input 0 location 0.0 i32 x2 per_vertex input 1 builtin bary_coord f32 x3";
  const StageCase cases[] = {
      // 11: variables.
      {0, "stage vertex input 0 location 0.0 i64 x3 input 1 location 2.0 f32 x4", ""},
      {0, "stage vertex input 0 location 0.2 i64 x1 output 0 location 0.0 f16 x2", ""},
      {0, "stage fragment output 0 location 0.0 f32 x4 output 1 location 0.0 f32 x4 index 1", ""},
      {0, "stage fragment input 0 location 0.0 f32 x2 input 1 location 0.2 f32 x2 centroid", ""},
      {0, "stage fragment modes depth any output 0 builtin frag_depth f32 x1", ""},
      {11, "input 0 location 0.0 f32 x1", ""},
      {11, "output 0 location 0.0 f32 x1", ""},
      {11, "stage vertex modes early_tests", ""},
      {11, "stage fragment local_size 4, 1, 1", ""},
      {11, "stage fragment shared 16", ""},
      {11, "stage fragment modes depth any", ""},
      {11, "stage fragment output 0 builtin frag_depth f32 x1", ""},
      {11, "stage vertex input 0 location 0.0 f32 x5", ""},
      {11, "stage vertex input 0 location 0.0 f32 x0", ""},
      {11, "stage vertex input 0 location 0.2 f32 x3", ""},
      {11, "stage vertex input 0 location 0.1 i64 x1", ""},
      {11, "stage vertex input 0 location 0.2 i64 x2", ""},
      {11, "stage vertex input 0 location 0.0 bool x1", ""},
      {11, "stage vertex input 0 location 5000.0 f32 x1", ""},
      {11, "stage vertex input 0 location 0.0 f32 x1 array 0", ""},
      {11, "stage vertex input 0 location 0.0 f32 x1 index 1", ""},
      {11, "stage fragment output 0 location 0.0 f32 x1 index 2", ""},
      {11, "stage vertex input 0 location 0.0 f32 x1 noperspective", ""},
      {11, "stage fragment output 0 location 0.0 f32 x1 centroid", ""},
      {11, "stage fragment input 0 location 0.0 i32 x1", ""},
      {11, "stage fragment input 0 location 0.0 f32 x1 flat centroid", ""},
      {11, "stage vertex input 0 location 1.0 f32 x1 input 1 location 0.0 f32 x1", ""},
      {11, "stage vertex input 0 location 0.0 f32 x2 input 1 location 0.1 f32 x2", ""},
      {11, "stage vertex input 0 location 0.0 f32 x1 array 3 input 1 location 2.0 f32 x1", ""},
      {11, "stage vertex input 0 location 0.0 i64 x3 input 1 location 1.0 f32 x4", ""},
      {11, "stage vertex input 0 builtin position f32 x4", ""},
      {11, "stage fragment output 0 builtin position f32 x4", ""},
      {11, "stage vertex output 0 builtin position f32 x3", ""},
      {11, "stage vertex output 0 builtin position i32 x4", ""},
      {11, "stage vertex output 0 builtin clip_distance f32 x1", ""},
      {11, "stage fragment input 0 builtin frag_coord f32 x4 flat", ""},
      {0, "stage fragment input 0 builtin bary_coord f32 x3 centroid", ""},
      {0, "stage fragment input 0 builtin bary_coord_no_perspective f32 x3 noperspective", ""},
      {11, "stage fragment input 0 builtin bary_coord f32 x3 noperspective", ""},
      {11, "stage fragment input 0 builtin bary_coord_no_perspective f32 x3", ""},
      {11, "stage fragment input 0 builtin bary_coord f32 x2", ""},
      {11, "stage vertex output 0 builtin bary_coord f32 x3", ""},
      {0, "stage fragment input 0 location 0.0 i32 x1 per_vertex", ""},
      {11, "stage fragment input 0 location 0.0 f32 x1 per_vertex centroid", ""},
      {11, "stage vertex input 0 location 0.0 f32 x1 per_vertex", ""},
      // 12: ops of the stage.
      {0, "stage fragment", "%0:i32 = subgroup_invocation control_barrier[1, subgroup]"},
      {0, "", "%0:f32 = ddx[any] 1f"},
      {12, "stage fragment", "%0:i32 = local_index"},
      {12, "stage vertex", "%0:i32 = workgroup_id[0]"},
      {12, "stage fragment", "control_barrier[1, workgroup]"},
      {12, "stage vertex", "%0:f32 = ddy[fine] 1f"},
      {12, "stage vertex", "demote true"},
      {12, "", "discard true"},
      {12, "", "terminate true"},
      {12, "stage vertex", "%0:bool = helper_invocation"},
      {12, "", "%0:f32 = load_input[0, 0]"},
      {12, "", "store_output[0, 0] 1f"},
      // 13: their use.
      {0, kInputs, "%0:f32, %1:f32 = load_input[0, 1] %2:bool = load_input[3, 0]"},
      {0, kInputs, "%0:f32 = interpolate.indexed[2, offset 3] 1, 0f, 0f"},
      {0, kInputs, "store_output[0, 2] 1f, 2f store_output.indexed[1, 0] 0, 5"},
      {5, kInputs, "%0:i32 = ddx[any] 1"},
      {8, kInputs, "%0:bool = helper_invocation demote %0 %1:f32 = sample_implicit[0, texel] 0f"},
      {9, kInputs, "%0:bool = helper_invocation.coherent"},
      {13, kInputs, "%0:f32 = load_input[4, 0]"},
      {13, kInputs, "store_output[2, 0] 1f"},
      {13, kInputs, "%0:f32, %1:f32 = load_input[0, 2]"},
      {13, kInputs, "%0:f32 = load_input[0, 4294967295]"},
      {13, kInputs, "%0:i32 = load_input[0, 0]"},
      {13, kInputs, "%0:f32 = load_input[2, 0]"},
      {13, kInputs, "%0:f32 = load_input.indexed[0, 0] 1"},
      {13, kInputs, "%0:f32 = load_input.indexed[2, 0] 1f"},
      {13, kInputs, "%0:f32 = load_input[0, 0] 1"},
      {13, kInputs, "%0:f32 = interpolate[0, sample 0]"},
      {13, kInputs, "%0:f32 = interpolate[0, sample 0] 1f"},
      {13, kInputs, "%0:f32 = interpolate[0, offset 0] 1f"},
      {13, kInputs, "%0:f32 = interpolate[0, centroid 3]"},
      {13, kInputs, "%0:i32 = interpolate[1, centroid 0]"},
      {13, kInputs, "%0:f32 = interpolate[0, vertex1 0]"},
      {0, kPerVertex, "%0:i32 = interpolate[0, vertex1 0] %1:i32 = interpolate[0, vertex2 1]"},
      {0, kPerVertex, "%0:f32 = interpolate[1, sample 2] 1 %1:f32 = load_input[1, 0]"},
      {13, kPerVertex, "%0:i32 = interpolate[0, vertex1 2]"},
      {13, kPerVertex, "%0:i32 = interpolate[0, vertex1 0] 1"},
      {13, kPerVertex, "%0:i32 = interpolate[0, centroid 0]"},
      {13, kPerVertex, "%0:i32 = load_input[0, 0]"},
      {13, kPerVertex, "%0:f32 = interpolate[1, vertex0 0]"},
      {13, kInputs, "store_output[0, 3] 1f, 2f"},
      {13, kInputs, "store_output[0, 0] 1"},
      {13, kInputs, "store_output.indexed[1, 0] 0"},
  };
  for (const StageCase& c : cases) {
    const std::string text = absl::StrCat("mir 1 ", c.header, " body {\n", c.body, "\nreturn }");
    const absl::StatusOr<Module> m = Parse(text);
    ASSERT_TRUE(m.ok()) << m.status() << "\n" << text;
    const absl::Status status = Verify(*m);
    if (c.invariant == 0) {
      EXPECT_EQ(status, absl::OkStatus()) << text;
    } else {
      EXPECT_THAT(std::string(status.message()),
                  testing::StartsWith(absl::StrCat("MIR invariant ", c.invariant, ": ")))
          << text;
    }
  }
}

TEST(Verify, ImplicitTexelOps) {
  const auto invariant = [](const char* instruction) {
    const absl::StatusOr<Module> m = Parse(absl::StrCat(
        "mir 1 stage fragment resource 0 combined 0.0.0 image 2d arrayed float unknown body { ",
        instruction, " return }"));
    EXPECT_TRUE(m.ok()) << m.status() << "\n" << instruction;
    const std::string message(Verify(*m).message());
    return message.empty() ? 0 : std::stoi(message.substr(14));
  };
  EXPECT_EQ(invariant("%1:f32 = sample_implicit[0, texel dref] 0f, 0f, 0f, 1f"), 0);
  EXPECT_EQ(invariant("%1:f32, %2:f32 = image_lod[0, texel] 0f, 0f"), 0);
  EXPECT_EQ(invariant("%1:f32 = sample_implicit[0, texel dref lod] 0f, 0f, 0f, 1f, 0f"), 8);
  EXPECT_EQ(invariant("%1:f32 = sample_implicit[0, texel dref grad] "
                      "0f, 0f, 0f, 1f, 0f, 0f, 0f, 0f"),
            8);
  EXPECT_EQ(invariant("%1:f32, %2:f32 = image_lod[0, texel bias] 0f, 0f, 0f"), 8);
  EXPECT_EQ(invariant("%1:f32, %2:f32 = image_lod[0, texel] 0f, 0f, 0f"), 5);
  EXPECT_EQ(invariant("%1:f32 = image_lod[0, texel] 0f, 0f"), 5);
  EXPECT_EQ(invariant("%1:f32 = sample_implicit[0, texel] 0f, 0f, 0f"), 5);
}

TEST(Verify, ResourcesOfOnePlaceDifferInTheirKindsOrImages) {
  const auto verify = [](const char* resources) {
    const absl::StatusOr<Module> m = Parse(absl::StrCat("mir 1\n", resources, "body { return }"));
    EXPECT_TRUE(m.ok()) << m.status();
    return Verify(*m).ok();
  };
  EXPECT_TRUE(
      verify("resource 0 sampled_image 0.0.0 image 2d float unknown\n"
             "resource 1 sampled_image 0.0.0 image cube float unknown\n"
             "resource 2 sampler 0.0.0\n"));
  EXPECT_FALSE(
      verify("resource 0 sampled_image 0.0.0 image 2d float unknown\n"
             "resource 1 sampled_image 0.0.0 image 2d float unknown\n"));
  EXPECT_TRUE(verify("resource 0 ubo 0.0.0\nresource 1 ssbo 0.0.0\nresource 2 sampler 0.0.0\n"));
  EXPECT_FALSE(verify("resource 0 ssbo 0.0.0\nresource 1 ubo 0.0.0\n"));
  EXPECT_FALSE(verify("resource 0 ssbo 0.0.0\nresource 1 ssbo 0.0.0\n"));
  EXPECT_FALSE(verify("resource 0 sampled_image 0.0.0 image buffer float unknown\n"));
  EXPECT_FALSE(verify("resource 0 uniform_texel_buffer 0.0.0 image 2d float unknown\n"));
}

// Rule 14.
TEST(Verify, NeedsAreListed) {
  const auto verify = [](const std::string& head, const std::string& body = "") {
    const auto m = Parse(absl::StrCat("mir 1 shared 64 ", head, " body { ", body, " return }"));
    EXPECT_TRUE(m.ok()) << m.status();
    return std::string(Verify(*m).message());
  };
  const std::string wide = "%0:i64 = shared_atomic[add] 0, 5i64";
  const std::string pairs = "%0:i32, %1:i32 = shared_atomic64[add] 0, 5, 6";
  EXPECT_EQ(verify("needs shared_int64_atomics ;%7", wide), "");
  EXPECT_EQ(verify("needs shared_int64_atomics at 9", pairs), "");
  EXPECT_EQ(verify("needs shared_int64_atomics"), "");
  EXPECT_EQ(verify("", "%0:i32 = shared_atomic[add] 0, 5"), "");
  EXPECT_THAT(verify("", wide), testing::HasSubstr("invariant 14"));
  const std::string clock = "%0:i32, %1:i32 = read_clock";
  EXPECT_EQ(verify("needs clocks", clock + "[subgroup]"), "");
  EXPECT_THAT(verify("", clock + "[device]"), testing::HasSubstr("invariant 14"));
  EXPECT_THAT(verify("needs clocks", clock + "[workgroup]"), testing::HasSubstr("no such clock"));
  const auto texel = [&](const std::string& needs, const std::string& format, const char* atomic) {
    return verify(needs + " resource 0 storage_image 0.0.0 image 1d uint " + format,
                  absl::StrCat("%0:i32, %1:i32 = image_atomic64[0, texel ", atomic, "] 1, 2, 3"));
  };
  EXPECT_EQ(texel("needs int64_images", "rg32ui", "add"), "");
  EXPECT_THAT(texel("", "rg32ui", "add"), testing::HasSubstr("invariant 14"));
  EXPECT_THAT(texel("needs int64_images", "r32ui", "add"), testing::HasSubstr("another format"));
  EXPECT_THAT(texel("needs int64_images", "rg32ui", "fadd"), testing::HasSubstr("floats"));
  EXPECT_THAT(texel("needs int64_images", "rg32ui", "load"), testing::HasSubstr("invariant"));
  EXPECT_THAT(verify("needs rounding_by_width", pairs), testing::HasSubstr("invariant 14"));
  EXPECT_THAT(verify("needs rounding_by_width needs rounding_by_width"),
              testing::HasSubstr("repeated"));
  const std::string image = "resource 0 combined 2.3.0 image 2d float unknown";
  const auto sample = [](int u, int v) {
    return absl::StrCat("%0:f32, %1:f32, %2:f32, %3:f32 = sample[0, texel lod at ", u, " ", v,
                        " 0] 0f, 0f, 0f");
  };
  EXPECT_EQ(verify(image, sample(-8, 7)), "");
  EXPECT_THAT(verify(image, sample(0, -9)), testing::HasSubstr("invariant 14"));
  EXPECT_THAT(verify(image, sample(8, 0)), testing::HasSubstr("invariant 14"));
  EXPECT_EQ(verify("needs least_texel_offset -9 " + image, sample(-9, -8)), "");
  EXPECT_THAT(verify("needs least_texel_offset -9 " + image, sample(-10, 0)),
              testing::HasSubstr("invariant 14"));
  EXPECT_THAT(verify("needs least_texel_offset -9 " + image, sample(-9, 8)),
              testing::HasSubstr("invariant 14"));
  EXPECT_EQ(verify("needs greatest_texel_offset 20 " + image, sample(20, 8)), "");
  const std::string doubles = "%0:f64 = fadd 1d, 2d";
  EXPECT_EQ(verify("needs float64 3", doubles), "");
  EXPECT_THAT(verify("", doubles), testing::HasSubstr("invariant 14"));
  EXPECT_THAT(verify("needs float64 7"), testing::HasSubstr("unknown use"));
  EXPECT_THAT(verify("needs float64 -1"), testing::HasSubstr("unknown use"));
  EXPECT_THAT(verify("needs float64", "%0:f64 = frsq 2d"), testing::HasSubstr("invariant 5"));
  EXPECT_THAT(verify("needs float64", "%0:f64 = ddx[any] 2d"), testing::HasSubstr("invariant 5"));
  const std::string atomic = "%0:f64 = shared_atomic[fadd] 0, 2d";
  EXPECT_EQ(verify("needs float64 needs float64_atomics", atomic), "");
  EXPECT_THAT(verify("needs float64", atomic), testing::HasSubstr("invariant 14"));
  const std::string apart = "rounding_f64 to_zero rounding_f32 to_even";
  EXPECT_EQ(verify(apart), "");
  EXPECT_THAT(verify(apart + " needs float64"), testing::HasSubstr("invariant 14"));
  EXPECT_EQ(verify(apart + " needs float64 needs rounding_by_width"), "");
  EXPECT_EQ(verify("rounding_f16 to_zero"), "");
  EXPECT_EQ(verify("rounding_f16 to_zero rounding_f32 to_zero"), "");
  EXPECT_EQ(verify("rounding_f16 to_zero rounding_f32 to_even needs rounding_by_width"), "");
  EXPECT_THAT(verify("rounding_f16 to_zero rounding_f32 to_even"),
              testing::HasSubstr("invariant 14"));
  Module m = Good();
  m.f32_mode.rounding = static_cast<RoundingMode>(3);
  EXPECT_THAT(std::string(Verify(m).message()), testing::HasSubstr("unknown float control"));
  m = Good();
  m.needs.push_back({static_cast<Need>(kNumNeeds)});
  EXPECT_THAT(std::string(Verify(m).message()), testing::HasSubstr("unknown need"));
}

TEST(Verify, NestingIsLimited) {
  for (int depth : {kMaxNesting, kMaxNesting + 1}) {
    Module m;
    m.body = NewRegion(m);
    Builder b(m);
    b.SetRegion(m.body);
    for (int i = 0; i < depth; ++i) {
      const InstId loop = b.Loop();
      if (i == 0) {
        b.Return();
      } else {
        b.Break();
      }
      b.SetRegion(m.inst(loop).regions[0]);
    }
    b.Break();
    EXPECT_EQ(Verify(m).ok(), depth == kMaxNesting);
  }
}

}  // namespace
}  // namespace kiln::mir
