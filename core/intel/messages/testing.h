// Helpers for text tests of the message passes: LIR in, one pass, LIR out.
#ifndef KILN_CORE_INTEL_MESSAGES_TESTING_H_
#define KILN_CORE_INTEL_MESSAGES_TESTING_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/intel/isa/messages.h"
#include "core/lir/lir.h"

namespace kiln::intel::testing {

// Return side rows of a message at surface 3, sampler 1: of a parameter list, and of the send to
// which it is lowered.
std::string Sampler(isa::Message message, bool header = false, bool indirect = false,
                    bool bindless = false);
std::string Sent(isa::Message message, int lanes, bool header = false, bool indirect = false,
                 bool bindless = false);

// Returns the parameter list `params` with side row `side`, into %10.
std::string Op(const std::string& params, const std::string& side, int width = 8);

// Returns `body` after one pass, or the error if it is no LIR before or after it. `rewrites` is the
// number of rewrites that the pass may make; -1: any number. %0..%9 are per lane (%0 to %2 are
// set), %10 and %11 vectors of four, %12 registers of r0, %13 a header, %14 a uniform dword, %15
// three registers. With 32 lanes %9 is per lane with 8 bytes.
std::string After(const std::string& body,
                  absl::StatusOr<bool> (*pass)(lir::Function&, PassContext&), int width = 8,
                  int64_t rewrites = -1);

// The same with more values, from %16 on, one line of text for each.
std::string AfterWith(const std::string& values, const std::string& body,
                      absl::StatusOr<bool> (*pass)(lir::Function&, PassContext&), int width = 8,
                      int64_t rewrites = -1);

}  // namespace kiln::intel::testing

#endif  // KILN_CORE_INTEL_MESSAGES_TESTING_H_
