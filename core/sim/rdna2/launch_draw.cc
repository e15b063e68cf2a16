// See launch_draw.h.
#include "core/sim/rdna2/launch_draw.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/str_format.h"
#include "core/sim/rdna2/resource/client_descriptor.h"

namespace kiln::sim::rdna2 {
namespace {

using out::SgprContent;

constexpr uint32_t kMaxStride = (1 << 14) - 1;  // a V# has 14 bits for it

absl::Status CheckAttribute(const out::AmdAttribute& a, const scene::VertexInput* input) {
  if (a.bits != 32) {
    return absl::UnimplementedError(absl::StrFormat("unsupported: attributes of %d bits", a.bits));
  }
  const bool inside = a.typed ? a.offset == 0 && a.stride == 0
                              : uint64_t{a.offset} + 4 * uint64_t{a.components} <= a.stride &&
                                    a.stride <= kMaxStride;
  if (input == nullptr || a.components < 1 || a.components > 4 || a.buffer >= 32 || !inside) {
    return absl::InvalidArgumentError("launch record: place of an attribute");
  }
  if (input->per_instance != a.per_instance) {
    return absl::UnimplementedError(absl::StrFormat(
        "unsupported: the attribute at location %d is of each %s, for which the program was not "
        "compiled (instance_rates of the pipeline state)",
        a.location, input->per_instance ? "instance" : "vertex"));
  }
  if (a.per_instance && input->step != a.divisor) {
    return absl::UnimplementedError(absl::StrFormat(
        "unsupported: elements of %d instances at location %d, for which the program was not "
        "compiled, but for those of %d",
        input->step, a.location, a.divisor));
  }
  return absl::OkStatus();
}

// Writes the given components of all elements.
void FillTyped(const scene::VertexInput& input, std::vector<uint8_t>& bytes) {
  bytes.resize(4 * input.bits.size());
  std::memcpy(bytes.data(), input.bits.data(), bytes.size());
}

// Writes the attribute of all elements, with constants for components that are not given.
void Fill(const out::AmdAttribute& a, const scene::VertexInput& input,
          std::vector<uint8_t>& bytes) {
  const size_t elements = input.bits.size() / input.components;
  if (bytes.size() < elements * a.stride) bytes.resize(elements * a.stride);
  for (size_t e = 0; e < elements; ++e) {
    for (uint32_t c = 0; c < a.components; ++c) {
      uint32_t value = c == 3 ? input.missing_w : 0;
      if (c < input.components) value = input.bits[e * input.components + c];
      std::memcpy(bytes.data() + e * a.stride + a.offset + size_t{4} * c, &value, 4);
    }
  }
}

}  // namespace

uint32_t SgprsOf(SgprContent what) {
  switch (what) {
    case SgprContent::kScratchBase:
    case SgprContent::kDriverTable: return 2;
    case SgprContent::kNggViewport: return 4;
    default: return 1;
  }
}

void FillDrawRegister(const DrawRegisters& from, const out::UserSgpr& to, WaveState& w) {
  const int at = static_cast<int>(to.sgpr);
  switch (to.what) {
    case SgprContent::kVertexBuffers: w.SetScalar(at, from.vertex_buffers); break;
    case SgprContent::kFirstVertex: w.SetScalar(at, from.first_vertex); break;
    case SgprContent::kDrawId: w.SetScalar(at, from.draw_id); break;
    case SgprContent::kBaseInstance: w.SetScalar(at, from.base_instance); break;
    case SgprContent::kViewIndex: w.SetScalar(at, from.view_index); break;
    case SgprContent::kNggCulling: w.SetScalar(at, from.ngg_culling); break;
    case SgprContent::kPixelState: w.SetScalar(at, from.pixel_state); break;
    case SgprContent::kNggViewport:
      for (int i = 0; i < 4; ++i) {
        w.SetScalar(at + i, std::bit_cast<uint32_t>(from.ngg_viewport[static_cast<size_t>(i)]));
      }
      break;
    default: break;
  }
}

absl::Status VertexBuffers::Build(const out::LaunchRecord& record, const scene::VertexInputs& draw,
                                  scene::AddressSpace& space) {
  const std::vector<out::AmdAttribute>& attributes = out::AmdOf(record).vertex.attributes;
  std::vector<uint32_t> strides;
  std::vector<const scene::VertexInput*> typed;  // by number of the V#; null: of any format
  for (const out::AmdAttribute& a : attributes) {
    const scene::VertexInput* const input = scene::InputAt(draw, a.location);
    if (absl::Status s = CheckAttribute(a, input); !s.ok()) return s;
    bytes_.resize(std::max<size_t>(bytes_.size(), a.buffer + size_t{1}));
    strides.resize(bytes_.size());
    typed.resize(bytes_.size());
    if (a.typed) {
      typed[a.buffer] = input;
      FillTyped(*input, bytes_[a.buffer]);
      continue;
    }
    strides[a.buffer] = a.stride;
    Fill(a, *input, bytes_[a.buffer]);
  }
  descriptors_.resize(16 * bytes_.size());
  for (size_t i = 0; i < bytes_.size(); ++i) {
    if (bytes_[i].empty()) continue;
    const uint64_t address = space.Map(absl::MakeSpan(bytes_[i]));
    const absl::StatusOr<BufferWords> words =
        typed[i] != nullptr ? DescribeVertexAttribute(address, *typed[i])
                            : DescribeVertexBuffer(address, bytes_[i].size(), strides[i]);
    if (!words.ok()) return words.status();
    std::memcpy(descriptors_.data() + 16 * i, words->data(), 16);
  }
  return absl::OkStatus();
}

}  // namespace kiln::sim::rdna2
