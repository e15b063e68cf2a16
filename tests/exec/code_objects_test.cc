// amdhsa code objects: programs of tests/exec/programs, loaded and dispatched as kernels, agree
// with the interpreter, as the raw form does (programs_test); LLVM's tools and the reader of
// tests/amd see each field; a wrong field is noticed. The target's own tools take the file too, and
// one that LLVM made.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/amd/pipeline/backend.h"
#include "core/base/cause.h"
#include "core/driver/prepared.h"
#include "core/mir/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/amd/code_object.h"
#include "tests/amd/packet_processor.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

using sim::scene::Dispatch;
using sim::scene::RunStats;
using testing::HasSubstr;
using tests::CodeObject;

const Backend& kBackend = amd::kGfx1030Backend;

absl::StatusOr<RunStats> RunKernel(const Variant& v, const SimulationOptions& options,
                                   Dispatch& dispatch) {
  const auto object = CodeObject::Load(v.code);
  if (!object.ok()) return object.status();
  return tests::LaunchKernel(*object, "main", {static_cast<const sim::scene::RunOptions&>(options)},
                             dispatch);
}

exec::Setup KernelSetup() {
  exec::Setup setup;
  setup.target = Target::kGfx1030;
  setup.widths = {32, 64};
  setup.container = out::Container::kAmdHsa;
  setup.run = RunKernel;
  return setup;
}

std::string Text(const std::string& name) {
  std::ifstream in("tests/exec/programs/" + name + ".mir");
  return {(std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>()};
}

class Kernels : public testing::TestWithParam<const char*> {};

TEST_P(Kernels, AgreeWithTheInterpreter) {
  const std::string module = Text(GetParam());
  ASSERT_FALSE(module.empty());
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    exec::Setup setup = KernelSetup();
    setup.seed = seed;
    setup.buffer_bytes = 0x18000;
    setup.floats = std::string(GetParam()) == "straight_line";
    EXPECT_EQ(exec::Compare(module, setup), "") << "seed " << seed;
    setup.run = nullptr;  // by the target's simulator, which reads the file itself
    EXPECT_EQ(exec::Compare(module, setup), "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Buffers, Kernels,
                         testing::Values("straight_line", "loop_and_if", "nested_loops", "memory",
                                         "short_elements", "vectors", "bit_widths", "buffer_arrays",
                                         "buffer_sizes", "uniform_blocks", "uniform_control",
                                         "parts_of_dwords", "global_memory"));

// Reads everything that a launch gives: ids, counts, the base, push constants at constant and at
// other offsets, scratch and shared memory.
constexpr char kEverything[] = R"(mir 1
entry "main"
local_size 8, 4, 2
push 64
shared 1024
resource 0 ssbo 0.0.0
resource 1 ubo 3.7.0
private 0 256
body {
  %1:i32 = local_index
  %2:i32 = workgroup_id[0]
  %3:i32 = base_workgroup[0]
  %4:i32 = num_workgroups[0]
  %5:i32 = num_workgroups[1]
  %6:i32 = base_workgroup[2]
  %7:i32 = and %1, 15
  %8:i32 = shl %7, 2
  %9:i32 = load_push[align 4] %8
  %10:i32 = load_push[align 4] 60
  store_private[0, align 4] %8, %9
  store_private[0, align 4] 128, %10
  %11:i32 = iadd %8, 4
  %12:i32 = and %11, 60
  %13:i32 = load_private[0, align 4] %8
  %14:i32 = load_ubo[1, align 4] %8
  %15:i32 = shl %1, 2
  store_shared[align 4] %15, %13
  control_barrier[3, workgroup]
  %16:i32 = xor %15, 252
  %17:i32 = load_shared[align 4] %16
  %18:i32 = subgroup_id
  %20:i32 = shl %2, 6
  %21:i32 = iadd %20, %1
  %22:i32 = imul %21, 40
  store_ssbo[0, align 4] %22, %2, %3, %4, %5, %6, %9, %10, %14, %17, %18
  return
}
)";

TEST(Kernel, HasWhatALaunchGives) {
  exec::Setup setup = KernelSetup();
  setup.buffer_bytes = 8192;
  setup.base = {3, 0, 1};
  EXPECT_EQ(exec::Compare(kEverything, setup), "");
  setup.run = nullptr;
  EXPECT_EQ(exec::Compare(kEverything, setup), "");
}

absl::StatusOr<Compiled> CompileText(const char* text, out::Container container, int width) {
  const auto m = mir::Parse(text);
  if (!m.ok()) return m.status();
  const auto prepared = PrepareMir(*m, {}, nullptr, {});
  if (!prepared.ok()) return prepared.status();
  CompileOptions options;
  options.widths = {width};
  options.container = container;
  return CompileFor(**prepared, kBackend, options, nullptr, {});
}

Variant Everything(int width) {
  auto compiled = CompileText(kEverything, out::Container::kAmdHsa, width);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return compiled.ok() ? compiled->variants.at(0) : Variant();
}

// A dispatch of two workgroups for kEverything.
Dispatch Data() {
  Dispatch d;
  d.groups = {2, 1, 1};
  d.base = {0, 0, 0};
  for (uint8_t i = 0; i < 64; ++i) d.push_constants.push_back(static_cast<uint8_t>(7 * i + 1));
  d.buffers.resize(2);
  d.buffers[0].where = {0, 0, 0};
  d.buffers[0].bytes.resize(2 * 64 * 40);
  d.buffers[1].where = {3, 7, 0};
  for (int i = 0; i < 64; ++i) d.buffers[1].bytes.push_back(static_cast<uint8_t>(3 * i));
  return d;
}

// Returns the output buffer, or the error.
std::string ResultOf(const Variant& v) {
  Dispatch d = Data();
  SimulationOptions options;
  options.contract = true;
  const absl::StatusOr<RunStats> stats = RunKernel(v, options, d);
  if (!stats.ok()) return absl::StrCat("error: ", stats.status().message());
  return std::string(d.buffers[0].bytes.begin(), d.buffers[0].bytes.end());
}

TEST(Kernel, EqualsTheRawForm) {
  for (const int width : {32, 64}) {
    const auto raw = CompileText(kEverything, out::Container::kRaw, width);
    ASSERT_TRUE(raw.ok()) << raw.status();
    Dispatch d = Data();
    const Variant& v = raw->variants[0];
    ASSERT_TRUE(kBackend.simulate(v.code, v.launch, {}, d).ok());
    EXPECT_EQ(ResultOf(Everything(width)),
              std::string(d.buffers[0].bytes.begin(), d.buffers[0].bytes.end()));
  }
}

TEST(Kernel, IsLoadableByRocm) {
  const Variant v = Everything(32);
  EXPECT_EQ(v.launch.loadable_by, out::LoadableBy::kRocm);
  EXPECT_EQ(v.launch.entry % 256, 0u);
  const auto raw = CompileText(kEverything, out::Container::kRaw, 32);
  ASSERT_TRUE(raw.ok());
  EXPECT_EQ(raw->variants[0].launch.loadable_by, out::LoadableBy::kNone);
}

TEST(Kernel, OtherResourcesAreRefused) {
  const std::string start = "mir 1\nentry \"main\"\nlocal_size 8, 1, 1\nresource 0 ssbo 0.0.0\n";
  const std::string image = start +
                            "resource 1 combined 0.1.0 image 2d float unknown\nbody {\n"
                            "  %1:f32, %2:f32, %3:f32, %4:f32 = sample[1, texel lod] 0f, 0f, 0f\n"
                            "  store_ssbo[0, align 4] 0, %1\n  return\n}\n";
  const std::string array = start +
                            "resource 1 ssbo 0.1.0 array 0\nbody {\n"
                            "  %1:i32 = workgroup_id[0]\n"
                            "  %2:i32 = load_ssbo.indexed[1, align 4] %1, 0\n"
                            "  store_ssbo[0, align 4] 0, %2\n  return\n}\n";
  for (const std::string& text : {image, array}) {
    const auto refused = CompileText(text.c_str(), out::Container::kAmdHsa, 32);
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnimplemented) << refused.status();
    EXPECT_EQ(CauseOf(refused.status()), "kernel_arguments") << refused.status();
  }
}

// ---- The reader sees each field.

TEST(CodeObjects, MetadataHaveEachField) {
  const Variant v = Everything(64);
  const auto object = CodeObject::Load(v.code);
  ASSERT_TRUE(object.ok()) << object.status();
  const nlohmann::json* found = object->KernelOf("main.kd");
  ASSERT_NE(found, nullptr);
  nlohmann::json kernel = *found;
  const nlohmann::json args = kernel[".args"];
  kernel.erase(".args");
  EXPECT_GT(kernel[".private_segment_fixed_size"], 0);
  EXPECT_GT(kernel[".vgpr_count"], 10);
  EXPECT_GT(kernel[".sgpr_count"], 8);
  kernel.erase(".private_segment_fixed_size");
  kernel.erase(".vgpr_count");
  kernel.erase(".sgpr_count");
  EXPECT_EQ(kernel, nlohmann::json::parse(R"({
    ".group_segment_fixed_size": 1024, ".kernarg_segment_align": 16,
    ".kernarg_segment_size": 128, ".max_flat_workgroup_size": 64, ".name": "main",
    ".reqd_workgroup_size": [8, 4, 2], ".symbol": "main.kd", ".uniform_work_group_size": 1,
    ".uses_dynamic_stack": false, ".wavefront_size": 64})"));
  EXPECT_EQ(args, nlohmann::json::parse(R"([
    {".name": "push_constants", ".offset": 0, ".size": 64, ".value_kind": "by_value"},
    {".name": "num_workgroups", ".offset": 64, ".size": 12, ".value_kind": "by_value"},
    {".name": "base_workgroup", ".offset": 80, ".size": 12, ".value_kind": "by_value"},
    {".name": "buffer_0_0_0", ".offset": 96, ".size": 8, ".value_kind": "global_buffer",
     ".access": "read_write", ".address_space": "global", ".is_const": false},
    {".name": "buffer_0_0_0_bytes", ".offset": 104, ".size": 4, ".value_kind": "by_value"},
    {".name": "buffer_3_7_0", ".offset": 112, ".size": 8, ".value_kind": "global_buffer",
     ".access": "read_only", ".address_space": "global", ".is_const": true},
    {".name": "buffer_3_7_0_bytes", ".offset": 120, ".size": 4, ".value_kind": "by_value"}])"));
}

// Changes one byte of a field of the descriptor; the run then fails or gives something else.
TEST(CodeObjects, AWrongFieldIsNoticed) {
  for (const int width : {32, 64}) {
    const Variant good = Everything(width);
    const std::string want = ResultOf(good);
    ASSERT_EQ(want.find("error"), std::string::npos) << want;
    const auto object = CodeObject::Load(good.code);
    ASSERT_TRUE(object.ok());
    const auto symbol = object->Find("main.kd");
    ASSERT_TRUE(symbol.ok());
    const struct {
      const char* what;
      size_t at;
      uint8_t flip;
    } kFlips[] = {
        {"machine", 18, 1},
        {"OSABI", 7, 1},
        {"ABI version", 8, 1},
        {"flags", 48, 2},
        {"type", 16, 1},
        {"LDS bytes", symbol->address + 1, 8},
        {"scratch bytes", symbol->address + 5, 8},
        {"reserved", symbol->address + 12, 1},
        {"entry", symbol->address + 17, 1},
        {"entry's alignment", symbol->address + 16, 4},
        // To the fewest: more than the program needs would do no harm.
        {"VGPRS", symbol->address + 48, static_cast<uint8_t>(good.code[symbol->address + 48] & 63)},
        {"scratch enable", symbol->address + 52, 1},
        {"USER_SGPR", symbol->address + 52, 2},
        {"workgroup id x", symbol->address + 52, 0x80},
        {"workgroup id y", symbol->address + 53, 1},
        {"TG_SIZE", symbol->address + 53, 4},
        {"TIDIG", symbol->address + 53, 0x10},
        {"LDS_SIZE", symbol->address + 54, 1},
        {"dispatch pointer", symbol->address + 56, 2},
        {"kernarg pointer", symbol->address + 56, 8},
        {"flat scratch", symbol->address + 56, 0x20},
        {"wave32", symbol->address + 57, 4},
        {"preload", symbol->address + 58, 1}};
    for (const auto& flip : kFlips) {
      Variant bad = good;
      bad.code[flip.at] = static_cast<uint8_t>(bad.code[flip.at] ^ flip.flip);
      EXPECT_NE(ResultOf(bad), want) << flip.what << " at " << width << " lanes";
    }
  }
}

// The same of the raw form's launch record. The bits of MODE: below; MEM_ORDERED and WGP_MODE:
// core/sim/rdna2/launch_test.
TEST(LaunchRecord, AWrongFieldIsNoticed) {
  for (const int width : {32, 64}) {
    const auto raw = CompileText(kEverything, out::Container::kRaw, width);
    ASSERT_TRUE(raw.ok()) << raw.status();
    const Variant& good = raw->variants[0];
    const auto result = [&good](const out::LaunchRecord& record) {
      Dispatch d = Data();
      const auto stats = kBackend.simulate(good.code, record, {}, d);
      if (!stats.ok()) return absl::StrCat("error: ", stats.status().message());
      return std::string(d.buffers[0].bytes.begin(), d.buffers[0].bytes.end());
    };
    const std::string want = result(good.launch);
    ASSERT_EQ(want.find("error"), std::string::npos) << want;
    using Change = void (*)(out::LaunchRecord&, out::AmdLaunch&);
    const std::pair<const char*, Change> kChanges[] = {
        {"VGPRS", [](auto&, auto& a) { a.rsrc1 &= ~63u; }},
        {"SCRATCH_EN", [](auto&, auto& a) { a.rsrc2 ^= 1; }},
        {"USER_SGPR", [](auto&, auto& a) { a.rsrc2 -= 2; }},
        {"TGID_X_EN", [](auto&, auto& a) { a.rsrc2 ^= 1u << 7; }},
        {"TGID_Y_EN", [](auto&, auto& a) { a.rsrc2 ^= 1u << 8; }},
        {"TGID_Z_EN", [](auto&, auto& a) { a.rsrc2 ^= 1u << 9; }},
        {"TG_SIZE_EN", [](auto&, auto& a) { a.rsrc2 ^= 1u << 10; }},
        {"TIDIG_COMP_CNT", [](auto&, auto& a) { a.rsrc2 -= 1u << 11; }},
        {"LDS_SIZE", [](auto&, auto& a) { a.rsrc2 -= 1u << 15; }},
        {"PRIV", [](auto&, auto& a) { a.rsrc1 |= 1u << 20; }},
        {"shared VGPRs", [](auto&, auto& a) { a.rsrc3 |= 1; }},
        {"instruction_bytes", [](auto&, auto& a) { a.instruction_bytes -= 4; }},
        {"push_sgprs", [](auto&, auto& a) { a.push_sgprs += 1; }},
        {"shared_bytes", [](auto& r, auto&) { r.shared_bytes += 512; }},
        {"local_size", [](auto& r, auto&) { r.compute.local_size[1] -= 1; }},
        {"form",
         [](auto& r,
            auto&) { r.descriptor_memory.at(0).form = out::DescriptorForm::kImageResource; }},
        {"resource", [](auto& r, auto&) { r.descriptor_memory.at(0).resource ^= 1; }},
        {"push source",
         [](auto& r, auto&) { r.push.at(0).source = out::PushSource::kBaseWorkgroup; }},
        {"address_high", [](auto&, auto& a) { a.address_high ^= 1; }},
        {"push_first_sgpr", [](auto&, auto& a) { a.push_first_sgpr -= 1; }},
        {"push part", [](auto& r, auto&) { r.push.at(0).at += 4; }},
        {"scratch base", [](auto&, auto& a) { a.user_sgprs.at(0).sgpr += 1; }},
        {"descriptor memory", [](auto&, auto& a) { a.user_sgprs.at(1).sgpr += 1; }},
        {"descriptor", [](auto& r, auto&) { r.descriptor_memory.at(0).offset += 16; }},
        {"scratch bytes", [](auto& r, auto&) { r.scratch_bytes_per_thread /= 2; }},
        {"width", [](auto& r, auto&) { r.dispatch_width ^= 96; }}};
    for (const auto& [what, change] : kChanges) {
      out::LaunchRecord record = good.launch;
      change(record, std::get<out::AmdLaunch>(record.arch));
      EXPECT_NE(result(record), want) << what << " at " << width << " lanes";
    }
  }
}

// Floats of 32 and 16 bits that are rounded, subnormal, saturated or signalling NaNs.
constexpr char kFloats[] = R"(mir 1
entry "main"
local_size 1, 1, 1
resource 0 ssbo 0.0.0
resource 1 ssbo 0.1.0
body {
  %1:f32 = load_ssbo[1, align 4] 0
  %2:f32 = load_ssbo[1, align 4] 4
  %3:f32 = fadd %1, %2
  %4:f32 = fsub %1, %2
  %5:f32 = load_ssbo[1, align 4] 8
  %6:f32 = load_ssbo[1, align 4] 12
  %7:f32 = fmul %5, %6
  %8:f32 = load_ssbo[1, align 4] 16
  %9:f32 = load_ssbo[1, align 4] 20
  %10:f32 = fmul %8, %9
  %11:f32 = load_ssbo[1, align 4] 24
  %12:f32 = fmin %11, %1
  %13:f32 = load_ssbo[1, align 4] 28
  %14:f32 = fadd %13, %1
  %15:f32 = fsaturate %14
  store_ssbo[0, align 4] 0, %3, %4, %7, %10, %12, %15
  %20:f16 = load_ssbo[1, align 2] 32
  %21:f16 = load_ssbo[1, align 2] 34
  %22:f16 = fadd %20, %21
  %23:f16 = fsub %20, %21
  %24:f16 = load_ssbo[1, align 2] 36
  %25:f16 = load_ssbo[1, align 2] 38
  %26:f16 = fmul %24, %25
  %27:f16 = load_ssbo[1, align 2] 40
  %28:f16 = load_ssbo[1, align 2] 42
  %29:f16 = fmul %27, %28
  store_ssbo[0, align 2] 24, %22, %23, %26, %29
  return
}
)";

TEST(LaunchRecord, AWrongModeIsNoticed) {
  constexpr uint32_t kWords[] = {
      0x3f800000, 0x2f800000,   // 1 and 2^-32: sum and difference are rounded
      0x00400000, 0x4b000000,   // a subnormal that becomes normal by 2^23
      0x00800000, 0x3f000000,   // the least normal number, which becomes subnormal by 1/2
      0x7fa00000,               // a signalling NaN, whose minimum with a number is that number
      0x7fc00000,               // a NaN, which saturates to 0
      0x00013c00,               // of 16 bits: 1 and 2^-24; a subnormal and 2^10
      0x64000200, 0x38000400};  // the least normal number and 1/2
  for (const int width : {32, 64}) {
    const auto raw = CompileText(kFloats, out::Container::kRaw, width);
    ASSERT_TRUE(raw.ok()) << raw.status();
    const Variant& good = raw->variants[0];
    const auto result = [&](uint32_t flip) {
      Dispatch d;
      d.buffers.resize(2);
      d.buffers[0].where = {0, 0, 0};
      d.buffers[0].bytes.resize(32);
      d.buffers[1].where = {0, 1, 0};
      for (const uint32_t word : kWords) {
        for (int i = 0; i < 4; ++i) {
          d.buffers[1].bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
        }
      }
      out::LaunchRecord record = good.launch;
      std::get<out::AmdLaunch>(record.arch).rsrc1 ^= flip;
      const auto stats = kBackend.simulate(good.code, record, {}, d);
      if (!stats.ok()) return absl::StrCat("error: ", stats.status().message());
      return std::string(d.buffers[0].bytes.begin(), d.buffers[0].bytes.end());
    };
    const std::string want = result(0);
    ASSERT_EQ(want.find("error"), std::string::npos) << want;
    for (int bit = 12; bit < 20; ++bit) {  // FLOAT_MODE
      EXPECT_NE(result(1u << bit), want) << "FLOAT_MODE bit " << bit - 12 << " at " << width;
    }
    EXPECT_NE(result(1u << 21), want) << "DX10_CLAMP at " << width;
    EXPECT_NE(result(1u << 23), want) << "IEEE_MODE at " << width;
  }
}

std::string OutputOf(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(("LC_ALL=C " + command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return text;
  char part[4096];
  for (size_t n; (n = std::fread(part, 1, sizeof(part), pipe)) != 0;) text.append(part, n);
  pclose(pipe);
  return text;
}

// ---- A code object of another compiler.

// Returns true if the commands that make one are installed.
bool HaveLlvm() {
  return std::system("llc-19 --version >/dev/null 2>&1 && ld.lld --version >/dev/null 2>&1") == 0;
}

constexpr char kLlvmKernel[] = R"(
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @scale(ptr addrspace(1) %buffer_0_0_0, i32 %buffer_0_0_0_bytes,
                                 ptr addrspace(1) %buffer_0_1_0) #0 !reqd_work_group_size !0 {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %first = mul i32 %group, 64
  %i = add i32 %first, %id
  %wide = zext i32 %i to i64
  %from = getelementptr i32, ptr addrspace(1) %buffer_0_1_0, i64 %wide
  %x = load i32, ptr addrspace(1) %from
  %y = mul i32 %x, 3
  %z = add i32 %y, %buffer_0_0_0_bytes
  %to = getelementptr i32, ptr addrspace(1) %buffer_0_0_0, i64 %wide
  store i32 %z, ptr addrspace(1) %to
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
attributes #0 = { "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id"
                  "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z"
                  "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" nounwind }
!0 = !{i32 64, i32 1, i32 1}
)";

TEST(OtherCompilers, AKernelOfLlvmIsReadAndRun) {
  if (!HaveLlvm()) GTEST_SKIP() << "llc-19 or ld.lld is not installed (Debian: llvm-19, lld)";
  const char* dir = std::getenv("TEST_TMPDIR");
  const std::string path = absl::StrCat(dir != nullptr ? dir : "/tmp", "/scale");
  std::ofstream(path + ".ll") << kLlvmKernel;
  ASSERT_EQ(
      OutputOf(absl::StrCat("llc-19 -mcpu=gfx1030 --amdhsa-code-object-version=4 -filetype=obj ",
                            path, ".ll -o ", path, ".o")),
      "");
  const auto bytes = [](const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    return std::vector<uint8_t>((std::istreambuf_iterator<char>(in)),
                                std::istreambuf_iterator<char>());
  };
  const std::vector<uint8_t> object = bytes(path + ".o");
  EXPECT_THAT(std::string(kBackend.disassemble(object).status().message()),
              HasSubstr("not linked yet"));
  ASSERT_EQ(OutputOf(absl::StrCat("ld.lld -shared ", path, ".o -o ", path, ".hsaco")), "");
  const std::vector<uint8_t> file = bytes(path + ".hsaco");
  const auto text = kBackend.disassemble(file);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("; kernel scale: wave32, "));
  EXPECT_THAT(*text, HasSubstr("global_store_dword"));
  const auto analysis = kBackend.analyze(file, {});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  EXPECT_EQ(analysis->findings, std::vector<std::string>());
  const auto record = kBackend.containers[0].record(file);
  ASSERT_TRUE(record.ok()) << record.status();
  Dispatch d;
  d.groups = {2, 1, 1};
  d.buffers.resize(2);
  for (uint32_t b = 0; b < 2; ++b) {
    d.buffers[b].where = {0, b, 0};
    d.buffers[b].bytes.resize(4 * 128);
  }
  for (size_t i = 0; i < 128; ++i) d.buffers[1].bytes[4 * i] = static_cast<uint8_t>(i);
  const auto stats = kBackend.simulate(file, *record, {}, d);
  ASSERT_TRUE(stats.ok()) << stats.status();
  for (size_t i = 0; i < 128; ++i) {
    const uint32_t got = d.buffers[0].bytes[4 * i] | d.buffers[0].bytes[4 * i + 1] << 8;
    ASSERT_EQ(got, 3 * i + 512) << i;
  }
}

// ---- LLVM's tools see each field.

bool HaveTools() {
  return std::system(
             "llvm-readelf-19 --version >/dev/null 2>&1 && "
             "llvm-objdump-19 --version >/dev/null 2>&1") == 0;
}

class LlvmTools : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!HaveTools()) GTEST_SKIP() << "LLVM's tools are not installed (Debian package llvm-19)";
    variant_ = Everything(GetParam());
    const char* dir = std::getenv("TEST_TMPDIR");
    path_ = absl::StrCat(dir != nullptr ? dir : "/tmp", "/kernel", GetParam(), ".hsaco");
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(variant_.code.data()),
               static_cast<std::streamsize>(variant_.code.size()));
  }
  bool wide() const { return GetParam() == 64; }

  Variant variant_;
  std::string path_;
};

TEST_P(LlvmTools, ReadelfReadsHeadersSymbolsAndNotes) {
  const std::string text = OutputOf(
      "llvm-readelf-19 -h -S -l -s --dyn-syms --hash-table --dynamic-table --notes " + path_);
  EXPECT_EQ(text.find("warning"), std::string::npos) << text;
  EXPECT_EQ(text.find("error"), std::string::npos) << text;
  for (const char* line :
       {"OS/ABI:                            AMDGPU - HSA", "ABI Version:                       3",
        "Type:                              DYN", "EM_AMDGPU",
        "Flags:                             0x36, gfx1030", ".symtab           SYMTAB",
        ".rodata           PROGBITS", ".text             PROGBITS", "FUNC    GLOBAL PROTECTED",
        "64 OBJECT  GLOBAL PROTECTED", "main.kd", "NT_AMDGPU_METADATA (AMDGPU Metadata)",
        ".kernarg_segment_size: 128", ".name:           push_constants",
        "amdhsa.target:   amdgcn-amd-amdhsa--gfx1030",
        ".reqd_workgroup_size:", ".uniform_work_group_size: 1"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, HasSubstr(absl::StrCat(".wavefront_size: ", GetParam())));
}

TEST_P(LlvmTools, ObjdumpReadsTheDescriptor) {
  const std::string text = OutputOf("llvm-objdump-19 -D -j .rodata --mcpu=gfx1030 " + path_);
  for (const char* line :
       {".amdhsa_kernel main", ".amdhsa_group_segment_fixed_size 1024", ".amdhsa_kernarg_size 128",
        ".amdhsa_float_denorm_mode_32 0", ".amdhsa_float_denorm_mode_16_64 3",
        ".amdhsa_float_round_mode_32 0", ".amdhsa_dx10_clamp 1", ".amdhsa_ieee_mode 0",
        ".amdhsa_workgroup_processor_mode 0", ".amdhsa_memory_ordered 1",
        ".amdhsa_user_sgpr_kernarg_segment_ptr 1", ".amdhsa_user_sgpr_flat_scratch_init 1",
        ".amdhsa_user_sgpr_dispatch_ptr 0", ".amdhsa_system_sgpr_workgroup_id_x 1",
        ".amdhsa_system_sgpr_workgroup_id_y 0", ".amdhsa_system_vgpr_workitem_id 2",
        ".amdhsa_system_sgpr_private_segment_wavefront_offset 1"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, HasSubstr(absl::StrCat(".amdhsa_wavefront_size32 ", wide() ? 0 : 1)));
}

// Bytes that LLVM does not know would be directives.
TEST_P(LlvmTools, ObjdumpDisassemblesTheCode) {
  const std::string text = OutputOf("llvm-objdump-19 -d -j .text --mcpu=gfx1030 " +
                                    std::string(wide() ? "--mattr=+wavefrontsize64 " : "") + path_);
  EXPECT_THAT(text, HasSubstr("<main>:"));
  for (const char* line : {"s_load_dword", "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO)",
                           "scratch_store_dword", "s_endpgm", "s_code_end"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_EQ(text.find(".long"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(WaveSizes, LlvmTools, testing::Values(32, 64));

}  // namespace
}  // namespace kiln
