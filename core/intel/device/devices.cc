// The table of devices. A new one is a row here, with a source for each figure.
#include "core/intel/device/device.h"

#include "core/intel/isa/messages.h"

namespace kiln::intel {
namespace {

// Cycles. The figures are a linear regression over timings measured with the timestamp register.
// Rows that the source marks as guesses (messages of the data port, accumulators, flags of
// three-source instructions) are guesses here too. Kiln's authors have measured no hardware.
constexpr TimingTable kGen11Timings = {
    .source = "Mesa, brw_ir_performance.cpp, rows for generation 11 and later; intel/SOURCES.md",
    .rows = {{
        {TimingKind::kAlu, Unit::kFpu, 0, 2, 0, 2, 0, 10, 6, 14, 0, 0},
        // A control register is read only after the pipeline has drained.
        {TimingKind::kArchitecture, Unit::kFpu, 20, 6, 0, 6, 0, 10, 6, 14, 0, 0},
        {TimingKind::kMath, Unit::kMath, -2, 4, 0, 4, 0, 16, 0, 0, 0, 0},
        {TimingKind::kPower, Unit::kMath, -2, 4, 0, 8, 0, 24, 0, 0, 0, 0},
        {TimingKind::kDivision, Unit::kMath, 2, 0, 26, 0, 0, 28, 0, 0, 0, 0},
        {TimingKind::kBranch, Unit::kControl, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0},
        {TimingKind::kSampler, Unit::kSampler, 2, 0, 0, 16, 8, 750, 0, 0, 2, 0},
        {TimingKind::kData, Unit::kDataCache, 2, 0, 0, 20, 10, 100, 0, 0, 0, 0},
        {TimingKind::kAtomic, Unit::kDataCache, 2, 0, 30, 400, 10, 100, 0, 0, 0, 400},
        {TimingKind::kFence, Unit::kDataCache, 2, 0, 30, 0, 10, 100, 0, 0, 0, 0},
        {TimingKind::kConstant, Unit::kConstantCache, 2, 0, 0, 16, 10, 100, 0, 0, 0, 0},
        {TimingKind::kRender, Unit::kRenderCache, 2, 0, 0, 450, 10, 300, 0, 0, 0, 0},
        {TimingKind::kUrb, Unit::kUrb, 2, 0, 0, 6, 32, 200, 0, 0, 0, 0},
        {TimingKind::kInterpolator, Unit::kInterpolator, 2, 0, 14, 0, 0, 90, 0, 0, 0, 0},
        {TimingKind::kBarrier, Unit::kGateway, 90, 0, 0, 0, 0, 0, 0, 0, 0, 0},
        {TimingKind::kSpawn, Unit::kSpawner, 2, 0, 0, 0, 10, 0, 0, 0, 0, 0},
    }}};
static_assert(IsComplete(kGen11Timings));

constexpr Device kTgl = {
    .name = "tgl",
    .generation = isa::Generation::kGen12,
    .limits =
        {
            .surfaces = isa::kBindingTableEntries,
            .samplers = 16,
            // Surface handles have 20 bits.
            .bindless_surfaces = 1u << 20,
            // Half of the register file, 2 KiB.
            .push_registers = 64,
            // Constant buffers 0 to 3 of 3DSTATE_CONSTANT.
            .push_ranges = 4,
            // The walker's thread counters hold 0..63 (GPGPU_WALKER, "Thread Width Counter
            // Maximum"), which is less than the 112 threads of a Gen12 dual subslice.
            .threads_per_group = 64,
            // Mesa's driver for this generation reports the next two as
            // maxComputeWorkGroupInvocations (and as maxComputeWorkGroupSize in each dimension) and
            // maxComputeSharedMemorySize. Its compiler has the third as the maximum scratch memory
            // of a thread.
            .invocations = 1024,
            .shared_bytes = 64u << 10,
            .scratch_bytes = 2u << 20,
        },
    .machine =
        {
            .registers = 128,
            // PRM volume 2a, send: a message that ends the thread reads r112 to r127.
            .tail_first = 112,
            // f0.0, f0.1, f1.0, f1.1.
            .flag_granules = 4,
            // Scratch block messages have 12 bits for the number of the register in scratch memory
            // at which they start.
            .scratch_block = 4096,
        },
    // Sources: core/intel/isa/opcodes.def and messages.def, with which device_test compares; Mesa
    // 25.0.7, src/intel; IGC, visa.
    .instructions =
        {
            // From Gen11 on (Mesa, has_rotate32; IGC, HANDLE_INST of rol: GENX_ICLLP).
            .rotate = true,
            // From Gen12 on (Mesa, has_sdot_4x8; IGC, HANDLE_INST of dp4a: GENX_TGLLP).
            .dot4 = true,
            // From Gen8 on (Mesa, GFX8_HW_REG_TYPE_HF: the type has no code before).
            .half_floats = true,
            // Not on Gen11 and Gen12, and of Gen9 only on the devices with large cores
            // (Mesa, has_integer_dword_mul; IGC, noDwDstForDwordMul).
            .dword_product = false,
            // From Gen8 on (Mesa, GFX8_DATAPORT_DC_PORT1_A64_*).
            .addresses = true,
            // From Gen12 on (Mesa, brw_lower_scoreboard; IGC, hasSWSB).
            .software_scoreboard = true,
        },
    .timings = &kGen11Timings,
};

constexpr const Device* kDevices[] = {&kTgl};

}  // namespace

const Device& Tgl() { return kTgl; }
absl::Span<const Device* const> Devices() { return kDevices; }

}  // namespace kiln::intel
