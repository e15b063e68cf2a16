// For tests of the front end: assembling, importing with verification, and running in the
// interpreter.
#ifndef KILN_CORE_FRONT_TESTING_TESTING_H_
#define KILN_CORE_FRONT_TESTING_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/front/import.h"
#include "core/oracle/interp.h"

namespace kiln::front {

// Assembles SPIR-V text; the test fails if it does not assemble.
std::vector<uint32_t> Assemble(const std::string& text);

// Returns TextOf the reader's error for SPIR-V text, which may be any part of a module; empty if it
// has none. Ids that are numbers in the text have these numbers in the message.
std::string ReadError(const std::string& text);

// Compiles a GLSL compute shader; the test fails if it does not compile.
std::vector<uint32_t> CompileCompute(const std::string& text);
// The same for a fragment shader.
std::vector<uint32_t> CompileFragment(const std::string& text);

// Runs spirv-opt on a module: pass flags as on its command line, "-O", "--merge-return", ...
std::vector<uint32_t> Optimise(const std::vector<uint32_t>& words,
                               const std::vector<std::string>& flags);

// Imports and verifies. INTERNAL: the import succeeds but is not well-formed.
absl::StatusOr<mir::Module> ImportVerified(const std::vector<uint32_t>& words,
                                           const ImportOptions& options = {});

// Runs a module that reads uints from (set 0, binding 0) and writes them to (set 0, binding 1);
// returns the latter, with the requested number of words.
absl::StatusOr<std::vector<uint32_t>> RunWords(const mir::Module& module,
                                               const std::vector<uint32_t>& input,
                                               size_t output_words, uint32_t groups = 1);

// Returns the usual frame of a GLSL test kernel: `in_[]` and `out_[]` of uints, `id` the
// invocation, 32 of them in a workgroup. `globals` comes before main.
std::string KernelText(const std::string& globals, const std::string& body);

// Compiles and imports KernelText, and runs `count` invocations (a multiple of 32).
std::vector<uint32_t> RunKernel(const std::string& globals, const std::string& body,
                                const std::vector<uint32_t>& input, size_t output_words,
                                uint32_t count = 32);

// The same frame in SPIR-V text: `types` and `main` are inserted at their positions. Names to use:
// %void %bool %int %uint %float %v2uint %v3uint %v4uint %v2float %v3float %v4float %u_0 ... %u_9,
// %f_0 %f_1 %f_2 %true %false; in main %id (the invocation), %x (in_[id]); main ends by storing
// %result (uint) to out_[id] unless `finish` is false.
std::string KernelAssembly(const std::string& types, const std::string& main, bool finish = true,
                           const std::string& functions = "",
                           const std::string& preamble = "OpCapability Shader\n");

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_TESTING_TESTING_H_
