// Mutations of the writes of exec: programs with ifs and loops, in which each region adds to a
// counter of the lane, and operations between lanes of which the data choose some, are compiled;
// then one write of exec is removed or writes something else. The verifier or a run must notice
// each that changes the lanes of any vector instruction.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/isa/encode.h"
#include "core/amd/isa/opcodes.h"
#include "core/amd/perf/program.h"
#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/oracle/generate.h"
#include "core/sim/rdna2/simulator.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"
#include "tests/exec/findings.h"

namespace kiln::exec {
namespace {

using amd::isa::Instruction;
using amd::isa::Opcode;
using amd::isa::PlacedInstruction;

// ---- Programs ----

constexpr uint32_t kCounters = 3;  // binding of the lanes' counters

// Inserts additions to the lane's counter, each of another number, at the start of each region and
// behind each if and loop: lanes that execute a part of the program wrongly, or not, show.
void CountRegions(mir::Module& m) {
  mir::Resource counters = m.resources[0];
  counters.binding = kCounters;
  m.resources.push_back(counters);
  const auto resource = static_cast<uint32_t>(m.resources.size() - 1);
  const size_t regions = m.regions.size();
  uint32_t number = 1;
  for (uint32_t r = 0; r < regions; ++r) {
    std::vector<mir::InstId> counted;
    mir::Builder b(m);
    b.SetList(&counted);
    const auto count = [&] {
      const mir::ValueId at = b.Shl(b.LocalIndex(), b.Int(2));
      b.Atomic(mir::Op::kSsboAtomic, mir::AtomicOp::kAdd, resource, at, {b.Int(number)});
      number = number * 1664525 + 1013904223;
    };
    count();
    const std::vector<mir::InstId> insts = m.region(mir::RegionId(r)).insts;
    for (const mir::InstId id : insts) {
      counted.push_back(id);
      if (m.inst(id).num_regions != 0) count();
    }
    m.region(mir::RegionId(r)).insts = std::move(counted);
  }
}

mir::Module Flow(uint64_t seed) {
  oracle::GenerateOptions shape;
  shape.instructions = 40;
  shape.max_depth = 2 + static_cast<int>(seed % 4);
  shape.lanes = seed % 2 == 0 ? 64 : 40;
  shape.defined_only = true;
  shape.memory = seed % 3 == 0;
  mir::Module m = oracle::GenerateModule(seed, shape);
  CountRegions(m);
  return m;
}

// Returns a program of lanes that the data choose, which store the result of an operation between
// them: %9, of %5 (an integer), %6 (a whole number as a float), %26 (odd), %35 (most bits are 1),
// so that results depend on every lane.
mir::Module Between(const std::string& operation) {
  auto m = mir::Parse(absl::StrCat(
      "mir 1 entry \"between\" local_size 64, 1, 1 resource 0 ssbo 0.0.0 "
      "resource 1 ssbo 0.1.0 readonly body { %0:i32 = local_index %1:i32 = shl %0, 2 "
      "%2:i32 = load_ssbo[1, align 4] %1 %3:i32 = and %2, 3 %4:bool = ine %3, 0 "
      "if %4 { %5:i32 = ushr %2, 2 %7:i32 = and %5, 15 %6:f32 = u2f %7 "
      "%26:i32 = or %5, 1 %27:i32 = imul %5, 0x9e3779b1 %28:i32 = imul %5, 0x85ebca6b "
      "%29:i32 = imul %5, 0xc2b2ae35 %30:i32 = imul %5, 0x27d4eb2f %31:i32 = imul %5, 0x165667b1 "
      "%32:i32 = or %27, %28 %33:i32 = or %29, %30 %34:i32 = or %32, %33 %35:i32 = or %34, %31 ",
      operation, " store_ssbo[0, align 4] %1, %9 yield } else { yield } return }"));
  EXPECT_TRUE(m.ok()) << m.status();
  return m.ok() ? *std::move(m) : mir::Module();
}

// ---- Mutants ----

bool WritesExec(const Instruction& inst) {
  return amd::isa::Info(inst.op).Has(amd::isa::opcode_flag::kExecW) ||
         inst.dst.code == amd::isa::kExecLo || inst.dst.code == amd::isa::kExecHi;
}

bool IsScalar(const Instruction& inst) {
  const amd::isa::Encoding encoding = amd::isa::Info(inst.op).encoding;
  return amd::isa::IsScalarAlu(encoding) || encoding == amd::isa::Encoding::kSmem;
}

// Opcodes of one form whose results are not those of each other.
constexpr std::array<std::array<Opcode, 2>, 8> kOpposites = {{
    {Opcode::kSMovB32, Opcode::kSNotB32},
    {Opcode::kSMovB64, Opcode::kSNotB64},
    {Opcode::kSAndB32, Opcode::kSAndn2B32},
    {Opcode::kSAndB64, Opcode::kSAndn2B64},
    {Opcode::kSOrB32, Opcode::kSXorB32},
    {Opcode::kSOrB64, Opcode::kSXorB64},
    {Opcode::kSAndSaveexecB32, Opcode::kSAndn2SaveexecB32},
    {Opcode::kSAndSaveexecB64, Opcode::kSAndn2SaveexecB64},
}};

struct Mutant {
  std::string text;
  std::vector<uint8_t> code;
};

// Returns the code with `inst` and s_nops in the place of an instruction.
std::vector<uint8_t> With(std::vector<uint8_t> code, const PlacedInstruction& place,
                          const Instruction& inst) {
  Instruction nop;
  nop.op = Opcode::kSNop;
  std::vector<Instruction> with = {inst};
  auto bytes = amd::isa::EncodeProgram(with);
  while (bytes.ok() && bytes->size() < static_cast<size_t>(place.length)) {
    with.push_back(nop);
    bytes = amd::isa::EncodeProgram(with);
  }
  EXPECT_TRUE(bytes.ok() && bytes->size() == static_cast<size_t>(place.length));
  std::copy(bytes->begin(), bytes->end(), code.begin() + place.offset);
  return code;
}

// Returns the mutants of a write of exec: removed, of all lanes, of no lane, of others.
std::vector<Mutant> MutantsOf(const Variant& v, const PlacedInstruction& place) {
  const std::string at = absl::StrCat(
      v.name, " byte ", place.offset, " ",
      Disassemble(place.inst, v.width == 64 ? amd::isa::Wave::k64 : amd::isa::Wave::k32), ": ");
  std::vector<Mutant> mutants;
  const auto add = [&](const char* what, const Instruction& inst) {
    mutants.push_back({at + what, With(v.code, place, inst)});
  };
  Instruction inst;
  inst.op = Opcode::kSNop;
  add("removed", inst);
  const bool half = place.inst.dst.code == amd::isa::kExecHi;
  inst.op = v.width == 64 && !half ? Opcode::kSMovB64 : Opcode::kSMovB32;
  inst.dst = amd::isa::Sgpr(half ? amd::isa::kExecHi : amd::isa::kExecLo);
  for (const auto& [what, constant] : {std::pair{"of all lanes", amd::isa::kIntMinus1},
                                       std::pair{"of no lane", amd::isa::kInt0}}) {
    inst.src[0] = amd::isa::Source(constant);
    add(what, inst);
  }
  for (const auto& pair : kOpposites) {
    const auto found = std::find(pair.begin(), pair.end(), place.inst.op);
    if (found == pair.end()) continue;
    Instruction other = place.inst;
    other.op = pair[found == pair.begin() ? 1 : 0];
    add("of other lanes", other);
  }
  return mutants;
}

// ---- Runs ----

// Sums up which lanes executed each vector instruction, in order, and counts all instructions.
class Lanes : public sim::rdna2::Observer {
 public:
  explicit Lanes(const std::vector<PlacedInstruction>& program) {
    for (const PlacedInstruction& p : program) {
      if (!IsScalar(p.inst)) vector_.insert(p.offset);
    }
  }
  void Group() override { Add(~uint64_t{0}); }
  void Step(uint32_t wave, uint32_t, uint32_t offset, uint64_t exec) override {
    ++steps;
    if (vector_.count(offset) == 0) return;
    Add(uint64_t{wave} << 32 | offset);
    Add(exec);
  }
  void Access(sim::rdna2::Space, uint64_t, uint32_t, sim::rdna2::Use) override {}

  uint64_t sum = 0xcbf29ce484222325;
  uint64_t steps = 0;

 private:
  void Add(uint64_t x) { sum = (sum ^ x) * 0x100000001b3 ^ sum >> 29; }
  std::set<uint32_t> vector_;
};

struct Result {
  bool ok = false;
  std::vector<std::vector<uint8_t>> buffers;
  uint64_t outside = 0;  // accesses, as those of lanes that do not exist are
  uint64_t lanes = 0, steps = 0;

  bool SameEffects(const Result& other) const {
    return ok == other.ok && buffers == other.buffers && outside == other.outside;
  }
};

Result RunCode(const std::vector<uint8_t>& code, const std::vector<PlacedInstruction>& program,
               const Variant& v, const SimulationOptions& options, bool opposite,
               uint64_t max_instructions, sim::scene::Dispatch dispatch) {
  Lanes lanes(program);
  sim::rdna2::Options own;
  static_cast<sim::scene::RunOptions&>(own) = options;
  own.opposite = opposite;
  own.observer = &lanes;
  own.max_instructions = max_instructions;
  Result result;
  const auto stats = sim::rdna2::Run(code, v.launch, own, dispatch);
  result.ok = stats.ok();
  if (stats.ok()) {
    for (const sim::scene::OutOfBounds& o : stats->out_of_bounds) result.outside += o.accesses;
  }
  for (const sim::scene::ClientBuffer& b : dispatch.buffers) result.buffers.push_back(b.bytes);
  result.lanes = lanes.sum;
  result.steps = lanes.steps;
  return result;
}

struct Seen {
  bool effective = false;  // some run changed the lanes of a vector instruction
  bool noticed = false;
};
std::map<std::string, Seen>* mutants_seen = nullptr;  // of a program, by text

// Runs the program, then each mutant in both orders; returns the program's own statistics.
absl::StatusOr<sim::scene::RunStats> RunMutants(const Variant& v, const SimulationOptions& options,
                                                sim::scene::Dispatch& dispatch) {
  const auto placed = amd::DecodeCode(v.code);
  if (!placed.ok()) return placed.status();
  Result good[2];
  for (int k = 0; k < 2; ++k) {
    good[k] = RunCode(v.code, *placed, v, options, k == 1, options.max_instructions, dispatch);
  }
  for (const PlacedInstruction& place : *placed) {
    if (!WritesExec(place.inst)) continue;
    for (const Mutant& mutant : MutantsOf(v, place)) {
      Seen& seen = (*mutants_seen)[mutant.text];
      Variant changed = v;
      changed.code = mutant.code;
      seen.noticed |= !Findings(Target::kGfx1030, changed).empty();
      for (int k = 0; k < 2 && !seen.noticed; ++k) {
        const Result bad =
            RunCode(mutant.code, *placed, v, options, k == 1, 8 * good[k].steps + 1000, dispatch);
        seen.effective |= !bad.ok || bad.lanes != good[k].lanes;
        seen.noticed |= !bad.SameEffects(good[k]);
      }
    }
  }
  sim::rdna2::Options own;
  static_cast<sim::scene::RunOptions&>(own) = options;
  return sim::rdna2::Run(v.code, v.launch, own, dispatch);
}

// Runs a program on each of these data, and its mutants.
class Judge {
 public:
  Judge() {
    setup_.target = Target::kGfx1030;
    setup_.widths = WidthsOf(setup_.target);
    setup_.floats = true;
    setup_.ulp = 0;
    setup_.zero_memory = true;
    setup_.disabled_passes = {"form_fma", "merge_factors"};
    setup_.run = RunMutants;
  }

  void Run(const std::string& name, const mir::Module& m,
           const std::vector<oracle::LaunchInputs>& data) {
    std::map<std::string, Seen> seen;
    mutants_seen = &seen;
    for (const oracle::LaunchInputs& inputs : data) {
      EXPECT_EQ(CompareModule(m, inputs, setup_), "") << name;
    }
    for (const auto& [text, s] : seen) {
      if (!s.effective && !s.noticed) continue;
      ++effective_;
      noticed_ += s.noticed ? 1 : 0;
      if (!s.noticed) absl::StrAppend(&missed_, name, " ", text, "\n");
    }
  }

  // Expects at least so many mutants with an effect, and 99 % of these noticed.
  void Expect(int effective) const {
    std::printf("%d mutants with an effect, %d noticed\n%s", effective_, noticed_, missed_.c_str());
    EXPECT_GE(effective_, effective);
    EXPECT_GE(100 * noticed_, 99 * effective_) << missed_;
  }

 private:
  exec::Setup setup_;
  int effective_ = 0, noticed_ = 0;
  std::string missed_;
};

// Returns how many programs to try: as many as the environment says.
uint64_t Programs(uint64_t usual) {
  const char* more = std::getenv("KILN_EXEC_MUTATIONS");
  return more == nullptr ? usual : std::strtoull(more, nullptr, 10);
}

TEST(ExecMutations, OfIfsAndLoopsAreNoticed) {
  Judge judge;
  const uint64_t programs = Programs(12);
  for (uint64_t seed = 0; seed < programs; ++seed) {
    const mir::Module m = Flow(seed);
    std::vector<oracle::LaunchInputs> data;
    for (uint64_t k = 0; k < 2; ++k) {
      data.push_back(oracle::GenerateInputs(seed + 1000 * k, m));
      data[k].buffers.push_back({0, kCounters, 0, std::vector<uint8_t>(4 * m.local_size[0])});
      data[k].denormals = oracle::Denormals::kFlush;
    }
    judge.Run(absl::StrCat("seed ", seed), m, data);
  }
  judge.Expect(20 * static_cast<int>(programs));
}

TEST(ExecMutations, OfOperationsBetweenLanesAreNoticed) {
  // Lanes read themselves or the first one that is on, in which some lane of the lower 32 is.
  std::vector<std::string> operations = {
      "%10:i32, %11:i32, %12:i32, %13:i32 = ballot true %14:i32 = find_lsb %10 "
      "%15:i32 = subgroup_invocation %16:i32 = and %5, 1 %17:bool = ine %16, 0 "
      "%18:i32 = select %17, %15, %14 %9:i32 = shuffle %5, %18"};
  for (const char* scan : {"reduce", "inclusive_scan", "exclusive_scan"}) {
    const char* cluster = std::string(scan) == "reduce" ? ", 0" : "";
    for (const auto& [op, value] :
         {std::pair{"iadd", "%5"}, std::pair{"imul", "%26"}, std::pair{"imin", "%5"},
          std::pair{"umax", "%5"}, std::pair{"and", "%35"}, std::pair{"xor", "%5"}}) {
      operations.push_back(absl::StrCat("%9:i32 = ", scan, "[", op, cluster, "] ", value));
    }
    operations.push_back(absl::StrCat("%8:f32 = ", scan, "[fadd", cluster, "] %6 %9:i32 = f2u %8"));
  }
  for (const int lanes : {2, 8, 16}) {
    operations.push_back(absl::StrCat("%9:i32 = reduce[imin, ", lanes, "] %5"));
  }
  Judge judge;
  for (const std::string& operation : operations) {
    const mir::Module m = Between(operation);
    std::vector<oracle::LaunchInputs> data(8);
    for (size_t k = 0; k < data.size(); ++k) {
      std::vector<uint8_t> bytes(256);
      for (size_t i = 0; i < bytes.size(); i += 4) {
        const uint32_t word = static_cast<uint32_t>(i / 4 + 64 * k + 1) * 2654435761u >> 7;
        std::memcpy(&bytes[i], &word, 4);
      }
      data[k].groups = {1, 1, 1};
      data[k].buffers = {{0, 0, 0, std::vector<uint8_t>(256)}, {0, 1, 0, std::move(bytes)}};
      data[k].denormals = oracle::Denormals::kFlush;
    }
    judge.Run(operation, m, data);
  }
  judge.Expect(200);
}

}  // namespace
}  // namespace kiln::exec
