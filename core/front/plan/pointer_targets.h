// Finds the variables that a pointer chosen by value may lead to (SPV_KHR_variable_pointers).
//
// A pointer into a storage buffer or shared memory may be selected, joined by phis, held in local
// variables, passed and returned. To access memory through it, the importer must know the possible
// buffers; which one it is at run time is part of the pointer's value. For every SPIR-V id whose
// type holds such pointers this finds the set of variables, by following values from where pointers
// are made to where they are used: through instructions, calls (all calls of a function together)
// and local variables (all of a variable's contents together). Sets have at most kMaxTargets
// elements; the importer refuses accesses through a pointer with more (TooMany).
//
// Cost: linear in the reachable instructions, since each set grows at most kMaxTargets times and is
// propagated each time. Modules that declare neither of the extension's capabilities cost nothing.
#ifndef KILN_CORE_FRONT_PLAN_POINTER_TARGETS_H_
#define KILN_CORE_FRONT_PLAN_POINTER_TARGETS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/front/plan/plan.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

constexpr size_t kMaxTargets = 16;

class PointerTargets {
 public:
  // Walks the functions of plan.order.
  PointerTargets(const SpirvModule& module, const Plan& plan);

  // Returns the variables of an id as indices in SpirvModule::variables, ascending. Empty if it
  // holds no pointer to a variable.
  absl::Span<const uint32_t> Of(uint32_t id) const;
  // Returns true if an id has more variables than kMaxTargets.
  bool TooMany(uint32_t id) const;

 private:
  struct Node {
    std::vector<uint32_t> targets;
    std::vector<uint32_t> flows_to;  // nodes
    bool too_many = false;
  };

  uint32_t NodeOf(uint32_t id);
  void Flow(uint32_t from_id, uint32_t to_id);
  void AddFunction(const Plan& plan, uint32_t function);
  void AddInst(const Plan& plan, uint32_t function, const SpirvInst& inst);
  void AddCall(const Plan& plan, const SpirvInst& inst);
  uint32_t ContentOf(const Plan& plan, uint32_t pointer) const;
  void Propagate();
  bool Add(Node& node, uint32_t target);

  const SpirvModule& module_;
  std::vector<uint32_t> node_of_;  // by id; kNoValue: none
  std::vector<Node> nodes_;
  std::vector<uint32_t> changed_;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_PLAN_POINTER_TARGETS_H_
