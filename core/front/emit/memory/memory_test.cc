// Tests memory: layouts, private arrays, constant tables, shared memory, atomics, pointer
// parameters.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/front/testing/testing.h"
#include "core/mir/build.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

std::vector<uint32_t> Count(size_t n) {
  std::vector<uint32_t> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = static_cast<uint32_t>(i);
  return v;
}

int CountOps(const mir::Module& module, mir::Op op) {
  int n = 0;
  mir::ForEachInst(module, module.body,
                   [&](mir::InstId id) { n += module.inst(id).op == op ? 1 : 0; });
  return n;
}

mir::Module Import(const std::string& globals, const std::string& body) {
  const auto module = ImportVerified(CompileCompute(KernelText(globals, body)));
  if (module.ok()) return *module;
  ADD_FAILURE() << module.status();
  return mir::Module();
}

TEST(Memory, ConstantIndicesLeaveNoArray) {
  const std::string body =
      "uint a[4]; a[0] = in_[id]; a[1] = a[0] + 1u; a[2] = a[1] * a[0]; a[3] = a[2] ^ a[1];\n"
      "out_[id] = a[3] + a[0];";
  EXPECT_TRUE(Import("", body).private_arrays.empty());
  const auto output = RunKernel("", body, Count(32), 32);
  for (uint32_t x = 0; x < 32; ++x) EXPECT_EQ(output[x], ((x * (x + 1)) ^ (x + 1)) + x);
}

// A length that specialises to 0: the array is not accessed then.
TEST(Memory, ArraysWhoseLengthSpecialisesToZero) {
  const auto words = CompileCompute(KernelText(
      "layout(constant_id = 3) const uint n = 4u; shared uint s[n];",
      "uint a[n]; for (uint i = 0u; i < n; ++i) { a[i] = in_[id] + i; s[i] = 5u; }\n"
      "uint sum = 1u; for (uint i = 0u; i < n; ++i) sum += a[i] * s[i]; out_[id] = sum;"));
  ImportOptions options;
  options.spec_constants = {{3, 0}};
  for (bool zero : {false, true}) {
    const auto module = zero ? ImportVerified(words, options) : ImportVerified(words);
    ASSERT_TRUE(module.ok()) << module.status();
    const auto out = RunWords(*module, Count(32), 32);
    ASSERT_TRUE(out.ok()) << out.status();
    for (uint32_t x = 0; x < 32; ++x) EXPECT_EQ((*out)[x], zero ? 1 : 1 + 5 * (4 * x + 6));
  }
}

// SPV_KHR_workgroup_memory_explicit_layout: blocks are views of the same shared memory.
TEST(Memory, SharedMemoryLaidOutByDecorations) {
  const std::string globals =
      "#extension GL_EXT_shared_memory_block : require\n"
      "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
      "#extension GL_EXT_scalar_block_layout : require\n"
      "shared Words { uint w[40]; };\n"
      "shared Parts { layout(offset = 16) uint16_t h[64]; };\n"
      "shared Vectors { layout(offset = 16) vec3 v; layout(offset = 32, row_major) mat2x3 m; };\n";
  const std::string body =
      "w[id] = in_[id] * 0x10001u; barrier();\n"
      "uint x = uint(h[id]) + (floatBitsToUint(v.z) << 8) + (floatBitsToUint(m[1][2]) << 16);\n"
      "barrier(); out_[id] = x;";
  const mir::Module module = Import(globals, body);
  EXPECT_EQ(module.shared_bytes, 160u);
  const auto output = RunKernel(globals, body, Count(32), 32);
  for (uint32_t id = 0; id < 32; ++id) {
    const uint32_t half = 4 + id / 2;
    const uint32_t z = (16 + 8) / 4 * 0x10001u;  // offsets are rounded up to the alignment
    // Rows of m are 16 bytes apart in std140, 8 in std430: [1][2] is row 2, column 1.
    const uint32_t m = (32 + 2 * 8 + 4) / 4 * 0x10001u;
    EXPECT_EQ(output[id], half + (z << 8) + (m << 16)) << id;
  }
}

TEST(Memory, DynamicIndicesMakeAPrivateArray) {
  const std::string body =
      "uint a[8]; for (uint i = 0u; i < 8u; ++i) a[i] = i * in_[id];\n"
      "a[in_[id] & 7u] += 100u; uint s = 0u; for (uint i = 0u; i < 8u; ++i) s = s * 3u + a[i];\n"
      "out_[id] = s;";
  const mir::Module module = Import("", body);
  ASSERT_EQ(module.private_arrays.size(), 1u);
  EXPECT_EQ(module.private_arrays[0].bytes, 32u);
  const auto output = RunKernel("", body, Count(32), 32);
  for (uint32_t x = 0; x < 32; ++x) {
    uint32_t s = 0;
    for (uint32_t i = 0; i < 8; ++i) s = s * 3 + i * x + (i == (x & 7) ? 100 : 0);
    EXPECT_EQ(output[x], s);
  }
}

// Only the member that is indexed by a value is put into memory.
TEST(Memory, StructsSplitAtWhatIsIndexed) {
  const std::string globals = "struct S { uint n; uvec3 a[5]; bool flag; float f; };\n";
  const std::string body =
      "S s; s.n = in_[id]; s.flag = s.n > 7u; s.f = 2.0;\n"
      "for (uint i = 0u; i < 5u; ++i) s.a[i] = uvec3(i, i + s.n, 7u);\n"
      "S t = s; t.a[s.n % 5u].y = 1000u; t.a[2][s.n % 3u] += 50u; t.flag = !t.flag;\n"
      "uint r = t.flag ? 1u : 0u; for (uint i = 0u; i < 5u; ++i) r = r * 7u + t.a[i].x + "
      "t.a[i].y + t.a[i].z; out_[id] = r + t.n + uint(t.f) + s.a[s.n % 5u].y;";
  const mir::Module module = Import(globals, body);
  ASSERT_EQ(module.private_arrays.size(), 2u);
  EXPECT_EQ(module.private_arrays[0].bytes, 60u);
  const auto output = RunKernel(globals, body, Count(32), 32);
  for (uint32_t x = 0; x < 32; ++x) {
    uint32_t a[5][3];
    for (uint32_t i = 0; i < 5; ++i) {
      a[i][0] = i;
      a[i][1] = i + x;
      a[i][2] = 7;
    }
    const uint32_t before = a[x % 5][1];
    a[x % 5][1] = 1000;
    a[2][x % 3] += 50;
    uint32_t r = x > 7 ? 0 : 1;
    for (auto& v : a) r = r * 7 + v[0] + v[1] + v[2];
    EXPECT_EQ(output[x], r + x + 2 + before) << x;
  }
}

TEST(Memory, BoolArraysAndMatricesIndexedByValue) {
  const std::string body =
      "bool b[4] = bool[4](true, false, id > 3u, true); b[id & 3u] = !b[id & 3u];\n"
      "mat3 m = mat3(1, 2, 3, 4, 5, 6, 7, 8, 9); m[id % 3u][(id / 3u) % 3u] = float(id);\n"
      "uint r = 0u; for (int i = 0; i < 4; ++i) r = r * 2u + (b[i] ? 1u : 0u);\n"
      "vec3 v = m[(id + 1u) % 3u]; out_[id] = r * 1000u + uint(v.x + v.y * 10.0 + m[0].x);";
  const auto output = RunKernel("", body, Count(32), 32);
  for (uint32_t x = 0; x < 32; ++x) {
    bool b[4] = {true, false, x > 3, true};
    b[x & 3] = !b[x & 3];
    float m[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    m[x % 3][x / 3 % 3] = static_cast<float>(x);
    uint32_t r = 0;
    for (bool v : b) r = r * 2 + (v ? 1 : 0);
    const float* v = m[(x + 1) % 3];
    EXPECT_EQ(output[x], r * 1000 + static_cast<uint32_t>(v[0] + v[1] * 10 + m[0][0])) << x;
  }
}

TEST(Memory, ConstantTables) {
  const std::string globals =
      "const uint table[6] = uint[6](3u, 1u, 4u, 1u, 5u, 9u);\n"
      "const vec2 pairs[2] = vec2[2](vec2(1, 2), vec2(3, 4));\n";
  const std::string body =
      "out_[id] = table[in_[id] % 6u] + table[1] + uint(pairs[in_[id] & 1u].y);";
  const mir::Module module = Import(globals, body);
  EXPECT_TRUE(module.private_arrays.empty());
  EXPECT_EQ(CountOps(module, mir::Op::kLoadConstant), 2);
  EXPECT_EQ(CountOps(module, mir::Op::kStorePrivate), 0);
  const uint32_t table[] = {3, 1, 4, 1, 5, 9};
  const auto output = RunKernel(globals, body, Count(32), 32);
  for (uint32_t x = 0; x < 32; ++x) EXPECT_EQ(output[x], table[x % 6] + 1 + (x & 1 ? 4 : 2));
}

// The value of a variable's only store is no table of it if it has another type: it would be too
// short.
TEST(Memory, AStoreOfAnotherTypeIsNoTable) {
  for (const char* store :
       {"%v = OpVariable %p Function %u_1\n", "%v = OpVariable %p Function\nOpStore %v %u_1\n"}) {
    const auto module = ImportVerified(Assemble(KernelAssembly(
        "%u_40 = OpConstant %uint 40\n%array = OpTypeArray %uint %u_40\n"
        "%p = OpTypePointer Function %array\n%pe = OpTypePointer Function %uint\n",
        std::string(store) + "%e = OpAccessChain %pe %v %x\n%result = OpLoad %uint %e\n")));
    EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument) << store;
  }
}

// A table that is also written is a private array.
TEST(Memory, WrittenTablesAreNotConstant) {
  const std::string body =
      "uint t[4] = uint[4](1u, 2u, 3u, 4u); if (id == 5u) t[2] = 77u; out_[id] = t[id & 3u];";
  const auto output = RunKernel("", body, Count(32), 32);
  for (uint32_t x = 0; x < 32; ++x) EXPECT_EQ(output[x], (x & 3) + 1);
  const mir::Module module = Import("", body);
  EXPECT_EQ(module.private_arrays.size(), 1u);
  EXPECT_TRUE(module.constant_data.empty());
}

// A private array keeps nothing between calls except the function's writes.
TEST(Memory, CalleesArraysAreTheirOwn) {
  const std::string globals =
      "uint f(uint n, inout uint a[4]) { uint b[4]; for (uint i = 0u; i < 4u; ++i) b[i] = n + i + "
      "a[i]; a[n & 3u] = b[(n + 1u) & 3u]; return b[n & 3u]; }\n"
      "uint store[3] = uint[3](10u, 20u, 30u); uint g(uint i) { store[i % 3u] += 1u; return "
      "store[(i + 1u) % 3u]; }\n";
  const std::string body =
      "uint a[4] = uint[4](1u, 2u, 3u, 4u); uint x = in_[id]; uint r = f(x, a); r = r * 10u + f(x "
      "+ "
      "1u, a); r += g(x) + g(x + 2u); out_[id] = r * 100u + a[x & 3u] + store[0];";
  const auto output = RunKernel(globals, body, Count(32), 32);
  for (uint32_t x = 0; x < 32; ++x) {
    uint32_t a[4] = {1, 2, 3, 4};
    uint32_t store[3] = {10, 20, 30};
    const auto f = [&](uint32_t n) {
      uint32_t b[4];
      for (uint32_t i = 0; i < 4; ++i) b[i] = n + i + a[i];
      a[n & 3] = b[(n + 1) & 3];
      return b[n & 3];
    };
    const auto g = [&](uint32_t i) {
      store[i % 3] += 1;
      return store[(i + 1) % 3];
    };
    uint32_t r = f(x);
    r = r * 10 + f(x + 1);
    r += g(x);
    r += g(x + 2);
    EXPECT_EQ(output[x], r * 100 + a[x & 3] + store[0]) << x;
  }
}

TEST(Memory, VectorComponentsByValueStayInRegisters) {
  const std::string body =
      "uvec4 v = uvec4(1u, 2u, 3u, 4u) * in_[id]; v[in_[id] & 3u] = 9u; out_[id] = v[(in_[id] + "
      "1u) "
      "& 3u] + v[in_[id] & 3u] + v.x;";
  EXPECT_TRUE(Import("", body).private_arrays.empty());
  const auto output = RunKernel("", body, Count(32), 32);
  for (uint32_t x = 0; x < 32; ++x) {
    uint32_t v[4] = {x, 2 * x, 3 * x, 4 * x};
    v[x & 3] = 9;
    EXPECT_EQ(output[x], v[(x + 1) & 3] + 9 + v[0]);
  }
}

// Offsets follow the decorations, in both matrix orders and both packings.
TEST(Memory, BlockLayouts) {
  const std::string globals = R"(
struct Inner { float a; vec3 b; float c[2]; };
layout(std140, binding = 2) uniform U { layout(row_major) mat3x2 rm; mat2x3 cm; Inner s[2]; };
layout(std430, binding = 3) buffer Sb { uint head; layout(row_major) mat2x3 rw; Inner t; vec2 tail[]; };
)";
  const std::string body = R"(
    uint i = id % 3u; uint j = id % 2u;
    float r = rm[i][j] + 10.0 * cm[j][i] + 100.0 * s[j].b[i] + 1000.0 * s[1].c[j];
    if (id == 31u) {
      rw[1] = vec3(50.0, 51.0, 52.0); rw[0][2] = 60.0; t.c[1] = 61.0; tail[2].y = 62.0;
      Inner copy = t; copy.b = vec3(70.0, 71.0, 72.0); t = copy; head = uint(tail.length());
    }
    out_[id] = uint(r);
)";
  const mir::Module module = Import(globals, body);
  oracle::LaunchInputs inputs;
  inputs.buffers.resize(4);
  for (uint32_t b = 0; b < 4; ++b) inputs.buffers[b].binding = b;
  inputs.buffers[0].bytes.resize(128);
  inputs.buffers[1].bytes.resize(128);
  std::vector<float> u(64);
  for (int i = 0; i < 64; ++i) u[i] = static_cast<float>(i);
  inputs.buffers[2].bytes.resize(256);
  std::memcpy(inputs.buffers[2].bytes.data(), u.data(), 256);
  std::vector<float> sb(64);
  inputs.buffers[3].bytes.resize(256);
  const auto ran = oracle::Interpret(module, inputs);
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(ran->outside_accesses, 0);
  std::memcpy(sb.data(), inputs.buffers[3].bytes.data(), 256);
  // std140: rm is two rows of 16 bytes at 0; cm two columns of 16 bytes at 32; s[2] of 64 bytes
  // at 64: a at 0, b at 16, c at 32 with a stride of 16.
  for (uint32_t id = 0; id < 32; ++id) {
    const uint32_t i = id % 3;
    const uint32_t j = id % 2;
    const float want = u[j * 4 + i] + 10 * u[8 + j * 4 + i] + 100 * u[16 + j * 16 + 4 + i] +
                       1000 * u[16 + 16 + 8 + j * 4];
    uint32_t got = 0;
    std::memcpy(&got, inputs.buffers[1].bytes.data() + 4 * id, 4);
    EXPECT_EQ(got, static_cast<uint32_t>(want)) << id;
  }
  // std430: head 0; rw (three rows of two floats) at 8; t at 32: a 0, b 16, c 28 stride 4; its
  // size 48; tail at 80.
  EXPECT_EQ(sb[2 + 0 + 1], 50.0f);
  EXPECT_EQ(sb[2 + 2 + 1], 51.0f);
  EXPECT_EQ(sb[2 + 4 + 1], 52.0f);
  EXPECT_EQ(sb[2 + 4 + 0], 60.0f);
  EXPECT_EQ(sb[8 + 7 + 1], 61.0f);
  EXPECT_EQ(sb[20 + 4 + 1], 62.0f);
  EXPECT_EQ(sb[8 + 4], 70.0f);
  EXPECT_EQ(sb[8 + 6], 72.0f);
  EXPECT_EQ(std::bit_cast<uint32_t>(sb[0]), (256u - 80u) / 8u);
}

TEST(Memory, SharedMemoryAndBarriers) {
  const std::string globals =
      "shared uint a[32]; struct P { vec3 v; bool on; }; shared P p[32]; shared mat2 m;\n";
  const std::string body =
      "a[id] = in_[id] * 2u; p[id].v = vec3(id, 1, 2); p[id].on = (id & 1u) != 0u;\n"
      "if (id == 0u) m = mat2(1, 2, 3, 4); barrier(); uint o = 31u - id;\n"
      "out_[id] = a[o] + uint(p[o].v.x + p[o].v[o % 3u]) + (p[o].on ? 1000u : 0u) + "
      "uint(m[id & 1u].y);";
  const mir::Module module = Import(globals, body);
  EXPECT_EQ(module.shared_bytes, 128u + 32 * 16 + 16);
  EXPECT_EQ(CountOps(module, mir::Op::kControlBarrier), 1);
  const auto output = RunKernel(globals, body, Count(32), 32);
  for (uint32_t x = 0; x < 32; ++x) {
    const uint32_t o = 31 - x;
    const uint32_t v[3] = {o, 1, 2};
    EXPECT_EQ(output[x], 2 * o + o + v[o % 3] + (o & 1 ? 1000 : 0) + (x & 1 ? 4 : 2)) << x;
  }
}

TEST(Memory, WorkgroupMemoryIsClearedWhenAsked) {
  const std::string globals = "shared uint a[50]; shared uint b;\n";
  const auto words = CompileCompute(
      KernelText(globals, "uint s = b; for (uint i = 0u; i < 50u; ++i) s += a[i]; out_[id] = s;"));
  ImportOptions options;
  options.zero_workgroup_memory = true;
  const auto module = ImportVerified(words, options);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(CountOps(*module, mir::Op::kStoreShared), 1);
  EXPECT_EQ(CountOps(*module, mir::Op::kControlBarrier), 1);
  const auto output = RunWords(*module, Count(32), 32);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ((*output)[7], 0u);
  EXPECT_EQ(CountOps(*ImportVerified(words), mir::Op::kStoreShared), 0);
}

TEST(Memory, Atomics) {
  const std::string globals =
      "layout(binding = 2) buffer A { uint u[9]; int s[4]; }; shared uint w;\n";
  const std::string body = R"(
    if (id == 0u) w = 100u;
    barrier();
    uint x = in_[id];
    atomicAdd(u[0], x); atomicAnd(u[1], ~(1u << (x & 31u))); atomicOr(u[2], 1u << (x & 31u));
    atomicXor(u[3], x); atomicMin(u[4], x + 5u); atomicMax(u[5], x * 2u);
    atomicExchange(u[6], 9u); atomicCompSwap(u[7], 0u, x + 1u);
    atomicMin(s[0], int(x) - 10); atomicMax(s[1], int(x) - 10);
    uint old = atomicAdd(w, 1u);
    barrier();
    out_[id] = w * 1000u + (old >= 100u && old < 132u ? 1u : 0u);
)";
  const mir::Module module = Import(globals, body);
  oracle::LaunchInputs inputs;
  inputs.buffers.resize(3);
  for (uint32_t b = 0; b < 3; ++b) inputs.buffers[b].binding = b;
  const auto input = Count(32);
  inputs.buffers[0].bytes.resize(128);
  std::memcpy(inputs.buffers[0].bytes.data(), input.data(), 128);
  inputs.buffers[1].bytes.resize(128);
  std::vector<uint32_t> a = {0, ~0u, 0, 0, 1000, 0, 0, 0, 0, 0, 0, 0, 0};
  inputs.buffers[2].bytes.resize(a.size() * 4);
  std::memcpy(inputs.buffers[2].bytes.data(), a.data(), a.size() * 4);
  ASSERT_TRUE(oracle::Interpret(module, inputs).ok());
  std::memcpy(a.data(), inputs.buffers[2].bytes.data(), a.size() * 4);
  EXPECT_EQ(a, (std::vector<uint32_t>{496, 0, ~0u, 0, 5, 62, 9, 1, 0, static_cast<uint32_t>(-10),
                                      21, 0, 0}));
  uint32_t first = 0;
  std::memcpy(&first, inputs.buffers[1].bytes.data(), 4);
  EXPECT_EQ(first, 132001u);
}

TEST(Memory, FloatAtomics) {
  const auto output = RunKernel(
      "#extension GL_EXT_shader_atomic_float : require\n"
      "#extension GL_EXT_shader_atomic_float2 : require\n"
      "shared float sum; shared float low; shared float high;\n",
      "if (id == 0u) { sum = 0.5; low = 3.0; high = 3.0; } barrier();\n"
      "atomicAdd(sum, float(id)); atomicMin(low, float(id) - 7.0); atomicMax(high, float(id));\n"
      "barrier(); out_[id] = uint(sum * 2.0) + uint(low + 7.0) * 10000u + uint(high) * 100000u;",
      Count(32), 32);
  EXPECT_EQ(output[5], 993u + 3100000u);
}

TEST(Memory, HalfAndLongAtomics) {
  const auto output = RunKernel(
      "#extension GL_EXT_shader_atomic_float : require\n"
      "#extension GL_EXT_shader_atomic_float2 : require\n"
      "#extension GL_EXT_shader_atomic_int64 : require\n"
      "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
      "shared float16_t sums[2];\n"
      "layout(set = 0, binding = 1) buffer Longs { uint64_t longs[]; };\n",
      "if (id < 2u) sums[id] = 0.5hf; if (id == 0u) longs[20] = 0xfffffffful; barrier();\n"
      "float16_t old = atomicAdd(sums[id & 1u], float16_t(id)); atomicMax(sums[0], 3.0hf);\n"
      "atomicAdd(longs[20], 2ul); uint64_t x = atomicExchange(longs[21], 5ul);\n"
      "uint64_t y = atomicCompSwap(longs[20], 9ul, 7ul); barrier();\n"
      "if (id < 2u) out_[id] = uint(float(sums[id]) * 2.0);\n"
      "if (id == 2u) { out_[2] = uint(longs[20]); out_[3] = uint(longs[20] >> 32);"
      "out_[4] = uint(longs[21]); }",
      Count(32), 44);
  EXPECT_EQ(output[0], 2u * 240 + 1);
  EXPECT_EQ(output[1], 2u * 256 + 1);
  EXPECT_EQ(output[2], 63u);
  EXPECT_EQ(output[3], 1u);
  EXPECT_EQ(output[4], 5u);
}

TEST(Memory, AtomicLoadsStoresAndFloatExchange) {
  const std::string text = KernelAssembly(R"(
    %p_f = OpTypePointer Workgroup %float
    %shared = OpVariable %p_f Workgroup
    %f_7 = OpConstant %float 7
)",
                                          R"(
    OpAtomicStore %shared %u_2 %u_0 %f_7
    OpControlBarrier %u_2 %u_2 %u_0
    %old = OpAtomicExchange %float %shared %u_2 %u_0 %f_2
    OpControlBarrier %u_2 %u_2 %u_0
    %now = OpAtomicLoad %float %shared %u_2 %u_0
    %n = OpConvertFToU %uint %now
    %p = OpAccessChain %p_word %out %u_0 %id
    %i = OpAtomicIIncrement %uint %p %u_1 %u_0
    %d = OpAtomicIDecrement %uint %p %u_1 %u_0
    %e = OpIMul %uint %d %u_9
    %result = OpIAdd %uint %n %e
)");
  const auto module = ImportVerified(Assemble(text));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto output = RunWords(*module, Count(32), 32);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ((*output)[3], 2u + 9u);
}

TEST(Memory, MemoryBarriersNameTheirClasses) {
  const mir::Module module =
      Import("shared uint w;",
             "w = 1u; memoryBarrierShared(); memoryBarrierBuffer(); memoryBarrier();\n"
             "out_[id] = w;");
  std::vector<uint32_t> classes;
  mir::ForEachInst(module, module.body, [&](mir::InstId id) {
    if (module.inst(id).op == mir::Op::kMemoryBarrier) classes.push_back(module.inst(id).imm0);
  });
  EXPECT_EQ(classes,
            (std::vector<uint32_t>{mir::kMemoryShared, mir::kMemoryBuffer,
                                   mir::kMemoryBuffer | mir::kMemoryShared | mir::kMemoryImage}));
}

// An atomic that acquires and releases has half a barrier before and half behind it.
TEST(Memory, BarriersThatReleaseOrAcquire) {
  const std::string text = KernelAssembly(R"(
    %u_acquire = OpConstant %uint 66
    %u_release = OpConstant %uint 68
    %u_both = OpConstant %uint 72
)",
                                          R"(
    %p = OpAccessChain %p_word %out %u_0 %id
    OpMemoryBarrier %u_1 %u_acquire
    OpMemoryBarrier %u_1 %u_release
    OpMemoryBarrier %u_1 %u_both
    %i = OpAtomicIIncrement %uint %p %u_1 %u_both
    %j = OpAtomicIIncrement %uint %p %u_1 %u_release
    %result = OpIAdd %uint %i %j
)");
  const auto module = ImportVerified(Assemble(text));
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<uint32_t> flags;
  mir::ForEachInst(*module, module->body, [&](mir::InstId id) {
    if (module->inst(id).op == mir::Op::kMemoryBarrier) flags.push_back(module->inst(id).flags);
  });
  EXPECT_EQ(flags, (std::vector<uint32_t>{mir::kAcquires, mir::kReleases, 0, mir::kReleases,
                                          mir::kAcquires, mir::kReleases}));
}

TEST(Memory, PointersAsParameters) {
  const std::string types = R"(
    OpDecorate %pa ArrayStride 4
    %arr4 = OpTypeArray %uint %u_4
    %pa = OpTypeArray %uint %u_4
    %p_fn = OpTypePointer Function %uint
    %p_arr = OpTypePointer Function %arr4
    %fnt = OpTypeFunction %uint %p_fn %p_word %uint
    %fnt2 = OpTypeFunction %void %p_arr %uint
)";
  const std::string main = R"(
    %v = OpVariable %p_fn Function
    %a = OpVariable %p_arr Function
    OpStore %v %u_5
    %e1 = OpAccessChain %p_fn %a %u_1
    OpStore %e1 %u_3
    %ip = OpAccessChain %p_word %in %u_0 %id
    %c1 = OpFunctionCall %uint %f %v %ip %u_2
    %c2 = OpFunctionCall %uint %f %e1 %ip %u_7
    %m = OpBitwiseAnd %uint %id %u_3
    %n1 = OpFunctionCall %void %g %a %m
    %em = OpAccessChain %p_fn %a %m
    %l = OpLoad %uint %em
    %lv = OpLoad %uint %v
    %l1 = OpLoad %uint %e1
    %s1 = OpIAdd %uint %c1 %c2
    %s2 = OpIMul %uint %l %u_9
    %s3 = OpIAdd %uint %s1 %s2
    %s4 = OpIMul %uint %lv %u_5
    %s5 = OpIAdd %uint %s3 %s4
    %result = OpIAdd %uint %s5 %l1
)";
  const std::string functions = R"(
    %f = OpFunction %uint None %fnt
    %fp = OpFunctionParameter %p_fn
    %fw = OpFunctionParameter %p_word
    %fk = OpFunctionParameter %uint
    %fl = OpLabel
    %fx = OpLoad %uint %fp
    %fy = OpLoad %uint %fw
    %fz = OpIAdd %uint %fx %fk
    OpStore %fp %fz
    %fr = OpIAdd %uint %fz %fy
    OpReturnValue %fr
    OpFunctionEnd
    %g = OpFunction %void None %fnt2
    %ga = OpFunctionParameter %p_arr
    %gi = OpFunctionParameter %uint
    %gl = OpLabel
    %ge = OpAccessChain %p_fn %ga %gi
    OpStore %ge %u_6
    OpReturn
    OpFunctionEnd
)";
  const auto module = ImportVerified(Assemble(KernelAssembly(types, main, true, functions)));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->private_arrays.size(), 1u);
  const auto output = RunWords(*module, Count(32), 32);
  ASSERT_TRUE(output.ok()) << output.status();
  for (uint32_t x = 0; x < 32; ++x) {
    const uint32_t a1 = (x & 3) == 1 ? 6 : 10;
    EXPECT_EQ((*output)[x], (7 + x) + (10 + x) + 6 * 9 + 7 * 5 + a1) << x;
  }
}

// A value, and a pointer with a dynamic part, used where their definition is not visible.
TEST(Memory, CarriedValuesAndPointers) {
  const std::string main = R"(
    OpBranch %loop
    %loop = OpLabel
    %i = OpPhi %uint %u_0 %entry %inext %cont
    OpLoopMerge %done %cont None
    OpBranch %body
    %body = OpLabel
    %sq = OpIMul %uint %i %i
    %ptr = OpAccessChain %p_word %in %u_0 %sq
    %stop = OpUGreaterThanEqual %bool %sq %x
    OpBranchConditional %stop %done %cont
    %cont = OpLabel
    %inext = OpIAdd %uint %i %u_1
    OpBranch %loop
    %done = OpLabel
    %l = OpLoad %uint %ptr
    %s = OpIMul %uint %sq %u_5
    %t = OpIAdd %uint %l %s
    %result = OpIAdd %uint %t %i
)";
  const auto module = ImportVerified(Assemble(KernelAssembly("", main)));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto output = RunWords(*module, Count(64), 32);
  ASSERT_TRUE(output.ok()) << output.status();
  for (uint32_t x = 0; x < 32; ++x) {
    uint32_t i = 0;
    while (i * i < x) ++i;
    EXPECT_EQ((*output)[x], i * i + i * i * 5 + i) << x;
  }
}

TEST(Memory, CopiesAndCompositePhis) {
  const std::string types = R"(
    %arr = OpTypeArray %v2uint %u_3
    %s = OpTypeStruct %uint %arr
    %p_s = OpTypePointer Function %s
    %p_u = OpTypePointer Function %uint
    %p_priv = OpTypePointer Private %s
    %pair = OpConstantComposite %v2uint %u_1 %u_2
    %arrc = OpConstantComposite %arr %pair %pair %pair
    %sc = OpConstantComposite %s %u_9 %arrc
    %sn = OpConstantNull %s
    %global = OpVariable %p_priv Private %sc
    %p_gu = OpTypePointer Private %uint
)";
  const std::string main = R"(
    %a = OpVariable %p_s Function %sn
    %b = OpVariable %p_s Function
    OpCopyMemory %b %global
    %b0 = OpAccessChain %p_u %b %u_1 %u_2 %u_0
    OpStore %b0 %x
    %c = OpUGreaterThan %bool %x %u_5
    OpSelectionMerge %m None
    OpBranchConditional %c %t %f
    %t = OpLabel
    %bv = OpLoad %s %b
    OpBranch %m
    %f = OpLabel
    %av = OpLoad %s %a
    OpBranch %m
    %m = OpLabel
    %ph = OpPhi %s %bv %t %av %f
    %sel = OpCopyObject %s %ph
    OpStore %global %sel
    %g0 = OpAccessChain %p_gu %global %u_1 %u_2 %u_0
    %g1 = OpAccessChain %p_gu %global %u_0
    %l0 = OpLoad %uint %g0
    %l1 = OpLoad %uint %g1
    %k = OpIMul %uint %l1 %u_7
    %result = OpIAdd %uint %l0 %k
)";
  const auto module = ImportVerified(Assemble(KernelAssembly(types, main)));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto output = RunWords(*module, Count(32), 32);
  ASSERT_TRUE(output.ok()) << output.status();
  for (uint32_t x = 0; x < 32; ++x) EXPECT_EQ((*output)[x], x > 5 ? x + 63 : 0) << x;
}

TEST(Memory, PushConstantsSpecialisationAndBuiltins) {
  const std::string text = R"(#version 450
layout(local_size_x_id = 7, local_size_y = 3, local_size_z = 2) in;
layout(constant_id = 1) const uint kN = 4u;
layout(constant_id = 2) const bool kFlag = false;
layout(constant_id = 3) const float kScale = 1.5;
layout(binding = 1) buffer Out { uint out_[]; };
layout(push_constant) uniform P { uint base; vec3 v; mat2 m; } pc;
const uint kTwice = kN * 2u + 1u;
void main() {
  uint a[kN]; for (uint i = 0u; i < kN; ++i) a[i] = i;
  uint i = gl_LocalInvocationIndex + gl_WorkGroupID.x * gl_WorkGroupSize.x * 6u;
  uvec3 l = gl_LocalInvocationID; uvec3 g = gl_GlobalInvocationID;
  out_[i] = (kFlag ? 1000000u : 0u) + kTwice * 10000u + uint(kScale * 100.0) + pc.base
      + uint(pc.v[l.x % 3u] + pc.m[1].x) + l.x + l.y * 2u + l.z * 4u + g.x * 8u + a[kN - 1u]
      + gl_NumWorkGroups.x * 64u;
}
)";
  ImportOptions options;
  options.spec_constants = {{1, 6}, {2, 1}, {3, std::bit_cast<uint32_t>(2.0f)}, {7, 4}};
  const auto module = ImportVerified(CompileCompute(text), options);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->local_size, (std::array<uint32_t, 3>{4, 3, 2}));
  EXPECT_EQ(module->push_constant_bytes, 48u);
  oracle::LaunchInputs inputs;
  inputs.groups = {2, 1, 1};
  const float push[12] = {std::bit_cast<float>(5u), 0, 0, 0, 10, 20, 30, 0, 1, 2, 3, 4};
  inputs.push_constants.resize(48);
  std::memcpy(inputs.push_constants.data(), push, 48);
  inputs.buffers.resize(1);
  inputs.buffers[0].binding = 1;
  inputs.buffers[0].bytes.resize(48 * 4);
  ASSERT_TRUE(oracle::Interpret(*module, inputs).ok());
  for (uint32_t i = 0; i < 48; ++i) {
    const uint32_t l = i % 24;
    const uint32_t x = l % 4;
    const uint32_t y = l / 4 % 3;
    const uint32_t z = l / 12;
    uint32_t got = 0;
    std::memcpy(&got, inputs.buffers[0].bytes.data() + 4 * i, 4);
    EXPECT_EQ(got, 1000000 + 130000 + 200 + 5 + (x % 3 + 1) * 10 + 3 + x + 2 * y + 4 * z +
                       (i / 24 * 4 + x) * 8 + 5 + 128)
        << i;
  }
}

TEST(Memory, BranchesOnSpecialisationVanish) {
  const std::string globals = "layout(constant_id = 1) const uint kMode = 2u;\n";
  const std::string body =
      "switch (kMode) { case 1u: out_[id] = 1u; break; case 2u: out_[id] = 2u; break; default: "
      "out_[id] = 3u; } if (kMode == 2u) out_[id] += 10u; else out_[id] += 20u;";
  const mir::Module module = Import(globals, body);
  EXPECT_EQ(CountOps(module, mir::Op::kIf), 0);
  EXPECT_EQ(RunKernel(globals, body, Count(32), 32)[0], 12u);
}

TEST(Memory, DescriptorArraysByConstantIndex) {
  const std::string globals =
      "layout(set = 1, binding = 4) buffer A { uint x; uint y[]; } arr[3];\n";
  const mir::Module module =
      Import(globals, "out_[id] = arr[2].y[id] + arr[0].x; arr[0].x = arr[2].y.length();");
  ASSERT_EQ(module.resources.size(), 3u);
  EXPECT_EQ(module.resources[1].set, 1u);
  EXPECT_EQ(module.resources[1].binding, 4u);
  EXPECT_EQ(module.resources[1].element, 0u);
  EXPECT_EQ(module.resources[2].element, 2u);
}

// Undefined behaviour only if executed: the index becomes the array's last descriptor.
TEST(Memory, DescriptorIndicesBeyondTheArray) {
  const std::string globals =
      "layout(set = 1, binding = 4) buffer A { uint x; } arr[3];\n"
      "layout(set = 1, binding = 5) buffer C { uint x; } two[3][5];\n"
      "layout(constant_id = 0) const uint kOne = 1u;\n";
  std::vector<uint32_t> words = CompileCompute(
      KernelText(globals, "if (in_[id] == 77u) out_[id] = arr[kOne].x + two[kOne][kOne].x;"));
  for (const uint32_t index : {3u, 240u, 300u, 0xffffffffu}) {
    ImportOptions options;
    options.spec_constants = {{0, index}};
    const auto module = ImportVerified(words, options);
    ASSERT_TRUE(module.ok()) << module.status();
    ASSERT_EQ(module->resources.size(), 4u);
    EXPECT_EQ(module->resources[2].element, 2u);
    EXPECT_EQ(module->resources[3].element, index < 5 ? 10 + index : 14);
  }
}

// A 64-bit constant index is not cut to its low half.
TEST(Memory, DescriptorIndicesOf64Bits) {
  for (const char* index : {"1", "0x100000000", "0x100000001", "0xffffffff", "-1"}) {
    const std::string types = absl::StrCat(R"(
      OpDecorate %arr DescriptorSet 1
      OpDecorate %arr Binding 4
      %long = OpTypeInt 64 )",
                                           index[0] == '-' ? "1" : "0", R"(
      %array = OpTypeArray %block %u_3
      %p_array = OpTypePointer StorageBuffer %array
      %arr = OpVariable %p_array StorageBuffer
      %index = OpConstant %long )",
                                           index, "\n");
    const auto module = ImportVerified(Assemble(KernelAssembly(
        types, "%p = OpAccessChain %p_word %arr %index %u_0 %u_0\n%result = OpLoad %uint %p\n",
        true, "", "OpCapability Shader\nOpCapability Int64\n")));
    ASSERT_TRUE(module.ok()) << module.status();
    ASSERT_EQ(module->resources.size(), 3u);
    EXPECT_EQ(module->resources[2].element, index == std::string("1") ? 1u : 2u) << index;
  }
}

TEST(Memory, CoherentAndVolatileReachTheAccess) {
  const mir::Module module = Import(
      "layout(binding = 2) coherent buffer C { uint c[]; }; layout(binding = 3) volatile buffer V "
      "{ "
      "uint v[]; };",
      "out_[id] = c[id] + v[id]; c[id] = 1u;");
  int coherent = 0;
  int is_volatile = 0;
  for (const mir::Inst& inst : module.insts) {
    coherent += (inst.flags & mir::kCoherent) != 0;
    is_volatile += (inst.flags & mir::kVolatile) != 0;
  }
  EXPECT_GE(coherent, 2);
  EXPECT_GE(is_volatile, 1);
}

TEST(Memory, AliasedReachesTheResource) {
  const std::string main = R"(
    %result = OpIAdd %uint %x %id
)";
  for (const bool aliased : {false, true}) {
    const auto module =
        ImportVerified(Assemble(KernelAssembly(aliased ? "OpDecorate %out Aliased\n" : "", main)));
    ASSERT_TRUE(module.ok()) << module.status();
    int found = 0;
    for (const mir::Resource& r : module->resources) found += r.aliased;
    EXPECT_EQ(found, aliased ? 1 : 0);
  }
}

}  // namespace
}  // namespace kiln::front
