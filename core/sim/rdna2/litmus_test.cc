// Memory mode: the litmus programs of scene/litmus.h in LDS and in buffers, for waves of one CU, of
// two CUs of a WGP, and of workgroups anywhere.
#include "core/sim/scene/litmus.h"
#include "absl/strings/str_cat.h"
#include "core/sim/rdna2/memory_order.h"
#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using scene::litmus::Machine;
using scene::litmus::Program;
using scene::litmus::Role;
using scene::litmus::Test;

// Where the two waves, and the memory, are.
enum class Setting { kLds, kCu, kWgp, kApart };
// By what a read is not answered from an old copy.
enum class Means { kBits, kInvalidates };

constexpr int kRest = 40;  // instructions
constexpr uint32_t kLaneOffset = 31, kFirstValue = 16, kFirstRead = 20;
constexpr uint32_t kLine = 128;  // bytes: address k of lane l is dword l of line k

constexpr uint32_t kWaitVectorLoads = 0xbf8c3f70;  // s_waitcnt vmcnt(0)
constexpr uint32_t kWaitStores = 0xbbfd0000;       // s_waitcnt_vscnt null, 0x0
constexpr uint32_t kWaitLds = 0xbf8cc07f;          // s_waitcnt lgkmcnt(0)
constexpr uint32_t kGlc = 1u << 14, kDlc = 1u << 15;

class WaveProgram : public Program {
 public:
  WaveProgram(Setting setting, Means means, uint32_t lanes, int without)
      : Program(without), setting_(setting), means_(means), lanes_(lanes) {}

  Program& Write(int address, int value) override {
    const uint32_t data = kFirstValue + static_cast<uint32_t>(value);
    if (setting_ == Setting::kLds) {
      return Add({0xd8340000 | Offset(address), kLaneOffset | data << 8});  // ds_write_b32
    }
    Buffer(0xe0700000 | kGlc, address, data);  // buffer_store_dword glc
    return *this;
  }
  Program& Add(int address, int value, int result) override {
    const uint32_t to = Result(result), data = kFirstValue + static_cast<uint32_t>(value);
    if (setting_ == Setting::kLds) {
      return Add({0xd8800000 | Offset(address), kLaneOffset | data << 8 | to << 24});  // add_rtn
    }
    Add({0x7e000300 | to << 17 | data});     // v_mov_b32
    Buffer(0xe0c80000 | kGlc, address, to);  // buffer_atomic_add glc
    return *this;
  }
  Program& Read(int address, int result) override { return Load(address, result, 0); }
  Program& Poll(int address, int result) override { return Load(address, result, kGlc | kDlc); }
  Program& ReadNew(int address, int result) override {
    uint32_t bits = 0;
    if (setting_ >= Setting::kWgp && means_ == Means::kBits) {
      if (Part(Role::kNew)) bits |= kGlc;
      if (setting_ == Setting::kApart && Part(Role::kNew)) bits |= kDlc;
    }
    return Load(address, result, bits);
  }
  Program& Publish() override {
    if (setting_ != Setting::kCu)
      Waits(Role::kPublish, setting_ == Setting::kLds ? kWaitLds : kWaitStores);
    return *this;
  }
  Program& Arrive() override {
    if (setting_ == Setting::kCu) return *this;
    Waits(Role::kArrive, setting_ == Setting::kLds ? kWaitLds : kWaitVectorLoads);
    return *this;
  }
  Program& Refresh() override { return Invalidate(Role::kRefresh); }
  Program& Fence() override {
    if (setting_ != Setting::kCu)
      Waits(Role::kFence, setting_ == Setting::kLds ? kWaitLds : kWaitStores);
    return Invalidate(Role::kFence);
  }
  Program& Barrier() override {
    for (Words& words : code_) words.push_back(0xbf8a0000);  // s_barrier
    return *this;
  }

  std::vector<std::vector<uint32_t>> Run(uint64_t seed) override {
    TestProgram p;
    p.lanes = lanes_;
    p.invocations = setting_ == Setting::kApart ? lanes_ : 2 * lanes_;
    p.groups = {setting_ == Setting::kApart ? 2u : 1u, 1, 1};
    p.wgp = setting_ == Setting::kWgp;
    p.lds_bytes = 2048;
    p.body = Body();
    p.input.resize(lanes_ * 16);
    p.options.contract = false;  // parts may be left out
    p.options.zero_memory = true;
    p.options.memory_seed = seed;
    p.options.max_instructions = 100000;
    const absl::StatusOr<TestResult> ran = RunProgram(p);
    EXPECT_TRUE(ran.ok()) << ran.status();
    std::vector<std::vector<uint32_t>> lanes(lanes_,
                                             std::vector<uint32_t>(scene::litmus::kResults));
    for (uint32_t l = 0; l < lanes_ && ran.ok(); ++l) {
      for (uint32_t r = 0; r < scene::litmus::kResults; ++r) {
        lanes[l][r] = ran->input[lanes_ * (scene::litmus::kAddresses + r) + l];
      }
    }
    return lanes;
  }

 private:
  uint32_t Offset(int address) const { return 4 * lanes_ * static_cast<uint32_t>(address); }
  uint32_t Result(int result) {
    results_[thread()].push_back(static_cast<uint32_t>(result));
    return kFirstRead + static_cast<uint32_t>(result);
  }

  Program& Add(const Words& words) {
    Words& code = code_[thread()];
    code.insert(code.end(), words.begin(), words.end());
    return *this;
  }
  // An instruction on s[12:15] with the lane's offset.
  void Buffer(uint32_t word, int address, uint32_t data) {
    Add({word | 1u << 12 | Offset(address), 0x80030000 | kLaneOffset | data << 8});
  }
  Program& Load(int address, int result, uint32_t bits) {
    const uint32_t to = Result(result);
    if (setting_ == Setting::kLds) {
      return Add({0xd8d80000 | Offset(address), kLaneOffset | to << 24});  // ds_read_b32
    }
    Buffer(0xe0300000 | bits, address, to);  // buffer_load_dword
    return *this;
  }
  void Waits(Role role, uint32_t wait) {
    if (Part(role)) Add({wait});
  }
  Program& Invalidate(Role role) {
    if (setting_ < Setting::kWgp || means_ != Means::kInvalidates) return *this;
    const uint32_t array = role == Role::kFence ? 0xf47c0000 : 0xe1c80000;
    if (setting_ == Setting::kApart && Part(role)) Add({array, 0});  // s_gl1_inv, buffer_gl1_inv
    if (Part(role)) Add({0xe1c40000, 0});                            // buffer_gl0_inv
    return *this;
  }

  // Gives accesses in flight time, waits for them and stores the results.
  Words Ended(int thread) const {
    Words code = code_[thread];
    code.insert(code.end(), kRest, 0xbf800000);  // s_nop 0
    code.push_back(0xbf8c0070);                  // s_waitcnt vmcnt(0) lgkmcnt(0)
    for (const uint32_t r : results_[thread]) {
      const uint32_t offset = Offset(scene::litmus::kAddresses) + 4 * lanes_ * r;
      code.push_back(0xe0705000 | offset);  // buffer_store_dword offen glc
      code.push_back(0x80030000 | kLaneOffset | (kFirstRead + r) << 8);
    }
    return code;
  }

  Words Body() const {
    // v31 = 4 * (v0 % lanes); s16 = number of the wave, or of the workgroup
    Words body = {lanes_ == 32 ? 0x363e009fu : 0x363e00bfu, 0x343e3e82,
                  setting_ == Setting::kApart ? 0xbe900304u : 0x90109405u};
    for (uint32_t v = 0; v < scene::litmus::kValues; ++v) {
      body.push_back(0x7e000280 | (kFirstValue + v) << 17 | v);  // v_mov_b32 v, constant
    }
    const Words first = Ended(0), second = Ended(1);
    body.push_back(0xbf068110);                                            // s_cmp_eq_u32 s16, 1
    body.push_back(0xbf850000 | static_cast<uint32_t>(first.size() + 1));  // s_cbranch_scc1
    body.insert(body.end(), first.begin(), first.end());
    body.push_back(0xbf820000 | static_cast<uint32_t>(second.size()));  // s_branch
    body.insert(body.end(), second.begin(), second.end());
    return body;
  }

  const Setting setting_;
  const Means means_;
  const uint32_t lanes_;
  Words code_[2];
  std::vector<uint32_t> results_[2];
};

// LDS keeps a wave's accesses in order: what no barrier orders needs no wait there. One counter
// counts loads and stores, so that a wait for either is one for both.
bool NeedsInLds(const Test& test, Role role) { return test.barrier && role == Role::kPublish; }

// A load that a barrier overtakes takes effect before a later one of the same bytes, and leaves no
// copy that is older than it.
bool NeedsInBuffers(const Test& test, Role role) {
  return !test.barrier || role != Role::kArrive || test.needed.size() == 1;
}

Machine MachineOf(Setting setting, Means means, uint32_t lanes) {
  Machine machine;
  machine.name = absl::StrCat("setting ", static_cast<int>(setting), ", ", lanes, " lanes");
  machine.make = [=](int without) {
    return std::make_unique<WaveProgram>(setting, means, lanes, without);
  };
  machine.one_workgroup = setting != Setting::kApart;
  machine.needs = setting == Setting::kLds ? NeedsInLds : NeedsInBuffers;
  machine.seeds = setting == Setting::kApart ? 1200 : setting == Setting::kWgp ? 700 : 400;
  return machine;
}

TEST(Litmus, InLds) {
  for (const uint32_t lanes : {32, 64}) {
    scene::litmus::CheckAll(MachineOf(Setting::kLds, Means::kBits, lanes));
  }
}

TEST(Litmus, ALoadFromLdsMustHaveArrivedBeforeABarrier) {
  for (const bool waits : {false, true}) {
    const auto build = [waits](Program& p) {
      p.In(0).Read(0, 0);
      if (waits) p.Arrive();
      p.Barrier().In(1).Write(0, 1);
    };
    const auto written_later = [](const auto& r) { return r[0] == 1; };
    EXPECT_EQ(
        IsSeen(MachineOf(Setting::kLds, Means::kBits, 64), build, written_later, Program::kNothing),
        !waits);
  }
}

TEST(Litmus, OnOneCu) { scene::litmus::CheckAll(MachineOf(Setting::kCu, Means::kBits, 32)); }

TEST(Litmus, OnTwoCusByBits) {
  scene::litmus::CheckAll(MachineOf(Setting::kWgp, Means::kBits, 32));
}

TEST(Litmus, OnTwoCusByInvalidates) {
  scene::litmus::CheckAll(MachineOf(Setting::kWgp, Means::kInvalidates, 64));
}

TEST(Litmus, ApartByBits) { scene::litmus::CheckAll(MachineOf(Setting::kApart, Means::kBits, 64)); }

TEST(Litmus, ApartByInvalidates) {
  scene::litmus::CheckAll(MachineOf(Setting::kApart, Means::kInvalidates, 32));
}

}  // namespace
}  // namespace kiln::sim::rdna2
