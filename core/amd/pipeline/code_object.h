// A code object of ROCm (core/out/read_amdhsa.h), of any compiler, as the target's tools take it:
// as the one kernel in it.
#ifndef KILN_CORE_AMD_PIPELINE_CODE_OBJECT_H_
#define KILN_CORE_AMD_PIPELINE_CODE_OBJECT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/out/read_amdhsa.h"

namespace kiln::amd {

// Returns true for ELF files, whatever they hold: no program begins with these bytes, which are no
// instruction.
bool IsCodeObject(absl::Span<const uint8_t> file);

// Returns the file's kernel. InvalidArgument also for a file with several, which it names.
absl::StatusOr<out::AmdHsaProgram> ReadCodeObject(absl::Span<const uint8_t> file);

// Returns the bytes of the kernel's instructions: what follows them is padding and data. Only what
// does not decode has none: then all bytes.
uint32_t InstructionBytesOf(const out::AmdHsaKernel& kernel);

// Returns the launch record that the file amounts to, as far as it does not depend on where data
// are (abi.h, LaunchOf). Its resources are the buffers among the arguments, if these have the names
// that ABI.md gives them.
absl::StatusOr<out::LaunchRecord> RecordOfCodeObject(absl::Span<const uint8_t> file);

// The buffer that an argument of a Kiln kernel is about: "buffer_SET_BINDING_ELEMENT" is its
// address, the same with "_bytes" its size. False: the name is another one.
struct BufferArgument {
  out::DescriptorRef where;
  bool is_size = false;
};
bool ParseBufferArgument(const std::string& name, BufferArgument* to);

// Returns what a launch of the kernel needs, as lines that are comments of the assembler.
std::string DescribeKernel(const out::AmdHsaProgram& program);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_CODE_OBJECT_H_
