// Tests code_object.h on files of the writer. tests/exec/code_objects_test.cc has kernels that the
// compiler and LLVM made.
#include "core/amd/pipeline/code_object.h"

#include "core/amd/pipeline/analyze.h"
#include "core/amd/pipeline/testing.h"
#include "core/out/amdhsa.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

out::AmdHsaKernel Kernel() {
  out::AmdHsaKernel k;
  k.name = "main";
  k.code = testing::MakeStoreProgram(7).code;
  k.rsrc1 = 0x40ac0001;
  k.rsrc2 = 4u << 1 | 1u << 7;
  k.lanes = 32;
  k.vgprs = 9;
  k.sgprs = 12;
  k.lds_bytes = 600;
  k.scratch_bytes_per_lane = 16;
  k.kernarg_bytes = 64;
  k.local_size = {32, 2, 1};
  k.arguments = {{"push_constants", 0, 20, false, false},
                 {"buffer_0_3_1", 32, 8, true, true},
                 {"buffer_0_3_1_bytes", 40, 4, false, false}};
  return k;
}

TEST(CodeObject, TheRecordHasWhatTheFileSays) {
  out::AmdHsaKernel k = Kernel();
  const std::vector<uint8_t> file = out::AmdHsaCodeObject(k);
  EXPECT_TRUE(IsCodeObject(file));
  const auto r = RecordOfCodeObject(file);
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(r->target, "gfx1030");
  EXPECT_EQ(r->entry_point, "main");
  EXPECT_EQ(r->stage, "compute");
  EXPECT_EQ(r->loadable_by, out::LoadableBy::kRocm);
  EXPECT_EQ(r->code_bytes, file.size());
  EXPECT_EQ(r->dispatch_width, 32u);
  ASSERT_EQ(r->resources.size(), 1u);
  EXPECT_EQ(r->resources[0].binding, 3u);
  EXPECT_EQ(r->resources[0].elements, 2u);
  EXPECT_EQ(r->push_constant_bytes, 20u);
  EXPECT_EQ(r->shared_bytes, 600u);
  EXPECT_EQ(r->scratch_bytes_per_thread, 16u * 32);
  EXPECT_EQ(r->compute.local_size, k.local_size);
  EXPECT_TRUE(r->compute.requires_zero_base);
  EXPECT_EQ(out::AmdOf(*r).rsrc1, k.rsrc1);
  EXPECT_EQ(out::AmdOf(*r).rsrc2, k.rsrc2 | 2u << 15);
  EXPECT_EQ(out::AmdOf(*r).vgprs, 9u);
  EXPECT_EQ(out::AmdOf(*r).instruction_bytes, k.code.size());
  k.arguments.push_back({"base_workgroup", 48, 12, false, false});
  EXPECT_FALSE(RecordOfCodeObject(out::AmdHsaCodeObject(k))->compute.requires_zero_base);
}

TEST(CodeObject, NamesOfBuffers) {
  BufferArgument b;
  ASSERT_TRUE(ParseBufferArgument("buffer_1_22_3", &b));
  EXPECT_EQ(b.where.set, 1u);
  EXPECT_EQ(b.where.binding, 22u);
  EXPECT_EQ(b.where.element, 3u);
  EXPECT_FALSE(b.is_size);
  ASSERT_TRUE(ParseBufferArgument("buffer_1_22_3_bytes", &b));
  EXPECT_TRUE(b.is_size);
  for (const char* other : {"", "buffer", "buffer_1_2", "buffer_1_2_3_size", "xbuffer_1_2_3"}) {
    EXPECT_FALSE(ParseBufferArgument(other, &b)) << other;
  }
}

TEST(CodeObject, TextAndFiguresAreThoseOfTheCode) {
  out::AmdHsaKernel k = Kernel();
  const std::vector<uint8_t> file = out::AmdHsaCodeObject(k);
  const auto text = DisassembleCode(file), raw = DisassembleCode(k.code);
  ASSERT_TRUE(text.ok() && raw.ok()) << text.status();
  EXPECT_EQ(*text,
            "; kernel main: wave32, 9 VGPRs, 14 SGPRs, workgroup 32 x 2 x 1, LDS 600 bytes, "
            "scratch 16 bytes a lane, arguments 64 bytes\n"
            ";   at 0, 20 bytes: push_constants, value\n"
            ";   at 32, 8 bytes: buffer_0_3_1, address of a buffer, only read\n"
            ";   at 40, 4 bytes: buffer_0_3_1_bytes, value\n" +
                *raw);
  const auto whole = AnalyzeCode(file, {}), bare = AnalyzeCode(k.code, {});
  ASSERT_TRUE(whole.ok() && bare.ok()) << whole.status();
  EXPECT_EQ(whole->opcodes, bare->opcodes);
  EXPECT_EQ(whole->statistics.At("instructions"), bare->statistics.At("instructions"));
  EXPECT_EQ(whole->statistics.At("lds_bytes"), 600);  // which bytes of code do not show
}

// The same words from each tool.
TEST(CodeObject, OtherFilesAreErrorsOfEachTool) {
  std::vector<uint8_t> file = out::AmdHsaCodeObject(Kernel());
  file[48] = 0x41;
  const char* error = "code object: made for another device: e_flags 0x41, gfx1030 has 0x36";
  EXPECT_EQ(DisassembleCode(file).status().message(), error);
  EXPECT_EQ(AnalyzeCode(file, {}).status().message(), error);
  EXPECT_EQ(RecordOfCodeObject(file).status().message(), error);
}

}  // namespace
}  // namespace kiln::amd
