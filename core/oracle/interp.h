// The MIR interpreter: the meaning of a module, for tests and tools. Never part of a compile.
//
// A workgroup runs in lockstep: every instruction is executed for all its lanes before the next
// one, with an execution mask under divergent control. Memory instructions process the active lanes
// in ascending order, workgroups run one after another (x fastest). Barriers are therefore
// no-ops; a program whose result changes in another order has a race.
//
// Pure ops are as semantics.h says; transcendental ones are computed in double precision and
// rounded once. Undefined values are 0. Memory: an element not entirely inside its buffer reads as
// 0 and is not written, an atomic on it gives 0; offsets are rounded down to the size of an
// element. Shared memory and private arrays start as 0. An address belongs to the bound buffer
// that contains it; an address in none is treated as outside a buffer.
//
// Graphics stages have one group of StageData::invocations lanes (stages.h). The result of an
// atomic in a helper is undefined (and not counted: it affects only derivatives). Vulkan leaves
// open if helpers take part in subgroups: here they do, except with an odd undefined_seed.
//
// kWorkgroupId counts from 0 in each dispatch; kBaseWorkgroup is separate, and a module adds the
// two for Vulkan's WorkgroupId.
//
// Cost: one pass over the lanes of the workgroup per instruction, active or not (results of
// inactive lanes are never read), 8 bytes per value and lane.
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

// The binding of a resource (of one element of an arrayed binding).
struct BoundBuffer {
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t element = 0;
  std::vector<uint8_t> bytes;
  uint64_t address = 0;  // of the first byte, for access by address; 0: none
};

enum class Denormals : uint8_t {
  kKeep,
  kFlush,  // single precision, unless the module says otherwise; see semantics.h
};

// Receives every value as it is defined; for tests of analyses.
class InterpObserver {
 public:
  virtual ~InterpObserver() = default;
  // `lanes` holds the value in every lane; those of inactive lanes are meaningless.
  virtual void OnValue(mir::ValueId value, const BitSet& active,
                       absl::Span<const uint64_t> lanes) = 0;
};

// Inputs and outputs of the invocations of a graphics stage. Values of one variable: element by
// element, component by component, all invocations of a component together. Missing values are 0.
struct StageData {
  // At most 65536. Fragments: whole quads of four consecutive ones, upper left, upper right, lower
  // left, lower right.
  uint32_t invocations = 4;
  std::vector<bool> helpers;  // of fragments: helpers from the start
  std::vector<bool> off;      // whole quads that have lanes and do not run
  // By Module::inputs; at the pixel's centre. Per-vertex inputs have the values at the first
  // vertex, then those at the second and the third.
  std::vector<std::vector<uint64_t>> inputs;
  // By input, for interpolated f32 inputs: the change over a pixel to the right, and down. Without
  // an entry the value is constant over the pixel.
  std::vector<std::vector<std::array<float, 2>>> slopes;
  // By invocation: 1 / w at the pixel's centre, and its changes over a pixel to the right and down.
  // With it the slopes of BaryCoord are those of value / w, which are constant over a primitive.
  std::vector<std::array<float, 3>> inverse_w;
  std::vector<std::array<float, 2>> centroids;  // by invocation: from the pixel's centre
  std::vector<std::array<float, 2>> samples;    // by sample: likewise
  std::vector<uint32_t> sample_ids;  // by invocation: the sample at which inputs are taken
  // By Module::outputs. Written by Interpret, for the invocations that reach the end. Components
  // that such an invocation does not write are undefined: random if undefined values are
  // (LaunchInputs::undefined_seed), else unchanged, or 0.
  std::vector<std::vector<uint64_t>> outputs;
  std::vector<bool> live;  // an output: invocations that reached the end and are no helpers
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
  // Counts accesses to buffers, images and shared memory that race: by two invocations (of the same
  // subgroup too), one of them a store, not both atomic, not separated by a control barrier of one
  // workgroup or subgroup. A store of the value already there does not race with loads and with
  // stores of that value, but with stores of other values, before and after. Costs 88 bytes a
  // dword.
  bool detect_races = false;
  // Sines and cosines take their argument times 1 / 2 pi, rounded to single precision, as the angle
  // in turns, as hardware may whose instructions take turns: 0 beyond 256 of them. Vulkan bounds
  // the error for -pi to pi alone: for the large arguments that shaders hash by, each target has
  // results of its own.
  bool angles_in_turns = false;
  // Not 0: a random order with this seed, of workgroups and of the lanes within memory
  // instructions. If two accesses race, the later one may also come first: its store is then
  // dropped, its load gives the old value. A load and a later store keep their order (a limit).
  // Results that change depend on an order that the program leaves open.
  uint32_t shuffle_seed = 0;
  // Not 0: random rounding with this seed. Float results that are inexact move by up to one unit in
  // the last place, those of division, roots and transcendentals by up to what Vulkan allows,
  // conversions to half to either neighbour (with one seed in four, all to the one towards zero),
  // weights of filters by 1/256, values read from normalised formats by one unit. Sums, products
  // and ffma with kNoContraction, kNoReassociation and kNoTransform stay exact. NaNs that
  // arithmetic creates have any sign and payload. Results that change much are not determined by
  // the program at this precision.
  uint32_t perturb_seed = 0;
  // Not 0: undefined values and results (InterpStatistics) are random with this seed (every fourth:
  // all equal; 4: zero; 12: NaN if they are floats), and so is shared and private memory before it
  // is written. A load outside of these gives a random value, and a store outside may hit any
  // element in them. Results that change are undefined.
  uint32_t undefined_seed = 0;
  // A select that chooses an undefined value over a defined one is counted, and gives the latter if
  // undefined values are not random. The importer emits such selects where SPIR-V leaves a result
  // undefined (front::ImportOptions::mark_undefined).
  bool prefers_defined = false;
  // By instruction (may be empty): further units in the last place by which random rounding may
  // move its float result, for functions of SPIR-V that the importer expanded.
  std::vector<uint32_t> loose_ulps;
};

struct InterpLimits {
  int64_t max_lane_steps = 2'000'000'000;  // instructions times lanes of a workgroup
  int64_t max_register_bytes = int64_t{1} << 30;
};

// Bytes [begin, end) of LaunchInputs::buffers[buffer].
struct RacedBytes {
  size_t buffer = 0;
  uint64_t begin = 0, end = 0;
};

struct InterpStatistics {
  int64_t lane_steps = 0;
  int64_t misaligned_accesses = 0;     // offsets that were rounded down
  int64_t outside_accesses = 0;        // elements outside their buffer, array or table
  int64_t outside_local_accesses = 0;  // those in private arrays, tables and shared memory, for
                                       // which Vulkan has no rule
  int64_t outside_addresses = 0;       // those by an address that no buffer contains
  // In active lanes: integers divided by 0, the smallest integer by -1; values of lanes that are
  // nonexistent or inactive, or of a lane that active lanes do not agree on (read_lane); selects
  // that choose an undefined value over a defined one (if these are random, or with
  // prefers_defined); descriptors beyond the end of an array (without length: beyond the last
  // element given); accesses of lanes that do not share the index of a descriptor, without
  // kNonUniform; derivatives in incomplete quads; nonexistent elements of inputs and outputs, and
  // samples; offsets beyond half a pixel; sums of a scan of the workgroup (subgroups.h).
  int64_t undefined_results = 0;
  int64_t outside_descriptors = 0;  // those beyond the end of an array of descriptors
  // Those for barriers of the workgroup that some of its invocations do not reach with the others.
  int64_t split_barriers = 0;
  int64_t races = 0;  // see LaunchInputs::detect_races
  uint32_t first_race_spirv_id = 0;
  // With detect_races: the bytes of buffers to which stores of different values by several
  // invocations, or such a store and an atomic, are unordered, ascending. That is a data race,
  // after which their contents are undefined (Vulkan, memory model).
  std::vector<RacedBytes> raced;
};

// Runs the whole dispatch. The module must be well-formed. Errors: InvalidArgument (a resource of
// the module has no binding or one of another kind; fragments that are no quads), DeadlineExceeded
// (step limit), ResourceExhausted (registers), FailedPrecondition (unreachable was reached).
absl::StatusOr<InterpStatistics> Interpret(const mir::Module& module, LaunchInputs& inputs,
                                           const InterpLimits& limits = {});

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_INTERP_H_
