// A SPIR-V module read into dense tables: types with their explicit layouts, evaluated constants,
// variables with their decorations, functions and blocks.
//
// The reader trusts nothing: it is safe on arbitrary words without a validator before it. After a
// successful Parse: every instruction lies within the words and has the operands that its opcode
// needs (spirv_grammar.h); ids are below the bound and defined once; types and constants, except
// pointees, are defined before their use, so that walking them ends; type nesting, scalar counts
// and the constant pool are bounded. Instructions in function bodies are checked where they are
// used.
//
// Types and constants that Kiln does not compile (brain floats, ...) are recorded with the cause of
// refusal and refused only where an entry point uses them.
//
// Cost: linear in the words, plus the scalar leaves of composite constants (bounded). Source: the
// SPIR-V specification, unified1.
#ifndef KILN_CORE_FRONT_SPIRV_SPIRV_H_
#define KILN_CORE_FRONT_SPIRV_SPIRV_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/spec_type.h"
#include "core/front/grammar/spirv_enums.h"
#include "core/mir/image.h"

namespace kiln::front {

// A value for a specialisation constant: the SpecId decoration and the bits (a bool: 0 or not 0).
struct SpecConstant {
  uint32_t spec_id = 0;
  uint64_t bits = 0;
  SpecType type = SpecType::kBits;  // type in which it was written: see specialise.h
};

constexpr uint32_t kNoValue = 0xffffffffu;
constexpr uint32_t kMaxTypeDepth = 64;
// Maximum number of scalars in a value that is handled as a whole; a type's count saturates one
// above.
constexpr uint32_t kMaxLeaves = 1u << 16;

struct InstructionLayout;  // core/front/grammar/spirv_grammar.h

// A view of one instruction of the module.
struct SpirvInst {
  spv::Op op = spv::Op::OpNop;
  const InstructionLayout* layout = nullptr;  // null: not in the grammar
  absl::Span<const uint32_t> words;           // the first holds opcode and word count
  uint32_t type = 0;                          // result type, 0 if none
  uint32_t result = 0;                        // result id, 0 if none
  uint32_t operand(size_t i) const { return i < words.size() ? words[i] : 0; }
  size_t size() const { return words.size(); }
};

struct SpirvType {
  enum Kind : uint8_t {
    kNone,
    kVoid,
    kBool,
    kInt,
    kFloat,
    kVector,
    kMatrix,
    kArray,
    kRuntimeArray,
    kStruct,
    kPointer,
    kFunction,
    kImage,
    kSampler,
    kSampledImage,  // element: the image type
    kOpaque,
  };
  Kind kind = kNone;
  uint8_t width = 0;  // of ints, floats and physical pointers; bools have 32 in memory
  bool is_signed = false;
  uint8_t depth = 0;          // nesting
  uint32_t element = 0;       // component, column, element, pointee or returned type. Pointees
                              // may come later and make types cyclic: walks end at pointers
  uint32_t count = 0;         // components, columns, elements, members or parameters
  uint32_t first_member = 0;  // structs: in `members`; functions: parameter types, likewise
  bool IsPhysicalPointer() const {
    return kind == kPointer && storage == spv::StorageClass::PhysicalStorageBuffer;
  }
  // Returns true for pointers that may be values of a shader: with variable pointers, those into
  // storage buffers and shared memory. Two leaves: byte offset, and variable (pointers.cc).
  bool IsValuePointer() const {
    return kind == kPointer &&
           (storage == spv::StorageClass::StorageBuffer || storage == spv::StorageClass::Workgroup);
  }
  uint32_t leaves = 0;        // scalars inside; kMaxLeaves + 1: more. 0 where `unsupported`
  uint32_t array_stride = 0;  // bytes, 0 if not given
  spv::StorageClass storage = spv::StorageClass::Max;  // of pointers
  bool has_doubles = false;                            // a float of 64 bits, at any depth
  bool has_coherent = false;                           // a member at any depth is decorated so
  bool has_volatile = false;
  std::string_view unsupported;  // why values of this type are refused, or empty
  // Images and samplers are not values: they are traced to their descriptors.
  mir::ImageInfo image = {};   // kImage, kSampledImage
  bool storage_image = false;  // kImage: for reads and writes without a sampler
  // kImage, kSampledImage: texels are one integer of 64 bits, which MIR takes for two of 32.
  bool wide_texels = false;
  bool input_attachment = false;            // kImage: read at the fragment's position
  std::string_view image_unsupported = {};  // kImage, kSampledImage: why such images are refused
  bool IsImage() const { return kind == kImage || kind == kSampler || kind == kSampledImage; }
};

// Decorations that connect a variable or member to the previous and next stages.
struct SpirvInterface {
  uint32_t location = kNoValue;
  uint32_t component = 0;
  uint32_t index = 0;
  bool flat = false;
  bool no_perspective = false;
  bool centroid = false;
  bool sample = false;
  bool invariant = false;
  bool per_vertex = false;            // an array, an element for each vertex of the primitive
  std::string_view unsupported = {};  // cause of refusal where it is used, or empty
};

struct SpirvMember {
  uint32_t type = 0;
  uint32_t leaf = 0;           // scalars before it in the struct
  uint32_t offset = kNoValue;  // bytes, if the layout is explicit
  uint32_t matrix_stride = 0;
  bool row_major = false;
  bool non_writable = false;
  bool coherent = false;
  bool is_volatile = false;
  uint32_t builtin = kNoValue;
  SpirvInterface interface = {};
};

struct SpirvConstant {
  enum Kind : uint8_t { kLeaves, kNull, kUndef, kUnsupported };
  Kind kind = kUnsupported;
  bool specialisable = false;  // OpSpecConstant, True and False: may be decorated SpecId
  uint32_t type = 0;
  uint32_t first_leaf = 0;  // kLeaves: in constant_leaves
  std::string_view cause;   // of kUnsupported
};

struct SpirvVariable {
  uint32_t id = 0;
  uint32_t type = 0;  // the pointer type
  uint32_t pointee = 0;
  spv::StorageClass storage = spv::StorageClass::Max;
  uint32_t initializer = 0;  // a constant (or variable: refused where used); 0: none
};

struct SpirvDecorations {
  std::optional<uint32_t> spec_id;  // any number is valid
  uint32_t builtin = kNoValue;
  uint32_t set = kNoValue;
  uint32_t binding = kNoValue;
  uint32_t array_stride = 0;
  uint32_t rounding = kNoValue;   // FPRoundingMode
  uint32_t fast_math = kNoValue;  // FPFastMathMode: a mask
  bool block = false;
  bool buffer_block = false;
  bool no_contraction = false;
  bool non_writable = false;
  bool coherent = false;
  bool is_volatile = false;
  bool non_uniform = false;
  bool aliased = false;
  bool row_major = false;  // seen through group decorations only
  SpirvInterface interface = {};
};

struct SpirvBlock {
  uint32_t label = 0;
  uint32_t first = 0;            // instructions [first, end) of body_offsets; the last is the
  uint32_t end = 0;              // terminator; merge instructions are among them
  uint32_t merge = 0;            // label ids of the merge instruction, 0 if none
  uint32_t continue_target = 0;  // not 0: a loop header
};

struct SpirvFunction {
  uint32_t id = 0;
  uint32_t type = 0;  // OpTypeFunction
  uint32_t return_type = 0;
  std::vector<uint32_t> parameters;  // ids
  std::vector<uint32_t> parameter_types;
  uint32_t first_block = 0;  // blocks [first_block, end_block) of the module
  uint32_t end_block = 0;
};

struct SpirvEntryPoint {
  spv::ExecutionModel model = spv::ExecutionModel::Max;
  uint32_t function = 0;  // id
  std::string name;
  std::vector<uint32_t> interface;  // ids of variables
};

struct SpirvExecutionMode {
  uint32_t entry = 0;  // function id
  spv::ExecutionMode mode = spv::ExecutionMode::Max;
  std::vector<uint32_t> operands;
  bool operands_are_ids = false;
};

// The definition of an id.
struct SpirvDef {
  enum Kind : uint8_t {
    kNone,
    kType,
    kConstant,
    kVariable,
    kFunction,
    kLabel,
    kBody,
    kExtInstSet,
    kString,
    kOther,
  };
  Kind kind = kNone;
  uint32_t index = 0;  // types, constants, variables, functions, blocks; kBody: offset in words
  uint32_t function = kNoValue;  // of labels and ids in bodies
  uint32_t type = 0;             // result type of constants, variables, body ids
};

enum class ExtInstSet : uint8_t {
  kNone,
  kGlsl450,
  kTrinary,       // SPV_AMD_shader_trinary_minmax
  kVendorBallot,  // SPV_AMD_shader_ballot
  kGcn,           // SPV_AMD_gcn_shader
  kNonSemantic,
  kUnknown
};

struct SpirvModule {
  std::vector<uint32_t> words;
  uint32_t version = 0;  // 0x00010600 for 1.6
  // At most the number of words: ids of a module with a larger bound are renumbered (dense_ids.h).
  uint32_t bound = 0;
  std::vector<uint32_t> original_ids;  // the module's own ids, by new id; empty: the same
  std::vector<spv::Capability> capabilities;
  std::vector<std::string> extensions;
  spv::AddressingModel addressing = spv::AddressingModel::Max;
  spv::MemoryModel memory_model = spv::MemoryModel::Max;
  std::vector<SpirvEntryPoint> entry_points;
  std::vector<SpirvExecutionMode> execution_modes;

  std::vector<SpirvDef> defs;                 // by id
  std::vector<SpirvDecorations> decorations;  // by id
  std::vector<SpirvType> types;
  std::vector<SpirvMember> members;
  std::vector<SpirvConstant> constants;
  std::vector<bool> spec_dependent;       // by constant: a scalar that can be specialised
  std::vector<uint64_t> constant_leaves;  // bits, those beyond the width 0
  std::vector<SpirvVariable> variables;   // module scope
  std::vector<SpirvFunction> functions;
  std::vector<SpirvBlock> blocks;
  std::vector<uint32_t> body_offsets;    // word offsets of the instructions in blocks
  uint32_t workgroup_size_constant = 0;  // the id decorated WorkgroupSize, 0 if none

  // Returns the status with its id, if it has one, replaced by the module's own if ids were
  // renumbered.
  absl::Status WithOriginalId(absl::Status status) const;
  // Records the definition of an id. INVALID_ARGUMENT: it is outside the bound, or already defined.
  absl::Status Define(uint32_t id, SpirvDef def);
  const SpirvDef& Def(uint32_t id) const { return defs[id < bound ? id : 0]; }
  // Return null if the id is not of that kind.
  const SpirvType* Type(uint32_t id) const;
  const SpirvConstant* Constant(uint32_t id) const;
  const SpirvVariable* Variable(uint32_t id) const;
  const SpirvFunction* Function(uint32_t id) const;
  // Returns the instruction at a word offset that the reader has passed.
  SpirvInst Inst(uint32_t offset) const;
  ExtInstSet InstSet(uint32_t id) const;

  // Returns scalar leaf `leaf` of a constant of a supported type.
  uint64_t ConstantLeaf(const SpirvConstant& constant, uint32_t leaf) const;
  // Gets the value of an integer constant below 2^32; returns false if the id is no such constant.
  bool IntConstant(uint32_t id, uint32_t* value) const;
  // Gets an access chain's constant index, which is signed; all ones if it does not fit 32 bits.
  bool IndexConstant(uint32_t id, uint32_t* index) const;
  bool Declares(spv::Capability capability) const;
  // Returns true if a composite of the first type consists of values of the second.
  bool ConsistsOf(const SpirvType& composite, uint32_t part) const;
  // Returns the number of words of a literal of an OpSwitch: 2 for 64-bit selectors.
  size_t SwitchLiteralWords(const SpirvInst& inst) const;
};

// Reads a module. `specialisation` overrides constants by SpecId (unknown SpecIds are ignored:
// see specialise.h). Errors: INVALID_ARGUMENT for malformed input, UNIMPLEMENTED (refusal.h) for
// limits of this reader.
absl::StatusOr<SpirvModule> ParseSpirv(absl::Span<const uint32_t> words,
                                       absl::Span<const SpecConstant> specialisation = {});

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPIRV_H_
