#include "core/amd/waits/testing.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/lir/random_structure.h"

namespace kiln::amd::testing {
namespace {

using isa::Instruction;
using isa::Opcode;

Row RowOf(Opcode op, isa::Operand dst = {}, std::vector<isa::Operand> src = {}) {
  Row row;
  row.inst.op = op;
  row.inst.dst = dst;
  std::copy(src.begin(), src.end(), row.inst.src.begin());
  return row;
}

constexpr int kUnusedVgpr = 200, kResultSgpr = 90;

std::string WaitText(const Counts& counts) {
  constexpr const char* kNames[kCounters] = {"vmcnt", "lgkmcnt", "expcnt", "vscnt"};
  std::vector<std::string> parts;
  for (size_t i = 0; i < kCounters; ++i) {
    if (counts.of[i] != kNoWait) parts.push_back(absl::StrCat(kNames[i], "(", counts.of[i], ")"));
  }
  return absl::StrJoin(parts, " ");
}

std::string RowText(const Row& row) {
  const Instruction& inst = row.inst;
  if (const auto counts = CountsOf(inst)) return WaitText(*counts);
  const auto v = [](isa::Operand o) { return absl::StrCat("v", o.vgpr()); };
  switch (inst.op) {
    case Opcode::kBufferLoadDword: return "load " + v(inst.dst);
    case Opcode::kImageSample: return "sample " + v(inst.dst);
    case Opcode::kDsReadB32: return "lds " + v(inst.dst);
    case Opcode::kDsWriteB32: return "ldsstore " + v(inst.src[1]);
    case Opcode::kFlatLoadDword: return "flat " + v(inst.dst);
    case Opcode::kBufferStoreDword: return "store " + v(inst.dst);
    case Opcode::kSLoadDword: return absl::StrCat("sload s", inst.dst.code);
    case Opcode::kExp: return "export " + v(inst.src[0]);
    case Opcode::kVMovB32:
      return inst.src[0].is_vgpr() ? "use " + v(inst.src[0]) : "write " + v(inst.dst);
    case Opcode::kSMovB32: return absl::StrCat("use s", inst.src[0].code);
    case Opcode::kSCbranchScc0: return absl::StrCat("branch ", row.target);
    case Opcode::kSBarrier: return inst.simm == 0 ? "barrier" : "barrier with flags";
    case Opcode::kSClause: return absl::StrCat("clause ", inst.simm + 1);
    default: return "end";
  }
}

}  // namespace

namespace rows {

Row LoadFrom(int vgpr, int address) {
  Row row = RowOf(Opcode::kBufferLoadDword, isa::Vgpr(vgpr),
                  {isa::Vgpr(address), isa::Sgpr(8), isa::Source(isa::kInt0)});
  row.inst.offen = true;
  return row;
}
Row Load(int vgpr) { return LoadFrom(vgpr, 0); }
Row Sample(int vgpr) {
  Row row =
      RowOf(Opcode::kImageSample, isa::Vgpr(vgpr), {isa::Vgpr(0), isa::Sgpr(8), isa::Sgpr(16)});
  row.inst.dmask = 1;
  return row;
}
Row Lds(int vgpr) { return RowOf(Opcode::kDsReadB32, isa::Vgpr(vgpr), {isa::Vgpr(0)}); }
Row LdsStore(int vgpr) { return RowOf(Opcode::kDsWriteB32, {}, {isa::Vgpr(0), isa::Vgpr(vgpr)}); }
Row Flat(int vgpr) { return RowOf(Opcode::kFlatLoadDword, isa::Vgpr(vgpr), {isa::Vgpr(100)}); }
Row Store(int vgpr) {
  return RowOf(Opcode::kBufferStoreDword, isa::Vgpr(vgpr),
               {{}, isa::Sgpr(8), isa::Source(isa::kInt0)});
}
Row ScalarLoad(int sgpr) { return RowOf(Opcode::kSLoadDword, isa::Sgpr(sgpr), {isa::Sgpr(0)}); }
Row Export(int target, int vgpr) {
  Row row = RowOf(Opcode::kExp, {}, {isa::Vgpr(vgpr)});
  row.inst.target = static_cast<uint8_t>(target);
  row.inst.enable = 1;
  return row;
}
Row Use(int vgpr) { return RowOf(Opcode::kVMovB32, isa::Vgpr(kUnusedVgpr), {isa::Vgpr(vgpr)}); }
Row UseScalar(int sgpr) {
  return RowOf(Opcode::kSMovB32, isa::Sgpr(kResultSgpr), {isa::Sgpr(sgpr)});
}
Row Write(int vgpr) { return RowOf(Opcode::kVMovB32, isa::Vgpr(vgpr), {isa::Source(isa::kInt0)}); }
Row Branch(int target) {
  Row row = RowOf(Opcode::kSCbranchScc0);
  row.target = target;
  return row;
}
Row Barrier(uint16_t simm) {
  Row row = RowOf(Opcode::kSBarrier);
  row.inst.simm = simm;
  return row;
}
Row Clause(int members) {
  Row row = RowOf(Opcode::kSClause);
  row.inst.simm = static_cast<uint16_t>(members - 1);
  return row;
}
Row Wait(CounterIndex counter, int count) {
  Counts counts;
  counts.Require(counter, count);
  Row row;
  row.inst = WaitFor(counts);
  return row;
}
Row End() { return RowOf(Opcode::kSEndpgm); }

}  // namespace rows

Instruction WaitFor(const Counts& counts) {
  const std::vector<Instruction> waits = WaitsFor(counts);
  if (!waits.empty()) return waits[0];
  Instruction nop;
  nop.op = Opcode::kSNop;
  return nop;
}

std::vector<std::string> Text(const Program& program) {
  std::vector<std::string> text;
  for (const Row& row : program.rows) text.push_back(RowText(row));
  return text;
}

Program RandomProgram(uint64_t seed) {
  lir::testing::Random random{seed};
  Program program;
  const int rows = 10 + random.Below(40);
  const auto vgpr = [&] { return 1 + random.Below(5); };
  const auto one = [&](int at) -> Row {
    switch (random.Below(13)) {
      case 0:
      case 1: return rows::Load(vgpr());
      case 2: return rows::Sample(vgpr());
      case 3: return rows::Lds(vgpr());
      case 4: return rows::LdsStore(vgpr());
      case 5: return random.Chance(30) ? rows::Flat(vgpr()) : rows::Store(vgpr());
      case 6: return rows::ScalarLoad(20 + random.Below(3));
      case 7: return rows::Export(random.Below(2), vgpr());
      case 8: return rows::UseScalar(20 + random.Below(3));
      case 9: return rows::Write(vgpr());
      case 10:
        // Mostly forward: behind a back edge much is outstanding.
        return rows::Branch(random.Chance(20) ? random.Below(at + 1)
                                              : at + 1 + random.Below(rows - at));
      default: return rows::Use(vgpr());
    }
  };
  for (int i = 0; i < rows; ++i) program.rows.push_back(one(i));
  program.rows.push_back(rows::End());
  return program;
}

}  // namespace kiln::amd::testing
