// Helpers for tests of the simulator: short constructors of instructions, and runs of single
// instructions and of whole programs on one thread.
#ifndef KILN_CORE_SIM_EU_TESTING_H_
#define KILN_CORE_SIM_EU_TESTING_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/intel/isa/instruction.h"
#include "core/intel/isa/program.h"
#include "core/out/launch_record.h"
#include "core/sim/eu/simulator.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu::testing {

namespace isa = ::kiln::intel::isa;

// rN.0<8;8,1> as a source (the region is ignored for destinations, whose stride is 1).
isa::Operand Grf(int nr, isa::Type type, int byte = 0);
// rN.byte<0;1,0>.
isa::Operand Scalar(int nr, isa::Type type, int byte = 0);
isa::Operand Dst(int nr, isa::Type type, int byte = 0, int hstride = 1);
isa::Operand Null(isa::Type type);
isa::Operand Register(isa::Arf arf, isa::Type type, int nr = 0, int byte = 0);
isa::Operand Imm(isa::Type type, uint64_t bits);
isa::Operand ImmF(float value);

isa::Instruction Make(isa::Opcode op, int exec_size, const isa::Operand& dst,
                      const isa::Operand& src0 = {}, const isa::Operand& src1 = {},
                      const isa::Operand& src2 = {});

// Operands of the three-source form have their own regions.
isa::Operand Ternary(int nr, isa::Type type);

isa::Instruction EndOfThread();

// A data-port send with payload r`src0`, r`src1`.
isa::Instruction SendTo(isa::Sfid sfid, uint32_t desc, uint32_t ex_desc, int exec_size, int dst,
                        int src0, int src1);

// Read and write a dword of r`nr`, or of the registers after it.
inline uint32_t Dword(const Thread& t, int nr, int dword) {
  return t.Read32(kGrfBytes * nr + 4 * dword);
}
inline void SetDword(Thread& t, int nr, int dword, uint32_t value) {
  t.Write32(kGrfBytes * nr + 4 * dword, value);
}

// Executes one instruction on a thread whose channels and registers the caller has set.
absl::Status Execute(const isa::Instruction& inst, Thread& thread);

// A record of one thread of `width` lanes with one storage buffer at table index 0.
out::LaunchRecord Record(int width, uint32_t shared_bytes = 0);

// Gives workgroups two threads, with their number in dword 0 of a register, and a barrier.
void AddSecondThread(int number_register, out::LaunchRecord& record);

// Adds an image with a sampler at set 0 binding 0: surface 2 and sampler 0.
void AddSampledImage(out::LaunchRecord& record);

// Runs a program with that record; returns the buffer, which starts as given.
absl::StatusOr<std::vector<uint32_t>> RunProgram(const isa::Program& program,
                                                 const out::LaunchRecord& record,
                                                 const Options& options,
                                                 const std::vector<uint32_t>& buffer);

// Appends a store of register pairs of 16 lanes (SIMD16, dword `lane` of the buffer) with waits:
// address register pair `address` is computed from `lane_id` (dwords 0..15).
void AppendStore(isa::Program& program, int value, int address, int width);

// Fills r`nr` (dwords) with 0, 1, 2, ... of the width.
void AppendLaneIds(isa::Program& program, int nr, int width);

}  // namespace kiln::sim::eu::testing

#endif  // KILN_CORE_SIM_EU_TESTING_H_
