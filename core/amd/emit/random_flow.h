// Random structured programs as allocated LIR, and what each lane computes by them. For tests.
//
// A program works on v1, which starts as a function of the lane: it has ifs, if-elses, uniform ifs,
// and loops with breaks and continues at any depth of ifs, with and without a continue block.
#ifndef KILN_CORE_AMD_EMIT_RANDOM_FLOW_H_
#define KILN_CORE_AMD_EMIT_RANDOM_FLOW_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/lir/lir.h"

namespace kiln::amd::testing {

// A statement; `a`, `b` and bodies by kind.
struct Statement {
  enum class Kind : uint8_t { kArithmetic, kIf, kUniformIf, kLoop, kBreak, kContinue };
  Kind kind = Kind::kArithmetic;
  uint32_t a = 0;        // constant; bit of v1 that an if tests
  bool inverse = false;  // of ifs: tests that the bit is 0
  bool has_else = false;
  bool conditional = false;  // of breaks and continues: the operation itself has the condition
  std::vector<Statement> body, other;  // other: the else side; the continue block of a loop
};

struct RandomFlow {
  std::vector<Statement> statements;
  lir::Function function;

  // v1 of a lane at the end. `uniform` is what s2 holds.
  uint32_t Expected(uint32_t lane, uint32_t uniform) const;
};

RandomFlow MakeRandomFlow(uint64_t seed, uint8_t width);

}  // namespace kiln::amd::testing

#endif  // KILN_CORE_AMD_EMIT_RANDOM_FLOW_H_
