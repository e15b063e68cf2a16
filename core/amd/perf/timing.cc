#include "core/amd/perf/timing.h"

namespace kiln::amd {
namespace {

using isa::Encoding;

constexpr int kVectorMemoryResult = 320;
constexpr int kLdsResult = 20;
constexpr int kExportResult = 16;
constexpr int kScalarMemoryHit = 30;  // likely in the scalar cache
constexpr int kScalarMemoryMiss = 200;
constexpr int kClockResult = 1;  // s_memtime: no memory

struct UnitTiming {
  isa::Unit unit;
  int result;
  Unit first;
  int first_cycles;
  Unit second;
  int second_cycles;  // 0: there is no second unit
};

// The timings of the opcodes' units. Waits, barriers and s_nop occupy none.
constexpr UnitTiming kUnitTimings[] = {
    {isa::Unit::kSalu, 2, Unit::kScalar, 1, Unit::kScalar, 0},
    {isa::Unit::kBranch, 0, Unit::kBranch, 3, Unit::kBranch, 0},
    {isa::Unit::kMessage, 0, Unit::kBranch, 3, Unit::kBranch, 0},
    {isa::Unit::kScalarMemory, 0, Unit::kScalar, 1, Unit::kScalar, 0},
    {isa::Unit::kValu, 5, Unit::kVector, 1, Unit::kVector, 0},
    {isa::Unit::kInterpolate, 5, Unit::kVector, 1, Unit::kVector, 0},
    {isa::Unit::kValu64, 6, Unit::kVector, 2, Unit::kComplex, 2},
    {isa::Unit::kQuarter, 8, Unit::kVector, 4, Unit::kComplex, 4},
    {isa::Unit::kTranscendental, 10, Unit::kVector, 1, Unit::kComplex, 4},
    {isa::Unit::kDouble, 22, Unit::kVector, 16, Unit::kComplex, 16},
    {isa::Unit::kDoubleTranscendental, 24, Unit::kVector, 16, Unit::kComplex, 16},
    {isa::Unit::kLds, 0, Unit::kLds, 1, Unit::kLds, 0},
    {isa::Unit::kVectorMemory, 0, Unit::kVectorMemory, 1, Unit::kVectorMemory, 0},
    {isa::Unit::kExport, 0, Unit::kExport, 1, Unit::kExport, 0},
};

// Returns true if vector memory gives something back: it counts in vmcnt then, else in vscnt.
bool Returns(const isa::OpcodeInfo& info, const isa::Instruction& inst) {
  if (info.Has(isa::opcode_flag::kStore) || info.dst == isa::Type::kN) return false;
  return !info.Has(isa::opcode_flag::kAtomic) || inst.glc;
}

int ScalarMemoryResult(const isa::OpcodeInfo& info, const isa::Instruction& inst) {
  if (info.dst == isa::Type::kN) return kScalarMemoryMiss;
  if (info.src[0] == isa::Type::kN) return kClockResult;
  // A load from a pointer reads a descriptor, one at a constant offset a neighbour of others.
  const bool pointer = isa::Dwords(info.src[0]) == 2;
  const bool constant = !inst.src[1].exists() || inst.src[1].code == isa::kNull;
  return pointer || constant ? kScalarMemoryHit : kScalarMemoryMiss;
}

void AddCounters(const isa::OpcodeInfo& info, const isa::Instruction& inst, Timing* timing) {
  const auto counted = [timing](Counter c) -> int& {
    return timing->counted[static_cast<size_t>(c)];
  };
  switch (info.unit) {
    case isa::Unit::kExport: counted(Counter::kExp) = kExportResult; break;
    case isa::Unit::kScalarMemory: counted(Counter::kLgkm) = ScalarMemoryResult(info, inst); break;
    case isa::Unit::kLds: counted(Counter::kLgkm) = kLdsResult; break;
    case isa::Unit::kVectorMemory:
      counted(Returns(info, inst) ? Counter::kVm : Counter::kVs) = kVectorMemoryResult;
      if (info.encoding == Encoding::kFlat) counted(Counter::kLgkm) = kLdsResult;
      break;
    default: break;
  }
}

// Returns the counters that s_waitcnt names: fields of Mesa 25.0.7, aco_ir.cpp, wait_imm::pack.
std::array<int, kCounters> FieldsOfWaitcnt(uint16_t simm) {
  std::array<int, kCounters> waits;
  waits.fill(-1);
  waits[static_cast<size_t>(Counter::kVm)] = (simm & 15) | (simm >> 10 & 0x30);
  waits[static_cast<size_t>(Counter::kExp)] = simm >> 4 & 7;
  waits[static_cast<size_t>(Counter::kLgkm)] = simm >> 8 & 63;
  return waits;
}

}  // namespace

std::string_view Name(Unit unit) {
  constexpr std::string_view kNames[kUnits] = {"scalar", "branch", "vector",       "complex",
                                               "lds",    "export", "vector_memory"};
  return kNames[static_cast<size_t>(unit)];
}

Timing TimingOf(const isa::Instruction& inst) {
  const isa::OpcodeInfo& info = isa::Info(inst.op);
  Timing timing;
  for (const UnitTiming& row : kUnitTimings) {
    if (row.unit != info.unit) continue;
    timing.result = row.result;
    timing.busy[static_cast<size_t>(row.first)] = row.first_cycles;
    if (row.second_cycles != 0) timing.busy[static_cast<size_t>(row.second)] = row.second_cycles;
  }
  if (inst.gds) {
    timing.busy = {};
    timing.busy[static_cast<size_t>(Unit::kExport)] = 1;
  }
  AddCounters(info, inst, &timing);
  return timing;
}

std::array<int, kCounters> WaitsOf(const isa::Instruction& inst, const Timing& timing) {
  std::array<int, kCounters> waits;
  waits.fill(-1);
  const auto wait = [&waits](Counter c) -> int& { return waits[static_cast<size_t>(c)]; };
  switch (inst.op) {
    case isa::Opcode::kSWaitcnt: return FieldsOfWaitcnt(inst.simm);
    case isa::Opcode::kSWaitcntVscnt: wait(Counter::kVs) = inst.simm; return waits;
    case isa::Opcode::kSWaitcntVmcnt: wait(Counter::kVm) = inst.simm; return waits;
    case isa::Opcode::kSWaitcntExpcnt: wait(Counter::kExp) = inst.simm; return waits;
    case isa::Opcode::kSWaitcntLgkmcnt: wait(Counter::kLgkm) = inst.simm; return waits;
    default: break;
  }
  if (isa::Info(inst.op).Has(isa::opcode_flag::kEnd)) {
    waits.fill(0);
    return waits;
  }
  for (int c = 0; c < kCounters; ++c) {
    const size_t i = static_cast<size_t>(c);
    if (timing.counted[i] != 0) waits[i] = MostCounted(static_cast<Counter>(c)) - 1;
  }
  return waits;
}

}  // namespace kiln::amd
