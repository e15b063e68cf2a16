// The state with which a wave starts: memory laid out as the launch record says, registers.
//
// The common part's and AMD's keys: tests/peer/README.md; order of system registers: LLVM,
// AMDGPUUsage ("Initial Kernel Execution State"); Mesa 25.0.7, radv_shader_args.c.
#ifndef KILN_CORE_SIM_RDNA2_LAUNCH_H_
#define KILN_CORE_SIM_RDNA2_LAUNCH_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/sim/rdna2/context.h"
#include "core/sim/rdna2/launch_draw.h"
#include "core/sim/rdna2/memory.h"
#include "core/sim/rdna2/wave.h"
#include "core/sim/scene/dispatch.h"
#include "core/sim/scene/run.h"

namespace kiln::sim::rdna2 {

// Memory of one dispatch, and the workgroup that runs. Keeps references to record and dispatch.
class LaunchState {
 public:
  // Binds buffers and images, maps addresses, fills descriptor memory. InvalidArgument: a part of
  // the record that cannot be supplied.
  static absl::StatusOr<std::unique_ptr<LaunchState>> Create(absl::Span<const uint8_t> code,
                                                             const out::LaunchRecord& record,
                                                             const scene::RunOptions& options,
                                                             scene::Dispatch& dispatch);

  uint32_t waves_per_group() const { return waves_; }
  uint32_t vgprs() const;       // that a wave has
  bool wgp_mode() const;        // waves of the workgroup may be on both CUs of a WGP
  bool memory_ordered() const;  // vmcnt falls in the order of issue (MEM_ORDERED)

  // Resets LDS and scratch: undefined contents, or zeros if the options say so.
  void StartGroup();

  // Sets up the registers that waves of all stages have alike for wave `index` of a workgroup: user
  // SGPRs, MODE; others are undefined.
  void StartRegisters(uint32_t index, WaveState& wave) const;

  // Returns the number of the first SGPR behind the user SGPRs.
  int first_system_sgpr() const;

  // Values of the user SGPRs of draws.
  DrawRegisters& draw_registers() { return draw_registers_; }

  // Sets up the registers of wave `index` of a workgroup of a compute program.
  void StartWave(uint32_t index, const std::array<uint32_t, 3>& group, WaveState& wave) const;

  // Returns what wave `index` reaches.
  Context ContextOf(uint32_t index);

 private:
  LaunchState(const out::LaunchRecord& record, const scene::RunOptions& options,
              scene::Dispatch& dispatch);
  absl::Status Map(absl::Span<const uint8_t> code);
  absl::Status MapImages();
  absl::StatusOr<uint64_t> MapShort(std::vector<uint8_t>& bytes);
  absl::Status FillDescriptors();
  absl::Status WriteDescriptor(const out::DescriptorRange& range, uint32_t element, uint8_t* to);
  absl::Status MapTables();
  absl::Status MapDraw();
  absl::Status CheckRegisters() const;
  uint64_t AddressOf(const scene::ClientImage& image) const;
  out::DescriptorRef Where(uint32_t resource, uint32_t element) const;
  std::vector<uint8_t> PushBytes(const out::PushPart& part) const;
  void FillUser(WaveState& wave) const;
  void FillSystem(uint32_t index, const std::array<uint32_t, 3>& group, WaveState& wave) const;
  void FillLanes(uint32_t index, WaveState& wave) const;
  uint32_t UndefinedDword(size_t i) const;
  void FillUndefined(std::vector<uint8_t>& bytes) const;

  const out::LaunchRecord& record_;
  const out::AmdLaunch& amd_;
  const scene::RunOptions options_;
  scene::Dispatch& dispatch_;
  uint32_t undefined_;
  uint64_t clock_ = 0;  // Context::clock, of all waves
  uint32_t waves_ = 0;
  Memory memory_;
  uint64_t next_short_ = 0;  // where the next memory with an address in one SGPR goes
  std::vector<uint8_t> code_;
  uint64_t code_address_ = 0;
  std::vector<uint8_t> lds_;
  std::vector<uint8_t> scratch_;  // of all waves of the workgroup
  uint64_t scratch_address_ = 0;
  std::map<uint32_t, std::vector<uint8_t>> descriptors_;  // by number of the memory
  std::map<uint32_t, uint64_t> descriptor_addresses_;
  std::vector<uint8_t> push_, driver_table_, memory_table_;
  VertexBuffers vertex_buffers_;
  DrawRegisters draw_registers_;
  uint64_t push_address_ = 0, driver_table_address_ = 0, memory_table_address_ = 0;
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_LAUNCH_H_
