// Litmus programs, from GLSL through the whole compiler into the simulator's memory mode: outcomes
// that Vulkan's memory model forbids never occur, but do occur if any one needed fence, or wait for
// or before one, is removed.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/driver/compile.h"
#include "core/front/glsl/glsl.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/messages.h"
#include "core/intel/isa/program.h"
#include "core/sim/eu/simulator.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

namespace isa = ::kiln::intel::isa;
constexpr auto kGen = isa::Generation::kGen12;

constexpr int kSeeds = 2000,
              kSeedsApart = 6000;  // two workgroups run together with half of the seeds
constexpr uint32_t kOutDwords = 256;

// Two threads, of one workgroup or of a workgroup each: W invocations each, of which invocation i
// of the second works with i of the first. x(i) and y(i) are elements of MEMORY in separate cache
// lines; RESULTS writes the values that it finds in a and b to the buffer, after a while in which
// the program waits for nothing.
constexpr char kHead[] = R"(#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = THREADS * W) in;
layout(set = 0, binding = 0) buffer Out { uint results[256]; };
layout(set = 0, binding = 1) buffer Memory { uint buffer_memory[256]; };
shared uint shared_memory[256];
#define x MEMORY[i]
#define y MEMORY[i + 32]
#define LOAD(p, order) atomicLoad(p, SCOPE, SEMANTICS, order)
#define STORE(p, v, order) atomicStore(p, v, SCOPE, SEMANTICS, order)
#define RELAXED gl_SemanticsRelaxed
#define ACQUIRE gl_SemanticsAcquire
#define RELEASE gl_SemanticsRelease
#define BOTH gl_SemanticsAcquireRelease
#define RESULTS PAUSE results[4 * gl_GlobalInvocationID[0]] = a; results[4 * gl_GlobalInvocationID[0] + 1] = b + d;
#define PAUSE for (uint k = 0u; k < 12u * gl_NumWorkGroups[1]; ++k) d = d * 3u;
void main() {
  uint i = gl_GlobalInvocationID[0] % W;
  bool second = gl_GlobalInvocationID[0] >= W;
  uint a = 9u, b = 9u;
  uint d = 0u;  // always 0, which the compiler does not know
)";
struct Outcome {
  uint32_t a[2], b[2];  // by thread
};
using Forbidden = bool (*)(const Outcome&);

// Says where the two threads are, and where x and y are.
enum class Between { kThreadsShared, kThreads, kWorkgroups };

absl::StatusOr<Variant> CompileAt(const std::string& body, Between between, int width) {
  const bool shared = between == Between::kThreadsShared;
  const bool apart = between == Between::kWorkgroups;
  front::GlslSource source;
  source.text = absl::StrCat(kHead, body, "}\n");
  const std::string w = absl::StrCat(width);
  source.defines = {
      {"W", w},
      {"THREADS", apart ? "1" : "2"},
      {"SCOPE", apart ? "gl_ScopeDevice" : "gl_ScopeWorkgroup"},
      {"MEMORY", shared ? "shared_memory" : "buffer_memory"},
      {"SEMANTICS", shared ? "gl_StorageSemanticsShared" : "gl_StorageSemanticsBuffer"}};
  const auto spirv = front::CompileGlsl(source);
  if (!spirv.ok()) return spirv.status();
  const auto prepared = Prepare(*spirv, {}, nullptr, {});
  if (!prepared.ok()) return prepared.status();
  CompileOptions options;
  options.widths = {width};
  const auto compiled = Compile(**prepared, Target::kTgl, options, nullptr, {});
  if (!compiled.ok()) return compiled.status();
  return compiled->variants.front();
}

std::vector<Outcome> Run(const Variant& v, const std::vector<uint8_t>& code, uint64_t seed,
                         bool contract) {
  sim::scene::Dispatch dispatch;
  dispatch.groups[0] = 2 / out::IntelOf(v.launch).compute.threads_per_group;
  dispatch.buffers.resize(2);
  for (uint32_t b = 0; b < 2; ++b) {
    dispatch.buffers[b].where = {0, b, 0};
    dispatch.buffers[b].bytes.resize(4 * kOutDwords);
  }
  sim::eu::Options options;
  options.contract = contract;
  options.memory_seed = seed;
  options.zero_memory = true;
  options.max_instructions = 100000;
  const auto stats = sim::eu::Run(code, v.launch, options, dispatch);
  EXPECT_TRUE(stats.ok()) << v.name << ": " << stats.status();
  if (!stats.ok()) return {};
  std::vector<uint32_t> out(kOutDwords);
  std::memcpy(out.data(), dispatch.buffers[0].bytes.data(), 4 * kOutDwords);
  std::vector<Outcome> outcomes;
  const auto w = static_cast<uint32_t>(v.width);
  for (uint32_t i = 0; i < w; ++i) {
    outcomes.push_back({{out[4 * i], out[4 * (i + w)]}, {out[4 * i + 1], out[4 * (i + w) + 1]}});
  }
  return outcomes;
}

bool IsSeen(const Variant& v, const std::vector<uint8_t>& code, Forbidden forbidden,
            bool contract) {
  const int seeds = out::IntelOf(v.launch).compute.threads_per_group == 1 ? kSeedsApart : kSeeds;
  for (int seed = 1; seed <= seeds; ++seed) {
    for (const Outcome& o : Run(v, code, static_cast<uint64_t>(seed), contract)) {
      if (forbidden(o)) return true;
    }
  }
  return false;
}

bool IsFence(const isa::Instruction& i) {
  if (!isa::IsSend(i.op) || i.send.desc_is_register) return false;
  const auto fields = isa::ParseDescriptor(kGen, i.send.sfid, i.send.desc, i.send.ex_desc);
  return fields.ok() && fields->message == isa::Message::kMemoryFence;
}

// A program without one fence, or without one wait beside a fence: a sync's, or that of setting a
// token again. It waits for everything after each PAUSE, as the removed instruction may have done.
struct Mutant {
  std::string text;
  bool fence = false;  // the fence or the wait for it is removed
  std::vector<uint8_t> code;
};

isa::Instruction Sync(isa::SyncFunction function) {
  isa::Instruction sync;
  sync.op = isa::Opcode::kSync;
  sync.sync = function;
  sync.no_mask = true;
  sync.src[0].file = isa::File::kArf;
  return sync;
}

// Returns the bytes of a changed program, with a wait for everything after each loop.
std::vector<uint8_t> Finished(isa::Program program) {
  std::vector<isa::Insertion> waits;
  for (int32_t i = 0; i < program.Next(); ++i) {
    if (program.insts[i].op != isa::Opcode::kWhile) continue;
    waits.push_back({i + 1, Sync(isa::SyncFunction::kAllWr)});
  }
  isa::Insert(program, waits);
  const auto bytes = isa::Finalise(program);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : std::vector<uint8_t>();
}

// Returns true if a message before `fence` that answers sets the token that the fence sets: then
// setting it waits.
bool WaitsByToken(const isa::Program& program, size_t fence) {
  for (size_t i = 0; i < fence; ++i) {
    const isa::Instruction& inst = program.insts[i];
    const bool answers = isa::IsSend(inst.op) && !IsFence(inst) && inst.dst.file == isa::File::kGrf;
    if (answers && (inst.swsb & 0xf) == (program.insts[fence].swsb & 0xf)) return true;
  }
  return false;
}

// Returns true for a sync that waits for the arrival of answers, not for the reading of payloads.
bool WaitsForAnswers(const isa::Instruction& i) {
  const bool token = (i.swsb & 0xf0) == 0x20 || (i.swsb & 0x80) != 0;
  return i.op == isa::Opcode::kSync && (token || i.sync == isa::SyncFunction::kAllWr);
}

std::vector<Mutant> Mutants(const Variant& v) {
  const auto placed = isa::DecodeProgram(kGen, v.code);
  EXPECT_TRUE(placed.ok());
  const auto program = isa::ToProgram(kGen, *placed);
  EXPECT_TRUE(program.ok());
  std::vector<Mutant> mutants;
  const auto add = [&](const char* what, bool fence, size_t at, const isa::Program& changed) {
    mutants.push_back({absl::StrCat(what, " at ", (*placed)[at].offset), fence, Finished(changed)});
  };
  for (size_t i = 0; i < program->insts.size(); ++i) {
    const isa::Instruction& inst = program->insts[i];
    const bool before = i + 1 < program->insts.size() && IsFence(program->insts[i + 1]);
    const bool after_fence = i > 0 && IsFence(program->insts[i - 1]);
    isa::Program without = *program;
    without.insts[i] = Sync(isa::SyncFunction::kNop);
    if (IsFence(inst)) add("fence", true, i, without);
    if (WaitsForAnswers(inst) && before) add("wait before the fence", false, i, without);
    if (WaitsForAnswers(inst) && after_fence) add("wait for the fence", true, i, without);
    if (!IsFence(inst) || !WaitsByToken(*program, i)) continue;
    isa::Program other_token = *program;
    other_token.insts[i].swsb |= 0xf;
    other_token.insts[i + 1].swsb |= 0xf;
    add("token", false, i, other_token);
  }
  return mutants;
}

// Lists the instructions that are needed, each alone. Fences and the waits for them are not needed
// if the program waits for all accesses that they order; waits before them are not if the thread
// has read nothing (the wait is there for another path through the program).
enum class Needed { kFences, kWaits, kBoth, kNothing };

void Check(const std::string& body, Forbidden forbidden, Needed needed,
           const std::vector<Between>& places = {Between::kThreads, Between::kThreadsShared,
                                                 Between::kWorkgroups}) {
  for (const Between between : places) {
    for (const int width : {8, 16, 32}) {
      const auto v = CompileAt(body, between, width);
      ASSERT_TRUE(v.ok()) << v.status();
      SCOPED_TRACE(absl::StrCat(v->name, between == Between::kThreadsShared ? " shared"
                                         : between == Between::kThreads     ? " buffer"
                                                                            : " workgroups"));
      EXPECT_FALSE(IsSeen(*v, v->code, forbidden, true));
      const std::vector<Mutant> mutants = Mutants(*v);
      EXPECT_EQ(mutants.empty(), needed == Needed::kNothing);
      for (const Mutant& m : mutants) {
        // With 32 lanes the loaded values are copied before PAUSE, as they may be, so that the copy
        // waits for them.
        if (width == 32 && !m.fence) continue;
        const bool spare = needed == (m.fence ? Needed::kWaits : Needed::kFences);
        EXPECT_EQ(IsSeen(*v, m.code, forbidden, false), !spare) << m.text;
      }
    }
  }
}

TEST(Litmus, MessagePassing) {
  Check(R"(
  if (!second) {
    PAUSE
    STORE(x, 1u, RELAXED);
    STORE(y, 1u, RELEASE);
  } else {
    uint c = LOAD(x, RELAXED);
    PAUSE
    a = LOAD(y, ACQUIRE);
    b = LOAD(x, RELAXED);
    RESULTS
    results[4 * gl_GlobalInvocationID[0] + 2] = c;
  })",
        [](const Outcome& o) { return o.a[1] == 1 && o.b[1] == 0; }, Needed::kBoth);
}

TEST(Litmus, MessagePassingByReadModifyWrite) {
  Check(R"(
  if (!second) {
    PAUSE
    STORE(x, 1u, RELAXED);
    atomicExchange(y, 1u, SCOPE, SEMANTICS, RELEASE);
  } else {
    uint c = LOAD(x, RELAXED);
    PAUSE
    a = atomicAdd(y, 0u, SCOPE, SEMANTICS, ACQUIRE);
    b = LOAD(x, RELAXED);
    RESULTS
    results[4 * gl_GlobalInvocationID[0] + 2] = c;
  })",
        [](const Outcome& o) { return o.a[1] == 1 && o.b[1] == 0; }, Needed::kBoth);
}

TEST(Litmus, StoreBuffering) {
  Check(R"(
  if (!second) {
    STORE(x, 1u, RELAXED);
    memoryBarrier(SCOPE, SEMANTICS, BOTH);
    a = LOAD(y, RELAXED);
    RESULTS
  } else {
    STORE(y, 1u, RELAXED);
    memoryBarrier(SCOPE, SEMANTICS, BOTH);
    a = LOAD(x, RELAXED);
    RESULTS
  })",
        [](const Outcome& o) { return o.a[0] == 0 && o.a[1] == 0; }, Needed::kFences);
}

TEST(Litmus, LoadBuffering) {
  Check(R"(
  if (!second) {
    a = LOAD(x, RELAXED);
    STORE(y, 1u, RELEASE);
    RESULTS
  } else {
    a = LOAD(y, RELAXED);
    STORE(x, 1u, RELEASE);
    RESULTS
  })",
        [](const Outcome& o) { return o.a[0] == 1 && o.a[1] == 1; }, Needed::kWaits);
}

TEST(Litmus, BarrierShowsWhatWasWrittenBefore) {
  Check(R"(
  uint c = LOAD(x, RELAXED);
  if (!second) STORE(x, 1u, RELAXED);
  controlBarrier(gl_ScopeWorkgroup, SCOPE, SEMANTICS, BOTH);
  a = LOAD(x, RELAXED);
  RESULTS
  results[4 * gl_GlobalInvocationID[0] + 2] = c;
  )",
        [](const Outcome& o) { return o.a[1] == 0; }, Needed::kBoth,
        {Between::kThreads, Between::kThreadsShared});
}

TEST(Litmus, BarrierHidesWhatIsWrittenAfter) {
  Check(R"(
  a = LOAD(x, RELAXED);
  controlBarrier(gl_ScopeWorkgroup, SCOPE, SEMANTICS, BOTH);
  if (second) STORE(x, 1u, RELAXED);
  RESULTS
  )",
        [](const Outcome& o) { return o.a[0] == 1; }, Needed::kWaits,
        {Between::kThreads, Between::kThreadsShared});
}

// The long computation on the second read would favour issuing it first.
TEST(Litmus, ReadsOfOnePlaceStayInOrder) {
  Check(R"(
  if (!second) {
    STORE(x, 1u, RELAXED);
  } else {
    a = LOAD(x, RELAXED);
    b = LOAD(x, RELAXED);
    float f = float(b);
    for (int k = 0; k < 12; ++k) f = sqrt(f + 1.0);
    results[4 * gl_GlobalInvocationID[0]] = a;
    results[4 * gl_GlobalInvocationID[0] + 1] = b;
    results[4 * gl_GlobalInvocationID[0] + 2] = uint(f);
  })",
        [](const Outcome& o) { return o.a[1] == 1 && o.b[1] == 0; }, Needed::kNothing);
}

}  // namespace
}  // namespace kiln
