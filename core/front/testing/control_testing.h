// For tests of control flow: a frame around the tested code.
#ifndef KILN_CORE_FRONT_TESTING_CONTROL_TESTING_H_
#define KILN_CORE_FRONT_TESTING_CONTROL_TESTING_H_

#include <string>

namespace kiln::front {

// Returns the MIR of a module's body, each line less indented by one level, without the SPIR-V ids;
// or the message of the error. The text is SPIR-V: `main` is the code of the entry function %1
// after its first instructions, `functions` the text after that function.
//
// Names to use: %void %bool %uint %float %fn_uint (from a uint to a uint) %true %false %u_0 ...
// %u_3, %p_word and %p_local (pointers to uint in storage buffers and functions), %buffer (of
// uints); in main %entry (its first block), %word (the buffer's first uint), %x (its value), %c
// (true if that is 1).
std::string FlowText(const std::string& main, const std::string& functions = "");

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_TESTING_CONTROL_TESTING_H_
