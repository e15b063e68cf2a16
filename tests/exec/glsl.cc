#include "tests/exec/glsl.h"

#include <utility>

#include "core/driver/compile.h"

namespace kiln::exec {

absl::StatusOr<std::vector<Variant>> CompileGlslFor(Target target, const front::GlslSource& source,
                                                    const std::vector<int>& widths) {
  const auto spirv = front::CompileGlsl(source);
  if (!spirv.ok()) return spirv.status();
  const auto prepared = Prepare(*spirv, {}, nullptr, {});
  if (!prepared.ok()) return prepared.status();
  CompileOptions options;
  options.widths = widths;
  auto compiled = Compile(**prepared, target, options, nullptr, {});
  if (!compiled.ok()) return compiled.status();
  return std::move(compiled->variants);
}

}  // namespace kiln::exec
