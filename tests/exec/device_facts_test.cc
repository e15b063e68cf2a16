// Devices that lack one thing: code compiled for them does not have it, and computes the same in
// the simulator, or is refused by name.
#include <string>

#include "absl/strings/str_cat.h"
#include "core/driver/prepared.h"
#include "core/intel/device/testing.h"
#include "core/intel/pipeline/backend.h"
#include "core/intel/pipeline/passes.h"
#include "core/mir/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

using intel::Device;
using intel::Instructions;
using testing::HasSubstr;
using testing::Not;

// A target whose device is Tiger Lake with the opposite of one fact.
template <bool Instructions::*fact>
struct Target {
  static const Device& Of() {
    static const Device& device = intel::TglBut(fact);
    return device;
  }
  static absl::StatusOr<Compiled> Compile(const mir::Module& m, const CompileOptions& options,
                                          Runner& runner, Sink* sink) {
    return intel::CompileWidths(Of(), m, options, runner, sink);
  }
  static std::vector<PassRow> Passes() { return intel::PassRows(Of()); }
  static const Backend& Row() {
    static const mid::Features features = intel::FeaturesOf(Of());
    static const Backend row = {.name = "test",
                                .features = &features,
                                .statistics = intel::kTglBackend.statistics,
                                .passes = Passes,
                                .compile = Compile,
                                .disassemble = intel::kTglBackend.disassemble};
    return row;
  }
};

// Returns the code at 16 lanes as text, or the refusal.
std::string CodeFor(const Backend& backend, const std::string& module) {
  const auto m = mir::Parse(module);
  if (!m.ok()) return m.status().ToString();
  const auto prepared = PrepareMir(*m, {}, nullptr, {});
  if (!prepared.ok()) return prepared.status().ToString();
  CompileOptions options;
  options.widths = {16};
  const auto compiled = CompileFor(**prepared, backend, options, nullptr, {});
  if (!compiled.ok()) return TextOf(compiled.status());
  return backend.disassemble(compiled->variants[0].code).value_or("");
}

// A module that reads three dwords of each lane and stores the value %9 of `body`.
std::string OfThree(const std::string& body) {
  return "mir 1 local_size 32, 1, 1 shared 256 resource 0 ssbo 0.0.0 resource 1 ssbo 0.1.0 body {\n"
         "%0:i32 = local_index %1:i32 = shl %0, 4 %2:i32 = shl %0, 2\n"
         "%3:i32, %4:i32, %5:i32 = load_ssbo[0, align 4] %1\n" +
         body + "\nstore_ssbo[1, align 4] %2, %9 return }\n";
}

// Compiles for both devices, with and without what the fact says, and runs the code of the second.
template <bool Instructions::*fact>
void Replaces(const std::string& module, const std::string& mnemonic) {
  const Backend& without = Target<fact>::Row();
  EXPECT_THAT(CodeFor(intel::kTglBackend, module), HasSubstr(mnemonic));
  const std::string code = CodeFor(without, module);
  EXPECT_THAT(code, HasSubstr("EOT"));
  EXPECT_THAT(code, Not(HasSubstr(mnemonic)));
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    exec::Setup setup;
    setup.seed = seed;
    setup.backend = &without;
    EXPECT_EQ(exec::Compare(module, setup), "") << module;
  }
}

TEST(DeviceFacts, RotationsAreShiftsWithout) {
  Replaces<&Instructions::rotate>(
      OfThree("%6:i32 = shl %3, 5 %7:i32 = ushr %3, 27 %9:i32 = or %6, %7"), "rol (");
}

TEST(DeviceFacts, DotProductsAreSumsWithout) {
  for (const char* op :
       {"sdot4x8", "udot4x8", "sudot4x8", "sdot4x8_sat", "udot4x8_sat", "sudot4x8_sat"}) {
    Replaces<&Instructions::dot4>(OfThree(absl::StrCat("%9:i32 = ", op, " %3, %4, %5")), "dp4a (");
  }
}

// Code for hardware that interlocks registers has no waits, and no pass sets any.
TEST(DeviceFacts, HardwareWaitsNeedNoSoftwareScoreboard) {
  using Interlocked = Target<&Instructions::software_scoreboard>;
  const std::string module = OfThree(
      "store_shared[align 4] %2, %3 %6:i32 = load_shared[align 4] %2\n"
      "memory_barrier[1, device] %9:i32 = imul %6, %4");
  EXPECT_THAT(CodeFor(intel::kTglBackend, module), HasSubstr("sync."));
  const std::string code = CodeFor(Interlocked::Row(), module);
  EXPECT_THAT(code, HasSubstr("EOT"));
  EXPECT_THAT(code, Not(HasSubstr("sync.")));
  EXPECT_THAT(code, Not(HasSubstr("$"))) << "tokens";
  EXPECT_THAT(code, Not(HasSubstr("@"))) << "distances";
  exec::Setup setup;
  setup.backend = &Interlocked::Row();
  setup.waits = false;
  EXPECT_EQ(exec::Compare(module, setup), "");
  for (const PassRow& row : Interlocked::Row().passes()) EXPECT_NE(row.name, "assign_scoreboard");
}

// Returns the refusal of a module by the device that lacks what the fact says.
template <bool Instructions::*fact>
std::string RefusalOf(const std::string& module) {
  EXPECT_THAT(CodeFor(intel::kTglBackend, module), HasSubstr("EOT"));
  return CodeFor(Target<fact>::Row(), module);
}

std::string Needing(const std::string& need, const std::string& body) {
  return "mir 1 local_size 32, 1, 1 push 16 resource 0 ssbo 0.0.0 needs " + need +
         " at 260 ;%77\nbody {\n" + body + "\nreturn }\n";
}

TEST(DeviceFacts, HalfFloatsAreRefusedWithout) {
  EXPECT_EQ(RefusalOf<&Instructions::half_floats>(
                Needing("half_floats",
                        "%0:f16 = load_ssbo[0, align 4] 0\n%1:f16 = fadd %0, 1h\n"
                        "store_ssbo[0, align 4] 0, %1")),
            "half_floats: float of 16 bits (%77)");
}

TEST(DeviceFacts, AddressesAreRefusedWithout) {
  EXPECT_EQ(RefusalOf<&Instructions::addresses>(Needing("addresses",
                                                        "%0:i32, %1:i32 = load_push[align 8] 0\n"
                                                        "store_global[align 4] %0, %1, 7")),
            "device_addresses: access by a 64-bit address [capability "
            "PhysicalStorageBufferAddresses] (%77)");
}

// A need that is not listed, since a pass made the code that has it: never wrong code.
TEST(DeviceFacts, WhatSlipsThroughIsAnError) {
  const std::string half =
      "mir 1 local_size 8, 1, 1 resource 0 ssbo 0.0.0 body { %0:f16 = load_ssbo[0, align 4] 0\n"
      "%1:f16 = fadd %0, 1h\nstore_ssbo[0, align 4] 0, %1 return }";
  EXPECT_THAT(RefusalOf<&Instructions::half_floats>(half),
              HasSubstr("the device has no half_floats"));
}

}  // namespace
}  // namespace kiln
