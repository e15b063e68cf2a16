// Landlock: see landlock.h.
#include "server/worker/landlock.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace kiln::worker {
namespace {

// The newest version whose rules are known here.
constexpr long kKnown = 6;
constexpr unsigned kAskVersion = 1;

// The kernel's struct; fields that an older kernel does not know have to be zero.
struct Rules {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scopes = 0;
};

uint64_t Bits(int n) { return (uint64_t{1} << n) - 1; }

Rules EverythingOf(long version) {
  Rules rules;
  rules.files = Bits(13);                     // execute, read, write, make, remove
  if (version >= 2) rules.files |= Bits(14);  // rename across folders
  if (version >= 3) rules.files |= Bits(15);  // truncate
  if (version >= 4) rules.network = Bits(2);  // bind, connect
  if (version >= 5) rules.files |= Bits(16);  // ioctl of devices
  if (version >= 6) rules.scopes = Bits(2);   // abstract sockets, signals
  return rules;
}

}  // namespace

uint32_t EnterLandlock() {
  const long version =
      std::min(kKnown, syscall(SYS_landlock_create_ruleset, nullptr, size_t{0}, kAskVersion));
  if (version < 1) return 0;
  const Rules rules = EverythingOf(version);
  const long set = syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0U);
  if (set < 0) return 0;
  const bool entered = syscall(SYS_landlock_restrict_self, set, 0U) == 0;
  close(static_cast<int>(set));
  return entered ? static_cast<uint32_t>(version) : 0;
}

}  // namespace kiln::worker
