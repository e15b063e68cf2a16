// See memory_rules.h.
#include "core/sim/rdna2/memory_rules.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr OrderRule kOrder[] = {
    {Path::kVector, Pair::kSameBytesOfWave, true, "mesa-barrier: one path to memory, in order"},
    {Path::kVector, Pair::kSameBytesOfCu, true, "mesa-barrier"},
    {Path::kVector, Pair::kOtherBytesOfWave, false, "no source"},
    {Path::kVector, Pair::kElse, false, "no source"},
    {Path::kScratch, Pair::kSameBytesOfWave, true, "mesa-spill"},
    {Path::kScratch, Pair::kSameBytesOfCu, false, "waves share no scratch"},
    {Path::kScratch, Pair::kOtherBytesOfWave, true, "no effect: nothing else sees it"},
    {Path::kScratch, Pair::kElse, false, "waves share no scratch"},
    {Path::kLds, Pair::kSameBytesOfWave, true, "isa 4.4: LDS returns in order"},
    {Path::kLds, Pair::kSameBytesOfCu, false, "no source"},
    {Path::kLds, Pair::kOtherBytesOfWave, true, "isa 4.4: LDS returns in order"},
    {Path::kLds, Pair::kElse, false, "no source"},
    {Path::kScalar, Pair::kSameBytesOfWave, false, "isa 4.4: scalar loads return out of order"},
    {Path::kScalar, Pair::kSameBytesOfCu, false, "isa 4.4"},
    {Path::kScalar, Pair::kOtherBytesOfWave, false, "isa 4.4"},
    {Path::kScalar, Pair::kElse, false, "isa 4.4"},
};

constexpr LoadRule kLoads[] = {
    {false, false, Nearest::kOwn, "mesa-bits; llvm-model"},
    {false, true, Nearest::kOwnElseL2, "mesa-bits"},
    {true, false, Nearest::kArray, "mesa-bits; llvm-model; mesa-readme"},
    {true, true, Nearest::kL2, "mesa-bits; llvm-model; mesa-readme"},
};

constexpr StoreRule kStores[] = {
    {false, false, true, "mesa-bits: the scope of a CU only if it overwrites the whole line"},
    {false, true, false, "mesa-bits"},
    {true, false, true, "mesa-bits; llvm-model"},
    {true, true, true, "mesa-bits; llvm-model"},
};

}  // namespace

absl::Span<const OrderRule> OrderRules() { return kOrder; }

bool OrderKept(Path path, Pair pair) {
  return kOrder[static_cast<size_t>(path) * kPairs + static_cast<size_t>(pair)].kept;
}

absl::Span<const LoadRule> LoadRules() { return kLoads; }

Nearest NearestOf(bool glc, bool dlc) { return kLoads[(glc ? 2 : 0) + (dlc ? 1 : 0)].nearest; }

absl::Span<const StoreRule> StoreRules() { return kStores; }

bool CountedUntilL2(bool glc, bool whole_line) {
  return kStores[(glc ? 2 : 0) + (whole_line ? 1 : 0)].counted;
}

}  // namespace kiln::sim::rdna2
