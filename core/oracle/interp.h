// The MIR interpreter: the meaning of a module, for tests and tools. Never part of a compile.
//
// A workgroup runs in lockstep: every instruction is executed for all its lanes before the next
// one, with an execution mask under divergent control. Memory instructions go through the active
// lanes in ascending order, workgroups run one after another (x fastest). Barriers are therefore
// no-ops; a program whose result depends on another order has a race.
//
// Pure ops are as semantics.h says; transcendental ones are computed in double precision and
// rounded once. Undefined values are 0. Memory: an element not entirely inside its buffer reads as
// 0 and is not written, an atomic on it gives 0; offsets are rounded down to the size of an
// element. Shared memory and private arrays start as 0. An address belongs to the bound buffer
// around it, or to nothing, which is as if outside a buffer.
//
// Graphics stages have one group of StageData::invocations lanes (stages.h). What an atomic gives a
// helper is undefined (and not counted: it has no effect but on derivatives). Whether helpers take
// part in subgroups Vulkan leaves open: here they do, but not with odd undefined_seed.
//
// kWorkgroupId counts from 0 in each dispatch; kBaseWorkgroup is apart and added by whoever wants
// Vulkan's WorkgroupId.
//
// Cost: one pass over the lanes of the workgroup per instruction, active or not (results of lanes
// that are off are never looked at), 8 bytes per value and lane.
#ifndef KILN_CORE_ORACLE_INTERP_H_
#define KILN_CORE_ORACLE_INTERP_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/bitset.h"
#include "core/mir/mir.h"
#include "core/oracle/sampling.h"

namespace kiln::oracle {

// What is bound to a resource (the element of an arrayed binding).
struct BoundBuffer {
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t element = 0;
  std::vector<uint8_t> bytes;
  uint64_t address = 0;  // of the first byte, for access by address; 0: it has none
};

enum class Denormals : uint8_t {
  kKeep,
  kFlush,  // single precision, unless the module says otherwise; see semantics.h
};

// Sees every value as it is defined: tests of analyses.
class InterpObserver {
 public:
  virtual ~InterpObserver() = default;
  // `lanes` holds the value in every lane; only those of active ones mean something.
  virtual void OnValue(mir::ValueId value, const BitSet& active,
                       absl::Span<const uint64_t> lanes) = 0;
};

// What the invocations of a graphics stage get and give. Values of one variable: element by
// element, component by component, all invocations of a component together. What is missing is 0.
struct StageData {
  // At most 65536. Fragments: whole quads of four consecutive ones, upper left, upper right, lower
  // left, lower right.
  uint32_t invocations = 4;
  std::vector<bool> helpers;                  // of fragments: helpers from the start
  std::vector<bool> off;                      // whole quads that have a place and do not run
  std::vector<std::vector<uint64_t>> inputs;  // by Module::inputs; at the pixel's centre
  // Of f32 inputs that are interpolated: the change over a pixel to the right, and down. Where none
  // is given the value is the same everywhere.
  std::vector<std::vector<std::array<float, 2>>> slopes;
  std::vector<std::array<float, 2>> centroids;  // by invocation: from the pixel's centre
  std::vector<std::array<float, 2>> samples;    // by sample: likewise
  std::vector<uint32_t> sample_ids;             // by invocation: whose place inputs at samples take
  // By Module::outputs. Written by Interpret; what an invocation that gets to the end does not
  // write is undefined, and random if such values are (LaunchInputs::undefined_seed); else it
  // stays, or is 0.
  std::vector<std::vector<uint64_t>> outputs;
  std::vector<bool> live;  // written too: invocations that got to the end and are no helpers
};

struct LaunchInputs {
  std::array<uint32_t, 3> groups = {1, 1, 1};  // of compute
  std::array<uint32_t, 3> base_workgroup = {0, 0, 0};
  std::vector<uint8_t> push_constants;  // reads beyond the end give 0
  // Written in place. An element of an arrayed binding that is not given is the same buffer as the
  // first element of that binding that is.
  std::vector<BoundBuffer> buffers;
  std::vector<BoundImage> images;      // likewise; texel buffers too
  std::vector<BoundSampler> samplers;  // likewise; of combined ones too
  StageData stage;                     // of graphics stages
  uint32_t subgroup_size = 32;         // a power of two up to 128; lane i of a workgroup is
                                       // in subgroup i / subgroup_size
  Denormals denormals = Denormals::kKeep;
  InterpObserver* observer = nullptr;

  // For judging results. A program whose outputs depend on the order has a race.
  bool opposite_order = false;  // workgroups, and lanes within memory instructions
  // Counts accesses to buffers, images and shared memory that race: by two invocations, of one
  // subgroup too, one of them a store, not both atomic, not separated by a control barrier of one
  // workgroup or subgroup. A store of the value that is there already does not race with loads and
  // with the store of that value, but with stores of others, before and after. Costs 84 bytes a
  // dword.
  bool detect_races = false;
  // Not 0: a random order with this seed, of workgroups and of the lanes within memory
  // instructions. Of two accesses that race, the later one may also come first: its store is then
  // not seen, its load gives what was there before. Of a load and a later store the order stays (a
  // limit). What then changes depends on an order that the program leaves open.
  uint32_t shuffle_seed = 0;
  // Not 0: random rounding with this seed. Float results that are inexact move by up to one unit in
  // the last place, those of division, roots and transcendentals by up to what Vulkan allows,
  // conversions to half to either neighbour (with one seed in four, all to the one towards zero),
  // weights of filters by 1/256, what is read of normalised formats by one unit; instructions
  // marked no-contraction stay exact. NaNs that arithmetic makes have any sign and payload. What
  // then changes much is not determined by the program at this precision.
  uint32_t perturb_seed = 0;
  // Not 0: undefined values and results (InterpStatistics) are random with this seed (every fourth:
  // all equal; 4: zero), and so is shared and private memory before it is written; an access
  // outside of these finds anything and may hit anything in them. What then changes is undefined.
  uint32_t undefined_seed = 0;
  // A select that chooses an undefined value over a defined one gives the latter, if undefined
  // values are not random, and is counted: what the importer writes where SPIR-V leaves a result
  // undefined (front::ImportOptions::mark_undefined).
  bool prefers_defined = false;
  // By instruction, empty or units in the last place by which random rounding may move its float
  // result besides: for functions of SPIR-V that the importer expanded.
  std::vector<uint32_t> loose_ulps;
};

struct InterpLimits {
  int64_t max_lane_steps = 2'000'000'000;  // instructions times lanes of a workgroup
  int64_t max_register_bytes = int64_t{1} << 30;
};

struct InterpStatistics {
  int64_t lane_steps = 0;
  int64_t misaligned_accesses = 0;     // offsets that were rounded down
  int64_t outside_accesses = 0;        // elements outside their buffer, array or table
  int64_t outside_local_accesses = 0;  // of these in private arrays, tables and shared memory,
                                       // where Vulkan has no rule for them
  int64_t outside_addresses = 0;       // of these by an address that no buffer has
  // Of active lanes: integers divided by 0, the least integer by -1, values of lanes that are not
  // there or not active, or of a lane that active lanes do not agree on (read_lane), selects that
  // choose an undefined value over a defined one (if these are random, or with prefers_defined),
  // descriptors beyond the end of an array (without length: beyond the last element given); and
  // accesses of lanes that do not share the index of a descriptor, without kNonUniform; derivatives
  // in quads that are not whole, elements of inputs and outputs and samples that are not there,
  // offsets beyond half a pixel.
  int64_t undefined_results = 0;
  int64_t outside_descriptors = 0;  // of these: beyond the end of an array of descriptors
  // Also of these: barriers of the workgroup that some of its invocations do not reach with the
  // others.
  int64_t split_barriers = 0;
  int64_t races = 0;  // see LaunchInputs::detect_races
  uint32_t first_race_spirv_id = 0;
};

// Runs the whole dispatch. The module must be well-formed. Errors: InvalidArgument (a resource of
// the module has nothing bound, or something else; fragments that are no quads), DeadlineExceeded
// (step limit), ResourceExhausted (registers), FailedPrecondition (unreachable was reached).
absl::StatusOr<InterpStatistics> Interpret(const mir::Module& module, LaunchInputs& inputs,
                                           const InterpLimits& limits = {});

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_INTERP_H_
