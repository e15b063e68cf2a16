// Devices that no one sells, for tests of what code asks of a device.
#ifndef KILN_CORE_INTEL_DEVICE_TESTING_H_
#define KILN_CORE_INTEL_DEVICE_TESTING_H_

#include "core/intel/device/device.h"

namespace kiln::intel {

// Returns Tiger Lake with the opposite of one fact. Lives as long as the process; not in Devices().
const Device& TglBut(bool Instructions::*fact);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_DEVICE_TESTING_H_
