// Helpers of tests: a module in MIR's text on its way through the passes at one width.
#ifndef KILN_CORE_INTEL_PIPELINE_TESTING_H_
#define KILN_CORE_INTEL_PIPELINE_TESTING_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/base/pass_options.h"
#include "core/base/sink.h"
#include "core/intel/pipeline/work.h"
#include "core/mir/mir.h"

namespace kiln::intel::testing {

struct Remarks : Sink {
  void OnRemark(const Remark& remark) override { all.push_back(remark); }
  int Count(std::string_view kind) const;
  std::vector<Remark> all;
};

// A module and its ABI. Where the text is not a module, the test fails.
struct Shader {
  explicit Shader(const std::string& text, const Device& device = Tgl());
  // Returns the state before the first pass; it refers to this shader.
  Work At(int width) const;

  mir::Module module;
  Abi abi;
};

// Runs the passes up to `last`, and verifies after each; with `last` empty, all of them. Nothing is
// left out but what `options` leave out.
absl::Status RunUntil(const std::string& last, Work& work, Sink* sink = nullptr,
                      PassOptions options = {});

// Runs one pass, whatever ran before, and verifies after it.
absl::Status RunOnly(const std::string& pass, Work& work, Sink* sink = nullptr);

// Return texts of compute shaders of 16 invocations. Doubled adds a word of a buffer to itself.
// Crowded holds this many loaded floats until their sum is known, which a second sum needs.
std::string Doubled();
std::string Crowded(int values);

}  // namespace kiln::intel::testing

#endif  // KILN_CORE_INTEL_PIPELINE_TESTING_H_
