// Checks a request: see request.h.
#include "server/request/request.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/worker/check_state.h"
#include "server/worker/sandbox_level.h"

namespace kiln::server {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::GlslSource;
using kiln::v1::SourceDigest;

void AtMost(const char* field, uint64_t n, uint64_t limit, const char* unit, Violations* out) {
  if (n <= limit) return;
  out->emplace_back(field, absl::StrCat(n, " ", unit, "; at most ", limit, " are accepted"));
}

void AddOnce(const std::string& name, std::vector<std::string>* names) {
  if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
}

bool IsWidth(uint32_t width) { return width == 8 || width == 16 || width == 32 || width == 64; }

}  // namespace

RequestChecker::RequestChecker(const worker::Hello& hello, const Limits& limits) : limits_(limits) {
  std::vector<std::string> names;
  for (const auto& target : hello.targets()) {
    targets_[target.name()] = cache::HashTarget(target);
    names.push_back(target.name());
    for (const auto& container : target.containers()) AddOnce(container.name(), &containers_);
    for (const std::string& scan : target.scans()) AddOnce(scan, &scans_);
    ngg_groups_.insert(target.ngg_groups().begin(), target.ngg_groups().end());
  }
  container_names_ = absl::StrJoin(containers_, ", ");
  containers_.emplace_back();  // the same as raw
  target_names_ = absl::StrJoin(names, ", ");
  for (const auto& pass : hello.passes()) passes_[pass.name()] = pass.optional();
  for (const auto& stage : hello.stages()) stages_[stage] = true;
  stage_names_ = absl::StrJoin(hello.stages(), ", ");
}

Violations RequestChecker::Check(const CompileRequest& request) const {
  Violations violations;
  CheckSource(request, &violations);
  CheckTargets(request, &violations);
  CheckOptions(request, &violations);
  return violations;
}

void RequestChecker::CheckStage(const char* field, const std::string& stage,
                                Violations* out) const {
  if (stages_.count(stage) > 0) return;
  out->emplace_back(field, absl::StrCat("unknown stage; the stages are: ", stage_names_));
}

void RequestChecker::CheckSource(const CompileRequest& request, Violations* out) const {
  switch (request.source_case()) {
    case CompileRequest::kSpirv:
      AtMost("spirv", request.spirv().size(), limits_.module_bytes, "bytes", out);
      if (request.spirv().empty()) out->emplace_back("spirv", "empty");
      break;
    case CompileRequest::kGlsl: CheckGlsl(request.glsl(), out); break;
    case CompileRequest::kDigest:
      if (request.digest().sha256().size() != 32) {
        out->emplace_back("digest.sha256", "must have 32 bytes, the length of a SHA-256 digest");
      }
      if (request.digest().kind() != SourceDigest::SPIRV &&
          request.digest().kind() != SourceDigest::GLSL &&
          request.digest().kind() != SourceDigest::HLSL) {
        out->emplace_back("digest.kind", "must be SPIRV, GLSL or HLSL");
      }
      break;
    case CompileRequest::SOURCE_NOT_SET:
      out->emplace_back("source", "one of spirv, glsl and digest is needed");
      break;
  }
}

void RequestChecker::CheckGlsl(const GlslSource& glsl, Violations* out) const {
  AtMost("glsl.defines", static_cast<uint64_t>(glsl.defines_size()), limits_.defines, "defines",
         out);
  AtMost("glsl.includes", static_cast<uint64_t>(glsl.includes_size()), limits_.includes, "includes",
         out);
  AtMost("glsl.name", glsl.name().size(), limits_.name_bytes, "bytes", out);
  uint64_t bytes = glsl.text().size();
  uint64_t longest = 0;
  for (const auto& include : glsl.includes()) {
    bytes += include.text().size();
    for (size_t n :
         {include.spelled().size(), include.includer().size(), include.resolved().size()}) {
      longest = std::max<uint64_t>(longest, n);
    }
  }
  AtMost("glsl.includes", longest, limits_.name_bytes, "bytes in a name", out);
  for (const auto& define : glsl.defines()) {
    if (define.name().size() > limits_.name_bytes) {
      AtMost("glsl.defines", define.name().size(), limits_.name_bytes, "bytes in a name", out);
      break;
    }
    bytes += define.value().size();
  }
  AtMost("glsl", bytes, limits_.glsl_bytes, "bytes", out);
  CheckStage("glsl.stage", glsl.stage(), out);
  CheckHlsl(glsl.hlsl(), out);
}

void RequestChecker::CheckHlsl(const GlslSource::Hlsl& hlsl, Violations* out) const {
  AtMost("glsl.hlsl.entry_point", hlsl.entry_point().size(), limits_.name_bytes, "bytes", out);
  AtMost("glsl.hlsl.register_shifts", static_cast<uint64_t>(hlsl.register_shifts_size()),
         kMaxRegisterShifts, "shifts", out);
  std::set<std::pair<int, int64_t>> seen;
  for (const auto& shift : hlsl.register_shifts()) {
    const int64_t space = shift.has_space() ? int64_t{shift.space()} : -1;
    std::string wrong;
    if (!GlslSource::RegisterShift::Kind_IsValid(shift.kind())) wrong = "unknown kind";
    if (shift.shift() > kMaxRegisterShift) wrong = absl::StrCat("a shift of ", shift.shift());
    if (!seen.insert({shift.kind(), space}).second) wrong = "a kind and space are given twice";
    if (wrong.empty()) continue;
    out->emplace_back("glsl.hlsl.register_shifts", wrong);
    break;
  }
}

void RequestChecker::CheckTargets(const CompileRequest& request, Violations* out) const {
  AtMost("targets", static_cast<uint64_t>(request.targets_size()), limits_.targets, "targets", out);
  if (request.targets().empty()) out->emplace_back("targets", "at least one is needed");
  std::set<std::string_view> seen;
  for (const std::string& target : request.targets()) {
    if (targets_.count(target) == 0) {
      out->emplace_back("targets",
                        absl::StrCat("unknown target; the targets are: ", target_names_));
      return;
    }
    if (!seen.insert(target).second) {
      out->emplace_back("targets", absl::StrCat(target, " is given twice"));
      return;
    }
  }
}

void RequestChecker::CheckOptions(const CompileRequest& request, Violations* out) const {
  AtMost("entry_point", request.entry_point().size(), limits_.name_bytes, "bytes", out);
  if (!request.stage().empty()) CheckStage("stage", request.stage(), out);
  AtMost("spec_constants", static_cast<uint64_t>(request.spec_constants_size()),
         limits_.spec_constants, "constants", out);
  std::set<uint32_t> ids;
  for (const auto& c : request.spec_constants()) {
    if (c.value_case() == kiln::v1::SpecConstant::VALUE_NOT_SET) {
      out->emplace_back("spec_constants", absl::StrCat("constant ", c.id(), " has no value"));
      break;
    }
    if (!ids.insert(c.id()).second) {
      out->emplace_back("spec_constants", absl::StrCat("constant ", c.id(), " is given twice"));
      break;
    }
  }
  const auto& options = request.options();
  for (uint32_t width : options.widths()) {
    if (IsWidth(width)) continue;
    out->emplace_back("options.widths", absl::StrCat(width, " is not a dispatch width"));
    break;
  }
  if (const uint32_t size = options.required_subgroup_size(); size != 0 && !IsWidth(size)) {
    out->emplace_back("options.required_subgroup_size",
                      absl::StrCat(size, " is not a dispatch width"));
  }
  if (std::find(containers_.begin(), containers_.end(), options.container()) == containers_.end()) {
    out->emplace_back("options.container",
                      absl::StrCat("unknown container; the containers are: ", container_names_));
  }
  if (!options.scan().empty() &&
      std::find(scans_.begin(), scans_.end(), options.scan()) == scans_.end()) {
    out->emplace_back("options.scan", scans_.empty()
                                          ? "no target has forms of scans"
                                          : absl::StrCat("unknown form of scans; the forms are: ",
                                                         absl::StrJoin(scans_, ", ")));
  }
  if (options.ngg_group() != 0 && ngg_groups_.count(options.ngg_group()) == 0) {
    out->emplace_back(
        "options.ngg_group",
        ngg_groups_.empty()
            ? "no target has workgroups of vertices"
            : absl::StrCat("no target has workgroups of ", options.ngg_group(),
                           " vertices; the sizes are: ", absl::StrJoin(ngg_groups_, ", ")));
  }
  CheckState(request, out);
  AtMost("options.widths", static_cast<uint64_t>(options.widths_size()), 16, "widths", out);
  AtMost("options.disabled_passes", static_cast<uint64_t>(options.disabled_passes_size()),
         limits_.disabled_passes, "passes", out);
  for (const std::string& pass : options.disabled_passes()) {
    auto it = passes_.find(pass);
    if (it != passes_.end() && it->second) continue;
    out->emplace_back("options.disabled_passes",
                      it == passes_.end() ? "unknown pass; GetCapabilities lists the passes"
                                          : absl::StrCat(pass, " is needed for correctness"));
    break;
  }
  if (options.has_bisect_limit() && options.bisect_limit() < 0) {
    out->emplace_back("options.bisect_limit", "negative");
  }
  if (request.cache_policy() < 0 || request.cache_policy() > kiln::v1::CACHE_ONLY_IF_CACHED) {
    out->emplace_back("cache_policy", "unknown");
  }
}

// If only the module names the stage, the worker checks that the stage has such state.
void RequestChecker::CheckState(const CompileRequest& request, Violations* out) const {
  if (!request.options().has_state()) return;
  const kiln::v1::PipelineState& state = request.options().state();
  const std::string& stage = request.has_glsl() ? request.glsl().stage() : request.stage();
  if (!worker::IsDefault(state.fragment()) &&
      (stages_.count("fragment") == 0 || (!stage.empty() && stage != "fragment"))) {
    out->emplace_back("options.state.fragment", "only fragment shaders have fragment state");
  }
  if (state.has_next_stage_reads() && (stages_.size() == 1 || stage == "compute")) {
    out->emplace_back("options.state.next_stage_reads", "a compute shader has no next stage");
  }
  if (state.view_mask() != 0 && (stages_.size() == 1 || stage == "compute")) {
    out->emplace_back("options.state.view_mask", "compute shaders have no views");
  }
  if (state.instance_rates_size() != 0 && !stage.empty() && stage != "vertex") {
    out->emplace_back("options.state.instance_rates", "only vertex shaders have attributes");
  }
  if (state.primitive_culling() != kiln::v1::PipelineState::CULLING_DEFAULT && !stage.empty() &&
      stage != "vertex") {
    out->emplace_back("options.state.primitive_culling", "only vertex shaders have primitives");
  }
  for (auto& wrong : worker::WrongState(state)) out->push_back(std::move(wrong));
}

kiln::v1::Capabilities MakeCapabilities(const worker::Hello& hello, const Limits& limits,
                                        const std::string& version) {
  kiln::v1::Capabilities c;
  c.set_version(version);
  *c.mutable_targets() = hello.targets();
  *c.mutable_passes() = hello.passes();
  *c.mutable_stages() = hello.stages();
  c.set_glslang_version(hello.glslang_version());
  c.set_hlsl_version(hello.hlsl_version());
  const worker::SandboxLevel level = worker::LevelOf(hello.sandbox());
  c.mutable_sandbox()->insert(level.begin(), level.end());
  auto* l = c.mutable_limits();
  l->set_max_message_bytes(limits.message_bytes);
  l->set_max_response_bytes(limits.response_bytes);
  l->set_max_module_bytes(limits.module_bytes);
  l->set_max_glsl_bytes(limits.glsl_bytes);
  l->set_max_targets(static_cast<uint32_t>(limits.targets));
  l->set_max_defines(static_cast<uint32_t>(limits.defines));
  l->set_max_includes(static_cast<uint32_t>(limits.includes));
  l->set_max_spec_constants(static_cast<uint32_t>(limits.spec_constants));
  l->set_max_disabled_passes(static_cast<uint32_t>(limits.disabled_passes));
  l->set_max_name_bytes(static_cast<uint32_t>(limits.name_bytes));
  return c;
}

}  // namespace kiln::server
