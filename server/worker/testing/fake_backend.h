// A compiler double: predictable results without glslang or core.
//
// SPIR-V: any module of whole words that begins with the magic number compiles; its "code" is a
// function of module, options and target. A word 0xBAD0BAD0 has it refused. GLSL: text with "error"
// in it does not compile, other text becomes a module. Passes: fake_import, fake_fold (for all
// targets), fake_select, fake_encode (for each target). Targets: tgl, skl.
#ifndef KILN_SERVER_WORKER_TESTING_FAKE_BACKEND_H_
#define KILN_SERVER_WORKER_TESTING_FAKE_BACKEND_H_

#include <cstdint>
#include <string>

#include "server/worker/backend.h"

namespace kiln::worker {

class FakeBackend : public Backend {
 public:
  void Describe(Hello* hello) override;
  void Translate(const TranslateJob& job, JobSink* sink, Translation* result) override;
  void Compile(const CompileJob& job, JobSink* sink, const Done& done) override;
};

// Returns a module that FakeBackend compiles; different for each seed, with `words` words of
// filling.
std::string FakeModule(uint32_t seed, int words = 16);
// Returns a module that it refuses.
std::string RefusedFakeModule();

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_TESTING_FAKE_BACKEND_H_
