// A compiler that lies on demand: see lies.h.
#include "server/worker/testing/lies.h"

#include <utility>

namespace kiln::worker {
namespace {

// Globals suffice: a worker has one thread.
bool g_lies = false, g_lies_on = false;

void Begin() { g_lies = g_lies_on; }

// Flips one bit at the end: only the bytes show it.
void Alter(std::string* bytes) {
  if (!bytes->empty()) bytes->back() = static_cast<char>(bytes->back() ^ 1);
}

}  // namespace

void BeginLying(bool on) {
  g_lies = true;
  g_lies_on = g_lies_on || on;
}

void LyingBackend::Translate(const TranslateJob& job, JobSink* sink, Translation* result) {
  Begin();
  honest_->Translate(job, sink, result);
  if (g_lies) Alter(result->mutable_spirv());
}

void LyingBackend::Compile(const CompileJob& job, JobSink* sink, const Done& done) {
  Begin();
  honest_->Compile(job, sink, [&](int target, kiln::v1::TargetResult result) {
    if (g_lies && result.variants_size() > 0) {
      Alter(result.mutable_variants(0)->mutable_code());
    } else if (g_lies) {
      result.set_message(result.message() + "!");
    }
    done(target, std::move(result));
  });
}

}  // namespace kiln::worker
