#include "core/intel/pipeline/widths.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/cause.h"

namespace kiln::intel {

std::string VariantName(uint32_t width) { return absl::StrCat("SIMD", width); }

absl::Status Loses(absl::string_view why) {
  return WithCause(absl::ResourceExhaustedError(absl::StrCat(why, "; it is compiled if requested")),
                   "width_loses");
}

namespace {

// Returns the cycles of the model after which a thread's successor can do what the thread did. A
// unit may still be busy with a thread that has ended, and the next one waits for it: two writes of
// 16 lanes to a render target take the same time from two threads as from one, whose second write
// has waited for the first.
int64_t CyclesOf(const WidthCosts& v) { return std::max({v.cycles, v.busiest_cycles, int64_t{1}}); }

// Returns true if threads of `a`, one after the other, finish at least as many lanes as those of
// `b` in the same time: a.width / a.cycles >= b.width / b.cycles, without division.
bool IsAsFast(const WidthCosts& a, const WidthCosts& b) {
  return a.width * CyclesOf(b) >= b.width * CyclesOf(a);
}

// Returns the lanes that threads finish in a thousand cycles as text, rounded to a tenth.
std::string Throughput(const WidthCosts& v) {
  const int64_t cycles = CyclesOf(v);
  const int64_t tenths = (10'000 * int64_t{v.width} + cycles / 2) / cycles;
  return absl::StrCat(tenths / 10, ".", tenths % 10);
}

}  // namespace

absl::Status WorthTrying(mir::Stage stage, int width, const std::vector<WidthCosts>& narrower) {
  if (width <= 16 || narrower.empty()) return absl::OkStatus();
  const WidthCosts& other = narrower.back();
  if (stage != mir::Stage::kCompute) {
    if (2 * other.width < width) {
      return Loses(absl::StrCat("half as many lanes as ", width, " did not fit"));
    }
    return other.spills ? Loses(absl::StrCat(other.Name(), " spills already")) : absl::OkStatus();
  }
  return Loses(absl::StrCat("twice the registers of ", other.Name(),
                            ", which fits the workgroup as well (", other.registers,
                            " registers)"));
}

bool MaySpill(const std::vector<WidthCosts>& narrower) {
  return narrower.empty() || narrower.back().spills;
}

absl::Status WorthKeeping(mir::Stage stage, const WidthCosts& made,
                          const std::vector<WidthCosts>& narrower) {
  if (made.width <= 16 || stage == mir::Stage::kCompute) return absl::OkStatus();
  for (const WidthCosts& v : narrower) {
    // If both finish equally many lanes, the wider one is kept: the same lanes take half as many
    // threads to launch, and waits that the model does not know occur half as often.
    if (IsAsFast(made, v)) continue;
    return Loses(absl::StrCat(Throughput(made), " lanes in a thousand cycles by the model, ",
                              v.Name(), " ", Throughput(v)));
  }
  return absl::OkStatus();
}

}  // namespace kiln::intel
