// See testing.h.
#include "core/sim/rdna2/testing.h"

#include <cstring>

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

const Words kBegin = {
    0xbe8103ff, 0xffff8000,  // s_mov_b32 s1, 0xffff8000
    0xf4080200, 0xfa000000,  // s_load_dwordx4 s[8:11], s[0:1], 0x0
    0xf4080300, 0xfa000010,  // s_load_dwordx4 s[12:15], s[0:1], 0x10
    0xbea6047e,              // s_mov_b64 s[38:39], exec
    0x343e0082,              // v_lshlrev_b32_e32 v31, 2, v0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
};

const Words kEnd32 = {
    0xbf8c0070,              // s_waitcnt vmcnt(0) lgkmcnt(0)
    0xbefe0326,              // s_mov_b32 exec_lo, s38
    0xe0701000, 0x8002011f,  // buffer_store_dword v1, v31, s[8:11], 0 offen
    0xbf810000,              // s_endpgm
};

const Words kEnd64 = {
    0xbf8c0070,              // s_waitcnt vmcnt(0) lgkmcnt(0)
    0xbefe0426,              // s_mov_b64 exec, s[38:39]
    0xe0701000, 0x8002011f,  // buffer_store_dword v1, v31, s[8:11], 0 offen
    0xbf810000,              // s_endpgm
};

uint32_t Invocations(const TestProgram& p) { return p.invocations != 0 ? p.invocations : p.lanes; }

std::vector<uint8_t> Bytes(const Words& words) {
  std::vector<uint8_t> bytes(4 * words.size());
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

Words WordsOf(const std::vector<uint8_t>& bytes) {
  Words words(bytes.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), 4 * words.size());
  return words;
}

}  // namespace

out::LaunchRecord RecordOf(const TestProgram& p) {
  out::LaunchRecord record;
  record.target = "gfx1030";
  record.stage = "compute";
  record.dispatch_width = p.lanes;
  record.compute.local_size = {Invocations(p), 1, 1};
  record.shared_bytes = p.lds_bytes;
  record.scratch_bytes_per_thread = p.scratch_per_lane * p.lanes;
  record.push_constant_bytes = 8;
  record.push = {{0, 8, out::PushSource::kClientPushConstants}};
  record.resources = {{out::ResourceKind::kSsbo, 0, 0, 1, ""},
                      {out::ResourceKind::kSsbo, 0, 1, 1, ""}};
  for (uint32_t i = 0; i < 2; ++i) {
    out::DescriptorRange range;
    range.resource = i;
    range.count = 1;
    range.offset = 16 * i;
    range.stride = 16;
    range.form = out::DescriptorForm::kBufferResource;
    record.descriptor_memory.push_back(range);
  }
  out::AmdLaunch amd;
  const uint32_t granule = p.lanes == 32 ? 8 : 4;
  amd.vgprs = 32;
  amd.rsrc1 =
      (amd.vgprs / granule - 1) | p.mode << 12 | 1u << 21 | (p.wgp ? 1u << 29 : 0) | 1u << 30;
  const uint32_t scratch = p.scratch_per_lane != 0 ? 1 : 0;
  amd.rsrc2 = scratch | 4u << 1 | 1u << 7 | 1u << 10 | (p.lds_bytes / 512) << 15;
  amd.instruction_bytes = static_cast<uint32_t>(CodeOf(p).size());
  amd.address_high = 0xffff8000;
  amd.push_first_sgpr = 2;
  amd.push_sgprs = 2;
  amd.user_sgprs = {{0, out::SgprContent::kDescriptorMemory, 0}};
  record.arch = amd;
  return record;
}

std::vector<uint8_t> CodeOf(const TestProgram& p) {
  if (p.whole) return Bytes(p.body);
  Words words = kBegin;
  words.insert(words.end(), p.body.begin(), p.body.end());
  const Words& end = p.lanes == 32 ? kEnd32 : kEnd64;
  words.insert(words.end(), end.begin(), end.end());
  return Bytes(words);
}

scene::Dispatch DispatchOf(const TestProgram& p) {
  scene::Dispatch dispatch;
  dispatch.groups = p.groups;
  dispatch.push_constants = Bytes(p.push);
  dispatch.buffers.resize(2);
  dispatch.buffers[0].where = {0, 0, 0};
  dispatch.buffers[0].bytes.resize(4 * Invocations(p));
  dispatch.buffers[1].where = {0, 1, 0};
  dispatch.buffers[1].bytes = Bytes(p.input);
  return dispatch;
}

absl::StatusOr<TestResult> RunProgram(const TestProgram& p) {
  scene::Dispatch dispatch = DispatchOf(p);
  absl::StatusOr<scene::RunStats> stats = Run(CodeOf(p), RecordOf(p), p.options, dispatch);
  if (!stats.ok()) return stats.status();
  return TestResult{WordsOf(dispatch.buffers[0].bytes), WordsOf(dispatch.buffers[1].bytes),
                    *std::move(stats)};
}

std::vector<uint32_t> Lanes(const TestProgram& p) {
  absl::StatusOr<TestResult> result = RunProgram(p);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? result->output : std::vector<uint32_t>();
}

absl::Status ErrorOf(const TestProgram& p) { return RunProgram(p).status(); }

}  // namespace kiln::sim::rdna2
