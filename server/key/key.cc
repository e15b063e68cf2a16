// Cache keys: see key.h.
#include "server/key/key.h"

#include <bit>
#include <set>

namespace kiln::cache {
namespace {

using kiln::v1::SpecConstant;

uint64_t Bits(const SpecConstant& c) {
  switch (c.value_case()) {
    case SpecConstant::kBoolValue: return c.bool_value() ? 1 : 0;
    case SpecConstant::kIntValue: return static_cast<uint32_t>(c.int_value());
    case SpecConstant::kUintValue: return c.uint_value();
    case SpecConstant::kInt64Value: return static_cast<uint64_t>(c.int64_value());
    case SpecConstant::kUint64Value: return c.uint64_value();
    case SpecConstant::kFloatValue: return std::bit_cast<uint32_t>(c.float_value());
    case SpecConstant::kDoubleValue: return std::bit_cast<uint64_t>(c.double_value());
    case SpecConstant::kBits: return c.bits();
    case SpecConstant::VALUE_NOT_SET: return 0;
  }
  return 0;
}

SpecType TypeOf(const SpecConstant& c) {
  switch (c.value_case()) {
    case SpecConstant::kBoolValue: return SpecType::kBool;
    case SpecConstant::kIntValue: return SpecType::kInt32;
    case SpecConstant::kUintValue: return SpecType::kUint32;
    case SpecConstant::kInt64Value: return SpecType::kInt64;
    case SpecConstant::kUint64Value: return SpecType::kUint64;
    case SpecConstant::kFloatValue: return SpecType::kFloat32;
    case SpecConstant::kDoubleValue: return SpecType::kFloat64;
    case SpecConstant::kBits:
    case SpecConstant::VALUE_NOT_SET: break;
  }
  return SpecType::kBits;
}

}  // namespace

std::map<uint32_t, SpecValue> SpecValues(
    const google::protobuf::RepeatedPtrField<SpecConstant>& constants) {
  std::map<uint32_t, SpecValue> values;
  for (const SpecConstant& c : constants) values[c.id()] = {Bits(c), TypeOf(c)};
  return values;
}

namespace {

Digest HashEntry(std::string_view entry_point, std::string_view stage) {
  CanonicalWriter w("kiln.key.entry.1");
  w.Add(entry_point);
  w.Add(stage);
  return w.Finish();
}

Digest HashSpec(const std::map<uint32_t, SpecValue>& spec) {
  CanonicalWriter w("kiln.key.spec.2");
  for (const auto& [id, value] : spec) {
    w.Add(id);
    w.Add(value.bits);
    w.Add(static_cast<uint64_t>(value.type));
  }
  return w.Finish();
}

Digest HashOptions(const kiln::v1::CompileOptions& options) {
  CanonicalWriter w("kiln.key.options.3");
  std::set<uint32_t> widths(options.widths().begin(), options.widths().end());
  w.Add(static_cast<uint64_t>(widths.size()));
  for (uint32_t width : widths) w.Add(width);
  std::set<std::string_view> disabled(options.disabled_passes().begin(),
                                      options.disabled_passes().end());
  w.Add(static_cast<uint64_t>(disabled.size()));
  for (std::string_view pass : disabled) w.Add(pass);
  w.Add(static_cast<uint64_t>(options.no_validate() ? 1 : 0));
  w.Add(static_cast<uint64_t>(options.has_bisect_limit() ? 1 : 0));
  w.Add(static_cast<uint64_t>(options.bisect_limit()));
  w.Add(static_cast<uint64_t>(options.required_subgroup_size()));
  w.Add(static_cast<uint64_t>(options.require_full_subgroups() ? 1 : 0));
  w.Add(static_cast<uint64_t>(options.dispatch_base() ? 1 : 0));
  // Last, and only if it is not raw code, which has the keys of the time before containers.
  if (!options.container().empty() && options.container() != "raw") w.Add(options.container());
  // The same of scans; the word tells the form from a container.
  if (!options.scan().empty()) {
    w.Add("scan");
    w.Add(options.scan());
  }
  if (options.ngg_group() != 0) {
    w.Add("ngg_group");
    w.Add(static_cast<uint64_t>(options.ngg_group()));
  }
  return w.Finish();
}

uint32_t MaskOf(const kiln::v1::ColorAttachment& a) {
  return a.has_write_mask() ? a.write_mask() : 0xf;
}

Digest HashAttachment(const kiln::v1::ColorAttachment& a) {
  CanonicalWriter w("kiln.key.state.attachment.1");
  w.Add(static_cast<uint64_t>(a.location()));
  w.Add(static_cast<uint64_t>(a.type()));
  w.Add(static_cast<uint64_t>(MaskOf(a)));
  w.Add(static_cast<uint64_t>(a.second_blend_source() ? 1 : 0));
  // Last, and only if it is not 32 bits, which has the keys of the time before precisions.
  if (a.precision() != kiln::v1::ColorAttachment::BITS_32) {
    w.Add(static_cast<uint64_t>(a.precision()));
  }
  // The word's length, which comes first, is no precision.
  if (a.blend_reads_alpha()) w.Add("blend_reads_alpha");
  return w.Finish();
}

// Each part is a named field of its own, written only if it is there.
std::optional<Digest> HashState(const kiln::v1::PipelineState& state) {
  CanonicalWriter w("kiln.key.state.1");
  bool any = false;
  const auto add = [&](std::string_view name, const Digest& digest) {
    w.Add(name);
    w.Add(AsBytes(digest));
    any = true;
  };
  const auto number = [&](std::string_view name, uint64_t value) {
    CanonicalWriter part("kiln.key.state.number.1");
    part.Add(value);
    add(name, part.Finish());
  };
  const kiln::v1::FragmentState& fragment = state.fragment();
  std::map<uint32_t, Digest> attachments;
  if (fragment.has_color()) number("color", 1);
  for (const auto& a : fragment.color().attachments()) {
    attachments[a.location()] = HashAttachment(a);
  }
  for (const auto& [location, digest] : attachments) add("attachment", digest);
  if (fragment.samples() > 1) number("samples", fragment.samples());
  if (fragment.sample_shading()) number("sample_shading", 1);
  if (fragment.alpha_to_coverage()) number("alpha_to_coverage", 1);
  if (fragment.alpha_to_one()) number("alpha_to_one", 1);
  if (state.has_next_stage_reads()) {
    std::map<uint32_t, uint32_t> reads;
    for (const auto& l : state.next_stage_reads().locations()) reads[l.location()] = l.components();
    number("next_stage_reads", reads.size());
    for (const auto& [location, components] : reads) {
      number("location", uint64_t{location} << 32 | components);
    }
  }
  // Only with what is read: without, all is.
  const auto& names = state.next_stage_reads().builtins();
  for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
    CanonicalWriter part("kiln.key.state.builtin.1");
    part.Add(name);
    add("builtin", part.Finish());
  }
  std::map<uint32_t, uint32_t> rates;
  for (const auto& r : state.instance_rates()) {
    rates[r.location()] = r.has_divisor() ? r.divisor() : 1;
  }
  for (const auto& [location, divisor] : rates) {
    number("instance_rate", uint64_t{location} << 32 | divisor);
  }
  if (state.view_mask() != 0) number("view_mask", state.view_mask());
  if (state.primitive_culling() != kiln::v1::PipelineState::CULLING_DEFAULT) {
    number("primitive_culling", static_cast<uint64_t>(state.primitive_culling()));
  }
  return any ? std::optional(w.Finish()) : std::nullopt;
}

}  // namespace

ShaderComponents HashShader(const Digest& module, std::string_view entry_point,
                            std::string_view stage, const std::map<uint32_t, SpecValue>& spec,
                            const kiln::v1::CompileOptions& options) {
  // Most requests have neither entry point nor constants.
  static const Digest kNoEntry = HashEntry("", "");
  static const Digest kNoSpec = HashSpec({});
  static const Digest kNoOptions = HashOptions({});
  ShaderComponents c;
  c.module = module;
  c.entry = entry_point.empty() && stage.empty() ? kNoEntry : HashEntry(entry_point, stage);
  c.spec_constants = spec.empty() ? kNoSpec : HashSpec(spec);
  c.options = options.ByteSizeLong() == 0 ? kNoOptions : HashOptions(options);
  if (options.has_state()) c.state = HashState(options.state());
  return c;
}

TargetComponents HashTarget(const kiln::v1::Capabilities::TargetInfo& target) {
  TargetComponents c;
  CanonicalWriter name("kiln.key.target.1");
  name.Add(target.name());
  c.target = name.Finish();
  CanonicalWriter abi("kiln.key.abi.1");
  abi.Add(static_cast<uint64_t>(target.abi_version()));
  c.abi = abi.Finish();
  CanonicalWriter code("kiln.key.code_generation.1");
  code.Add(static_cast<uint64_t>(target.code_generation_version()));
  c.code_generation = code.Finish();
  if (target.statistics().empty()) return c;
  CanonicalWriter statistics("kiln.key.statistics.1");
  for (const auto& statistic : target.statistics()) {
    statistics.Add(statistic.name());
    statistics.Add(statistic.unit());
  }
  c.statistics = statistics.Finish();
  return c;
}

Digest ResultKey(const ShaderComponents& shader, const TargetComponents& target) {
  CanonicalWriter w("kiln.key.1");
  for (const Digest* d : {&shader.module, &shader.entry, &shader.spec_constants, &shader.options,
                          &target.target, &target.abi, &target.code_generation}) {
    w.Add(AsBytes(*d));
  }
  if (target.statistics) w.Add(AsBytes(*target.statistics));
  if (shader.state) w.Add(AsBytes(*shader.state));
  return w.Finish();
}

Digest TranslationKey(const Digest& source, std::string_view reader) {
  CanonicalWriter w("kiln.key.translation.1");
  w.Add(AsBytes(source));
  w.Add(reader);
  return w.Finish();
}

}  // namespace kiln::cache
