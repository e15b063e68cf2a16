// See launch.h. Payloads of fragment and vertex threads: fragment_payload.cc, vertex_launch.cc. The
// payload of Gen12.0 compute: r0.1, r0.6, r0.7 workgroup id, r0.2 barrier id, r0.3 scratch size
// code and pointer to the sampler table, r0.5 scratch base; only push constants are delivered in
// addition.
#include "core/sim/eu/launch.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/str_format.h"
#include "core/sim/eu/fragment_payload.h"

namespace kiln::sim::eu {
namespace {

using out::PushSource;
using out::ResourceKind;
using out::SurfaceContent;

// Contents of registers and memory that have not been written: signalling NaNs, or, to see whether
// they matter, values near 1. As addresses both are outside all memory, but aligned to dwords, so
// that only one error occurs.
constexpr uint32_t kUndefined = 0x7fb00000, kOtherUndefined = 0x3f900000;

// Dword `i` of such contents.
uint32_t UndefinedDword(uint32_t pattern, size_t i) {
  return pattern | (static_cast<uint32_t>(4 * i) & 0xfffff);
}

void FillUndefined(uint32_t pattern, std::vector<uint8_t>& bytes) {
  for (size_t i = 0; 4 * i + 4 <= bytes.size(); ++i) {
    const uint32_t v = UndefinedDword(pattern, i);
    std::memcpy(bytes.data() + 4 * i, &v, 4);
  }
}

// Returns the size that the hardware allocates: a power of two, at least 1 KiB.
uint32_t AllocationSize(uint32_t bytes) {
  return bytes == 0 ? 0 : std::max<uint32_t>(1024, std::bit_ceil(bytes));
}

bool HasBuffer(PushSource source) {
  return source == PushSource::kUbo || source == PushSource::kBufferAddress;
}

std::string NameOf(const out::DescriptorRef& where) {
  std::string name = absl::StrFormat("set %d binding %d", where.set, where.binding);
  if (where.element != 0) name += absl::StrFormat("[%d]", where.element);
  return name;
}

void SetName(const out::DescriptorRef& where, size_t place, std::vector<std::string>& names) {
  if (names.size() <= place) names.resize(place + 1);
  names[place] = NameOf(where);
}

constexpr uint32_t kAddressBytes = 16, kHandleBytes = 8;  // of a descriptor in memory
constexpr uint64_t kMaxDescriptors = 1u << 16;

}  // namespace

LaunchState::LaunchState(const out::LaunchRecord& record, bool opposite, scene::Dispatch& dispatch)
    : record_(record),
      intel_(out::IntelOf(record)),
      undefined_(opposite ? kOtherUndefined : kUndefined),
      dispatch_(dispatch) {
  view_.descending = opposite;
  view_.outside = &outside_;
}

absl::StatusOr<std::unique_ptr<LaunchState>> LaunchState::Create(const out::LaunchRecord& record,
                                                                 bool opposite, uint32_t slots,
                                                                 scene::Dispatch& dispatch) {
  std::unique_ptr<LaunchState> state(new LaunchState(record, opposite, dispatch));
  absl::Status status = state->CheckResources();
  if (status.ok()) status = state->Bind();
  if (status.ok()) state->MakeSlots(slots);
  if (status.ok()) status = state->CheckPush();
  if (!status.ok()) return status;
  return state;
}

absl::Status LaunchState::Bind() {
  if (absl::Status s = scene::CheckWindows(dispatch_); !s.ok()) return s;
  scene::AssignAddresses(absl::MakeSpan(dispatch_.buffers));
  for (scene::ClientBuffer& b : dispatch_.buffers) {
    if (b.window) continue;
    absl::Status status = addresses_.MapAt(b.address, absl::MakeSpan(b.bytes));
    if (!status.ok()) return status;
  }
  constants_ = record_.constant_data;
  constants_address_ = addresses_.Map(absl::MakeSpan(constants_));
  scratch_per_thread_ = AllocationSize(record_.scratch_bytes_per_thread);
  view_.addresses = &addresses_;
  if (absl::Status status = BuildDescriptors(); !status.ok()) return status;
  return BindTables();
}

out::DescriptorRef LaunchState::Where(uint32_t resource, uint32_t element) const {
  const out::Resource& r = record_.resources[resource];
  return {r.set, r.binding, element};
}

absl::Status LaunchState::BindSurface(const out::SurfaceEntry& entry) {
  if (entry.what == SurfaceContent::kResource) {
    return BindResource(entry.resource, entry.element, entry.index);
  }
  if (view_.surfaces.size() <= entry.index) view_.surfaces.resize(entry.index + 1);
  Surface& surface = view_.surfaces[entry.index];
  if (entry.what == SurfaceContent::kConstantData) {
    surface = {constants_.data(), constants_.size()};
  } else if (entry.what == SurfaceContent::kPushConstants) {
    surface = {dispatch_.push_constants.data(), dispatch_.push_constants.size()};
  } else if (entry.what == SurfaceContent::kDescriptorMemory) {
    std::vector<uint8_t>& bytes = descriptors_[entry.memory];
    surface = {bytes.data(), bytes.size()};
  }
  return absl::OkStatus();
}

// Binds the surface of a descriptor. One without object stays unbound: an error if a message uses
// it.
absl::Status LaunchState::BindResource(uint32_t number, uint32_t element, size_t place) {
  const out::Resource& resource = record_.resources[number];
  const out::DescriptorRef where = Where(number, element);
  if (resource.kind == ResourceKind::kSampler) {
    return absl::InvalidArgumentError(absl::StrFormat("surface %d is a sampler", place));
  }
  SetName(where, place, view_.surface_names);
  if (resource.kind != ResourceKind::kUbo && resource.kind != ResourceKind::kSsbo) {
    return BindImage(resource, where, place);
  }
  if (view_.surfaces.size() <= place) view_.surfaces.resize(place + 1);
  Surface& surface = view_.surfaces[place];
  scene::ClientBuffer* b = scene::FindBound(dispatch_.buffers, where);
  static uint8_t nothing[1];  // of size 0: never read nor written
  if (b != nullptr && b->null_surface) {
    surface = {nothing, 0};
  } else if (b != nullptr) {
    const absl::Span<uint8_t> bytes = scene::BytesOf(*b, dispatch_);
    surface = {bytes.data(), bytes.size()};
  }
  return absl::OkStatus();
}

absl::Status LaunchState::BindImage(const out::Resource& resource, const out::DescriptorRef& where,
                                    size_t place) {
  scene::ClientImage* image = scene::FindBound(dispatch_.images, where);
  if (image == nullptr) return absl::OkStatus();
  const absl::Span<uint8_t> texels = scene::BytesOf(*image, dispatch_);
  scene::ImageView view{image, texels.data(), image->format};
  view.storage = resource.kind == ResourceKind::kStorageImage;
  if (!resource.format.empty() && !image->null_surface) {
    const std::optional<scene::TexelFormat> other = scene::TexelFormatNamed(resource.format);
    if (!other || scene::TexelBytes(*other) != scene::TexelBytes(image->format)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "an image of another size of texel cannot be bound as %s", resource.format));
    }
    view.format = *other;
  }
  if (!image->null_surface && image->Bytes() > texels.size()) {
    return absl::InvalidArgumentError("an image has fewer bytes than texels");
  }
  if (view_.images.size() <= place) view_.images.resize(place + 1);
  view_.images[place] = view;
  return absl::OkStatus();
}

absl::Status LaunchState::BindTables() {
  for (const out::SurfaceEntry& e : intel_.binding_table) {
    if (e.index >= isa::kBindingTableEntries) {
      return absl::InvalidArgumentError("binding table index that names no surface");
    }
    if (absl::Status status = BindSurface(e); !status.ok()) return status;
  }
  for (const out::SamplerEntry& e : intel_.sampler_table) {
    if (e.index >= 16 * 1024) return absl::InvalidArgumentError("sampler index");
    if (view_.samplers.size() <= e.index) view_.samplers.resize(e.index + 1);
    const out::DescriptorRef where = Where(e.resource, e.element);
    view_.samplers[e.index] = scene::FindBound(dispatch_.samplers, where);
    SetName(where, e.index, view_.sampler_names);
  }
  return absl::OkStatus();
}

// Gives every descriptor of a range a surface state and a sampler state of its own, so that handles
// of different descriptors differ.
absl::Status LaunchState::BuildDescriptors() {
  for (const out::DescriptorRange& range : record_.descriptor_memory) {
    const uint32_t count = CountOf(range);
    const uint64_t bytes =
        range.form == out::DescriptorForm::kAddress ? kAddressBytes : kHandleBytes;
    const uint64_t end = range.offset + uint64_t{range.stride} * count;
    if (count > kMaxDescriptors || end > kMaxDescriptors * kAddressBytes) {
      return absl::InvalidArgumentError("too many descriptors in memory");
    }
    if (range.stride < bytes) return absl::InvalidArgumentError("stride of descriptors in memory");
    std::vector<uint8_t>& memory = descriptors_[range.memory];
    if (memory.size() < end) memory.resize((end + 31) / 32 * 32);
    for (uint32_t i = 0; i < count; ++i) {
      uint8_t* to = memory.data() + range.offset + uint64_t{range.stride} * i;
      absl::Status status = WriteDescriptor(range, range.element + i, to);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

// An array without length extends to the last element given.
uint32_t LaunchState::CountOf(const out::DescriptorRange& range) const {
  if (range.count != 0) return range.count;
  return scene::CountBound(dispatch_, Where(range.resource, range.element));
}

absl::Status LaunchState::WriteDescriptor(const out::DescriptorRange& range, uint32_t element,
                                          uint8_t* to) {
  const out::DescriptorRef where = Where(range.resource, element);
  if (range.form == out::DescriptorForm::kAddress) {
    const scene::ClientBuffer* b = scene::FindBound(dispatch_.buffers, where);
    if (b == nullptr) return absl::OkStatus();
    const uint64_t size = scene::BytesOf(*b, dispatch_).size();
    std::memcpy(to, &b->address, 8);
    std::memcpy(to + 8, &size, 8);
    return absl::OkStatus();
  }
  const ResourceKind kind = record_.resources[range.resource].kind;
  uint32_t handles[2] = {0, 0};
  if (kind != ResourceKind::kSampler) {
    handles[0] = BindlessSurface(bindless_surfaces_);
    absl::Status status =
        BindResource(range.resource, element, kBindlessPlace + bindless_surfaces_++);
    if (!status.ok()) return status;
  }
  if (kind == ResourceKind::kSampler || kind == ResourceKind::kCombinedImageSampler) {
    handles[1] = BindlessSampler(static_cast<uint32_t>(view_.bindless_samplers.size()));
    SetName(where, view_.bindless_samplers.size(), view_.bindless_sampler_names);
    view_.bindless_samplers.push_back(scene::FindBound(dispatch_.samplers, where));
  }
  std::memcpy(to, handles, sizeof(handles));
  return absl::OkStatus();
}

// Checks that all resources that the record names are among its resources.
absl::Status LaunchState::CheckResources() const {
  const size_t count = record_.resources.size();
  bool good = true;
  for (const out::SurfaceEntry& e : intel_.binding_table) {
    good &= e.what != SurfaceContent::kResource || e.resource < count;
  }
  for (const out::SamplerEntry& e : intel_.sampler_table) good &= e.resource < count;
  for (const out::DescriptorRange& d : record_.descriptor_memory) good &= d.resource < count;
  for (const out::PushPart& p : record_.push) good &= !HasBuffer(p.source) || p.resource < count;
  return good ? absl::OkStatus()
              : absl::InvalidArgumentError("launch record: a resource that it does not list");
}

absl::Status LaunchState::CheckPush() const {
  const uint64_t first = uint64_t{intel_.push_first_register} * kGrfBytes;
  for (const out::PushPart& p : record_.push) {
    if (first + p.at + p.bytes > uint64_t{kGrfCount} * kGrfBytes) {
      return absl::InvalidArgumentError("push constants beyond the register file");
    }
    if (!HasBuffer(p.source)) continue;
    const out::DescriptorRef where = Where(p.resource, p.element);
    if (scene::FindBound(dispatch_.buffers, where) == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrFormat("no buffer at set %d binding %d", where.set, where.binding));
    }
  }
  return record_.stage == "compute" ? CheckThreadPush() : absl::OkStatus();
}

// Checks that the number of the thread is among the registers that threads have for themselves: all
// threads of a workgroup have the others alike (MEDIA_CURBE_LOAD; Mesa 25.0.7, gen120.xml,
// INTERFACE_DESCRIPTOR_DATA, Cross-Thread Constant Data Read Length).
absl::Status LaunchState::CheckThreadPush() const {
  const out::IntelCompute& launch = intel_.compute;
  const uint64_t common = uint64_t{launch.cross_thread_registers} * kGrfBytes;
  if (common / kGrfBytes + launch.per_thread_registers != intel_.push_registers) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "launch record: %d + %d registers of push constants, in all %d",
        launch.cross_thread_registers, launch.per_thread_registers, intel_.push_registers));
  }
  for (const out::PushPart& p : record_.push) {
    if (p.source == PushSource::kSubgroupId && p.at < common) {
      return absl::InvalidArgumentError(
          "launch record: the subgroup id in a register that all threads have alike");
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

void LaunchState::MakeSlots(uint32_t count) {
  slots_.resize(count);
  for (GroupSlot& p : slots_) {
    p.shared.resize(AllocationSize(record_.shared_bytes));
    p.scratch.resize(size_t{scratch_per_thread_} * intel_.compute.threads_per_group);
    p.view = view_;
    p.view.shared = {p.shared.data(), p.shared.size()};
    p.view.scratch = {p.scratch.data(), p.scratch.size()};
  }
}

void LaunchState::StartGroup(uint32_t slot, bool zero) {
  for (std::vector<uint8_t>* bytes : {&slots_[slot].shared, &slots_[slot].scratch}) {
    if (zero) {
      std::fill(bytes->begin(), bytes->end(), uint8_t{0});
    } else {
      FillUndefined(undefined_, *bytes);
    }
  }
}

// Returns the bytes of a push part; fewer than part.bytes if the source ends earlier. Uniform
// buffers are extended with 0 instead.
std::vector<uint8_t> LaunchState::PushBytes(const out::PushPart& part,
                                            uint32_t thread_index) const {
  std::vector<uint8_t> source;
  const auto words = [&source](std::initializer_list<uint32_t> values) {
    for (uint32_t v : values) {
      for (int i = 0; i < 4; ++i) source.push_back(static_cast<uint8_t>(v >> (8 * i)));
    }
  };
  switch (part.source) {
    case PushSource::kClientPushConstants: source = dispatch_.push_constants; break;
    case PushSource::kUbo: {
      const scene::ClientBuffer& buffer =
          *scene::FindBound(dispatch_.buffers, Where(part.resource, part.element));
      const absl::Span<const uint8_t> bytes = scene::BytesOf(buffer, dispatch_);
      source.assign(bytes.begin(), bytes.end());
      break;
    }
    case PushSource::kBufferAddress: {
      const uint64_t address =
          scene::FindBound(dispatch_.buffers, Where(part.resource, part.element))->address;
      words({static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32)});
      break;
    }
    case PushSource::kBaseWorkgroup:
      words({dispatch_.base[0], dispatch_.base[1], dispatch_.base[2]});
      break;
    case PushSource::kNumWorkgroups:
      words({dispatch_.groups[0], dispatch_.groups[1], dispatch_.groups[2]});
      break;
    case PushSource::kSubgroupId: words({thread_index}); break;
    case PushSource::kDescriptorMemory:
      if (const auto at = descriptors_.find(part.memory); at != descriptors_.end()) {
        source = at->second;
      }
      break;
    case PushSource::kConstantData: source = constants_; break;
    case PushSource::kDriverInternal: return std::vector<uint8_t>(part.bytes, 0);
    case PushSource::kDriverAllOnes: return std::vector<uint8_t>(part.bytes, 0xff);
    case PushSource::kNothing: break;
  }
  source.erase(source.begin(), source.begin() + std::min<size_t>(part.offset, source.size()));
  if (source.size() > part.bytes || part.source == PushSource::kUbo) source.resize(part.bytes);
  return source;
}

// Sets up the registers common to threads of all stages: scratch, sampler table, constants, control
// register.
void LaunchState::StartRegisters(uint32_t index, Thread& t) const {
  t = Thread{};
  for (int i = 0; i < kGrfCount * 8; ++i) t.Write32(4 * i, UndefinedDword(undefined_, i));
  const int size_code = scratch_per_thread_ == 0 ? 0 : std::countr_zero(scratch_per_thread_ / 1024);
  t.Write32(12, kSamplerTable | static_cast<uint32_t>(size_code));
  t.Write32(20, index * scratch_per_thread_);
  for (const out::PushPart& part : record_.push) {
    const std::vector<uint8_t> bytes = PushBytes(part, index);
    if (!bytes.empty()) {
      std::memcpy(t.regs.data() + intel_.push_first_register * kGrfBytes + part.at, bytes.data(),
                  bytes.size());
    }
  }
  // No source says whether halves keep subnormals at dispatch.
  t.Write32(kControlOffset, view_.descending ? 0 : kControlKeepF16);
}

void LaunchState::StartFragment(const FragmentThread& of, Thread& t) const {
  StartRegisters(0, t);
  FillFragmentPayload(of, t);
}

void LaunchState::StartVertices(const VertexThread& of, Thread& t) const {
  StartRegisters(0, t);
  FillVertexPayload(of, t);
}

void LaunchState::StartThread(uint32_t index, const std::array<uint32_t, 3>& group,
                              Thread& t) const {
  StartRegisters(index, t);
  t.Write32(4, group[0]);
  t.Write32(8, 0x01000000);  // barrier 1 of the slice
  t.Write32(24, group[1]);
  t.Write32(28, group[2]);
  const uint32_t all = record_.dispatch_width == 32 ? ~0u : (1u << record_.dispatch_width) - 1;
  const bool last = index + 1 == intel_.compute.threads_per_group;
  t.dispatch = last ? intel_.compute.last_thread_mask & all : all;
  t.active = t.dispatch;
  t.Write32(kStateOffset + 8, t.dispatch);   // sr0.2: dispatch mask
  t.Write32(kStateOffset + 12, t.dispatch);  // sr0.3: vector mask
}

}  // namespace kiln::sim::eu
