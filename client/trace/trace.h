// A timeline as `kiln trace` shows it: which part of it, the sentences that explain a row, and
// output as text, JSON or one HTML page.
#ifndef KILN_CLIENT_TRACE_TRACE_H_
#define KILN_CLIENT_TRACE_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/target/timeline.h"

namespace kiln::client::trace {

struct Trace {
  std::string file;
  std::string target;
  std::string variant;  // "SIMD16"; empty: the code does not tell
  Timeline timeline;
  // The cycles that are shown. Instructions that neither wait nor issue in them are left out; the
  // totals are of the whole program.
  int64_t from = 0;
  int64_t to = 0;
};

// Returns the indices of the instructions that are shown.
std::vector<size_t> ShownOf(const Trace& trace);

// Returns how often the model counts the instruction: 8 in a loop, 0.5 in a side of an if.
double TimesOf(const Timeline& timeline, const TimelineInstruction& inst);

// Returns what an instruction waits for: "88 cycles for v0 of 4 (vector_memory)", ...
std::string WaitText(const TimelineWait& wait);

// Returns sentences, a line each, that explain when the instruction issues and why not before.
std::string Explanation(const Timeline& timeline, size_t index);

// Returns a total's cause: "results of vector_memory", "complex is busy", "issue".
std::string CauseText(const TimelineTotal& total);

// Returns the line above a trace: target, variant and cycles.
std::string Summary(const Trace& trace);

// `columns`: of the terminal; the bars take what instructions leave.
std::string RenderText(const Trace& trace, int columns);
// Returns the totals alone.
std::string RenderTotals(const Trace& trace);
// Returns one object, client/schemas/trace.schema.json, and a newline.
std::string RenderJson(const Trace& trace);
// Returns a page that needs no other file and no network.
std::string RenderHtml(const Trace& trace);

}  // namespace kiln::client::trace

#endif  // KILN_CLIENT_TRACE_TRACE_H_
