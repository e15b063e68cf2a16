#include "core/amd/pipeline/recorded.h"

#include "core/amd/pipeline/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// Returns a record of a program with workgroups of `lanes` and so many VGPRs allocated.
out::LaunchRecord RecordOf(uint32_t wave, uint32_t lanes, uint32_t vgprs) {
  out::LaunchRecord record;
  record.stage = "compute";
  record.dispatch_width = wave;
  record.compute.local_size = {lanes / 2, 2, 1};
  out::AmdLaunch amd;
  amd.rsrc1 = vgprs / (wave == 32 ? 8 : 4) - 1;
  record.arch = amd;
  return record;
}

int64_t WavesOf(const out::LaunchRecord& record) {
  const auto read = ReadRecord(record, 0);
  EXPECT_TRUE(read.ok()) << read.status();
  return read.ok() ? read->facts.waves_per_simd : -1;
}

std::string Refusal(const out::LaunchRecord& record, uint64_t code_bytes) {
  const auto read = ReadRecord(record, code_bytes);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kFailedPrecondition);
  return std::string(read.status().message());
}

TEST(ReadRecord, HasWhatTheRecordSays) {
  out::LaunchRecord record = RecordOf(64, 64, 8);
  record.shared_bytes = 512;
  record.scratch_bytes_per_thread = 4096;
  std::get<out::AmdLaunch>(record.arch).instruction_bytes = 100;
  const auto read = ReadRecord(record, 120);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->wave, isa::Wave::k64);
  EXPECT_EQ(read->instruction_bytes, 100u);
  EXPECT_EQ(read->facts.lds_bytes, 512);
  EXPECT_EQ(read->facts.scratch_bytes, 4096);
  EXPECT_EQ(read->facts.waves_per_simd, 16);
}

TEST(ReadRecord, WavesByEachResource) {
  // 1,024 VGPRs of 32 lanes, 512 of 64.
  EXPECT_EQ(WavesOf(RecordOf(32, 32, 128)), 8);
  EXPECT_EQ(WavesOf(RecordOf(64, 64, 128)), 4);
  // Eight counts of shared VGPRs: 32 of 64 lanes besides the 32.
  out::LaunchRecord shared = RecordOf(64, 64, 32);
  EXPECT_EQ(WavesOf(shared), 16);
  std::get<out::AmdLaunch>(shared.arch).rsrc3 = 8;
  EXPECT_EQ(WavesOf(shared), 8);
  // 32 KiB of LDS: two workgroups of two waves a CU, and so of its two SIMDs.
  out::LaunchRecord lds = RecordOf(32, 64, 8);
  lds.shared_bytes = 32768;
  EXPECT_EQ(WavesOf(lds), 2);
  // A workgroup of 32 waves in WGP mode, by VGPRs 9 of a SIMD: one workgroup, 8 on each of four.
  out::LaunchRecord wgp = RecordOf(32, 1024, 112);
  std::get<out::AmdLaunch>(wgp.arch).rsrc1 |= 1u << 29;
  EXPECT_EQ(WavesOf(wgp), 8);
}

TEST(ReadRecord, OtherStages) {
  // 43 inputs: 2,064 bytes, allocated in 1,024: 21 waves a CU.
  out::LaunchRecord fragment = RecordOf(32, 32, 8);
  fragment.stage = "fragment";
  std::get<out::AmdLaunch>(fragment.arch).fragment.spi_ps_input_cntl.resize(43);
  EXPECT_EQ(WavesOf(fragment), 11);
  // 128 vertices: four waves a workgroup. 240 VGPRs leave 8 waves a CU, of which two workgroups
  // are whole; with 160 vertices one workgroup of five.
  out::LaunchRecord vertex = RecordOf(32, 32, 240);
  vertex.stage = "vertex";
  std::get<out::AmdLaunch>(vertex.arch).vertex.ge_cntl = 128 << 9 | 64;
  EXPECT_EQ(WavesOf(vertex), 4);
  std::get<out::AmdLaunch>(vertex.arch).vertex.ge_cntl = 64 << 9 | 160;
  EXPECT_EQ(WavesOf(vertex), 3);
}

TEST(ReadRecord, RefusesWhatDoesNotFit) {
  out::LaunchRecord record = RecordOf(32, 32, 8);
  std::get<out::AmdLaunch>(record.arch).instruction_bytes = 8;
  EXPECT_EQ(Refusal(record, 4), "has 8 bytes of instructions, the file 4 bytes");
  record.dispatch_width = 16;
  EXPECT_EQ(Refusal(record, 8), "waves of 16 lanes, not 32 or 64");
  record.arch = out::IntelLaunch();
  EXPECT_EQ(Refusal(record, 8), "is not of a program of this architecture");
}

TEST(ReadRecord, OfAProgramOfThisRoom) {
  const testing::StoreProgram p = testing::MakeStoreProgram(7);
  const auto read = ReadRecord(p.record, p.code.size());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->instruction_bytes, p.code.size());
  EXPECT_EQ(read->facts.waves_per_simd, 16);
}

}  // namespace
}  // namespace kiln::amd
