#include "tests/exec/litmus.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "core/driver/simulate.h"
#include "gtest/gtest.h"
#include "tests/exec/glsl.h"

namespace kiln::exec {
namespace {

constexpr uint64_t kSeeds = 2000,
                   kSeedsApart = 6000;  // two workgroups run together with half of the seeds
constexpr uint32_t kOutDwords = 512;

// Two threads, of one workgroup or of a workgroup each: W invocations each, of which invocation i
// of the second works with i of the first. x(i) and y(i) are elements of MEMORY in separate cache
// lines; RESULTS writes the values that it finds in a and b to the buffer, after a while in which
// the program waits for nothing.
constexpr char kHead[] = R"(#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = THREADS * W) in;
layout(set = 0, binding = 0) buffer Out { uint results[512]; };
layout(set = 0, binding = 1) devicecoherent buffer Memory { uint buffer_memory[512]; };
shared uint shared_memory[256];
#define x MEMORY[i]
#define y MEMORY[i + 64]
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

const std::vector<LitmusProgram> kPrograms = {
    {"MessagePassing", R"(
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
     [](const Outcome& o) { return o.a[1] == 1 && o.b[1] == 0; }, Needed::kBoth, kEverywhere},
    {"MessagePassingByReadModifyWrite", R"(
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
     [](const Outcome& o) { return o.a[1] == 1 && o.b[1] == 0; }, Needed::kBoth, kEverywhere},
    // The data are plain; the barrier makes them available and visible.
    {"MessagePassingOfPlainData", R"(
  if (!second) {
    PAUSE
    x = 1u;
    STORE(y, 1u, RELEASE);
  } else {
    uint c = x;
    PAUSE
    a = LOAD(y, ACQUIRE);
    b = x;
    RESULTS
    results[4 * gl_GlobalInvocationID[0] + 2] = c;
  })",
     [](const Outcome& o) { return o.a[1] == 1 && o.b[1] == 0; }, Needed::kBoth, kInBuffers},
    {"StoreBuffering", R"(
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
     [](const Outcome& o) { return o.a[0] == 0 && o.a[1] == 0; }, Needed::kFences, kEverywhere},
    {"LoadBuffering", R"(
  if (!second) {
    a = LOAD(x, RELAXED);
    STORE(y, 1u, RELEASE);
    RESULTS
  } else {
    a = LOAD(y, RELAXED);
    STORE(x, 1u, RELEASE);
    RESULTS
  })",
     [](const Outcome& o) { return o.a[0] == 1 && o.a[1] == 1; }, Needed::kWaits, kEverywhere},
    {"BarrierShowsWhatWasWrittenBefore", R"(
  uint c = LOAD(x, RELAXED);
  if (!second) STORE(x, 1u, RELAXED);
  controlBarrier(gl_ScopeWorkgroup, SCOPE, SEMANTICS, BOTH);
  a = LOAD(x, RELAXED);
  RESULTS
  results[4 * gl_GlobalInvocationID[0] + 2] = c;
  )",
     [](const Outcome& o) { return o.a[1] == 0; }, Needed::kBoth, kOneWorkgroup},
    {"BarrierHidesWhatIsWrittenAfter", R"(
  a = LOAD(x, RELAXED);
  controlBarrier(gl_ScopeWorkgroup, SCOPE, SEMANTICS, BOTH);
  if (second) STORE(x, 1u, RELAXED);
  RESULTS
  )",
     [](const Outcome& o) { return o.a[0] == 1; }, Needed::kWaits, kOneWorkgroup},
    // The long computation on the second read would favour issuing it first.
    {"ReadsOfOnePlaceStayInOrder", R"(
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
     [](const Outcome& o) { return o.a[1] == 1 && o.b[1] == 0; }, Needed::kNothing, kEverywhere},
};

}  // namespace

const char* NameOf(Between between) {
  constexpr const char* kNames[] = {"shared", "buffer", "workgroups"};
  return kNames[static_cast<int>(between)];
}

const std::vector<LitmusProgram>& LitmusPrograms() { return kPrograms; }

absl::StatusOr<Variant> CompileLitmus(Target target, const LitmusProgram& program, Between between,
                                      int width) {
  const bool shared = between == Between::kThreadsShared;
  const bool apart = between == Between::kWorkgroups;
  front::GlslSource source;
  source.text = absl::StrCat(kHead, program.body, "}\n");
  const std::string w = absl::StrCat(width);
  source.defines = {
      {"W", w},
      {"THREADS", apart ? "1" : "2"},
      {"SCOPE", apart ? "gl_ScopeDevice" : "gl_ScopeWorkgroup"},
      {"MEMORY", shared ? "shared_memory" : "buffer_memory"},
      {"SEMANTICS", shared ? "gl_StorageSemanticsShared" : "gl_StorageSemanticsBuffer"}};
  const auto variants = CompileGlslFor(target, source, {width});
  if (!variants.ok()) return variants.status();
  return variants->front();
}

sim::scene::Dispatch LitmusDispatch(Between between) {
  sim::scene::Dispatch dispatch;
  dispatch.groups[0] = between == Between::kWorkgroups ? 2 : 1;
  dispatch.buffers.resize(2);
  for (uint32_t b = 0; b < 2; ++b) {
    dispatch.buffers[b].where = {0, b, 0};
    dispatch.buffers[b].bytes.resize(4 * kOutDwords);
  }
  return dispatch;
}

std::vector<Outcome> RunLitmus(Target target, const Variant& variant, Between between,
                               uint64_t seed, bool contract) {
  sim::scene::Dispatch dispatch = LitmusDispatch(between);
  SimulationOptions options;
  options.contract = contract;
  options.memory_seed = seed;
  options.zero_memory = true;
  options.max_instructions = 100000;
  const auto stats = Simulate(target, variant.code, variant.launch, options, dispatch);
  EXPECT_TRUE(stats.ok()) << variant.name << ": " << stats.status();
  std::vector<uint32_t> out(kOutDwords);
  std::memcpy(out.data(), dispatch.buffers[0].bytes.data(), 4 * kOutDwords);
  std::vector<Outcome> outcomes;
  const auto w = static_cast<uint32_t>(variant.width);
  for (uint32_t i = 0; i < w; ++i) {
    outcomes.push_back({{out[4 * i], out[4 * (i + w)]}, {out[4 * i + 1], out[4 * (i + w) + 1]}});
  }
  return outcomes;
}

bool IsSeen(Target target, const Variant& variant, const LitmusProgram& program, Between between,
            bool contract) {
  const uint64_t seeds = between == Between::kWorkgroups ? kSeedsApart : kSeeds;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const Outcome& o : RunLitmus(target, variant, between, seed, contract)) {
      if (program.forbidden(o)) return true;
    }
  }
  return false;
}

}  // namespace kiln::exec
