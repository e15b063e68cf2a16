#include "tests/exec/exec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "core/driver/simulate.h"
#include "core/mir/parse.h"
#include "core/oracle/interp.h"
#include "tests/exec/findings.h"
#include "tests/exec/images.h"
#include "tests/exec/unsized.h"

namespace kiln::exec {
namespace {

// Returns small and large integers, floats of moderate size, arbitrary bits.
uint32_t Word(std::mt19937& rng) {
  const uint32_t x = rng();
  switch (rng() % 4) {
    case 0: return x;
    case 1: return x % 40;
    case 2:
      return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int>(x % 2000) - 1000) / 16);
    default: return 0u - x % 100;
  }
}

// Addresses of buffers, which the second half of the push constants holds. A large first buffer
// crosses a multiple of 2^32.
constexpr uint64_t kFirstAddress = 0x7ffff0000u;
constexpr uint64_t kAddressStep = 0x20000;
constexpr size_t kAddressesAt = 64;

void AddBuffer(const mir::Resource& r, uint32_t element, const Setup& setup, std::mt19937& rng,
               oracle::LaunchInputs& in) {
  oracle::BoundBuffer b;
  b.set = r.set;
  b.binding = r.binding;
  b.element = element;
  for (uint32_t i = 0; i < setup.buffer_bytes; i += 4) {
    const uint32_t word = Word(rng);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&word);
    b.bytes.insert(b.bytes.end(), bytes, bytes + std::min(4u, setup.buffer_bytes - i));
  }
  b.address = kFirstAddress + in.buffers.size() * kAddressStep;
  in.buffers.push_back(std::move(b));
}

oracle::LaunchInputs Inputs(const mir::Module& m, const Setup& setup) {
  std::mt19937 rng(setup.seed);
  oracle::LaunchInputs in;
  in.groups = {setup.groups, 1, 1};
  in.base_workgroup = setup.base;
  in.denormals = oracle::Denormals::kFlush;
  for (const mir::Resource& r : m.resources) {
    if (mir::HasImage(r.kind) || r.kind == mir::ResourceKind::kSampler) continue;
    for (uint32_t i = 0; i < r.count; ++i) AddBuffer(r, r.element + i, setup, rng, in);
  }
  AddImages(m, rng, in, MaxSamples(setup.target));
  for (int i = 0; i < 128; ++i) in.push_constants.push_back(static_cast<uint8_t>(i * 7));
  for (size_t i = 0; i < in.buffers.size() && i < 8; ++i) {
    std::memcpy(in.push_constants.data() + kAddressesAt + 8 * i, &in.buffers[i].address, 8);
  }
  return in;
}

uint32_t Dword(const std::vector<uint8_t>& bytes, size_t at) {
  uint32_t x;
  std::memcpy(&x, bytes.data() + at, 4);
  return x;
}

bool Same(uint32_t want, uint32_t got, const Setup& setup) {
  if (want == got) return true;
  if (!setup.floats) return false;
  const auto a = std::bit_cast<float>(want), b = std::bit_cast<float>(got);
  if (std::isnan(a) && std::isnan(b)) return true;
  const auto tiny = [](float x) { return std::fabs(x) < 1.17549435e-38f; };
  if (tiny(a) && tiny(b)) return true;
  if (std::fabs(a - b) <= setup.absolute) return true;
  if (std::signbit(a) != std::signbit(b)) return false;
  return (want > got ? want - got : got - want) <= setup.ulp;
}

std::string Differences(const oracle::LaunchInputs& want, const sim::scene::Dispatch& got,
                        const Setup& setup) {
  int count = 0;
  std::string first;
  for (size_t b = 0; b < want.buffers.size(); ++b) {
    for (size_t i = 0; i + 4 <= want.buffers[b].bytes.size(); i += 4) {
      const uint32_t x = Dword(want.buffers[b].bytes, i), y = Dword(got.buffers[b].bytes, i);
      if (Same(x, y, setup)) continue;
      if (count++ == 0)
        first = absl::StrFormat("buffer %d byte %d: want %08x, got %08x", b, i, x, y);
    }
    for (size_t i = want.buffers[b].bytes.size() / 4 * 4; i < want.buffers[b].bytes.size(); ++i) {
      if (want.buffers[b].bytes[i] == got.buffers[b].bytes[i]) continue;
      if (count++ == 0) first = absl::StrFormat("buffer %d byte %d", b, i);
    }
  }
  if (count != 0) return absl::StrCat(count, " differ, ", first);
  return ImageDifferences(want, got, setup.floats ? setup.ulp : 0);
}

std::string RunVariant(const Variant& v, const oracle::LaunchInputs& before,
                       const oracle::LaunchInputs& want, const Setup& setup, bool fusion,
                       bool opposite) {
  sim::scene::Dispatch dispatch;
  dispatch.groups = before.groups;
  dispatch.base = before.base_workgroup;
  dispatch.push_constants = before.push_constants;
  for (const oracle::BoundBuffer& b : before.buffers) {
    sim::scene::ClientBuffer buffer;
    buffer.where = {b.set, b.binding, b.element};
    buffer.bytes = b.bytes;
    buffer.address = b.address;
    dispatch.buffers.push_back(std::move(buffer));
  }
  Translate(before, dispatch);
  SimulationOptions options;
  options.contract = setup.waits;
  if (fusion) options.switches = {"fusion"};
  options.opposite = opposite;
  options.max_instructions = 20'000'000;
  options.zero_memory = setup.zero_memory;
  const auto run = setup.run != nullptr
                       ? setup.run(v, options, dispatch)
                       : Simulate(setup.target, v.code, v.launch, options, dispatch);
  const std::string text =
      run.ok() ? Differences(want, dispatch, setup) : std::string(run.status().message());
  if (text.empty()) return "";
  return absl::StrCat(v.name, fusion ? " fused" : "", opposite ? " opposite: " : ": ", text, "\n");
}

}  // namespace

Target TestTarget() {
  const char* name = std::getenv("KILN_TEST_TARGET");
  return name == nullptr ? Target::kTgl : ParseTarget(name).value();
}

std::vector<int> WidthsOf(Target target) {
  return target == Target::kGfx1030 ? std::vector<int>{32, 64} : std::vector<int>{8, 16, 32};
}

uint32_t MaxSamples(Target target) { return target == Target::kGfx1030 ? 8 : 16; }

std::string Compare(std::string_view module, const Setup& setup) {
  const absl::StatusOr<mir::Module> parsed = mir::Parse(module);
  if (!parsed.ok()) return std::string(parsed.status().message());
  const oracle::LaunchInputs inputs = Inputs(*parsed, setup);
  if (setup.bindless) return CompareModule(WithUnsizedArrays(*parsed), inputs, setup);
  return CompareModule(*parsed, inputs, setup);
}

std::string CompareModule(const mir::Module& module, const oracle::LaunchInputs& inputs,
                          const Setup& setup) {
  PrepareOptions prepare;
  prepare.passes.verify_each = true;
  prepare.passes.disabled = setup.disabled_passes;
  const auto prepared = PrepareMir(module, prepare, nullptr, {});
  if (!prepared.ok()) return std::string(prepared.status().message());
  CompileOptions options;
  options.passes.verify_each = true;
  options.widths = setup.widths;
  options.container = setup.container;
  options.passes.disabled = setup.disabled_passes;
  const auto compiled = setup.backend != nullptr
                            ? CompileFor(**prepared, *setup.backend, options, nullptr, {})
                            : Compile(**prepared, setup.target, options, nullptr, {});
  if (!compiled.ok()) return std::string(compiled.status().message());
  std::string text;
  for (const Variant& v : compiled->variants) {
    oracle::LaunchInputs want = inputs;
    want.subgroup_size = static_cast<uint32_t>(v.width);
    const auto interpreted = oracle::Interpret(module, want);
    if (!interpreted.ok()) return std::string(interpreted.status().message());
    text += RunVariant(v, inputs, want, setup, false, false);
    // A container is verified by its own tests.
    if (setup.waits && setup.container == out::Container::kRaw) text += Findings(setup.target, v);
    if (setup.target == Target::kTgl) text += RunVariant(v, inputs, want, setup, true, false);
    if (setup.opposite) text += RunVariant(v, inputs, want, setup, false, true);
  }
  if (compiled->variants.size() != setup.widths.size()) text += "a width is missing\n";
  return text;
}

}  // namespace kiln::exec
