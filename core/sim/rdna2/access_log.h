// Contract mode: whether the waves of a workgroup wait for their memory accesses before a barrier,
// so that the barrier orders them with those of other waves.
//
// s_barrier waits for no memory access. An access that is in flight when its wave arrives may take
// effect after one that another wave makes behind the barrier. If one of the two writes, and they
// are not both atomics, that is an error that names both. Accesses that no barrier separates are
// not judged: their order is open in any case. The waits are rows of contract_rules.h.
//
// One object per running workgroup. Cost: a lookup per dword accessed.
#ifndef KILN_CORE_SIM_RDNA2_ACCESS_LOG_H_
#define KILN_CORE_SIM_RDNA2_ACCESS_LOG_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "core/sim/rdna2/observer.h"
#include "core/sim/rdna2/program.h"

namespace kiln::sim::rdna2 {

class AccessLog {
 public:
  // `one_cache`: all waves reach memory through one cache, in order (CU mode): only LDS is judged.
  AccessLog(const Program* program, bool one_cache) : program_(program), one_cache_(one_cache) {}

  // Begins an instruction of a wave that has passed `phase` barriers; returns its number, from 1.
  uint32_t Begin(uint32_t op, uint32_t wave, uint32_t phase);

  // The instruction under way accesses bytes.
  void Note(Space space, uint64_t address, uint32_t bytes, Use use);

  // The wave has waited for an instruction, when it had passed `phase` barriers.
  void Done(uint32_t number, uint32_t phase) { issued_[number - 1].done = phase; }

  // Returns the first error that Note found, FailedPrecondition.
  absl::Status status() const { return status_; }

 private:
  struct Issued {
    uint32_t op = 0, wave = 0;
    uint32_t begun = 0, done = ~uint32_t{0};  // phases
  };
  struct Access {
    uint32_t number = 0;
    Use use = Use::kRead;
  };
  // The accesses of a dword which an access behind a barrier may yet have to be ordered with: of
  // each wave the last of a kind since the last barrier, and earlier ones that had not ended there.
  using Dword = std::vector<Access>;

  void Judge(const Access& earlier, Space space, uint64_t address);
  bool IsSettled(const Access& access) const;
  void Remember(Use use, Dword& dword) const;

  const Program* program_;
  bool one_cache_;
  std::vector<Issued> issued_;
  // Looked up by address alone, never iterated.
  std::unordered_map<uint64_t, Dword> dwords_;
  absl::Status status_;
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_ACCESS_LOG_H_
