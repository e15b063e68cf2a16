#include "tests/exec/glsl.h"

#include <utility>

#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "tests/exec/exec.h"

namespace kiln::exec {

absl::StatusOr<std::vector<Variant>> CompileGlslFor(Target target, const front::GlslSource& source,
                                                    const std::vector<int>& widths) {
  const auto spirv = front::CompileGlsl(source);
  if (!spirv.ok()) return spirv.status();
  const auto prepared = Prepare(*spirv, {}, nullptr, {});
  if (!prepared.ok()) return prepared.status();
  CompileOptions options;
  options.widths = widths;
  const Backend* backend = CompilerOf(target);
  auto compiled = backend == nullptr ? Compile(**prepared, target, options, nullptr, {})
                                     : CompileFor(**prepared, *backend, options, nullptr, {});
  if (!compiled.ok()) return compiled.status();
  return std::move(compiled->variants);
}

}  // namespace kiln::exec
