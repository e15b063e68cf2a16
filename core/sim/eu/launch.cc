// See launch.h. The thread payload of Gen12.0 compute: r0.1, r0.6, r0.7 workgroup id, r0.2 barrier
// id, r0.3 scratch size code, r0.5 scratch base; nothing else but push constants is delivered.
#include "core/sim/eu/launch.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/str_format.h"

namespace kiln::sim::eu {
namespace {

using out::PushSource;
using out::SurfaceKind;

// Contents of registers and memory that nobody has written: signalling NaNs, or, to see whether
// they matter, values near 1.
constexpr uint32_t kUndefined = 0x7fb00000, kOtherUndefined = 0x3f900000;

void FillUndefined(uint32_t pattern, std::vector<uint8_t>& bytes) {
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    const uint32_t v = pattern | (static_cast<uint32_t>(i / 4) & 0xfffff);
    std::memcpy(bytes.data() + i, &v, 4);
  }
}

// Sizes that the hardware allocates: powers of two, at least 1 KiB.
uint32_t AllocationSize(uint32_t bytes) {
  return bytes == 0 ? 0 : std::max<uint32_t>(1024, std::bit_ceil(bytes));
}

bool IsBound(const ClientBuffer& b) { return b.bound; }
bool IsBound(const ClientImage&) { return true; }
bool IsBound(const ClientSampler&) { return true; }

// What the client gave for a descriptor; elements not given repeat another one.
template <typename T>
T* Find(std::vector<T>& given, const out::DescriptorRef& where) {
  T* any = nullptr;
  for (T& b : given) {
    if (!IsBound(b) || b.where.set != where.set || b.where.binding != where.binding) continue;
    if (b.where.element == where.element) return &b;
    if (any == nullptr) any = &b;
  }
  return any;
}

bool IsImage(SurfaceKind kind) {
  switch (kind) {
    case SurfaceKind::kSampledImage:
    case SurfaceKind::kCombinedImageSampler:
    case SurfaceKind::kStorageImage:
    case SurfaceKind::kUniformTexelBuffer:
    case SurfaceKind::kStorageTexelBuffer:
    case SurfaceKind::kInputAttachment:
      return true;
    default:
      return false;
  }
}

constexpr uint32_t kDescriptorBytes = 16;  // buffers: address, size, 0

}  // namespace

LaunchState::LaunchState(const out::LaunchRecord& record, bool opposite, Dispatch& dispatch)
    : record_(record), undefined_(opposite ? kOtherUndefined : kUndefined), dispatch_(dispatch) {
  view_.descending = opposite;
}

absl::StatusOr<std::unique_ptr<LaunchState>> LaunchState::Create(const out::LaunchRecord& record,
                                                                 bool opposite,
                                                                 Dispatch& dispatch) {
  std::unique_ptr<LaunchState> state(new LaunchState(record, opposite, dispatch));
  absl::Status status = state->Bind();
  if (status.ok()) status = state->CheckPush();
  if (!status.ok()) return status;
  return state;
}

absl::Status LaunchState::Bind() {
  AssignAddresses(absl::MakeSpan(dispatch_.buffers));
  for (ClientBuffer& b : dispatch_.buffers) {
    absl::Status status = addresses_.MapAt(b.address, absl::MakeSpan(b.bytes));
    if (!status.ok()) return status;
  }
  constants_ = record_.constant_data;
  constants_address_ = addresses_.Map(absl::MakeSpan(constants_));
  shared_.resize(AllocationSize(record_.shared_bytes));
  scratch_per_thread_ = AllocationSize(record_.scratch_bytes_per_thread);
  scratch_.resize(size_t{scratch_per_thread_} * record_.compute.threads_per_group);
  view_.shared = {shared_.data(), shared_.size()};
  view_.scratch = {scratch_.data(), scratch_.size()};
  view_.addresses = &addresses_;
  BuildDescriptors();
  for (const out::SurfaceEntry& e : record_.binding_table) {
    if (e.index >= 240) return absl::InvalidArgumentError("binding table index beyond 239");
    if (view_.surfaces.size() <= e.index) view_.surfaces.resize(e.index + 1);
    Surface& surface = view_.surfaces[e.index];
    if (e.kind == SurfaceKind::kUbo || e.kind == SurfaceKind::kSsbo) {
      const ClientBuffer* b = Find(dispatch_.buffers, e.descriptor);
      if (b != nullptr) surface = {const_cast<uint8_t*>(b->bytes.data()), b->bytes.size()};
    } else if (e.kind == SurfaceKind::kConstantData) {
      surface = {constants_.data(), constants_.size()};
    } else if (e.kind == SurfaceKind::kPushConstants) {
      surface = {dispatch_.push_constants.data(), dispatch_.push_constants.size()};
    } else if (e.kind == SurfaceKind::kDescriptorMemory && e.descriptor.set < 8) {
      std::vector<uint8_t>& bytes = descriptors_[e.descriptor.set];
      surface = {bytes.data(), bytes.size()};
    } else if (IsImage(e.kind)) {
      if (absl::Status status = BindImage(e); !status.ok()) return status;
    }
  }
  return BindSamplers();
}

absl::Status LaunchState::BindImage(const out::SurfaceEntry& e) {
  ClientImage* image = Find(dispatch_.images, e.descriptor);
  if (image == nullptr) return absl::OkStatus();  // an error where a message uses it
  ImageView view{image, image->texels.data(), image->format};
  if (!e.format.empty()) {
    const std::optional<TexelFormat> format = TexelFormatNamed(e.format);
    if (!format || TexelBytes(*format) != TexelBytes(image->format)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "an image of another size of texel cannot be bound as %s", e.format));
    }
    view.format = *format;
  }
  if (image->Bytes() > image->texels.size()) {
    return absl::InvalidArgumentError("an image has fewer bytes than texels");
  }
  if (view_.images.size() <= e.index) view_.images.resize(e.index + 1);
  view_.images[e.index] = view;
  return absl::OkStatus();
}

absl::Status LaunchState::BindSamplers() {
  for (const out::SamplerEntry& e : record_.sampler_table) {
    if (e.index >= 16 * 1024) return absl::InvalidArgumentError("sampler index");
    if (view_.samplers.size() <= e.index) view_.samplers.resize(e.index + 1);
    view_.samplers[e.index] = Find(dispatch_.samplers, e.descriptor);
  }
  return absl::OkStatus();
}

// Descriptor memory holds, for buffers in the binding table, 64 bits address, 32 bits size and 0.
void LaunchState::BuildDescriptors() {
  for (const out::SurfaceEntry& e : record_.binding_table) {
    if (e.kind != SurfaceKind::kUbo && e.kind != SurfaceKind::kSsbo) continue;
    const ClientBuffer* b = Find(dispatch_.buffers, e.descriptor);
    if (b == nullptr || e.descriptor.set >= 8) continue;
    std::vector<uint8_t>& bytes = descriptors_[e.descriptor.set];
    const size_t end = size_t{e.descriptor_offset} + kDescriptorBytes;
    if (bytes.size() < end) bytes.resize((end + 63) / 64 * 64);
    const uint64_t size = b->bytes.size();
    std::memcpy(bytes.data() + e.descriptor_offset, &b->address, 8);
    std::memcpy(bytes.data() + e.descriptor_offset + 8, &size, 8);
  }
}

absl::Status LaunchState::CheckPush() const {
  for (const out::PushPart& p : record_.push) {
    if (uint64_t{p.reg} * kGrfBytes + p.byte + p.bytes > uint64_t{kGrfCount} * kGrfBytes) {
      return absl::InvalidArgumentError("push constants beyond the register file");
    }
    if (p.source == PushSource::kUbo && Find(dispatch_.buffers, p.ubo) == nullptr) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "no buffer for the uniform block of set %d binding %d", p.ubo.set, p.ubo.binding));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint8_t>> LaunchState::Relocate(absl::Span<const uint8_t> code) const {
  std::vector<uint8_t> bytes(code.begin(), code.end());
  for (const out::Relocation& r : record_.relocations) {
    uint64_t value;
    if (r.what == "constant_data_address_low") {
      value = constants_address_ & 0xffffffff;
    } else if (r.what == "constant_data_address_high") {
      value = constants_address_ >> 32;
    } else if (r.what == "shader_start_offset") {
      value = 0;
    } else {
      return absl::UnimplementedError(absl::StrFormat("relocation of %s", r.what));
    }
    if (uint64_t{r.offset} + 4 > bytes.size()) {
      return absl::InvalidArgumentError("relocation beyond the code");
    }
    const uint32_t v = static_cast<uint32_t>(value + r.delta);
    std::memcpy(bytes.data() + r.offset, &v, 4);
  }
  return bytes;
}

void LaunchState::StartGroup(bool zero) {
  if (zero) {
    std::fill(shared_.begin(), shared_.end(), uint8_t{0});
    std::fill(scratch_.begin(), scratch_.end(), uint8_t{0});
    return;
  }
  FillUndefined(undefined_, shared_);
  FillUndefined(undefined_, scratch_);
}

// The bytes of a push part; shorter than part.bytes where the source ends.
std::vector<uint8_t> LaunchState::PushBytes(const out::PushPart& part,
                                            uint32_t thread_index) const {
  std::vector<uint8_t> source;
  const auto words = [&source](std::initializer_list<uint32_t> values) {
    for (uint32_t v : values) {
      for (int i = 0; i < 4; ++i) source.push_back(static_cast<uint8_t>(v >> (8 * i)));
    }
  };
  switch (part.source) {
    case PushSource::kClientPushConstants:
      source = dispatch_.push_constants;
      break;
    case PushSource::kUbo:
      source = Find(dispatch_.buffers, part.ubo)->bytes;
      break;
    case PushSource::kBaseWorkgroup:
      words({0, 0, 0});
      break;
    case PushSource::kNumWorkgroups:
      words({dispatch_.groups[0], dispatch_.groups[1], dispatch_.groups[2]});
      break;
    case PushSource::kSubgroupId:
      words({thread_index});
      break;
    case PushSource::kDescriptorMemory:
      if (part.ubo.set < 8) source = descriptors_[part.ubo.set];
      break;
    case PushSource::kConstantData:
      source = constants_;
      break;
    case PushSource::kDriverInternal:
      return std::vector<uint8_t>(part.bytes, 0);
    case PushSource::kDriverAllOnes:
      return std::vector<uint8_t>(part.bytes, 0xff);
    case PushSource::kNothing:
      break;
  }
  if (part.offset >= source.size()) return {};
  const size_t count = std::min<size_t>(part.bytes, source.size() - part.offset);
  return {source.begin() + part.offset, source.begin() + part.offset + count};
}

void LaunchState::StartThread(uint32_t index, const std::array<uint32_t, 3>& group,
                              Thread& t) const {
  t = Thread{};
  for (int i = 0; i < kGrfCount * 8; ++i) t.Write32(4 * i, undefined_ | i);
  t.Write32(4, group[0]);
  t.Write32(8, 0x01000000);  // barrier 1 of the slice
  const int size_code = scratch_per_thread_ == 0 ? 0 : std::countr_zero(scratch_per_thread_ / 1024);
  t.Write32(12, static_cast<uint32_t>(size_code));
  t.Write32(20, index * scratch_per_thread_);
  t.Write32(24, group[1]);
  t.Write32(28, group[2]);
  for (const out::PushPart& part : record_.push) {
    const std::vector<uint8_t> bytes = PushBytes(part, index);
    if (!bytes.empty()) {
      std::memcpy(t.regs.data() + part.reg * kGrfBytes + part.byte, bytes.data(), bytes.size());
    }
  }
  const uint32_t all = record_.dispatch_width == 32 ? ~0u : (1u << record_.dispatch_width) - 1;
  const bool last = index + 1 == record_.compute.threads_per_group;
  t.dispatch = last ? record_.compute.last_thread_mask & all : all;
  t.active = t.dispatch;
  t.Write32(kStateOffset + 8, t.dispatch);   // sr0.2: dispatch mask
  t.Write32(kStateOffset + 12, t.dispatch);  // sr0.3: vector mask
  t.Write32(kControlOffset, kControlKeepF16);
}

}  // namespace kiln::sim::eu
