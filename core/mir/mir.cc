// The op table of ops.def as data.
#include "core/mir/mir.h"

namespace kiln::mir {
namespace {

constexpr int V = -1;
constexpr OpInfo kOps[] = {
#define OP(enumerator, text, sources, results, signature, flags) \
  {text, sources, results, signature, flags},
#include "core/mir/ops.def"
#undef OP
};
constexpr int kNumOps = sizeof(kOps) / sizeof(kOps[0]);

}  // namespace

const OpInfo& Info(Op op) {
  assert(static_cast<int>(op) < kNumOps);
  return kOps[static_cast<int>(op)];
}

int NumOps() { return kNumOps; }

}  // namespace kiln::mir
