// Prepared MIR -> machine code, by the target's back end.
#include "core/driver/compile.h"

#include "absl/status/status.h"
#include "core/driver/pass_list.h"
#include "core/driver/prepared.h"
#include "core/driver/targets.h"

namespace kiln {

absl::StatusOr<Compiled> Compile(const Prepared& prepared, Target target,
                                 const CompileOptions& options, Sink* sink,
                                 const Budget& budget) {
  if (absl::Status s = CheckOptions(AllRows(), options.passes); !s.ok()) return s;
  Compiled compiled;
  if (!prepared.stopped) {
    Runner runner(options.passes, sink, budget);
    runner.set_rewrites(prepared.rewrites);
    auto made = BackendOf(target).compile(prepared.module, options, runner, sink);
    if (!made.ok()) return made;
    compiled = *std::move(made);
  }
  compiled.stage = prepared.info.stage;
  return compiled;
}

absl::StatusOr<std::string> Disassemble(Target target, absl::Span<const uint8_t> code) {
  return BackendOf(target).disassemble(code);
}

}  // namespace kiln
