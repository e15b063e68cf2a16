// The client's memory as waves see it in memory mode: stores change it for all, loads may find what
// it was earlier (caches.h).
//
// Accesses are made by the instructions themselves, on the simulator's bytes. This class is told of
// each directly before: it puts bytes that are loaded back to what the caches answer, until
// PutBack, and keeps the history of those that are stored. Other memory (scratch, descriptors,
// code) is left alone.
#ifndef KILN_CORE_SIM_RDNA2_CLIENT_MEMORY_H_
#define KILN_CORE_SIM_RDNA2_CLIENT_MEMORY_H_

#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/base/splitmix.h"
#include "core/sim/rdna2/access_log.h"
#include "core/sim/rdna2/caches.h"
#include "core/sim/rdna2/in_flight.h"
#include "core/sim/rdna2/needs.h"
#include "core/sim/scene/dispatch.h"
#include "core/sim/scene/memory_history.h"

namespace kiln::sim::rdna2 {

class ClientMemory {
 public:
  static constexpr uint64_t kNoName = 0;

  // Keeps where the buffers and images of the dispatch are, and references to the others. `needs`
  // may be null.
  ClientMemory(const scene::Dispatch& dispatch, Splitmix& random, Needs* needs);

  // Returns the name of a byte, by which lines are cut: the same in every process, and larger than
  // any address. kNoName if it is not the client's.
  uint64_t NameOf(const uint8_t* data) const;

  // An instruction of a CU accesses bytes, directly after this.
  void Access(const InFlight& message, uint32_t cu, uint8_t* data, uint32_t bytes, Use use);

  // The bytes of the last access have been read.
  void PutBack();

  // Bytes that will be changed for a trial: PutBack undoes it.
  void Remember(uint8_t* data, uint32_t bytes) { patches_.push_back({data, {data, data + bytes}}); }

  Caches& caches() { return caches_; }

 private:
  static constexpr uint64_t kMaxChanges = 1 << 16;

  struct Allocation {
    const uint8_t* data;
    uint64_t size;
  };
  struct Patch {
    uint8_t* data;
    std::vector<uint8_t> present;
  };
  // Who changed a dword last.
  struct Writer {
    uint32_t cu;
    uint32_t op;  // byte of the instruction
    bool whole_lines;
    std::shared_ptr<std::set<uint32_t>> waits;  // bytes of the waits for it; may be null
  };

  void Load(const InFlight& message, uint32_t cu, uint64_t name, uint8_t* data, uint32_t bytes);
  void Change(uint32_t cu, uint64_t name, const uint8_t* data, uint32_t bytes);
  void NoteNeeds(const InFlight& message, uint32_t cu, uint64_t name, uint32_t bytes, Use use);

  scene::MemoryHistory history_;
  Caches caches_;
  Needs* needs_;
  std::vector<Allocation> allocations_;
  std::vector<Patch> patches_;
  // By dword, if needs are noted. Looked up alone, never iterated.
  std::unordered_map<uint64_t, Writer> writers_;
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_CLIENT_MEMORY_H_
