// A compute program for tests of the tools, made by the encoder.
#ifndef KILN_CORE_AMD_PIPELINE_TESTING_H_
#define KILN_CORE_AMD_PIPELINE_TESTING_H_

#include <cstdint>
#include <vector>

#include "core/out/launch_record.h"
#include "core/sim/scene/dispatch.h"

namespace kiln::amd::testing {

// Each of 32 invocations stores `value` in its dword of the buffer at binding 0.
struct StoreProgram {
  std::vector<uint8_t> code;
  out::LaunchRecord record;
  sim::scene::Dispatch dispatch;  // one workgroup
};
StoreProgram MakeStoreProgram(int value);  // 0 to 64

}  // namespace kiln::amd::testing

#endif  // KILN_CORE_AMD_PIPELINE_TESTING_H_
