// amdhsa code objects: programs of tests/exec/programs, loaded and dispatched as kernels, agree
// with the interpreter, as the raw form does (programs_test); LLVM's tools and the reader of
// tests/amd see each field; a wrong field is noticed.
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
  setup.backend = &amd::kGfx1030CodeObjects;
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
}

absl::StatusOr<Compiled> CompileText(const char* text, const Backend& backend, int width) {
  const auto m = mir::Parse(text);
  if (!m.ok()) return m.status();
  const auto prepared = PrepareMir(*m, {}, nullptr, {});
  if (!prepared.ok()) return prepared.status();
  CompileOptions options;
  options.widths = {width};
  return CompileFor(**prepared, backend, options, nullptr, {});
}

Variant Everything(int width) {
  auto compiled = CompileText(kEverything, amd::kGfx1030CodeObjects, width);
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
    const auto raw = CompileText(kEverything, amd::kGfx1030Backend, width);
    ASSERT_TRUE(raw.ok()) << raw.status();
    Dispatch d = Data();
    const Variant& v = raw->variants[0];
    ASSERT_TRUE(amd::kGfx1030Backend.simulate(v.code, v.launch, {}, d).ok());
    EXPECT_EQ(ResultOf(Everything(width)),
              std::string(d.buffers[0].bytes.begin(), d.buffers[0].bytes.end()));
  }
}

TEST(Kernel, IsLoadableByRocm) {
  const Variant v = Everything(32);
  EXPECT_EQ(v.launch.loadable_by, out::LoadableBy::kRocm);
  EXPECT_EQ(v.launch.entry % 256, 0u);
  const auto raw = CompileText(kEverything, amd::kGfx1030Backend, 32);
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
    const auto refused = CompileText(text.c_str(), amd::kGfx1030CodeObjects, 32);
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

// The same of the raw form's launch record. MODE's bits are judged by core/sim/rdna2/launch_test
// and programs_test.
TEST(LaunchRecord, AWrongFieldIsNoticed) {
  for (const int width : {32, 64}) {
    const auto raw = CompileText(kEverything, amd::kGfx1030Backend, width);
    ASSERT_TRUE(raw.ok()) << raw.status();
    const Variant& good = raw->variants[0];
    const auto result = [&good](const out::LaunchRecord& record) {
      Dispatch d = Data();
      const auto stats = amd::kGfx1030Backend.simulate(good.code, record, {}, d);
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
        {"TG_SIZE_EN", [](auto&, auto& a) { a.rsrc2 ^= 1u << 10; }},
        {"TIDIG_COMP_CNT", [](auto&, auto& a) { a.rsrc2 -= 1u << 11; }},
        {"LDS_SIZE", [](auto&, auto& a) { a.rsrc2 -= 1u << 15; }},
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

// ---- LLVM's tools see each field.

std::string OutputOf(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(("LC_ALL=C " + command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return text;
  char part[4096];
  for (size_t n; (n = std::fread(part, 1, sizeof(part), pipe)) != 0;) text.append(part, n);
  pclose(pipe);
  return text;
}

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
