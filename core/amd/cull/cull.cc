#include "core/amd/cull/cull.h"

#include <array>
#include <bit>
#include <initializer_list>
#include <vector>

#include "core/amd/cull/if.h"
#include "core/amd/cull/numbers.h"
#include "core/amd/cull/parts.h"
#include "core/amd/cull/triangle.h"
#include "core/mid/values/remove_dead_code.h"
#include "core/mir/build.h"

namespace kiln::amd {
namespace {

using mir::InstId;
using mir::Op;
using mir::Type;
using mir::ValueId;

constexpr uint32_t kNullPrimitive = 1u << 31;
constexpr uint32_t kIndexMask = 0x1ff;         // bits of an index in an exported primitive
constexpr uint32_t kPrimitivesOfRequest = 12;  // first bit
constexpr Type kInt = Type::kI32, kFloat = Type::kF32, kBool = Type::kBool;

// The dwords of a vertex's record in LDS that tests read, the last one only if the program writes
// distances: a bit for each that is negative. Later the record has what a vertex that is left
// is made of: its position, in four dwords, then its number and its instance's if they are needed.
// The last dword says first that a primitive that is left has the vertex, then the number under
// which the vertex is exported.
constexpr uint32_t kTestX = 0, kTestY = 1, kTestW = 2, kTestOutside = 3;  // x and y divided by w
constexpr uint32_t kPosition = 0, kNumbers = 4;
static_assert(kTestY == kTestX + 1 && kTestOutside == kTestW + 1 && kTestOutside < kNumbers);

// The values of a vertex that the tests of its primitives read.
struct TestedVertex {
  Position position;
  ValueId outside;  // bits of negative distances; invalid: the program writes none
};

class Culling {
 public:
  Culling(mir::Module& m, const VertexAbi& abi, uint32_t width)
      : m_(m), abi_(abi), width_(width), b_(m) {}

  absl::Status Run();

 private:
  // The exports of lanes, whether primitives are culled or not.
  struct Exports {
    ValueId vertices;             // how many
    ValueId primitive;            // packed
    ValueId vertex_id, instance;  // of the lane's
    Position position;

    std::vector<ValueId> List() const {
      return {vertices,    primitive,   vertex_id,   instance,
              position[0], position[1], position[2], position[3]};
    }
  };

  ValueId Scalar(LaunchScalar what) {
    return b_.Emit(Op::kLaunchScalar, {}, static_cast<uint32_t>(what));
  }
  ValueId Vector(LaunchVector what) {
    return b_.Emit(Op::kLaunchVector, {}, static_cast<uint32_t>(what));
  }
  // The numbers of the vertex that was launched in the lane, if they are needed.
  ValueId VertexId(bool needed) {
    return needed ? Vector(LaunchVector::kVertexId) : b_.Undef(kInt);
  }
  ValueId InstanceId(bool needed) {
    return needed ? Vector(LaunchVector::kInstanceId) : b_.Undef(kInt);
  }
  void Effect(StageEffect what, absl::Span<const ValueId> values) {
    b_.EmitInst(Op::kStageEffect, values, {}, static_cast<uint32_t>(what));
  }
  ValueId Field(ValueId word, uint32_t first, uint32_t bits) {
    return b_.UbitfieldExtract(word, b_.Int(first), b_.Int(bits));
  }
  ValueId AddressOf(ValueId vertex) { return b_.Imul(vertex, b_.Int(4 * record_dwords_)); }
  ValueId At(ValueId record, uint32_t dword) {
    return dword == 0 ? record : b_.Iadd(record, b_.Int(4 * dword));
  }
  std::vector<ValueId> LoadShared(ValueId record, uint32_t dword,
                                  std::initializer_list<Type> types);
  void StoreShared(ValueId record, uint32_t dword, absl::Span<const ValueId> values) {
    b_.Store(Op::kStoreShared, 0, At(record, dword), values);
  }
  void Barrier() {
    b_.EmitInst(Op::kControlBarrier, {}, {}, mir::kMemoryShared,
                static_cast<uint32_t>(mir::Scope::kWorkgroup));
  }

  void LayOutRecord();
  void NumberLanes();
  CullingState State();
  ValueId CountOf(ValueId keeps, Op op);
  ValueId NegativeOf(const std::vector<ValueId>& distances);
  TestedVertex PositionPart();
  ValueId Culls();
  void Request(ValueId vertices, ValueId primitives);
  ValueId Packed(ValueId i, ValueId j, ValueId k);
  Exports ExportAll(const Position& position);
  Exports ExportVisible(const TestedVertex& vertex);
  ValueId KeepPrimitive(const std::array<ValueId, 3>& records);
  void Export(const Exports& exports);

  mir::Module& m_;
  const VertexAbi& abi_;
  const uint32_t width_;
  mir::Builder b_;
  Parts parts_{b_};
  VertexNumbers needs_;  // of the rest of the program, besides the position
  uint32_t record_dwords_ = 0;
  uint32_t kept_ = 0;      // dword of the record
  ValueId group_, lanes_;  // counts
  ValueId wave_, lane_;    // numbers
  ValueId number_;         // of the lane in the workgroup
  ValueId record_;         // address of the lane's
  ValueId has_vertex_, has_primitive_;
  std::array<ValueId, 3> vertices_;  // of the lane's primitive, by number in the workgroup
};

std::vector<ValueId> Culling::LoadShared(ValueId record, uint32_t dword,
                                         std::initializer_list<Type> types) {
  const InstId load = b_.Load(Op::kLoadShared, 0, At(record, dword), {types.begin(), types.size()});
  std::vector<ValueId> results;
  for (size_t i = 0; i < types.size(); ++i) results.push_back(m_.result(load, static_cast<int>(i)));
  return results;
}

// An odd number of dwords lets the lanes of a wave use different banks.
void Culling::LayOutRecord() {
  kept_ = kNumbers + (needs_.vertex ? 1 : 0) + (needs_.instance ? 1 : 0);
  record_dwords_ = (kept_ + 1) | 1;
}

void Culling::NumberLanes() {
  group_ = Scalar(LaunchScalar::kGroupCounts);
  lanes_ = Scalar(LaunchScalar::kWaveCounts);
  wave_ = Field(lanes_, 24, 4);
  lane_ = b_.SubgroupInvocation();
  has_vertex_ = b_.Ult(lane_, Field(lanes_, 0, 8));
  has_primitive_ = b_.Ult(lane_, Field(lanes_, 8, 8));
  const auto shift = static_cast<uint32_t>(std::countr_zero(width_));
  number_ = b_.Iadd(b_.Shl(wave_, b_.Int(shift)), lane_);
}

// Returns a bit for each distance that is negative. No number is not.
ValueId Culling::NegativeOf(const std::vector<ValueId>& distances) {
  ValueId bits = b_.Int(0);
  for (size_t i = 0; i < distances.size(); ++i) {
    b_.set_flags(mir::kExact);
    const ValueId negative = b_.Flt(distances[i], b_.Float(0));
    b_.set_flags(0);
    bits = b_.Or(bits, b_.Select(negative, b_.Int(1u << i), b_.Int(0)));
  }
  return bits;
}

// Runs what the tested outputs need, for lanes of vertices.
TestedVertex Culling::PositionPart() {
  std::vector<Type> types = {kFloat, kFloat, kFloat, kFloat};
  if (parts_.has_distances()) types.push_back(kInt);
  const auto results = EmitIf(b_, has_vertex_, types, [&] {
    Effect(StageEffect::kStartVertex,
           {VertexId(abi_.reads_vertex_id), InstanceId(abi_.reads_instance_id)});
    const TestedOutputs tested = parts_.CloneTested();
    std::vector<ValueId> values(tested.position.begin(), tested.position.end());
    if (parts_.has_distances()) values.push_back(NegativeOf(tested.distances));
    return values;
  });
  return {{results[0], results[1], results[2], results[3]},
          parts_.has_distances() ? results[4] : ValueId()};
}

// Returns whether the workgroup culls: the driver asks for it, and there are enough primitives.
ValueId Culling::Culls() {
  constexpr uint32_t kPrimitives = 22, kBits = 9;
  constexpr uint32_t kEnough = ((1u << kBits) - kFewestCulled) << kPrimitives;
  const ValueId enough = b_.Ine(b_.And(group_, b_.Int(kEnough)), b_.Int(0));
  const ValueId asks = b_.Select(enough, b_.Int(kCullFront | kCullBack | kCullSmall), b_.Int(0));
  return b_.Ine(b_.And(Scalar(LaunchScalar::kCullingSettings), asks), b_.Int(0));
}

CullingState Culling::State() {
  const auto number = [&](LaunchScalar what) {
    return b_.Convert(Op::kBitcast, Scalar(what), kFloat);
  };
  return {Scalar(LaunchScalar::kCullingSettings),
          {number(LaunchScalar::kViewportScaleX), number(LaunchScalar::kViewportScaleY)},
          {number(LaunchScalar::kViewportOffsetX), number(LaunchScalar::kViewportOffsetY)}};
}

// The first wave requests room, for the workgroup.
void Culling::Request(ValueId vertices, ValueId primitives) {
  EmitIf(b_, b_.Ieq(wave_, b_.Int(0)), {}, [&] {
    Effect(StageEffect::kRequestRoom,
           {b_.Or(vertices, b_.Shl(primitives, b_.Int(kPrimitivesOfRequest)))});
    return std::vector<ValueId>();
  });
}

ValueId Culling::Packed(ValueId i, ValueId j, ValueId k) {
  const ValueId two = b_.Or(b_.Shl(j, b_.Int(10)), i);
  return b_.Or(b_.Shl(k, b_.Int(20)), two);
}

Culling::Exports Culling::ExportAll(const Position& position) {
  Exports e;
  e.vertices = Field(group_, 12, 9);
  Request(e.vertices, Field(group_, 22, 9));
  e.primitive = Packed(vertices_[0], vertices_[1], vertices_[2]);
  e.vertex_id = VertexId(needs_.vertex);
  e.instance = InstanceId(needs_.instance);
  e.position = position;
  return e;
}

// Tests the primitives, of which those that are left mark their vertices' records. Returns whether
// the lane's is left. `records`: of the lane's primitive.
ValueId Culling::KeepPrimitive(const std::array<ValueId, 3>& records) {
  const ValueId kept = EmitIf(b_, has_primitive_, {&kBool, 1}, [&] {
    std::array<Corner, 3> corners;
    for (size_t i = 0; i < 3; ++i) {
      const auto xy = LoadShared(records[i], kTestX, {kFloat, kFloat});
      if (parts_.has_distances()) {
        const auto rest = LoadShared(records[i], kTestW, {kFloat, kInt});
        corners[i] = {xy[0], xy[1], rest[0], rest[1]};
      } else {
        corners[i] = {xy[0], xy[1], LoadShared(records[i], kTestW, {kFloat})[0], {}};
      }
    }
    return std::vector<ValueId>{KeepTriangle(b_, corners, State(), [&] {
      for (const ValueId record : records) StoreShared(record, kept_, {b_.Int(1)});
    })};
  })[0];
  return b_.And(has_primitive_, kept);
}

// Returns a count over the lanes for which a boolean is true: of all (kReduce), or of those below
// (kExclusiveScan).
ValueId Culling::CountOf(ValueId keeps, Op op) {
  const ValueId one = b_.Select(keeps, b_.Int(1), b_.Int(0));
  return m_.result(
      b_.EmitInst(op, {&one, 1}, {&kInt, 1}, static_cast<uint32_t>(mir::ReduceOp::kIadd)));
}

Culling::Exports Culling::ExportVisible(const TestedVertex& vertex) {
  const Position& p = vertex.position;
  record_ = AddressOf(number_);
  std::array<ValueId, 3> records;
  for (size_t i = 0; i < 3; ++i) records[i] = AddressOf(vertices_[i]);
  EmitIf(b_, has_vertex_, {}, [&] {
    const ValueId inverse = b_.Frcp(p[3]);
    StoreShared(record_, kTestX, {b_.Fmul(p[0], inverse), b_.Fmul(p[1], inverse)});
    std::vector<ValueId> rest = {p[3]};
    if (vertex.outside.valid()) rest.push_back(vertex.outside);
    StoreShared(record_, kTestW, rest);
    StoreShared(record_, kept_, {b_.Int(0)});
    return std::vector<ValueId>();
  });
  Barrier();
  const ValueId keeps_primitive = KeepPrimitive(records);
  Barrier();
  // Lanes without a vertex have a record, too.
  const ValueId marked = LoadShared(record_, kept_, {kInt})[0];
  const ValueId keeps = b_.And(has_vertex_, b_.Ine(marked, b_.Int(0)));

  // Numbers the vertices that are left.
  const ValueId below = CountOf(keeps, Op::kExclusiveScan);
  const std::array<ValueId, 3> sources = {wave_, b_.Ushr(lanes_, b_.Int(28)),
                                          CountOf(keeps, Op::kReduce)};
  const std::array<Type, 2> sums = {kInt, kInt};
  const InstId scan = b_.EmitInst(Op::kWorkgroupScan, sources, sums, 0, abi_.group_size);
  Exports e;
  e.vertices = m_.result(scan, 1);
  Request(e.vertices, b_.Select(b_.Ine(e.vertices, b_.Int(0)), Field(group_, 22, 9), b_.Int(0)));

  // Moves them.
  EmitIf(b_, keeps, {}, [&] {
    const ValueId to = b_.Iadd(below, m_.result(scan, 0));
    StoreShared(record_, kept_, {to});
    const ValueId record = AddressOf(to);
    StoreShared(record, kPosition, p);
    std::vector<ValueId> numbers;
    if (needs_.vertex) numbers.push_back(VertexId(true));
    if (needs_.instance) numbers.push_back(InstanceId(true));
    if (!numbers.empty()) StoreShared(record, kNumbers, numbers);
    return std::vector<ValueId>();
  });
  Barrier();
  const auto xyzw = LoadShared(record_, kPosition, {kFloat, kFloat, kFloat, kFloat});
  e.position = {xyzw[0], xyzw[1], xyzw[2], xyzw[3]};
  e.vertex_id = e.instance = b_.Undef(kInt);
  if (needs_.vertex) e.vertex_id = LoadShared(record_, kNumbers, {kInt})[0];
  if (needs_.instance) e.instance = LoadShared(record_, kept_ - 1, {kInt})[0];
  const ValueId packed = EmitIf(b_, keeps_primitive, {&kInt, 1}, [&] {
    std::array<ValueId, 3> at;
    for (size_t i = 0; i < 3; ++i) at[i] = LoadShared(records[i], kept_, {kInt})[0];
    return std::vector<ValueId>{Packed(at[0], at[1], at[2])};
  })[0];
  e.primitive = b_.Select(keeps_primitive, packed, b_.Int(kNullPrimitive));
  return e;
}

// Exports, and runs what vertices that are exported need besides their position.
void Culling::Export(const Exports& e) {
  const auto nothing = [] { return std::vector<ValueId>(); };
  EmitIf(b_, b_.Ine(e.vertices, b_.Int(0)), {}, [&] {
    EmitIf(b_, has_primitive_, {}, [&] {
      Effect(StageEffect::kExportPrimitive, {e.primitive});
      return nothing();
    });
    EmitIf(b_, b_.Ult(number_, e.vertices), {}, [&] {
      Effect(StageEffect::kStartVertex, {e.vertex_id, e.instance});
      parts_.CloneRest(e.position);
      Effect(StageEffect::kExportVertex, {});
      return nothing();
    });
    return nothing();
  });
}

absl::Status Culling::Run() {
  if (absl::Status s = parts_.Check(); !s.ok()) return s;
  needs_ = parts_.NumbersOfRest(abi_);
  LayOutRecord();
  m_.local_size = {abi_.group_size, 1, 1};
  m_.shared_bytes = 4 * record_dwords_ * abi_.group_size;
  m_.body = mir::NewRegion(m_);
  b_.SetRegion(m_.body);
  NumberLanes();
  const ValueId two = Vector(LaunchVector::kFirstTwoIndices);
  const ValueId third = Vector(LaunchVector::kThirdIndex);
  // The hardware may leave other bits than 0 above the indices of points and lines: they must not
  // become flags of the exported primitive.
  const ValueId mask = b_.Int(kIndexMask);
  vertices_ = {b_.And(two, mask), b_.And(b_.Ushr(two, b_.Int(16)), mask), b_.And(third, mask)};
  const TestedVertex vertex = PositionPart();
  const std::array<Type, 8> types = {kInt, kInt, kInt, kInt, kFloat, kFloat, kFloat, kFloat};
  const auto values = EmitIf(
      b_, Culls(), types, [&] { return ExportVisible(vertex).List(); },
      [&] { return ExportAll(vertex.position).List(); });
  Export(
      {values[0], values[1], values[2], values[3], {values[4], values[5], values[6], values[7]}});
  b_.Return();
  // Each part is a copy of all. The rest's copy of what only the position needs may read numbers
  // that records do not have.
  mid::SweepDeadCode(m_);
  mir::Compact(m_);
  return absl::OkStatus();
}

}  // namespace

absl::Status CullPrimitives(mir::Module& module, const VertexAbi& abi, uint32_t width) {
  return Culling(module, abi, width).Run();
}

}  // namespace kiln::amd
