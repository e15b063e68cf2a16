// Litmus programs of two threads for the memory modes of all simulators, and the check that a
// machine keeps them: results that are forbidden never occur; without any one of the needed fences,
// waits, cache bits or invalidates they do; results that are allowed occur.
//
// A thread is what runs lanes together (run.h). Each lane is a litmus test of its own: lane l of
// one thread works with lane l of the other. Tests are written against Program, of which each
// simulator's tests have an implementation for each kind of memory and each place of the two
// threads.
#ifndef KILN_CORE_SIM_SCENE_LITMUS_H_
#define KILN_CORE_SIM_SCENE_LITMUS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kiln::sim::scene::litmus {

// The purpose of an instruction, or of a bit of one. Those with a role are the parts of a
// program; a machine may need none for a role, or several.
enum class Role : uint8_t {
  kPublish,  // earlier writes take effect before later ones
  kArrive,   // earlier reads take effect before whatever follows
  kRefresh,  // later reads are not answered from old copies
  kFence,    // all of these
  kNew,      // this one read is not answered from an old copy
};

inline constexpr int kAddresses = 4, kValues = 4, kResults = 6;

// A program, built part by part; one part may be left out.
class Program {
 public:
  static constexpr int kNothing = -1;
  explicit Program(int without) : without_(without) {}
  virtual ~Program() = default;

  // Selects the thread, 0 or 1, of the following.
  Program& In(int thread) {
    thread_ = thread;
    return *this;
  }
  // An address, a value and the number of a result; memory and results begin as 0. Add returns the
  // value before.
  virtual Program& Write(int address, int value) = 0;
  virtual Program& Add(int address, int value, int result) = 0;
  virtual Program& Read(int address, int result) = 0;     // may be answered from an old copy
  virtual Program& ReadNew(int address, int result) = 0;  // may not, by what the machine has for it
  virtual Program& Poll(int address, int result) = 0;     // the same, but no part
  virtual Program& Publish() = 0;
  virtual Program& Arrive() = 0;
  virtual Program& Refresh() = 0;
  virtual Program& Fence() = 0;
  virtual Program& Barrier() = 0;  // of both threads, which are of one workgroup

  // Says if Refresh stands before the barrier behind which it is needed.
  virtual bool RefreshesBeforeBarrier() const { return false; }

  // Returns what each lane has read, by number of result.
  virtual std::vector<std::vector<uint32_t>> Run(uint64_t seed) = 0;

  const std::vector<Role>& parts() const { return parts_; }

 protected:
  // Adds a part; returns false if it is the one that is left out.
  bool Part(Role role) {
    parts_.push_back(role);
    return static_cast<int>(parts_.size()) - 1 != without_;
  }
  int thread() const { return thread_; }

 private:
  int without_;
  int thread_ = 0;
  std::vector<Role> parts_;
};

using Result = std::vector<uint32_t>;  // of a lane
using Predicate = std::function<bool(const Result&)>;
using Builder = std::function<void(Program&)>;

struct Test {
  std::string name;
  Builder build;
  Predicate forbidden;
  std::vector<Role> needed;  // each part of these roles is needed
  bool barrier = false;      // only for threads of one workgroup
  std::vector<Predicate> allowed = {};
};

// All tests; names are the usual ones.
const std::vector<Test>& Tests();

struct Machine {
  std::string name;
  std::function<std::unique_ptr<Program>(int without)> make;
  uint64_t seeds = 1500;
  bool one_workgroup = true;
  // Says if this machine needs the parts of a role that a test names: it may keep more order by
  // itself than the test asks for. Null: all.
  std::function<bool(const Test&, Role)> needs = nullptr;
};

// Returns true if some run has a lane with such a result.
bool IsSeen(const Machine& machine, const Builder& build, const Predicate& result, int without);

// Reports failures of a test on a machine as those of GoogleTest.
void Check(const Machine& machine, const Test& test);

// The same of all tests that the machine can run.
void CheckAll(const Machine& machine);

}  // namespace kiln::sim::scene::litmus

#endif  // KILN_CORE_SIM_SCENE_LITMUS_H_
