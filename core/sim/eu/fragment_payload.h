// The register contents with which a fragment thread starts: positions, barycentrics, depth, masks,
// setup data.
//
// Registers that the payload does not define stay as they are.
#ifndef KILN_CORE_SIM_EU_FRAGMENT_PAYLOAD_H_
#define KILN_CORE_SIM_EU_FRAGMENT_PAYLOAD_H_

#include "core/sim/eu/fragment_launch.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

// Writes payload, setup data and masks into the registers of a thread, which holds undefined
// values.
void FillFragmentPayload(const FragmentThread& of, Thread& thread);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_FRAGMENT_PAYLOAD_H_
