// The compiler behind the worker's interface: see core_backend.h.
//
// Statuses become results: InvalidArgument and NotFound are INVALID, Unimplemented and
// ResourceExhausted REFUSED (limits of the core are counts, so they are the same everywhere and
// cacheable), Cancelled CANCELLED. Anything else is a fault of the compiler, CRASHED, which is
// never cached.
#include "server/worker/core_backend.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/cause.h"
#include "core/base/shader_stage.h"
#include "core/base/step.h"
#include "core/base/version.h"
#include "core/driver/compile.h"
#include "core/driver/explain.h"
#include "core/front/glsl/glsl.h"
#include "core/front/hlsl/hlsl.h"
#include "core/out/container.h"
#include "proto/launch_record_convert.h"
#include "proto/statistics.h"
#include "server/worker/check_state.h"

namespace kiln::worker {
namespace {

using kiln::v1::TargetResult;

constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kSwappedMagic = 0x03022307;

constexpr char kStartStep[] = "start_glslang";
constexpr char kTranslateStep[] = "translate_glsl";
constexpr char kReadStep[] = "read_spirv";
constexpr char kPackStep[] = "pack_result";
constexpr char kExplainStep[] = "explain_error";

TargetResult::Status StatusOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound: return TargetResult::INVALID;
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kResourceExhausted: return TargetResult::REFUSED;
    case absl::StatusCode::kCancelled: return TargetResult::CANCELLED;
    default: return TargetResult::CRASHED;
  }
}

void Fill(const Explanation& from, kiln::v1::Reason* to) {
  to->set_sentence(std::string(from.sentence));
  to->set_remedy(std::string(from.remedy));
  to->set_what(from.detail.what);
  if (from.detail.seen.has_value()) to->set_seen(*from.detail.seen);
  if (from.detail.limit.has_value()) to->set_limit(*from.detail.limit);
  to->set_capability(from.detail.capability);
  to->set_name(from.name);
  to->set_source_file(from.file);
  to->set_source_line(from.line);
  to->set_source_column(from.column);
}

// `words`: the module; empty where there is none. Takes a step of its own, since it walks the
// module: not to be called within another one.
TargetResult Failed(const absl::Status& status, absl::Span<const uint32_t> words, JobSink* sink) {
  const Step step(sink, kExplainStep, "out");
  TargetResult result;
  result.set_status(StatusOf(status));
  result.set_cause(CauseOf(status));
  result.set_message(std::string(status.message()));
  result.set_spirv_id(SpirvIdOf(status));
  Fill(Explain(status, words), result.mutable_reason());
  return result;
}

// Returns the module's words in host order, from bytes in either order; empty: not whole words, or
// no magic number. The core checks everything else.
std::vector<uint32_t> Words(const std::string& bytes, JobSink* sink) {
  const Step step(sink, kReadStep, "front");
  std::vector<uint32_t> words(bytes.size() / 4);
  if (bytes.size() % 4 != 0 || words.empty()) return {};
  memcpy(words.data(), bytes.data(), bytes.size());
  if (words[0] == kSwappedMagic) {
    for (uint32_t& w : words) w = __builtin_bswap32(w);
  }
  if (words[0] != kMagic) return {};
  return words;
}

const char* Name(out::LoadableBy by) {
  switch (by) {
    case out::LoadableBy::kNone: return "none";
    case out::LoadableBy::kLevelZero: return "level_zero";
    case out::LoadableBy::kRocm: return "rocm";
  }
  return "none";
}

// Sets the figures, if there are any: a message without values means twelve figures of 0.
void SetStatistics(const Statistics& from, kiln::v1::Variant* to) {
  std::vector<NamedValue> values;
  for (const Statistic& s : from.Known()) {
    values.push_back({{s.row->name.data(), s.row->name.size()}, s.value});
  }
  if (!values.empty()) *to->mutable_statistics() = PackStatistics(values);
}

absl::Status AddVariant(const Variant& from, Target target, bool assembly, TargetResult* result) {
  auto* to = result->add_variants();
  to->set_name(from.name);
  to->set_width(static_cast<uint32_t>(from.width));
  to->set_code(from.code.data(), from.code.size());
  *to->mutable_launch() = kiln::proto::ToProto(from.launch);
  SetStatistics(from.statistics, to);
  if (result->variants_size() == 1) result->set_loadable_by(Name(from.launch.loadable_by));
  if (!assembly) return absl::OkStatus();
  if (absl::Status s = CheckDisassembler(target); !s.ok()) return s;
  auto text = Disassemble(target, from.code);
  if (!text.ok()) return absl::InternalError("the generated code does not disassemble");
  to->set_assembly(*std::move(text));
  return absl::OkStatus();
}

PassOptions ToPassOptions(const CompileJob& job) {
  PassOptions options;
  options.disabled = {job.options().disabled_passes().begin(),
                      job.options().disabled_passes().end()};
  if (job.options().has_bisect_limit()) options.bisect_limit = job.options().bisect_limit();
  return options;
}

PrepareOptions ToPrepareOptions(const CompileJob& job) {
  PrepareOptions options;
  options.entry_point = job.entry_point();
  options.stage = job.stage();
  for (const auto& [id, bits] : job.spec_constants()) options.spec_constants[id] = bits;
  for (const auto& [id, type] : job.spec_types()) {
    options.spec_types[id] = static_cast<SpecType>(type);
  }
  options.validate = !job.options().no_validate();
  options.dispatch_base = job.options().dispatch_base();
  options.passes = ToPassOptions(job);
  return options;
}

AttachmentType ToType(kiln::v1::ColorAttachment::NumericType type) {
  switch (type) {
    case kiln::v1::ColorAttachment::SINT: return AttachmentType::kSint;
    case kiln::v1::ColorAttachment::UINT: return AttachmentType::kUint;
    default: return AttachmentType::kFloat;
  }
}

AttachmentPrecision ToPrecision(kiln::v1::ColorAttachment::Precision precision) {
  switch (precision) {
    case kiln::v1::ColorAttachment::FLOAT_16: return AttachmentPrecision::kFloat16;
    case kiln::v1::ColorAttachment::UNORM_16: return AttachmentPrecision::kUnorm16;
    case kiln::v1::ColorAttachment::SNORM_16: return AttachmentPrecision::kSnorm16;
    case kiln::v1::ColorAttachment::INT_16: return AttachmentPrecision::kInt16;
    default: return AttachmentPrecision::k32;
  }
}

std::vector<ColorAttachment> ToAttachments(const kiln::v1::ColorAttachments& from) {
  std::vector<ColorAttachment> to;
  for (const auto& a : from.attachments()) {
    const uint32_t mask = a.has_write_mask() ? a.write_mask() : 0xf;
    to.push_back({a.location(), ToType(a.type()), static_cast<uint8_t>(mask),
                  a.second_blend_source(), ToPrecision(a.precision()), a.blend_reads_alpha()});
  }
  std::sort(to.begin(), to.end(),
            [](const auto& a, const auto& b) { return a.location < b.location; });
  return to;
}

PrimitiveCulling ToCulling(kiln::v1::PipelineState::PrimitiveCulling culling) {
  switch (culling) {
    case kiln::v1::PipelineState::CULLING_ON: return PrimitiveCulling::kOn;
    case kiln::v1::PipelineState::CULLING_OFF: return PrimitiveCulling::kOff;
    default: return PrimitiveCulling::kDefault;
  }
}

// Converts a state that was checked (check_state.h).
PipelineState ToState(const kiln::v1::PipelineState& from) {
  PipelineState to;
  if (from.fragment().has_color()) to.fragment.attachments = ToAttachments(from.fragment().color());
  to.fragment.samples = std::max(1u, from.fragment().samples());
  to.fragment.sample_shading = from.fragment().sample_shading();
  to.fragment.alpha_to_coverage = from.fragment().alpha_to_coverage();
  to.fragment.alpha_to_one = from.fragment().alpha_to_one();
  to.view_mask = from.view_mask();
  to.primitive_culling = ToCulling(from.primitive_culling());
  for (const auto& r : from.instance_rates()) {
    to.instance_rates.push_back({r.location(), r.has_divisor() ? r.divisor() : 1});
  }
  std::sort(to.instance_rates.begin(), to.instance_rates.end(),
            [](const auto& a, const auto& b) { return a.location < b.location; });
  if (!from.has_next_stage_reads()) return to;
  NextStageBuiltIns& builtins = to.next_stage_built_ins.emplace();
  for (const std::string& name : from.next_stage_reads().builtins()) {
    builtins.viewport |= name == "viewport";
    builtins.distances |= name == "clip_distance";
    builtins.primitive_id |= name == "primitive_id";
  }
  to.next_stage_reads.emplace();
  for (const auto& l : from.next_stage_reads().locations()) {
    to.next_stage_reads->push_back({l.location(), static_cast<uint8_t>(l.components())});
  }
  std::sort(to.next_stage_reads->begin(), to.next_stage_reads->end(),
            [](const auto& a, const auto& b) { return a.location < b.location; });
  return to;
}

CompileOptions ToCompileOptions(const CompileJob& job) {
  CompileOptions options;
  for (uint32_t width : job.options().widths()) options.widths.push_back(static_cast<int>(width));
  options.required_subgroup_size = static_cast<int>(job.options().required_subgroup_size());
  options.require_full_subgroups = job.options().require_full_subgroups();
  if (const out::ContainerInfo* container = out::FindContainer(job.options().container())) {
    options.container = container->container;
  }
  options.scan = job.options().scan();
  options.ngg_group = job.options().ngg_group();
  options.state = ToState(job.options().state());
  options.passes = ToPassOptions(job);
  return options;
}

absl::StatusOr<TargetResult> Pack(const Compiled& compiled, Target target, const CompileJob& job,
                                  JobSink* sink) {
  const Step step(sink, kPackStep, "out");
  TargetResult result;
  result.set_status(TargetResult::OK);
  result.set_cause("ok");
  for (const Variant& variant : compiled.variants) {
    absl::Status added = AddVariant(variant, target, job.assembly(), &result);
    if (!added.ok()) return added;
  }
  const out::ContainerInfo* container = out::FindContainer(job.options().container());
  if (container != nullptr && container->container != out::Container::kRaw) {
    result.set_container(std::string(container->name));
  }
  return result;
}

TargetResult CompileOne(const Prepared& prepared, absl::Span<const uint32_t> words,
                        const std::string& target_name, const CompileJob& job, JobSink* sink,
                        const Budget& budget) {
  auto target = ParseTarget(target_name);
  if (!target.ok()) return Failed(target.status(), words, sink);
  auto compiled = kiln::Compile(prepared, *target, ToCompileOptions(job), sink, budget);
  auto packed = compiled.ok() ? Pack(*compiled, *target, job, sink)
                              : absl::StatusOr<TargetResult>(compiled.status());
  TargetResult result = packed.ok() ? *std::move(packed) : Failed(packed.status(), words, sink);
  result.set_stage(Info(prepared).stage);
  result.set_entry_point(Info(prepared).entry_point);
  return result;
}

// Returns why no module compiles for the target, if it has only tools; Ok for unknown names.
absl::Status CheckCompilerOf(const std::string& target_name) {
  const auto target = ParseTarget(target_name);
  return target.ok() ? CheckCompiler(*target) : absl::OkStatus();
}

// Returns Ok if a target has a compiler, else why the first one has none.
absl::Status CheckAnyCompiler(const CompileJob& job) {
  absl::Status none;
  for (const std::string& target : job.targets()) {
    absl::Status s = CheckCompilerOf(target);
    if (s.ok()) return s;
    if (none.ok()) none = std::move(s);
  }
  return none;
}

// Records which compiler made the result: the cache gives it to later requests too, also to those
// that a later version answers.
void SetMaker(const std::string& target_name, TargetResult* result) {
  result->set_version(kVersion);
  if (auto target = ParseTarget(target_name); target.ok()) {
    result->set_code_generation_version(CodeGenerationVersion(*target));
  }
}

absl::StatusOr<front::GlslSource> ToSource(const kiln::v1::GlslSource& from) {
  front::GlslSource to;
  to.text = from.text();
  if (!from.name().empty()) to.name = from.name();
  bool known = false;
  for (const ShaderStageRow& row : kShaderStages) {
    if (row.ending.empty() || from.stage() != row.name) continue;
    to.stage = row.stage;
    known = true;
  }
  if (!known) return WithCause(absl::InvalidArgumentError("unknown stage"), "unsupported_stage");
  for (const auto& define : from.defines()) to.defines.emplace_back(define.name(), define.value());
  for (const auto& include : from.includes()) {
    front::GlslInclude i;
    i.spelled = include.spelled();
    i.includer = include.includer();
    i.resolved = include.resolved().empty() ? include.spelled() : include.resolved();
    i.text = include.text();
    to.includes.push_back(std::move(i));
  }
  return to;
}

front::RegisterShifts ToShifts(const kiln::v1::GlslSource::Hlsl& hlsl) {
  front::RegisterShifts shifts;
  for (const auto& shift : hlsl.register_shifts()) {
    const auto kind = static_cast<front::RegisterKind>(shift.kind());
    if (shift.has_space()) {
      shifts.of_space[{kind, shift.space()}] = shift.shift();
    } else {
      shifts.all[static_cast<size_t>(kind)] = shift.shift();
    }
  }
  return shifts;
}

// Returns the source as HLSL; nullopt: it is GLSL.
std::optional<front::HlslSource> ToHlsl(const kiln::v1::GlslSource& from,
                                        const front::GlslSource& text) {
  if (!from.has_hlsl()) return std::nullopt;
  front::HlslSource to = {text, ToShifts(from.hlsl()), from.hlsl().row_major()};
  if (!from.hlsl().entry_point().empty()) to.text.entry = from.hlsl().entry_point();
  return to;
}

// Starts glslang for the source's version. Returns the time that it took, in nanoseconds, if the
// source is the first of its version in this process; otherwise 0. `hlsl`: the source as HLSL.
int64_t StartGlslang(const front::GlslSource& source, const std::optional<front::HlslSource>& hlsl,
                     JobSink* sink) {
  if (hlsl.has_value() ? front::HlslReaderIsReady() : front::GlslangIsReady(source)) return 0;
  const int64_t began = ThreadNanoseconds();
  {
    const Step step(sink, kStartStep, "front");
    hlsl.has_value() ? front::StartHlslReader(*hlsl) : front::StartGlslang(source);
  }
  return ThreadNanoseconds() - began;
}

using kiln::v1::Capabilities;

Capabilities::StatisticInfo::Better ToProto(Better better) {
  switch (better) {
    case Better::kNeither: return Capabilities::StatisticInfo::NEITHER;
    case Better::kLower: return Capabilities::StatisticInfo::LOWER;
    case Better::kHigher: return Capabilities::StatisticInfo::HIGHER;
  }
  return Capabilities::StatisticInfo::NEITHER;
}

void Describe(const StatisticRow& row, Capabilities::StatisticInfo* info) {
  info->set_name(std::string(row.name));
  info->set_unit(std::string(row.unit));
  info->set_better(ToProto(row.better));
  info->set_counts(std::string(row.counts));
  info->set_header(std::string(row.header));
  info->set_estimated(row.estimated);
  info->set_shape(row.shape);
}

}  // namespace

void CoreBackend::Describe(Hello* hello) {
  for (Target target : AllTargets()) {
    auto* info = hello->add_targets();
    info->set_name(std::string(TargetName(target)));
    info->set_code_generation_version(CodeGenerationVersion(target));
    info->set_abi_version(AbiVersion(target));
    for (const StatisticRow& row : StatisticsOf(target)) {
      worker::Describe(row, info->add_statistics());
    }
    for (const TargetContainer& container : ContainersOf(target)) {
      auto* to = info->add_containers();
      to->set_name(std::string(container.name));
      for (std::string_view stage : container.stages) to->add_stages(std::string(stage));
    }
    for (std::string_view scan : ScansOf(target)) info->add_scans(std::string(scan));
    for (uint32_t size : NggGroupsOf(target)) info->add_ngg_groups(size);
  }
  for (const PassInfo& pass : AllPasses()) {
    auto* info = hello->add_passes();
    info->set_name(pass.name);
    info->set_level(pass.level);
    info->set_optional(pass.optional);
    info->set_summary(pass.summary);
  }
  for (const ShaderStageRow& row : kShaderStages) {
    if (!row.ending.empty()) hello->add_stages(std::string(row.name));
  }
  for (std::string_view step : kiln::kSteps) hello->add_steps(std::string(step));
  for (const char* step : {kStartStep, kTranslateStep, kReadJobStep, kReadRequestStep, kReadStep,
                           kPackStep, kExplainStep}) {
    hello->add_steps(step);
  }
  for (const CauseInfo& row : kCauses) {
    if (row.kind != CauseKind::kOwn) hello->add_causes(std::string(row.name));
  }
  hello->set_glslang_version(front::GlslangVersion());
  hello->set_hlsl_version(front::HlslReaderVersion());
}

void CoreBackend::Translate(const TranslateJob& job, JobSink* sink, Translation* result) {
  const absl::StatusOr<front::GlslSource> source = ToSource(job.glsl());
  const std::optional<front::HlslSource> hlsl =
      source.ok() ? ToHlsl(job.glsl(), *source) : std::nullopt;
  const int64_t start = source.ok() ? StartGlslang(*source, hlsl, sink) : 0;
  const auto words = [&]() -> absl::StatusOr<std::vector<uint32_t>> {
    const Step step(sink, kTranslateStep, "front");
    if (!source.ok()) return source.status();
    return hlsl.has_value() ? front::CompileHlsl(*hlsl) : front::CompileGlsl(*source);
  }();
  result->set_start_nanoseconds(start);
  result->set_nanoseconds(ThreadNanoseconds() - sink->began() - start);
  if (words.ok()) {
    result->set_status(TargetResult::OK);
    result->set_cause("ok");
    result->set_spirv(words->data(), words->size() * sizeof(uint32_t));
    return;
  }
  TargetResult failed = Failed(words.status(), {}, sink);
  result->set_status(failed.status());
  result->set_cause(failed.cause());
  result->set_message(failed.message());
  *result->mutable_reason() = std::move(*failed.mutable_reason());
}

void CoreBackend::Compile(const CompileJob& job, JobSink* sink, const Done& done) {
  Budget budget;
  budget.cancelled = sink->cancelled();
  const std::vector<uint32_t> words = Words(job.spirv(), sink);
  const auto prepared = [&]() -> absl::StatusOr<std::shared_ptr<const Prepared>> {
    if (absl::Status none = CheckAnyCompiler(job); !none.ok()) return none;
    if (words.empty()) {
      return absl::InvalidArgumentError("these bytes are not a SPIR-V module");
    }
    if (out::FindContainer(job.options().container()) == nullptr) {
      return WithCause(absl::InvalidArgumentError("container: there is none of this name"),
                       "container");
    }
    if (const auto wrong = WrongState(job.options().state()); !wrong.empty()) {
      return WithCause(absl::InvalidArgumentError(wrong[0].first + ": " + wrong[0].second),
                       "pipeline_state");
    }
    return Prepare(words, ToPrepareOptions(job), sink, budget);
  }();
  // Explained once for all targets: it is the same error.
  const std::optional<TargetResult> failed =
      prepared.ok() ? std::nullopt : std::optional(Failed(prepared.status(), words, sink));
  int64_t until = ThreadNanoseconds();
  const int64_t prepare_ns = until - sink->began();
  for (int i = 0; i < job.targets_size(); ++i) {
    sink->SetTarget(i);
    // Without a compiler the answer never depends on the module: it is stored under a key that does
    // not change with the front end.
    const absl::Status no_compiler = CheckCompilerOf(job.targets(i));
    TargetResult result = !no_compiler.ok() ? Failed(no_compiler, {}, sink)
                          : failed.has_value()
                              ? *failed
                              : CompileOne(**prepared, words, job.targets(i), job, sink, budget);
    SetMaker(job.targets(i), &result);
    const int64_t start = std::exchange(until, ThreadNanoseconds());
    result.mutable_timings()->set_prepare_ns(prepare_ns);
    result.mutable_timings()->set_compile_ns(until - start);
    done(i, std::move(result));
  }
}

}  // namespace kiln::worker
