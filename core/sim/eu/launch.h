// The state with which a thread starts: memory bound as the launch record says, r0, push constants.
#ifndef KILN_CORE_SIM_EU_LAUNCH_H_
#define KILN_CORE_SIM_EU_LAUNCH_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/eu/dataport.h"
#include "core/sim/eu/fragment_launch.h"
#include "core/sim/eu/memory.h"
#include "core/sim/eu/simulator.h"
#include "core/sim/eu/thread.h"
#include "core/sim/eu/vertex_launch.h"

namespace kiln::sim::eu {

// Memory and constants of one dispatch. Keeps references to record and dispatch.
class LaunchState {
 public:
  // `opposite`: Options::opposite. Binds buffers, maps addresses, builds descriptor memory.
  // `slots`: number of workgroups that may run at the same time. InvalidArgument: a part of the
  // record that cannot be supplied.
  static absl::StatusOr<std::unique_ptr<LaunchState>> Create(const out::LaunchRecord& record,
                                                             bool opposite, uint32_t slots,
                                                             scene::Dispatch& dispatch);

  // Returns the code with relocations applied.
  absl::StatusOr<std::vector<uint8_t>> Relocate(absl::Span<const uint8_t> code) const;

  // Resets shared memory and scratch of a workgroup slot: undefined contents, or zeros if
  // `zero`.
  void StartGroup(uint32_t slot, bool zero);

  // Sets up the registers of thread `index` of workgroup `group`.
  void StartThread(uint32_t index, const std::array<uint32_t, 3>& group, Thread& thread) const;

  // Sets up the registers of a thread of a draw; it is the only one in its slot.
  void StartFragment(const FragmentThread& of, Thread& thread) const;

  void StartVertices(const VertexThread& of, Thread& thread) const;

  // The memory of the workgroup in a slot.
  const MemoryView& memory(uint32_t slot) const { return slots_[slot].view; }

  // Number of accesses outside buffers and images so far (MemoryView::outside).
  uint64_t outside() const { return outside_; }

 private:
  LaunchState(const out::LaunchRecord& record, bool opposite, scene::Dispatch& dispatch);
  absl::Status Bind();
  void MakeSlots(uint32_t count);
  void StartRegisters(uint32_t index, Thread& thread) const;
  absl::Status BindTables();
  absl::Status BindSurface(const out::SurfaceEntry& entry);
  absl::Status BindResource(uint32_t number, uint32_t element, size_t place);
  absl::Status BindImage(const out::Resource& resource, const out::DescriptorRef& where,
                         size_t place);
  out::DescriptorRef Where(uint32_t resource, uint32_t element) const;
  absl::Status BuildDescriptors();
  uint32_t CountOf(const out::DescriptorRange& range) const;
  absl::Status WriteDescriptor(const out::DescriptorRange& range, uint32_t element, uint8_t* to);
  absl::Status CheckResources() const;
  absl::Status CheckPush() const;
  absl::Status CheckThreadPush() const;
  std::vector<uint8_t> PushBytes(const out::PushPart& part, uint32_t thread_index) const;

  const out::LaunchRecord& record_;
  const out::IntelLaunch& intel_;
  uint32_t undefined_;  // pattern of undefined contents
  scene::Dispatch& dispatch_;
  scene::AddressSpace addresses_;
  MemoryView view_;  // without shared memory and scratch
  struct GroupSlot {
    std::vector<uint8_t> shared;
    std::vector<uint8_t> scratch;
    MemoryView view;
  };
  std::vector<GroupSlot> slots_;
  uint32_t scratch_per_thread_ = 0;
  std::map<uint32_t, std::vector<uint8_t>> descriptors_;  // descriptor memory by number
  std::vector<uint8_t> constants_;
  uint64_t constants_address_ = 0;
  uint32_t bindless_surfaces_ = 0;  // made so far
  uint64_t outside_ = 0;
};

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_LAUNCH_H_
