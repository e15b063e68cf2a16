// Waits, in tests, for what another thread or process does.
#ifndef KILN_CORE_BASE_TESTING_AWAIT_H_
#define KILN_CORE_BASE_TESTING_AWAIT_H_

#include <chrono>
#include <thread>

namespace kiln {

// Evaluates `condition` once a millisecond until it is true. Returns false if it does not become
// true within the time; the default is far more than a busy machine needs. Measures with the steady
// clock, so that tests that move absl::Now() can use it.
template <class Condition>
bool Await(const Condition& condition, std::chrono::milliseconds within = std::chrono::minutes(1)) {
  const auto end = std::chrono::steady_clock::now() + within;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace kiln

#endif  // KILN_CORE_BASE_TESTING_AWAIT_H_
