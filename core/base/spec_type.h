// The type in which the value for a specialisation constant was written.
#ifndef KILN_CORE_BASE_SPEC_TYPE_H_
#define KILN_CORE_BASE_SPEC_TYPE_H_

#include <cstdint>

namespace kiln {

// 3 is valid both as an int and as a uint, whichever the constant is; the types distinguish -1 from
// 4294967295. The numbers are part of cache keys and of proto/worker.proto.
enum class SpecType : uint8_t {
  kBits = 0,  // for constants of any type
  kBool = 1,
  kInt32 = 2,  // also for narrower integers and for uints, in whose range the value must be
  kInt64 = 3,
  kFloat32 = 4,
  kFloat64 = 5,
  kUint32 = 6,
  kUint64 = 7,
};

}  // namespace kiln

#endif  // KILN_CORE_BASE_SPEC_TYPE_H_
