// See launch_fragment_convert.h.
#include "proto/launch_fragment_convert.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/launch_names.h"
#include "proto/launch_parts.h"

namespace kiln::proto {
namespace {

using out::DepthOutput;
using out::PayloadPart;

constexpr NameOf<PayloadPart> kParts[] = {
    {"header", PayloadPart::kHeader},
    {"pixel_positions", PayloadPart::kPixelPositions},
    {"barycentric_perspective_pixel", PayloadPart::kPerspectivePixel},
    {"barycentric_perspective_centroid", PayloadPart::kPerspectiveCentroid},
    {"barycentric_perspective_sample", PayloadPart::kPerspectiveSample},
    {"barycentric_linear_pixel", PayloadPart::kLinearPixel},
    {"barycentric_linear_centroid", PayloadPart::kLinearCentroid},
    {"barycentric_linear_sample", PayloadPart::kLinearSample},
    {"source_depth", PayloadPart::kSourceDepth},
    {"source_w", PayloadPart::kSourceW},
    {"sample_position_offsets", PayloadPart::kPositionOffsets},
    {"input_coverage_mask", PayloadPart::kInputCoverage},
    {"depth_w_coefficients", PayloadPart::kDepthWCoefficients},
    {"perspective_barycentric_coefficients", PayloadPart::kPerspectiveCoefficients},
    {"linear_barycentric_coefficients", PayloadPart::kLinearCoefficients},
    {"sample_offsets", PayloadPart::kSampleOffsets},
};

constexpr NameOf<DepthOutput> kDepths[] = {
    {"off", DepthOutput::kOff},         {"", DepthOutput::kOff},      {"any", DepthOutput::kAny},
    {"greater", DepthOutput::kGreater}, {"less", DepthOutput::kLess},
};

// How often something holds: "sometimes" means that a driver decides it at each draw, by state that
// a record does not carry.
enum class Often : uint8_t { kNever, kSometimes, kAlways };
constexpr NameOf<Often> kOften[] = {
    {"never", Often::kNever},
    {"", Often::kNever},
    {"sometimes", Often::kSometimes},
    {"always", Often::kAlways},
};

constexpr char kPrefix[] = "barycentric_";

absl::Status ReadSetup(const v1alpha::LaunchSetup& in, out::FragmentLaunch& result) {
  if (in.per_primitive_slots() != 0) {
    return absl::InvalidArgumentError("launch record: per-primitive attributes are not known");
  }
  result.setup_first_register = in.first_register();
  result.setup_slots = in.slots();
  result.flat_mask = in.flat_mask();
  for (const v1alpha::LaunchAttribute& a : in.attributes()) {
    if (a.slot() >= in.slots()) {
      return absl::InvalidArgumentError(
          absl::StrCat("launch record: attribute slot ", a.slot(), " of ", in.slots()));
    }
    out::SetupAttribute attribute{a.slot(), a.location(), a.first_component(), a.builtin(),
                                  a.flat()};
    ReadParts(a.inputs(), attribute.inputs);
    result.attributes.push_back(std::move(attribute));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadFragment(const v1alpha::LaunchFragment& in, out::FragmentLaunch& result) {
  for (const v1alpha::LaunchPayloadItem& item : in.registers()) {
    const std::optional<PayloadPart> part = Value(kParts, item.what());
    if (!part) return Unknown("payload part", item.what());
    result.payload.push_back({item.register_(), item.registers(), *part, item.first_lane()});
  }
  if (absl::Status s = ReadSetup(in.setup(), result); !s.ok()) return s;
  const std::optional<DepthOutput> depth = Value(kDepths, in.outputs().depth());
  if (!depth) return Unknown("depth output", in.outputs().depth());
  const std::optional<Often> per_sample = Value(kOften, in.per_sample_dispatch());
  if (!per_sample || *per_sample == Often::kSometimes) {
    return Unknown("per-sample dispatch", in.per_sample_dispatch());
  }
  const std::optional<Often> coverage = Value(kOften, in.alpha_to_coverage());
  if (!coverage || *coverage == Often::kSometimes) {
    return Unknown("alpha to coverage", in.alpha_to_coverage());
  }
  result.depth = *depth;
  result.writes_stencil = in.outputs().stencil();
  result.writes_sample_mask = in.outputs().sample_mask();
  result.dual_source = in.outputs().dual_source();
  result.uses_discard = in.uses_discard();
  result.early_tests = in.early_fragment_tests();
  result.post_depth_coverage = in.post_depth_coverage();
  result.has_side_effects = in.has_side_effects();
  result.vector_mask = in.uses_vector_mask();
  result.interpolator_messages = in.interpolator_messages();
  result.nonperspective = in.nonperspective_barycentrics();
  result.samples = in.samples();
  result.beside_narrower = in.beside_narrower();
  result.sample_shading = in.sample_shading();
  result.alpha_to_coverage = *coverage == Often::kAlways;
  result.per_sample = *per_sample == Often::kAlways;
  return absl::OkStatus();
}

void WriteFragment(const out::FragmentLaunch& in, v1alpha::LaunchFragment& result) {
  for (const out::PayloadItem& item : in.payload) {
    v1alpha::LaunchPayloadItem& t = *result.add_registers();
    t.set_register_(item.reg);
    t.set_registers(item.registers);
    t.set_what(NameFor(kParts, item.what));
    t.set_first_lane(item.first_lane);
    result.set_payload_registers(item.reg + item.registers);
    if (item.first_lane == 0 && absl::StartsWith(t.what(), kPrefix)) {
      result.add_barycentric_modes(t.what().substr(sizeof(kPrefix) - 1));
    }
  }
  result.set_front_facing("bit 15 of r1.1, 0 = front");
  v1alpha::LaunchSetup& setup = *result.mutable_setup();
  setup.set_first_register(in.setup_first_register);
  setup.set_slots(in.setup_slots);
  setup.set_flat_mask(in.flat_mask);
  for (const out::SetupAttribute& a : in.attributes) {
    v1alpha::LaunchAttribute& t = *setup.add_attributes();
    t.set_slot(a.slot);
    t.set_register_(in.setup_first_register + 2 * a.slot);
    t.set_first_component(a.first_component);
    t.set_location(a.location);
    t.set_builtin(a.builtin);
    t.set_flat(a.flat);
    WriteParts(a.inputs, *t.mutable_inputs());
  }
  v1alpha::LaunchOutputs& outputs = *result.mutable_outputs();
  outputs.set_depth(NameFor(kDepths, in.depth));
  outputs.set_stencil(in.writes_stencil);
  outputs.set_sample_mask(in.writes_sample_mask);
  outputs.set_dual_source(in.dual_source);
  result.set_uses_discard(in.uses_discard);
  result.set_early_fragment_tests(in.early_tests);
  result.set_post_depth_coverage(in.post_depth_coverage);
  result.set_has_side_effects(in.has_side_effects);
  result.set_uses_vector_mask(in.vector_mask);
  result.set_interpolator_messages(in.interpolator_messages);
  result.set_nonperspective_barycentrics(in.nonperspective);
  result.set_per_sample_dispatch(in.per_sample ? "always" : "never");
  result.set_coarse_pixel_dispatch("never");
  result.set_samples(in.samples);
  result.set_beside_narrower(in.beside_narrower);
  result.set_sample_shading(in.sample_shading);
  result.set_alpha_to_coverage(in.alpha_to_coverage ? "always" : "never");
}

}  // namespace kiln::proto
