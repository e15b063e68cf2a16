#include "core/amd/pipeline/choose_scans.h"

#include <array>
#include <atomic>
#include <utility>

#include "core/amd/perf/estimate.h"
#include "core/amd/perf/program.h"
#include "core/amd/pipeline/passes.h"
#include "core/base/cause.h"
#include "core/base/pass.h"
#include "core/mir/build.h"

namespace kiln::amd {
namespace {

isa::Wave WaveOf(uint32_t width) { return width == 64 ? isa::Wave::k64 : isa::Wave::k32; }

// The number of the wave, of waves and its counts are push constants, which are in scalar
// registers, where the launch of a vertex program has the first two. The sums are stored in LDS,
// for which nothing has to be loaded.
mir::Module ModuleOf(const ScanShape& shape) {
  mir::Module m;
  m.entry_point = "scan";
  m.local_size = {shape.width * shape.waves, 1, 1};
  m.push_constant_bytes = 16;
  m.shared_bytes = 8 * shape.streams;
  mir::Builder b(m);
  m.body = mir::NewRegion(m);
  b.SetRegion(m.body);
  std::vector<mir::ValueId> sources;
  const std::vector<mir::Type> sums(2 * shape.streams, mir::Type::kI32);
  for (uint32_t i = 0; i < 2 + shape.streams; ++i) {
    const mir::ValueId offset = b.Int(4 * i);
    const mir::Type type = mir::Type::kI32;
    sources.push_back(m.result(b.EmitInst(mir::Op::kLoadPush, {&offset, 1}, {&type, 1}, 0, 4)));
  }
  const mir::InstId scan =
      b.EmitInst(mir::Op::kWorkgroupScan, sources, sums, 0, shape.width * shape.waves);
  std::vector<mir::ValueId> stored = {b.Int(0)};
  for (size_t i = 0; i < sums.size(); ++i) stored.push_back(m.result(scan, static_cast<int>(i)));
  b.EmitInst(mir::Op::kStoreShared, stored, {}, 0, 8);
  b.EmitInst(mir::Op::kReturn, {}, {});
  return m;
}

// Forms of scans that were asked for, plus 1; 0: not yet. Two threads may find the same one.
class Known {
 public:
  std::atomic<uint8_t>& At(const Device& device, const ScanShape& shape) {
    size_t index = device.dot_products ? 1 : 0;
    index = 2 * index + (shape.width == 64 ? 1 : 0);
    index = kMaxScannedWaves * index + shape.waves - 1;
    return forms_[2 * index + shape.streams - 1];
  }

 private:
  std::array<std::atomic<uint8_t>, size_t{2} * 2 * kMaxScannedWaves * 2> forms_{};
};

}  // namespace

absl::StatusOr<ScanProgram> CompileScan(ScanForm form, const ScanShape& shape) {
  const mir::Module m = ModuleOf(shape);
  const absl::StatusOr<Abi> abi = AssignAbi(m);
  if (!abi.ok()) return abi.status();
  Work work;
  work.module = &m;
  work.abi = &*abi;
  work.lanes = shape.width;
  work.scans = AllScans(form);
  const PassOptions options;
  const Budget budget;
  Runner runner(options, nullptr, budget);
  if (absl::Status s = runner.Run(WorkLevel(), Passes(), work); !s.ok()) return s;
  auto decoded = DecodeCode(work.binary.bytes);
  if (!decoded.ok()) return decoded.status();
  return ScanProgram{*std::move(decoded), work.shared_bytes - m.shared_bytes};
}

absl::StatusOr<ScanForm> FastestScan(const Device& device, const ScanShape& shape) {
  static Known known;
  std::atomic<uint8_t>& found = known.At(device, shape);
  if (const uint8_t form = found.load(std::memory_order_relaxed); form != 0) {
    return static_cast<ScanForm>(form - 1);
  }
  std::pair<int64_t, size_t> least = {INT64_MAX, 0};  // cycles, then instructions
  ScanForm fastest = ScanForm::kDwordDpp;
  for (const ScanForm form : kScanForms) {
    if (!Has(device, form)) continue;
    const absl::StatusOr<ScanProgram> program = CompileScan(form, shape);
    if (!program.ok()) return AsOwnFault(program.status());
    const std::pair cost = {EstimateProgram(program->code, WaveOf(shape.width)).cycles,
                            program->code.size()};
    if (cost >= least) continue;
    least = cost;
    fastest = form;
  }
  found.store(static_cast<uint8_t>(fastest) + 1, std::memory_order_relaxed);
  return fastest;
}

absl::Status ChooseScans(const Device& device, const mir::Module& m, const Abi& abi, uint32_t width,
                         ScanForms* forms) {
  absl::Status status;
  const auto choose = [&](uint32_t invocations, uint32_t streams) {
    const ScanShape shape = {
        .width = width, .waves = (invocations + width - 1) / width, .streams = streams};
    const absl::StatusOr<ScanForm> form = FastestScan(device, shape);
    status = form.status();
    if (form.ok()) (*forms)[shape.waves - 1][shape.streams - 1] = *form;
  };
  mir::ForEachInst(m, m.body, [&](mir::InstId id) {
    const mir::Inst& inst = m.inst(id);
    if (inst.op != mir::Op::kWorkgroupScan || !status.ok()) return;
    choose(inst.imm1, inst.num_sources - 2u);
  });
  if (status.ok() && abi.vertex && abi.vertex->culls) choose(abi.vertex->group_size, 1);
  return status;
}

}  // namespace kiln::amd
