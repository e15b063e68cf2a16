// The table of errata, and the pass over programs for some of them: see apply_workarounds.h.
#include "core/intel/isa/apply_workarounds.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <vector>

#include "core/intel/isa/footprint.h"

namespace kiln::intel::isa {
namespace {

using S = WorkaroundStatus;

// The reference compiler applies it for Tiger Lake. The older generations have not been checked.
constexpr Rulings kOnGen12 = {
    Ruling{}, Ruling{}, Ruling{Cell::kValue, "Mesa 25.0.7, mesa_defs.json and src/intel/compiler"}};

// Intel's compiler applies it for Tiger Lake (skuwa/itgl_lp_hw_wa.c, and the code that queries it).
// The older generations have not been checked.
constexpr Rulings kByIntelOnGen12 = {
    Ruling{}, Ruling{}, Ruling{Cell::kValue, "IGC, skuwa/itgl_lp_hw_wa.c, itgl_lp_sw_wa.c; visa"}};

constexpr absl::string_view kSamplesOfCubes =
    "Mesa 25.0.7, mesa_defs.json: DG2 and its server parts (Gen12.5) alone";

constexpr Workaround kWorkarounds[] = {
    {"Wa_1407528679",
     "fused EUs may run a block with all channels off: NoMask instructions then run, masked ones "
     "and their waits do not",
     kOnGen12, S::kImplemented,
     "core/intel/swsb: waits for NoMask producers are carried by NoMask instructions"},
    {"Wa_1407528679 (sends)",
     "a NoMask send under control flow whose header, descriptor or address comes from live lanes "
     "must not run when no lane is on",
     kOnGen12, S::kBackEnd,
     "core/intel/select Guard: NoMask sends under control flow to an address, or through an index, "
     "a handle or a sampler chosen by value, are predicated by whether any lane is on; other "
     "surfaces check bounds"},
    {"Wa_1604601757", "dword times narrower integer takes no source modifier", kOnGen12,
     S::kVerified, "restriction 'dword multiply modifier'"},
    {"Wa_14010017096", "the accumulator is cleared before the thread ends if it was written",
     kOnGen12, S::kImplemented, "ApplyWorkarounds; restriction 'accumulator at end'"},
    {"Wa_14013672992", "a send that ends the thread always waits with distance 1", kOnGen12,
     S::kImplemented, "core/intel/swsb; restriction 'end-of-thread wait'"},
    {"Wa_14014617373", "an accumulator destination at offset 0 has stride 1", kOnGen12,
     S::kVerified, "restriction 'accumulator stride'"},
    {"Wa_14015360517", "the first instruction of a kernel has a non-empty execution mask", kOnGen12,
     S::kImplemented,
     "ApplyWorkarounds: not masked or of all lanes; core/sim/eu/graphics_rules accepts lane 0 "
     "where dispatch is packed, which some programs of the reference compiler rely on"},
    {"Wa_14012320009", "resinfo queries level 0 only; sizes of other levels are computed", kOnGen12,
     S::kBackEnd, "core/intel/select VisitImageQuery"},
    {"Wa_1806565034",
     "surfaces are arrayed only with more than one layer, so array sizes read by size queries "
     "are clamped to at least 1",
     kOnGen12, S::kBackEnd, "core/intel/select LayersOf"},
    {"Wa_14017468336",
     "with dual-source blending no SIMD32 dispatch, and no SIMD8 message marked last render "
     "target from a wider thread",
     kOnGen12, S::kBackEnd,
     "core/intel/abi HasFragmentWidth: fragment shaders with a second source have 8 lanes only"},
    {"HSD 1404612949", "memory fences request the commit and wait for its response", kOnGen12,
     S::kBackEnd,
     "fence messages are built with MessageFields::commit, and a sync on their result follows"},
    {"Wa_16012061344, Wa_16012292205 (messages)",
     "a predicated send with a destination is preceded by an instruction that reads another "
     "register in all three sources, so that no later read of the destination is taken for done",
     kByIntelOnGen12, S::kImplemented,
     "ApplyWorkarounds; core/intel/emit/predicate_small_ifs makes no such sends"},
    {"Wa_16012061344, Wa_16012292205 (indirect)",
     "an instruction with an indirect source has no predicate", kByIntelOnGen12, S::kBackEnd,
     "core/intel/emit/lanes emits them without a predicate, predicate_small_ifs skips them"},
    {"Wa_16012061344, Wa_16012292205 (branches)",
     "an instruction that reads three sources precedes if, break and while; the instruction after "
     "one with an indirect source waits with distance 1",
     kByIntelOnGen12, S::kLeftOut,
     "Mesa 25.0.7 has neither, in all of its programs with branches and shuffles on this hardware"},
    {"Wa_14018126777",
     "an instruction that reads one register in two sources depends on every write of the "
     "register, read or not",
     kByIntelOnGen12, S::kImplemented, "core/intel/swsb: dependences are those of whole registers"},
    {"math results",
     "an instruction that reads another part of a register that math writes waits for the math",
     kByIntelOnGen12, S::kImplemented, "core/intel/swsb: dependences are those of whole registers"},
    {"Wa_16013338947", "a legal instruction follows the send that ends the thread", kByIntelOnGen12,
     S::kImplemented, "ApplyWorkarounds"},
    {"Wa_1807084924", "a fence with commit ends fragment and compute threads that wrote memory",
     kByIntelOnGen12, S::kLeftOut,
     "ERRATA.md: Mesa 25.0.7 has none; ABI.md says that the driver flushes the data port"},
    {"Wa_1808850743", "instructions without mask under control flow do not run where no lane is on",
     kByIntelOnGen12, S::kImplemented,
     "as Wa_1407528679: allocation lets them overwrite no live value, messages are guarded"},
    {"Wa_1607871015", "a sampler flush ends threads that sampled without a destination",
     kByIntelOnGen12, S::kVerified, "restriction 'message lengths'"},
    {"Wa_14010595310",
     "before stepping C0 the lanes of a message to 64-bit addresses agree in the high halves",
     kByIntelOnGen12, S::kLeftOut, "ERRATA.md: Mesa 25.0.7 does not; a loop around each message"},
    {"Wa_14017131883", "r0 is not written in kernels with split barriers", kByIntelOnGen12,
     S::kBackEnd, "the wait follows the message of a barrier: there are no split ones"},
    {"WaMixModeSelInstDstNotPacked", "sel of singles and halves does not write halves",
     kByIntelOnGen12, S::kVerified, "restriction 'types': sel has one type"},
    {"Wa_14012688258",
     "samples of cubes are sent with zeros at the end of their payload",
     {Ruling{Cell::kAbsent, kSamplesOfCubes}, Ruling{Cell::kAbsent, kSamplesOfCubes},
      Ruling{Cell::kAbsent, kSamplesOfCubes}},
     S::kNotYet,
     "not applied; messages/strip_sampler_parameters would skip cubes"},
    {"Wa_22012725308",
     "accumulators: write after read across execution pipes is not protected",
     {Ruling{}, Ruling{}, Ruling{Cell::kAbsent, "Gen12 `tgl` has one in-order pipe"}},
     S::kNotYet,
     "nowhere"},
    {"Wa_220160235",
     "else jumping to endif may skip it and run on with all channels off",
     {Ruling{Cell::kAbsent, "Mesa 25.0.7, elk_eu_emit.c: ELSE, from Gen8 on"},
      Ruling{Cell::kValue, "Mesa 25.0.7, brw_eu_emit.c: ELSE and ENDIF, before Gen11"},
      Ruling{Cell::kAbsent, "Mesa 25.0.7, brw_eu_emit.c: ELSE and ENDIF, before Gen11"}},
     S::kNotYet,
     "not applied; branch control stays off"},
};

bool HasDestination(const Instruction& inst) {
  return inst.dst.file == File::kGrf || (inst.dst.file == File::kArf && inst.dst.arf != Arf::kNull);
}

bool WritesAccumulator(const Instruction& inst) {
  const bool typed = Info(inst.op).format == Format::kBasic ||
                     Info(inst.op).format == Format::kTernary ||
                     Info(inst.op).format == Format::kMath;
  return typed && (inst.acc_write || Info(inst.op).writes_accumulator ||
                   (inst.dst.file == File::kArf && inst.dst.arf == Arf::kAccumulator));
}

Instruction ClearAccumulator() {
  Instruction inst;
  inst.op = Opcode::kMov;
  inst.exec_size = 16;
  inst.no_mask = true;
  inst.dst.file = File::kArf;
  inst.dst.arf = Arf::kAccumulator;
  inst.dst.type = Type::kF;
  inst.dst.region.hstride = 1;
  inst.src[0].file = File::kImm;
  inst.src[0].type = Type::kF;
  return inst;
}

Instruction DummyMov() {
  Instruction inst;
  inst.op = Opcode::kMov;
  inst.exec_size = 8;
  inst.no_mask = true;
  inst.dst.file = File::kArf;
  inst.dst.type = Type::kUD;
  inst.dst.region.hstride = 1;
  inst.src[0].file = File::kImm;
  inst.src[0].type = Type::kUD;
  return inst;
}

// Returns an instruction that reads `reg` in each of three sources and changes nothing: words of it
// are moved to themselves whichever way the condition goes, and csel sets no flags. Intel's
// compiler uses the same instruction (IGC, visa/SWWA.cpp, insertDummyCsel).
Instruction ReadThreeTimes(uint8_t reg) {
  Instruction inst;
  inst.op = Opcode::kCsel;
  inst.exec_size = 4;
  inst.no_mask = true;
  inst.cmod = CondMod::kZ;
  inst.dst.file = File::kGrf;
  inst.dst.nr = reg;
  inst.dst.type = Type::kW;
  inst.dst.region.hstride = 1;
  for (Operand& src : inst.src) {
    src = inst.dst;
    src.region = {4, 4, 1};
  }
  return inst;
}

// Returns a register that the send does not write: if possible its payload, for which it waits
// anyway.
uint8_t RegisterNotWritten(const Instruction& send) {
  const GrfSet written = FootprintOf(send).writes;
  uint8_t reg = send.src[0].nr;
  if (written.Has(reg)) reg = 0;
  while (written.Has(reg)) ++reg;  // ends: no response fills the register file
  return reg;
}

bool ReadsThreeTimes(const Instruction& inst) {
  return inst.op == Opcode::kCsel && inst == ReadThreeTimes(inst.dst.nr);
}

// Sub-registers of three-source destinations are encoded in units of 8 bytes.
bool HasUnalignedDst(const Instruction& inst) {
  return Info(inst.op).format == Format::kTernary && inst.dst.file == File::kGrf &&
         inst.dst.subnr % 8 != 0 && inst.exec_size == 1;
}

// Turns `inst` into the mov from acc0, and returns the instruction that writes acc0, to be inserted
// before it.
Instruction DivertToAccumulator(Instruction& inst) {
  Instruction first = inst;
  first.dst.file = File::kArf;
  first.dst.arf = Arf::kAccumulator;
  first.dst.nr = 0;
  first.dst.subnr = 0;
  Instruction move;
  move.op = Opcode::kMov;
  move.exec_size = 1;
  move.channel_offset = inst.channel_offset;
  move.no_mask = inst.no_mask;
  move.pred = inst.pred;
  move.pred_inverse = inst.pred_inverse;
  move.flag_nr = inst.flag_nr;
  move.flag_subnr = inst.flag_subnr;
  move.dst = inst.dst;
  move.src[0] = first.dst;
  move.src[0].region = {0, 1, 0};
  inst = move;
  return first;
}

bool ClearsAccumulator(const Instruction& inst) {
  const Instruction clear = ClearAccumulator();
  return inst.op == clear.op && inst.no_mask && inst.dst == clear.dst &&
         inst.src[0] == clear.src[0];
}

int WidestExecution(const Program& program) {
  int width = 1;
  for (const Instruction& inst : program.insts) width = std::max<int>(width, inst.exec_size);
  return width;
}

bool Has(Generation gen, absl::string_view id) {
  const auto row = std::find_if(std::begin(kWorkarounds), std::end(kWorkarounds),
                                [&](const Workaround& w) { return w.id == id; });
  assert(row != std::end(kWorkarounds));
  return row->by[Index(gen)].cell == Cell::kValue;
}

}  // namespace

bool MustNotBePredicated(const Instruction& inst) {
  const bool indirect = std::any_of(inst.src.begin(), inst.src.end(),
                                    [](const Operand& src) { return src.indirect; });
  return HasDestination(inst) && (IsSend(inst.op) || indirect);
}

absl::Span<const Workaround> Workarounds() { return kWorkarounds; }

const ColumnTable& WorkaroundTable() {
  static constexpr ColumnTable table = {
      "erratum", std::size(kWorkarounds), [](size_t row) { return kWorkarounds[row].id; },
      [](Generation gen, size_t row) { return kWorkarounds[row].by[Index(gen)].cell; }};
  return table;
}

absl::Status ApplyWorkarounds(Program& program, int dispatch_width) {
  const Generation gen = program.generation;
  if (absl::Status s = CheckColumn(WorkaroundTable(), gen); !s.ok()) return s;
  const bool first_mask = Has(gen, "Wa_14015360517");
  const bool clear_accumulator = Has(gen, "Wa_14010017096");
  const bool read_before = Has(gen, "Wa_16012061344, Wa_16012292205 (messages)");
  const bool follow_end = Has(gen, "Wa_16013338947");
  if (dispatch_width == 0) dispatch_width = WidestExecution(program);
  std::vector<Insertion> insertions;
  bool accumulator_dirty = false;
  for (int32_t i = 0; i < program.Next(); ++i) {
    Instruction& inst = program.insts[i];
    if (first_mask && i == 0 && !inst.no_mask && inst.exec_size != dispatch_width) {
      insertions.push_back({0, DummyMov()});
    }
    if (HasUnalignedDst(inst)) {
      insertions.push_back({i, DivertToAccumulator(inst)});
      accumulator_dirty = true;
    }
    if (read_before && IsSend(inst.op) && inst.pred != PredCtrl::kNone &&
        MustNotBePredicated(inst) && !(i > 0 && ReadsThreeTimes(program.insts[i - 1]))) {
      insertions.push_back({i, ReadThreeTimes(RegisterNotWritten(inst))});
    }
    if (WritesAccumulator(inst)) accumulator_dirty = !ClearsAccumulator(inst);
    if (clear_accumulator && IsSend(inst.op) && inst.send.eot && accumulator_dirty) {
      insertions.push_back({i, ClearAccumulator()});
    }
  }
  Insert(program, insertions);
  if (follow_end && !program.insts.empty() && EndsThread(program.insts.back())) {
    Instruction nop;
    nop.op = Opcode::kNop;
    program.Append(nop);
  }
  return absl::OkStatus();
}

}  // namespace kiln::intel::isa
