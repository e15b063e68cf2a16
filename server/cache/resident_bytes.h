// Resident memory of a test's process, for tests of bounds of memory.
#ifndef KILN_SERVER_CACHE_RESIDENT_BYTES_H_
#define KILN_SERVER_CACHE_RESIDENT_BYTES_H_

#include <unistd.h>

#include <cstdint>
#include <fstream>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace kiln::cache {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitised = true;  // shadow memory and quarantines are resident too
#else
inline constexpr bool kSanitised = false;
#endif

// Returns this process's resident bytes, after the allocator has given back what has been free long
// enough.
inline double ResidentBytes() {
  absl::SleepFor(absl::Milliseconds(2500));
  uint64_t total = 0, resident = 0;  // in pages
  std::ifstream("/proc/self/statm") >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_RESIDENT_BYTES_H_
