// URB writes: store a vertex thread's outputs into the entries of its lanes' vertices.
//
// Register k of the data is dword k of every lane's entry, counted from the message's offset, in
// slots of four dwords; with masks, bit 16 + k of a lane's mask enables its write. Everything that
// the hardware demands and does not check by itself (it hangs, writes into other vertices' entries,
// or passes garbage on) is a named error:
//   8 lanes from the first on; 1 to 8 registers of data (message.cc); handles as they were
//   delivered; no dword beyond the entry; no lane without a vertex; the end of the thread: payload
//   from r112 on, all lanes with which the thread started and none left parked at a branch, the
//   header of each entry written whole, with 0 in fields that the record does not give the shader,
//   every distance that is clipped or culled by, and every slot that the record calls written.
// Writes of one thread take effect in its order. Two writes of the same dword are allowed. Sources:
// Mesa 25.0.7, brw_lower_logical_sends.cpp (lower_urb_write_logical_send), brw_fs_visitor.cpp
// (emit_urb_writes, and the PRMs that it names), brw_eu_validate.c; for masks brw_fs_nir.cpp
// (emit_urb_direct_vec4_write).
#ifndef KILN_CORE_SIM_EU_URB_WRITE_H_
#define KILN_CORE_SIM_EU_URB_WRITE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/sim/eu/dataport.h"
#include "core/sim/eu/message.h"
#include "core/sim/eu/program.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

// Executes the write for the enabled channels of the thread (perhaps none). InvalidArgument names
// the violated rule.
absl::Status ExecuteUrbWrite(const Op& op, const Message& message,
                             const MessageRegisters& registers, uint32_t enabled, Thread& thread);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_URB_WRITE_H_
