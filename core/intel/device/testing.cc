#include "core/intel/device/testing.h"

namespace kiln::intel {

const Device& TglBut(bool Instructions::*fact) {
  auto* device = new Device(Tgl());
  device->instructions.*fact = !(device->instructions.*fact);
  return *device;
}

}  // namespace kiln::intel
