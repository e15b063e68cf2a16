// See litmus.h.
#include "core/sim/scene/litmus.h"

#include <algorithm>
#include <set>

#include "gtest/gtest.h"

namespace kiln::sim::scene::litmus {
namespace {

bool IsStale(const Result& r) { return r[0] == 1 && r[1] == 0; }

// The reader has read the data once before: it must not use that copy again.
const Test kMessagePassing = {"message passing",
                              [](Program& p) {
                                p.In(0).Write(0, 1).Publish().Write(1, 1);
                                p.In(1).Read(0, 2).Poll(1, 0).Arrive().Refresh().ReadNew(0, 1);
                              },
                              IsStale,
                              {Role::kPublish, Role::kArrive, Role::kRefresh, Role::kNew}};

const Test kMessagePassingByAtomics = {"message passing by atomics",
                                       [](Program& p) {
                                         p.In(0).Write(0, 1).Publish().Add(1, 1, 2);
                                         p.In(1).Read(0, 3).Add(1, 0, 0).Arrive().Refresh().ReadNew(
                                             0, 1);
                                       },
                                       IsStale,
                                       {Role::kPublish, Role::kArrive, Role::kRefresh, Role::kNew}};

const Test kStoreBuffering = {"store buffering",
                              [](Program& p) {
                                p.In(0).Write(0, 1).Fence().ReadNew(1, 0);
                                p.In(1).Write(1, 1).Fence().ReadNew(0, 1);
                              },
                              [](const Result& r) { return r[0] == 0 && r[1] == 0; },
                              {Role::kFence, Role::kNew}};

// A read may not return a value that is written later.
const Test kLoadBuffering = {"load buffering",
                             [](Program& p) {
                               p.In(0).Poll(0, 0).Arrive().Publish().Write(1, 1);
                               p.In(1).Poll(1, 1).Arrive().Publish().Write(0, 1);
                             },
                             [](const Result& r) { return r[0] == 1 && r[1] == 1; },
                             {Role::kArrive}};

// The reader has read the data before, too.
const Test kWrittenBeforeABarrier = {"what is written before a barrier is seen after it",
                                     [](Program& p) {
                                       p.In(0).Write(0, 1).Publish();
                                       p.In(1).Read(0, 0).Arrive();
                                       if (p.RefreshesBeforeBarrier()) p.Refresh();
                                       p.Barrier();
                                       p.In(1);
                                       if (!p.RefreshesBeforeBarrier()) p.Refresh();
                                       p.ReadNew(0, 1);
                                     },
                                     [](const Result& r) { return r[1] == 0; },
                                     {Role::kPublish, Role::kArrive, Role::kRefresh, Role::kNew},
                                     true};

// A read before a barrier must have been waited for, or a write after the barrier may overtake it.
const Test kWrittenAfterABarrier = {"what is written after a barrier is not seen before it",
                                    [](Program& p) {
                                      p.In(0).Poll(0, 0).Arrive().Publish();
                                      p.Barrier();
                                      p.In(1).Write(0, 1);
                                    },
                                    [](const Result& r) { return r[0] == 1; },
                                    {Role::kArrive},
                                    true};

bool IsBackwards(const Result& r) { return r[0] > r[1] || r[1] > r[2]; }

const Test kReadsOfOnePlace = {"reads of one place stay in order",
                               [](Program& p) {
                                 p.In(0).Write(0, 1).Write(0, 2).Write(0, 3);
                                 p.In(1).Read(0, 0).Read(0, 1).Read(0, 2);
                               },
                               IsBackwards,
                               {},
                               false,
                               {[](const Result& r) { return r[0] < r[2]; }}};

// The threads agree on one thing only: the order of the writes to one address.
const Test kWritesOfOnePlace = {
    "writes of one place have one order",
    [](Program& p) {
      p.In(0).Write(0, 1).Read(0, 0).Read(0, 1);
      p.In(1).Write(0, 2).Read(0, 2).Read(0, 3);
    },
    [](const Result& r) { return r[0] == 2 && r[1] == 2 && r[2] == 1 && r[3] == 1; },
    {},
    false,
    {[](const Result& r) { return r[0] == 1 && r[2] == 2; },
     [](const Result& r) { return r[1] == 2 || r[3] == 1; }}};

const Test kOwnAccesses = {
    "a thread sees its own accesses in order",
    [](Program& p) {
      p.In(0).Write(0, 1).Read(0, 0).Add(0, 2, 1).Write(0, 2).Read(0, 2).Write(0, 3).Read(0, 3);
    },
    [](const Result& r) { return r[0] != 1 || r[1] != 1 || r[2] != 2 || r[3] != 3; },
    {}};

const Test kAtomics = {
    "atomics lose nothing",
    [](Program& p) {
      p.In(0).Add(0, 1, 0).Add(0, 1, 1);
      p.In(1).Add(0, 1, 2).Add(0, 1, 3);
    },
    [](const Result& r) {
      return std::set<uint32_t>{r[0], r[1], r[2], r[3]} != std::set<uint32_t>{0, 1, 2, 3};
    },
    {},
    false,
    {[](const Result& r) { return r[0] > r[2]; }, [](const Result& r) { return r[0] < r[2]; }}};

bool IsNeeded(const Machine& machine, const Test& test, Role role) {
  const bool named = std::find(test.needed.begin(), test.needed.end(), role) != test.needed.end();
  return named && (!machine.needs || machine.needs(test, role));
}

}  // namespace

const std::vector<Test>& Tests() {
  static const auto* const kTests =
      new std::vector<Test>{kMessagePassing,  kMessagePassingByAtomics, kStoreBuffering,
                            kLoadBuffering,   kWrittenBeforeABarrier,   kWrittenAfterABarrier,
                            kReadsOfOnePlace, kWritesOfOnePlace,        kOwnAccesses,
                            kAtomics};
  return *kTests;
}

bool IsSeen(const Machine& machine, const Builder& build, const Predicate& result, int without) {
  for (uint64_t seed = 1; seed <= machine.seeds; ++seed) {
    const std::unique_ptr<Program> program = machine.make(without);
    build(*program);
    for (const Result& lane : program->Run(seed)) {
      if (result(lane)) return true;
    }
  }
  return false;
}

void Check(const Machine& machine, const Test& test) {
  SCOPED_TRACE(machine.name + ": " + test.name);
  EXPECT_FALSE(IsSeen(machine, test.build, test.forbidden, Program::kNothing));
  for (size_t i = 0; i < test.allowed.size(); ++i) {
    EXPECT_TRUE(IsSeen(machine, test.build, test.allowed[i], Program::kNothing)) << "allowed " << i;
  }
  const std::unique_ptr<Program> whole = machine.make(Program::kNothing);
  test.build(*whole);
  for (size_t part = 0; part < whole->parts().size(); ++part) {
    const Role role = whole->parts()[part];
    EXPECT_EQ(IsSeen(machine, test.build, test.forbidden, static_cast<int>(part)),
              IsNeeded(machine, test, role))
        << "without part " << part << ", of role " << static_cast<int>(role);
  }
}

void CheckAll(const Machine& machine) {
  for (const Test& test : Tests()) {
    if (!test.barrier || machine.one_workgroup) Check(machine, test);
  }
}

}  // namespace kiln::sim::scene::litmus
