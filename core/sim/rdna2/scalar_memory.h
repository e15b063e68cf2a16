// Finds memory that scalar loads read and the same dispatch writes.
//
// The scalar cache is not coherent with vector stores, and scalar loads are meant for memory that
// no wave of the dispatch changes (LLVM 19, AMDGPUUsage, "Memory Model GFX10"; Mesa reads by them
// only what may be reordered). So a dword that both a scalar load reads and a vector instruction
// writes, in whatever order, is an error that names both instructions.
//
// One object per dispatch. Cost: a lookup per dword accessed, four bytes per dword written.
#ifndef KILN_CORE_SIM_RDNA2_SCALAR_MEMORY_H_
#define KILN_CORE_SIM_RDNA2_SCALAR_MEMORY_H_

#include <array>
#include <cstdint>
#include <unordered_map>

#include "absl/status/status.h"
#include "core/sim/rdna2/program.h"

namespace kiln::sim::rdna2 {

class ScalarMemory {
 public:
  explicit ScalarMemory(const Program* program) : program_(program) {}

  // Begins an instruction.
  void Begin(uint32_t op) { op_ = op; }

  // The instruction under way reads, as a scalar load, or writes bytes of the simulator's memory.
  // `address` is what the program calls them.
  void Read(const uint8_t* data, uint64_t address, uint32_t bytes);
  void Write(const uint8_t* data, uint64_t address, uint32_t bytes);

  // Returns the first error found, FailedPrecondition.
  absl::Status status() const { return status_; }

 private:
  static constexpr uint64_t kPageDwords = 1024;
  using Page = std::array<uint32_t, kPageDwords>;  // the instruction that wrote a dword, plus 1

  void Report(uint32_t reads, uint32_t writes, uint64_t address);

  const Program* program_;
  uint32_t op_ = 0;
  // By where the dword is; looked up alone, never iterated.
  std::unordered_map<uintptr_t, uint32_t> reads_;
  std::unordered_map<uintptr_t, Page> writes_;  // by page
  absl::Status status_;
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_SCALAR_MEMORY_H_
