// See draw_state.h.
#include "client/run/draw_state.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/run/job_data.h"
#include "client/run/job_keys.h"
#include "client/run/job_sampler.h"
#include "core/base/utf8.h"

namespace kiln::client::run {
namespace {

using nlohmann::json;
using sim::scene::BlendFactor;
using sim::scene::BlendOp;
using sim::scene::CompareFunction;
using sim::scene::FragmentInputs;
using sim::scene::LogicOp;
using sim::scene::RenderTarget;
using sim::scene::StencilFace;
using sim::scene::StencilOp;
using sim::scene::Texel;
using sim::scene::TexelFormat;

constexpr uint32_t kMax = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kMaxAttachmentBytes = uint64_t{1} << 30;  // of all, as the simulator keeps them

constexpr Key kViewportKeys[] = {
    {"x", Form::kNumber},      {"y", Form::kNumber},         {"width", Form::kNumber},
    {"height", Form::kNumber}, {"min_depth", Form::kNumber}, {"max_depth", Form::kNumber},
};
constexpr Key kBiasKeys[] = {
    {"constant", Form::kNumber}, {"clamp", Form::kNumber}, {"slope", Form::kNumber}};
constexpr Key kTargetKeys[] = {
    {"location", Form::kCount, 31}, {"format", Form::kText},  {"clear", Form::kList},
    {"data", Form::kAny},           {"blend", Form::kObject}, {"write_mask", Form::kText},
    {"resolve", Form::kBool},       {"as", Form::kText},      {"out", Form::kText},
};
constexpr Key kBlendKeys[] = {
    {"src", Form::kText},       {"dst", Form::kText},       {"op", Form::kText},
    {"alpha_src", Form::kText}, {"alpha_dst", Form::kText}, {"alpha_op", Form::kText},
};
constexpr Key kDepthKeys[] = {
    {"format", Form::kText},  {"clear", Form::kNumber}, {"data", Form::kAny},
    {"compare", Form::kText}, {"write", Form::kBool},   {"bounds", Form::kList},
    {"as", Form::kText},      {"out", Form::kText},
};
constexpr Key kStencilKeys[] = {
    {"clear", Form::kCount, 255}, {"data", Form::kAny}, {"front", Form::kObject},
    {"back", Form::kObject},      {"as", Form::kText},  {"out", Form::kText},
};
constexpr Key kFaceKeys[] = {
    {"compare", Form::kText},
    {"fail", Form::kText},
    {"pass", Form::kText},
    {"depth_fail", Form::kText},
    {"compare_mask", Form::kCount, kMax},
    {"write_mask", Form::kCount, kMax},
    {"reference", Form::kCount, kMax},
};
constexpr Key kResultKeys[] = {{"as", Form::kText}, {"out", Form::kText}};

const std::map<std::string, CompareFunction>& Compares() {
  static const std::map<std::string, CompareFunction> kNames = {
      {"never", CompareFunction::kNever},
      {"less", CompareFunction::kLess},
      {"equal", CompareFunction::kEqual},
      {"less_equal", CompareFunction::kLessEqual},
      {"greater", CompareFunction::kGreater},
      {"not_equal", CompareFunction::kNotEqual},
      {"greater_equal", CompareFunction::kGreaterEqual},
      {"always", CompareFunction::kAlways}};
  return kNames;
}

const std::map<std::string, StencilOp>& StencilOps() {
  static const std::map<std::string, StencilOp> kNames = {
      {"keep", StencilOp::kKeep},
      {"zero", StencilOp::kZero},
      {"replace", StencilOp::kReplace},
      {"increment_and_clamp", StencilOp::kIncrementClamp},
      {"decrement_and_clamp", StencilOp::kDecrementClamp},
      {"invert", StencilOp::kInvert},
      {"increment_and_wrap", StencilOp::kIncrementWrap},
      {"decrement_and_wrap", StencilOp::kDecrementWrap}};
  return kNames;
}

const std::map<std::string, BlendFactor>& Factors() {
  using F = BlendFactor;
  static const std::map<std::string, BlendFactor> kNames = {
      {"zero", F::kZero},
      {"one", F::kOne},
      {"src_color", F::kSrcColor},
      {"one_minus_src_color", F::kOneMinusSrcColor},
      {"dst_color", F::kDstColor},
      {"one_minus_dst_color", F::kOneMinusDstColor},
      {"src_alpha", F::kSrcAlpha},
      {"one_minus_src_alpha", F::kOneMinusSrcAlpha},
      {"dst_alpha", F::kDstAlpha},
      {"one_minus_dst_alpha", F::kOneMinusDstAlpha},
      {"constant_color", F::kConstantColor},
      {"one_minus_constant_color", F::kOneMinusConstantColor},
      {"constant_alpha", F::kConstantAlpha},
      {"one_minus_constant_alpha", F::kOneMinusConstantAlpha},
      {"src_alpha_saturate", F::kSrcAlphaSaturate},
      {"src1_color", F::kSrc1Color},
      {"one_minus_src1_color", F::kOneMinusSrc1Color},
      {"src1_alpha", F::kSrc1Alpha},
      {"one_minus_src1_alpha", F::kOneMinusSrc1Alpha}};
  return kNames;
}

const std::map<std::string, BlendOp>& BlendOps() {
  static const std::map<std::string, BlendOp> kNames = {
      {"add", BlendOp::kAdd},
      {"subtract", BlendOp::kSubtract},
      {"reverse_subtract", BlendOp::kReverseSubtract},
      {"min", BlendOp::kMin},
      {"max", BlendOp::kMax}};
  return kNames;
}

const std::map<std::string, LogicOp>& LogicOps() {
  static const std::map<std::string, LogicOp> kNames = {{"clear", LogicOp::kClear},
                                                        {"and", LogicOp::kAnd},
                                                        {"and_reverse", LogicOp::kAndReverse},
                                                        {"copy", LogicOp::kCopy},
                                                        {"and_inverted", LogicOp::kAndInverted},
                                                        {"no_op", LogicOp::kNoOp},
                                                        {"xor", LogicOp::kXor},
                                                        {"or", LogicOp::kOr},
                                                        {"nor", LogicOp::kNor},
                                                        {"equivalent", LogicOp::kEquivalent},
                                                        {"invert", LogicOp::kInvert},
                                                        {"or_reverse", LogicOp::kOrReverse},
                                                        {"copy_inverted", LogicOp::kCopyInverted},
                                                        {"or_inverted", LogicOp::kOrInverted},
                                                        {"nand", LogicOp::kNand},
                                                        {"set", LogicOp::kSet}};
  return kNames;
}

absl::Status In(absl::string_view part, const absl::Status& s) {
  return absl::Status(s.code(), absl::StrCat("draw: ", part, ": ", s.message()));
}

absl::Status Wrong(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("draw: ", what));
}

absl::Status CheckType(const json& object, absl::string_view what) {
  const std::string as = object.value("as", "hex");
  if (as == "hex" || ElementBytes(as) != 0) return absl::OkStatus();
  return Wrong(
      absl::StrCat(what, ": \"as\": \"", Quoted(as), "\" is not a type such as f32, u32 or hex"));
}

// Checks a part of the draw, if it is given.
absl::Status CheckPart(const json& draw, const char* name, absl::Span<const Key> keys) {
  if (!draw.contains(name)) return absl::OkStatus();
  const std::string what = absl::StrCat("draw: \"", name, "\"");
  if (absl::Status s = CheckKeys(draw[name], keys, what); !s.ok()) return s;
  return CheckType(draw[name], absl::StrCat("\"", name, "\""));
}

absl::Status CheckTargets(const json& draw) {
  std::set<uint32_t> seen;
  for (const json& target : draw.value("targets", json::array())) {
    const std::string what = absl::StrCat("draw: target ", seen.size());
    if (absl::Status s = CheckKeys(target, kTargetKeys, what); !s.ok()) return s;
    if (absl::Status s = CheckType(target, absl::StrCat("target ", seen.size())); !s.ok()) return s;
    if (target.contains("blend")) {
      absl::Status s = CheckKeys(target["blend"], kBlendKeys, what + ": \"blend\"");
      if (!s.ok()) return s;
    }
    const uint32_t location = target.value("location", 0u);
    if (!seen.insert(location).second) {
      return Wrong(absl::StrCat("\"targets\" has location ", location, " twice"));
    }
  }
  return absl::OkStatus();
}

// Reads a list of so many numbers. `name` is that of the key.
template <size_t n>
absl::Status Numbers(const json& object, const char* name, std::array<float, n>* numbers) {
  if (!object.contains(name)) return absl::OkStatus();
  const json& list = object[name];
  bool good = list.is_array() && list.size() == n;
  for (const json& v : list) good = good && v.is_number();
  if (!good) {
    return absl::InvalidArgumentError(absl::StrCat("\"", name, "\": must be a list of ", n,
                                                   " numbers, not ", Quoted(list.dump())));
  }
  *numbers = list.get<std::array<float, n>>();
  return absl::OkStatus();
}

// Returns the texel of a clear value: integers for integer formats, else floats. Values of a target
// without format are floats.
absl::StatusOr<Texel> ClearTexel(const json& clear, std::optional<TexelFormat> format) {
  Texel texel{};
  const bool integer = format && IsIntegerFormat(*format);
  bool good = clear.is_array() && clear.size() == 4;
  for (size_t c = 0; good && c < 4; ++c) {
    const json& v = clear[c];
    good = integer ? v.is_number_integer() : v.is_number();
    if (!good) break;
    texel[c] =
        integer ? static_cast<uint32_t>(v.get<int64_t>()) : std::bit_cast<uint32_t>(v.get<float>());
  }
  if (good) return texel;
  return absl::InvalidArgumentError(absl::StrCat("\"clear\": must be a list of four ",
                                                 integer ? "whole numbers" : "numbers", ", not ",
                                                 Quoted(clear.dump())));
}

// Returns the format of an attachment, of depth or of colours.
absl::StatusOr<std::optional<TexelFormat>> FormatOf(const json& object, bool depth) {
  if (!object.contains("format")) return std::nullopt;
  const std::string name = object["format"].get<std::string>();
  const std::optional<TexelFormat> format = sim::scene::TexelFormatNamed(name);
  if (format && sim::scene::IsDepthFormat(*format) == depth) return format;
  return absl::InvalidArgumentError(absl::StrCat("\"format\": \"", Quoted(name),
                                                 "\" is not a format",
                                                 !format ? ""
                                                 : depth ? " of depth: d16, d24 or d32f"
                                                         : " of colours"));
}

// Returns the initial bytes of an attachment; empty: none are given.
absl::StatusOr<std::string> InitialBytes(const json& object, const std::string& folder,
                                         size_t size) {
  if (!object.contains("data")) return std::string();
  absl::StatusOr<std::string> bytes = DataBytes(object["data"], folder, {});
  if (!bytes.ok() || bytes->size() == size) return bytes;
  return absl::InvalidArgumentError(
      absl::StrCat("\"data\" has ", bytes->size(), " bytes; the attachment has ", size));
}

// Fills texels from bytes of a format.
void Decode(TexelFormat format, const std::string& bytes, std::vector<uint32_t>& texels) {
  const auto size = static_cast<size_t>(TexelBytes(format));
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  for (size_t i = 0; i < bytes.size() / size; ++i) {
    const Texel t = DecodeTexel(format, at + i * size);
    std::copy(t.begin(), t.end(), texels.begin() + static_cast<std::ptrdiff_t>(4 * i));
  }
}

Texel Rounded(TexelFormat format, const Texel& texel) {
  std::array<uint8_t, 16> bytes{};
  EncodeTexel(format, texel, bytes.data());
  return DecodeTexel(format, bytes.data());
}

absl::StatusOr<sim::scene::BlendState> ReadBlend(const json& b) {
  sim::scene::BlendState state;
  const std::string src = b.value("src", "one"), dst = b.value("dst", "zero");
  const std::string op = b.value("op", "add");
  absl::Status s = Pick(b, "src", "one", Factors(), &state.color.src);
  if (s.ok()) s = Pick(b, "dst", "zero", Factors(), &state.color.dst);
  if (s.ok()) s = Pick(b, "op", "add", BlendOps(), &state.color.op);
  if (s.ok()) s = Pick(b, "alpha_src", src, Factors(), &state.alpha.src);
  if (s.ok()) s = Pick(b, "alpha_dst", dst, Factors(), &state.alpha.dst);
  if (s.ok()) s = Pick(b, "alpha_op", op, BlendOps(), &state.alpha.op);
  if (!s.ok()) return s;
  return state;
}

absl::StatusOr<uint8_t> ReadWriteMask(const json& target) {
  const std::string mask = target.value("write_mask", "rgba");
  uint8_t bits = 0;
  for (const char c : mask) {
    const size_t at = std::string("rgba").find(c);
    if (at == std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat("\"write_mask\": \"", Quoted(mask),
                                                     "\" has other letters than r, g, b and a"));
    }
    bits |= static_cast<uint8_t>(1u << at);
  }
  return bits;
}

// Fills a target with a colour, or with the bytes given for it.
absl::Status Begin(const json& target, const json& draw, const std::string& folder, size_t samples,
                   RenderTarget& t) {
  const json none = json::array({0, 0, 0, 0});
  const json clear = target.value("clear", draw.value("clear", none));
  const absl::StatusOr<Texel> texel = ClearTexel(clear, t.format);
  if (!texel.ok()) return texel.status();
  const Texel first = t.format ? Rounded(*t.format, *texel) : *texel;
  t.texels.resize(4 * samples);
  for (size_t i = 0; i < t.texels.size(); ++i) t.texels[i] = first[i % 4];
  const TexelFormat format = t.format.value_or(TexelFormat::kRgba32ui);
  const absl::StatusOr<std::string> bytes =
      InitialBytes(target, folder, samples * static_cast<size_t>(TexelBytes(format)));
  if (!bytes.ok()) return bytes.status();
  Decode(format, *bytes, t.texels);
  if (t.format) t.bytes.assign(bytes->begin(), bytes->end());
  return absl::OkStatus();
}

absl::StatusOr<RenderTarget> ReadTarget(uint32_t location, const json& target, const json& draw,
                                        const std::string& folder, size_t samples) {
  RenderTarget t;
  t.location = location;
  absl::StatusOr<std::optional<TexelFormat>> format = FormatOf(target, /*depth=*/false);
  if (!format.ok()) return format.status();
  t.format = *format;
  if (target.contains("blend")) {
    absl::StatusOr<sim::scene::BlendState> blend = ReadBlend(target["blend"]);
    if (!blend.ok()) return blend.status();
    t.blend = *blend;
  }
  const absl::StatusOr<uint8_t> mask = ReadWriteMask(target);
  if (!mask.ok()) return mask.status();
  t.write_mask = *mask;
  if (absl::Status s = Begin(target, draw, folder, samples, t); !s.ok()) return s;
  return t;
}

json TargetAt(const json& draw, uint32_t location) {
  for (const json& t : draw.value("targets", json::array())) {
    if (t.value("location", 0u) == location) return t;
  }
  return json::object();
}

// Returns the locations of all targets: the program's, then others.
std::vector<uint32_t> TargetLocations(const json& draw, const out::FragmentLaunch& launch) {
  std::vector<uint32_t> locations;
  const auto add = [&locations](uint32_t location) {
    if (std::find(locations.begin(), locations.end(), location) == locations.end()) {
      locations.push_back(location);
    }
  };
  for (const uint32_t location : launch.colors) add(location);
  for (const json& t : draw.value("targets", json::array())) add(t.value("location", 0u));
  return locations;
}

absl::Status ReadTargets(const json& draw, absl::Span<const uint32_t> locations,
                         const std::string& folder, size_t samples, FragmentInputs& in) {
  for (const uint32_t location : locations) {
    absl::StatusOr<RenderTarget> target =
        ReadTarget(location, TargetAt(draw, location), draw, folder, samples);
    if (!target.ok()) return In(absl::StrCat("location ", location), target.status());
    if (in.output.logic_op && !target->format) {
      return Wrong(
          absl::StrCat("location ", location, ": \"logic_op\" needs a target with a \"format\""));
    }
    in.targets.push_back(*std::move(target));
  }
  return absl::OkStatus();
}

// "depth": true keeps the depth of each fragment without a test.
absl::Status ReadDepth(const json& draw, bool written, const std::string& folder, size_t samples,
                       FragmentInputs& in) {
  const json depth = draw.value("depth", json(false));
  if (!depth.is_object()) {
    if (written || depth == true) in.depth.assign(samples, 1.0f);
    return absl::OkStatus();
  }
  sim::scene::DepthState& state = in.output.depth;
  absl::StatusOr<std::optional<TexelFormat>> format = FormatOf(depth, /*depth=*/true);
  if (!format.ok()) return format.status();
  state.format = *format;
  absl::Status s = Pick(depth, "compare", "always", Compares(), &state.compare);
  if (!s.ok()) return s;
  state.write = depth.value("write", true);
  if (depth.contains("bounds")) {
    s = Numbers(depth, "bounds", &state.bounds.emplace());
    if (!s.ok()) return s;
  }
  const TexelFormat kept = state.format.value_or(TexelFormat::kD32f);
  const Texel clear = Rounded(kept, {std::bit_cast<uint32_t>(depth.value("clear", 1.0f)), 0, 0, 0});
  in.depth.assign(samples, std::bit_cast<float>(clear[0]));
  const absl::StatusOr<std::string> bytes =
      InitialBytes(depth, folder, samples * static_cast<size_t>(TexelBytes(kept)));
  if (!bytes.ok()) return bytes.status();
  in.depth_bytes.assign(bytes->begin(), bytes->end());
  std::vector<uint32_t> texels(bytes->empty() ? 0 : 4 * samples);
  Decode(kept, *bytes, texels);
  for (size_t i = 0; i < texels.size() / 4; ++i) {
    in.depth[i] = std::bit_cast<float>(texels[4 * i]);
  }
  return absl::OkStatus();
}

absl::Status ReadFace(const json& f, StencilFace* face) {
  absl::Status s = Pick(f, "compare", "always", Compares(), &face->compare);
  if (s.ok()) s = Pick(f, "fail", "keep", StencilOps(), &face->fail);
  if (s.ok()) s = Pick(f, "pass", "keep", StencilOps(), &face->pass);
  if (s.ok()) s = Pick(f, "depth_fail", "keep", StencilOps(), &face->depth_fail);
  // Vulkan takes 32 bits, of which those of the attachment count.
  face->compare_mask = static_cast<uint8_t>(f.value("compare_mask", 255u));
  face->write_mask = static_cast<uint8_t>(f.value("write_mask", 255u));
  face->reference = static_cast<uint8_t>(f.value("reference", 0u));
  return s;
}

absl::Status ReadStencil(const json& draw, bool written, const std::string& folder, size_t samples,
                         FragmentInputs& in) {
  if (!draw.contains("stencil")) {
    if (written) in.stencil.assign(samples, 0);
    return absl::OkStatus();
  }
  const json& stencil = draw["stencil"];
  in.stencil.assign(samples, static_cast<uint8_t>(stencil.value("clear", 0u)));
  const absl::StatusOr<std::string> bytes = InitialBytes(stencil, folder, samples);
  if (!bytes.ok()) return bytes.status();
  if (!bytes->empty()) in.stencil.assign(bytes->begin(), bytes->end());
  if (!stencil.contains("front") && !stencil.contains("back")) return absl::OkStatus();
  sim::scene::StencilState& state = in.output.stencil.emplace();
  const json front = stencil.value("front", stencil.value("back", json::object()));
  const json back = stencil.value("back", front);
  if (absl::Status s = ReadFace(front, &state.front); !s.ok()) return s;
  return ReadFace(back, &state.back);
}

// Refuses viewports that no picture has; those of the hardware reach up to 2^15.
absl::Status CheckViewport(const sim::scene::Viewport& view) {
  constexpr float kFarthest = 1 << 15;
  struct Number {
    const char* key;
    float value;
  };
  if (!(view.width > 0)) return absl::InvalidArgumentError("\"width\" must be more than 0");
  for (const Number& n : {Number{"x", view.x}, Number{"y", view.y}, Number{"width", view.width},
                          Number{"height", view.height}}) {
    if (std::fabs(n.value) <= kFarthest) continue;
    return absl::InvalidArgumentError(absl::StrCat("\"", n.key, "\" must be from -32768 to 32768"));
  }
  for (const Number& n :
       {Number{"min_depth", view.min_depth}, Number{"max_depth", view.max_depth}}) {
    if (n.value >= 0 && n.value <= 1) continue;
    return absl::InvalidArgumentError(absl::StrCat("\"", n.key, "\" must be from 0 to 1"));
  }
  return absl::OkStatus();
}

// Returns the bytes of a sample that are kept as they are given; 0: there is no "data".
uint64_t GivenBytes(const json& attachment) {
  if (!attachment.is_object() || !attachment.contains("data")) return 0;
  const auto format = sim::scene::TexelFormatNamed(attachment.value("format", ""));
  return format ? static_cast<uint64_t>(TexelBytes(*format)) : 0;
}

// Returns the bytes that the simulator keeps for the attachments of a draw.
uint64_t AttachmentBytes(const json& draw, const out::FragmentLaunch& launch, size_t targets,
                         const FragmentInputs& in) {
  const uint64_t pixels = uint64_t{in.width} * in.height * in.layers;
  const bool depth =
      launch.depth != out::DepthOutput::kOff || draw.value("depth", json(false)) != false;
  const bool stencil = launch.writes_stencil || draw.contains("stencil");
  uint64_t each = sizeof(Texel) * targets + (depth ? sizeof(float) : 0) + (stencil ? 1 : 0);
  for (const json& t : draw.value("targets", json::array())) each += GivenBytes(t);
  each += GivenBytes(draw.value("depth", json()));
  const bool mask = launch.writes_sample_mask || draw.contains("written_samples");
  return pixels * (in.samples * each + sizeof(uint32_t) * (mask + draw.contains("coverage")));
}

}  // namespace

absl::Status CheckStateForm(const json& draw) {
  struct Part {
    const char* name;
    absl::Span<const Key> keys;
  };
  for (const Part& p : {Part{"viewport", kViewportKeys}, Part{"depth_bias", kBiasKeys},
                        Part{"stencil", kStencilKeys}, Part{"coverage", kResultKeys},
                        Part{"written_samples", kResultKeys}}) {
    if (absl::Status s = CheckPart(draw, p.name, p.keys); !s.ok()) return s;
  }
  const json depth = draw.value("depth", json(false));
  if (depth.is_object()) {
    if (absl::Status s = CheckPart(draw, "depth", kDepthKeys); !s.ok()) return s;
  } else if (!depth.is_boolean()) {
    return Wrong(
        absl::StrCat("\"depth\": must be true, false or an object, not ", Quoted(depth.dump())));
  }
  for (const char* face : {"front", "back"}) {
    if (!draw.contains("stencil") || !draw["stencil"].contains(face)) continue;
    absl::Status s = CheckKeys(draw["stencil"][face], kFaceKeys,
                               absl::StrCat("draw: \"stencil\": \"", face, "\""));
    if (!s.ok()) return s;
  }
  return CheckTargets(draw);
}

absl::Status ReadRasterState(const json& draw, FragmentInputs& in) {
  using sim::scene::PolygonMode;
  sim::scene::RasterState& state = in.raster;
  if (draw.contains("viewport")) {
    const json& v = draw["viewport"];
    sim::scene::Viewport& view = state.viewport.emplace();
    view.x = v.value("x", 0.0f);
    view.y = v.value("y", 0.0f);
    view.width = v.value("width", static_cast<float>(in.width));
    view.height = v.value("height", static_cast<float>(in.height));
    view.min_depth = v.value("min_depth", 0.0f);
    view.max_depth = v.value("max_depth", 1.0f);
    if (absl::Status s = CheckViewport(view); !s.ok()) return In("\"viewport\"", s);
  }
  static const std::map<std::string, PolygonMode> kModes = {
      {"fill", PolygonMode::kFill}, {"line", PolygonMode::kLine}, {"point", PolygonMode::kPoint}};
  static const std::map<std::string, int> kCulls = {
      {"none", 0}, {"front", 1}, {"back", 2}, {"both", 3}};
  static const std::map<std::string, bool> kFaces = {{"counterclockwise", false},
                                                     {"clockwise", true}};
  int culls = 0;
  absl::Status s = Pick(draw, "polygon_mode", "fill", kModes, &state.polygon_mode);
  if (s.ok()) s = Pick(draw, "cull", "none", kCulls, &culls);
  if (s.ok()) s = Pick(draw, "front_face", "counterclockwise", kFaces, &state.front_is_clockwise);
  if (!s.ok()) return Wrong(std::string(s.message()));
  state.cull_front = (culls & 1) != 0;
  state.cull_back = (culls & 2) != 0;
  state.line_width = draw.value("line_width", 1.0f);
  if (!(state.line_width > 0) || state.line_width > 255) {
    return Wrong("\"line_width\" must be more than 0 and at most 255");
  }
  state.depth_clamp = draw.value("depth_clamp", false);
  if (draw.contains("depth_bias")) {
    const json& b = draw["depth_bias"];
    state.depth_bias = {b.value("constant", 0.0f), b.value("clamp", 0.0f), b.value("slope", 0.0f)};
    for (const float v :
         {state.depth_bias->constant, state.depth_bias->clamp, state.depth_bias->slope}) {
      if (!std::isfinite(v)) return Wrong("\"depth_bias\" must consist of finite numbers");
    }
  }
  const json depth = draw.value("depth", json(false));
  const std::string format = depth.is_object() ? depth.value("format", "") : "";
  state.depth_bits = format == "d16" ? 16 : format == "d24" ? 24 : 0;
  return absl::OkStatus();
}

absl::Status ReadAttachments(const json& draw, const out::LaunchRecord& record,
                             const std::string& folder, FragmentInputs& in) {
  const size_t pixels = size_t{in.width} * in.height * in.layers;
  const size_t samples = pixels * in.samples;
  const out::FragmentLaunch& launch = record.fragment;
  const std::vector<uint32_t> locations = TargetLocations(draw, launch);
  const uint64_t bytes = AttachmentBytes(draw, launch, locations.size(), in);
  if (bytes > kMaxAttachmentBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("draw: the attachments have ", bytes,
                                                     " bytes; at most ", kMaxAttachmentBytes));
  }
  absl::Status s;
  if (draw.contains("logic_op")) {
    s = Pick(draw, "logic_op", "copy", LogicOps(), &in.output.logic_op.emplace());
    if (!s.ok()) return Wrong(std::string(s.message()));
  }
  if (s = ReadTargets(draw, locations, folder, samples, in); !s.ok()) return s;
  s = ReadDepth(draw, launch.depth != out::DepthOutput::kOff, folder, samples, in);
  if (!s.ok()) return In("\"depth\"", s);
  s = ReadStencil(draw, launch.writes_stencil, folder, samples, in);
  if (!s.ok()) return In("\"stencil\"", s);
  s = Numbers(draw, "blend_constants", &in.output.blend_constants);
  if (!s.ok()) return Wrong(std::string(s.message()));
  in.output.sample_mask = draw.value("sample_mask", kMax);
  in.output.alpha_to_coverage = draw.value("alpha_to_coverage", false);
  if (launch.writes_sample_mask || draw.contains("written_samples"))
    in.sample_mask.assign(pixels, 0);
  if (draw.contains("coverage")) in.coverage.assign(pixels, 0);
  return absl::OkStatus();
}

}  // namespace kiln::client::run
