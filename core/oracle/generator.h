// Generates one random module (generate.h); each idea has a .cc file of its own.
#ifndef KILN_CORE_ORACLE_GENERATOR_H_
#define KILN_CORE_ORACLE_GENERATOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/mir/build.h"
#include "core/oracle/generate.h"
#include "core/oracle/splitmix.h"

namespace kiln::oracle::random_modules {

using mir::AtomicOp;
using mir::Auxiliary;
using mir::Builder;
using mir::BuiltIn;
using mir::DepthMode;
using mir::DerivativeMode;
using mir::Info;
using mir::InstId;
using mir::Interface;
using mir::InterpolateAt;
using mir::Interpolation;
using mir::kExact;
using mir::kMemoryShared;
using mir::kNumTypes;
using mir::Module;
using mir::NewRegion;
using mir::Op;
using mir::OpInfo;
using mir::ReduceOp;
using mir::RegionId;
using mir::ResourceKind;
using mir::Scope;
using mir::Stage;
using mir::TexelOp;
using mir::Type;
using mir::ValueId;

inline constexpr Type kFourInts[] = {Type::kI32, Type::kI32, Type::kI32, Type::kI32};

inline constexpr uint32_t kTable = 2;  // of the private arrays

// Arithmetic is drawn from the ops up to here. Later ops are not arithmetic, so that new ones do
// not change the modules of a seed.
inline constexpr uint32_t kDrawnOps = static_cast<uint32_t>(Op::kUnreachable) + 1;

// Inputs and outputs of a fragment, by index.
inline constexpr uint32_t kSmoothInput = 0, kNumberInput = 1, kArrayInput = 2;
inline constexpr uint32_t kColourOutput = 0, kIntOutput = 1;

// Further ones of fragments that are drawn; the sample mask is the last.
inline constexpr uint32_t kLinearInput = 3, kFlatInput = 4, kCoordInput = 5, kFacingInput = 6,
                          kPrimitiveInput = 7, kSampleInput = 8;
inline constexpr uint32_t kTexture = 3, kImage = 4;  // resources

// Inputs of a vertex, by index.
inline constexpr uint32_t kVertexNumber = 3;

// Bytes of shared memory that belong to each lane alone, after the dwords that lanes exchange
// through.
inline constexpr uint32_t kOwnSharedBytes = 16;

class Generator {
 public:
  Generator(uint64_t seed, const GenerateOptions& options) : random_(seed), options_(options) {}

  // Generates the module. Called once.
  Module Run();

 private:
  struct Mark {
    size_t size[kNumTypes];
  };
  struct OwnPart {
    Op memory;     // the op that loads
    ValueId base;  // byte offset
    uint32_t bytes;
  };

  bool IsFragment() const { return options_.stage == Stage::kFragment; }
  bool DrawsFragments() const { return options_.drawn && IsFragment(); }
  bool IsVertex() const { return options_.stage == Stage::kVertex; }
  bool IsGraphics() const { return IsFragment() || IsVertex(); }
  bool PerSample() const { return m_.fragment.sample_rate && options_.samples > 1; }

  // ---- Values in scope (generator.cc) ----

  void Define(ValueId v) { scope_[static_cast<int>(m_.value(v).type)].push_back(v); }
  Type AnyFloat() {
    if (options_.doubles && random_.OneIn(2)) return Type::kF64;
    return options_.types && random_.OneIn(2) ? Type::kF16 : Type::kF32;
  }
  ValueId Fraction() { return b_.Emit(Op::kFsaturate, {Pick(Type::kF32)}); }
  ValueId Pick(Type type);
  uint32_t InterestingInt();
  uint32_t InterestingFloat();
  uint32_t InterestingHalf();
  uint64_t InterestingDouble();
  Type AnyInteger();
  Type AnyArithmetic();
  Mark Enter() const;
  void Leave(const Mark& mark);
  std::vector<Type> SomeTypes();
  std::vector<ValueId> PickAll(const std::vector<Type>& types);
  ValueId PickTyped(Type type);
  void DefineTyped(ValueId v);
  Type AnyType();
  ValueId LastValue();
  void StoreOutput(uint32_t dword, ValueId v);
  ValueId OfOneZero(ValueId v);
  void DefineResults(InstId load);

  // ---- Arithmetic (generator_arithmetic.cc) ----

  bool Allowed(Op op) const;
  void Arithmetic();
  void TakeLicences(InstId id);
  void Conversion();
  void DoubleConversion();
  Type FloatOf(Op op);
  ValueId NumberOrZero(ValueId v);
  void Confine(Op op, std::vector<ValueId>& sources);

  // ---- Statements (generator_control.cc) ----

  void Step(int depth);
  void Block(int depth, uint32_t size);
  void Jump();
  void IfStatement(int depth);
  void LoopStatement(int depth);

  // ---- Values that stay live throughout (generator_pressure.cc) ----

  void LoadKept();
  ValueId& SomeKept();
  void ChangeKept();
  void JumpWithKept(ValueId fuel);
  void KeptIf(ValueId fuel, int depth);
  void KeptLoop();
  void StoreKept();

  // ---- Vectors of 16-bit numbers (generator_words.cc) ----

  void WordVectors();
  std::vector<ValueId> WordVector(Type type, uint32_t size);
  std::vector<ValueId> WordOperation(Type type, const std::vector<std::vector<ValueId>>& vectors);
  void StoreWords(const std::vector<ValueId>& words);

  // ---- Memory (generator_memory.cc) ----

  void ClearPrivate();
  void MemoryAccess(int depth);
  void OwnMemory();
  void SharedReads();
  OwnPart PickOwnPart();
  Builder::Address Place(const OwnPart& part, uint32_t byte);
  void OwnAtomic(const OwnPart& part, const Builder::Address& at, Type type);
  void Barrier();
  void StoreTable();
  ValueId PrivateOffset(uint32_t array, ValueId any);
  std::vector<ValueId> PickStored();
  void Exchange();

  // ---- Operations between lanes (generator_lanes.cc) ----

  void LaneOperation();
  void Vote();
  void LaneRead();
  ValueId IsActive(ValueId lane);
  ValueId InSubgroup(ValueId lane);
  void ScanOrReduce();
  ValueId InAnyOrder(ReduceOp op, ValueId v);
  static bool Combines(ReduceOp op, Type type);

  // ---- Fragments (generator_fragments.cc) ----

  void DeclareInterface();
  void WriteOutput();
  void FragmentOperation(int depth);
  void Kill(int depth);
  void KillInIf(Op op, ValueId condition);
  ValueId Interpolated();

  // ---- Fragments of a draw (generator_draws.cc) ----

  ValueId QuadIsWhole() { return b_.Ieq(QuadMask(), b_.Int(15)); }
  void DeclareDrawn();
  void NumberTheFragment();
  void WriteDrawnOutputs();
  void DrawnOperation(int depth);
  void DrawnInput();
  ValueId DrawnInterpolation();
  void DrawnKill(int depth);
  ValueId QuadMask();
  void DrawnDerivative();
  void QuadRead();
  void LanesOfTargets();
  void CommonAtomic();
  void ImageAccess();
  ValueId TextureCoordinate();
  void DrawnSample();
  ValueId OfTargets(ValueId v);

  // ---- Vertices (generator_vertices.cc) ----

  void DeclareVertex();
  void DeclareDrawnVertex();
  void DeclareNarrowVertex();
  ValueId NumberOfRun();
  void WriteVertexOutput();
  void WriteDrawnVertex();
  ValueId Element(const Interface& v);
  void VertexOperation();

  Module m_;
  Builder b_{m_};
  Random random_;
  const GenerateOptions options_;
  int left_ = 0;
  ValueId lane_;
  ValueId x_, y_;           // of a fragment that is drawn, in pixels
  ValueId base_;            // byte offset of the lane's output
  bool discards_ = false;   // may have discards; of fragments that are drawn
  bool discarded_ = false;  // a discard was generated
  int kills_ = 0;
  std::vector<ValueId> scope_[kNumTypes];  // by type
  std::vector<ValueId> kept_;              // options_.pressure of them, their current values
  std::vector<ValueId> fuel_;              // of the enclosing loops, innermost last
  std::vector<std::vector<Type>> loop_results_;
  std::vector<std::vector<Type>> loop_params_;
};

}  // namespace kiln::oracle::random_modules

#endif  // KILN_CORE_ORACLE_GENERATOR_H_
