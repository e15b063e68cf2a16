// A compiler double: see fake_backend.h.
#include "server/worker/testing/fake_backend.h"

#include <cstring>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "proto/launch_record_convert.h"
#include "proto/statistics.h"

namespace kiln::worker {
namespace {

using kiln::v1::TargetResult;

constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kRefusedWord = 0xBAD0BAD0;

void AppendWord(uint32_t word, std::string* out) {
  out->append(reinterpret_cast<const char*>(&word), sizeof word);
}

uint64_t Fnv(std::string_view bytes, uint64_t h = 0xcbf29ce484222325) {
  for (unsigned char c : bytes) h = (h ^ c) * 0x100000001b3;
  return h;
}

void RunPass(JobSink* sink, const char* pass, const char* level, int64_t before, int64_t after) {
  sink->OnPassBegin(pass);
  kiln::PassRecord record;
  record.pass = pass;
  record.level = level;
  record.changed = before != after;
  record.nanoseconds = 1000;
  record.instructions_before = before;
  record.instructions_after = after;
  sink->OnPass(record);
}

// Returns the module's error; OK if there is none.
TargetResult Judge(const std::string& spirv) {
  TargetResult result;
  result.set_status(TargetResult::OK);
  result.set_cause("ok");
  uint32_t word = 0;
  if (spirv.size() >= 4) memcpy(&word, spirv.data(), 4);
  if (spirv.size() % 4 != 0 || word != kMagic) {
    result.set_status(TargetResult::INVALID);
    result.set_cause("invalid_module");
    result.set_message("not a SPIR-V module");
    return result;
  }
  for (size_t i = 4; i + 4 <= spirv.size(); i += 4) {
    memcpy(&word, spirv.data() + i, 4);
    if (word != kRefusedWord) continue;
    result.set_status(TargetResult::REFUSED);
    result.set_cause("fake_capability");
    result.set_message("capability FakeCapability is not supported (%7)");
    result.set_spirv_id(7);
  }
  return result;
}

std::string Code(const CompileJob& job, const std::string& target) {
  std::string options = job.options().SerializeAsString();
  for (const auto& [id, bits] :
       std::map<uint32_t, uint64_t>(job.spec_constants().begin(), job.spec_constants().end())) {
    absl::StrAppend(&options, id, "=", bits, ";");
  }
  uint64_t h = Fnv(job.spirv(), Fnv(target, Fnv(job.entry_point(), Fnv(options))));
  std::string code;
  while (code.size() < job.spirv().size()) {
    h = h * 6364136223846793005u + 1442695040888963407u;
    code.append(reinterpret_cast<const char*>(&h), sizeof h);
  }
  return code;
}

void AddVariant(const CompileJob& job, const std::string& target, TargetResult* result) {
  auto* variant = result->add_variants();
  variant->set_name("SIMD16");
  variant->set_width(16);
  variant->set_code(Code(job, target));
  const auto bytes = static_cast<int64_t>(variant->code().size());
  *variant->mutable_statistics() = PackStatistics({{"fake_count", bytes / 16}, {"bytes", bytes}});
  variant->mutable_launch()->set_record_version(kiln::proto::kRecordVersion);
  if (job.assembly()) variant->set_assembly(absl::StrCat("fake assembly for ", target, "\n"));
  result->set_stage("compute");
  result->set_entry_point(job.entry_point().empty() ? "main" : job.entry_point());
  result->set_loadable_by("none");
}

}  // namespace

void FakeBackend::Describe(Hello* hello) {
  hello->add_causes("fake_capability");
  for (const char* name : {"tgl", "skl"}) {
    auto* target = hello->add_targets();
    target->set_name(name);
    target->set_code_generation_version(1);
    target->set_abi_version(1);
    for (const char* statistic : {"fake_count", "bytes"}) {
      target->add_statistics()->set_name(statistic);
    }
  }
  for (const char* name : {"fake_import", "fake_fold", "fake_select", "fake_encode"}) {
    auto* pass = hello->add_passes();
    pass->set_name(name);
    pass->set_level("mir");
    pass->set_optional(std::string_view(name) == "fake_fold");
  }
  for (const char* step : {kReadJobStep, kReadRequestStep, "translate_glsl"})
    hello->add_steps(step);
  hello->add_stages("compute");
  hello->add_stages("fragment");
  hello->set_glslang_version("fake-1");
}

void FakeBackend::Translate(const TranslateJob& job, JobSink* sink, Translation* result) {
  RunPass(sink, "translate_glsl", "front", 0, 0);
  result->set_nanoseconds(1000);
  if (job.glsl().text().find("error") != std::string::npos) {
    result->set_status(TargetResult::INVALID);
    result->set_cause("invalid_glsl");
    result->set_message(absl::StrCat(job.glsl().name(), ":1: fake error"));
    return;
  }
  result->set_status(TargetResult::OK);
  result->set_cause("ok");
  result->set_start_nanoseconds(70);
  result->set_spirv(FakeModule(static_cast<uint32_t>(Fnv(job.glsl().SerializeAsString())), 64));
}

void FakeBackend::Compile(const CompileJob& job, JobSink* sink, const Done& done) {
  RunPass(sink, "fake_import", "mir", 0, 100);
  RunPass(sink, "fake_fold", "mir", 100, 90);
  for (int i = 0; i < job.targets_size(); ++i) {
    sink->SetTarget(i);
    RunPass(sink, "fake_select", "lir", 90, 95);
    RunPass(sink, "fake_encode", "machine", 95, 95);
    TargetResult result = Judge(job.spirv());
    if (sink->cancelled()->load()) {
      result.set_status(TargetResult::CANCELLED);
      result.set_cause("cancelled");
    }
    if (result.status() == TargetResult::OK) AddVariant(job, job.targets(i), &result);
    result.mutable_timings()->set_compile_ns(2000);
    done(i, std::move(result));
  }
}

std::string FakeModule(uint32_t seed, int words) {
  std::string module;
  AppendWord(kMagic, &module);
  AppendWord(0x00010300, &module);
  AppendWord(seed, &module);
  for (int i = 0; i < words; ++i)
    AppendWord(seed * 2654435761u + static_cast<uint32_t>(i), &module);
  return module;
}

std::string RefusedFakeModule() {
  std::string module = FakeModule(1);
  AppendWord(kRefusedWord, &module);
  return module;
}

}  // namespace kiln::worker
