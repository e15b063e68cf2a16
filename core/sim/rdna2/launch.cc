// See launch.h.
#include "core/sim/rdna2/launch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>

#include "absl/strings/str_format.h"
#include "core/amd/isa/wave_limits.h"
#include "core/sim/rdna2/alu/mode.h"
#include "core/sim/rdna2/launch_fragment.h"
#include "core/sim/rdna2/launch_vertex.h"
#include "core/sim/rdna2/resource/client_descriptor.h"
#include "core/sim/scene/fragment.h"

namespace kiln::sim::rdna2 {
namespace {

using out::DescriptorForm;
using out::PushSource;
using out::SgprContent;

// Contents of registers and memory that have not been written: signalling NaNs, or, to see whether
// they matter, values near 1.
constexpr uint32_t kUndefined = 0x7fb00000, kOtherUndefined = 0x3f900000;

// Fields of COMPUTE_PGM_RSRC1 and 2, and of those of PS and GS (Mesa, amd/registers/gfx103.json).
uint32_t Field(uint32_t value, int low, int bits) { return value >> low & ((1u << bits) - 1); }

uint32_t UserSgprs(const out::LaunchRecord& record) {
  const out::AmdLaunch& amd = out::AmdOf(record);
  const uint32_t low = Field(amd.rsrc2, 1, 5);
  return record.stage == "compute" ? low : low | Field(amd.rsrc2, 27, 1) << 5;
}

// Returns the number of the SGPR behind the last user SGPR.
uint32_t EndOfUserSgprs(const out::LaunchRecord& record) {
  return UserSgprs(record) + (record.stage == "vertex" ? kFirstVertexUserSgpr : 0);
}

// Returns the bytes of LDS of a workgroup. Programs of fragments have none of their own.
uint32_t LdsBytes(const out::LaunchRecord& record) {
  const uint32_t rsrc2 = out::AmdOf(record).rsrc2;
  if (record.stage == "compute") return Field(rsrc2, 15, 9) * 512;
  return record.stage == "vertex" ? Field(rsrc2, 19, 8) * 512 : 0;
}
// WGP_MODE; programs of fragments do not have it, primitive shaders may not (CheckVertexRecord).
bool WgpMode(const out::LaunchRecord& record) {
  return record.stage == "compute" && Field(out::AmdOf(record).rsrc1, 29, 1) != 0;
}

// SHARED_VGPR_CNT.
uint32_t SharedVgprs(const out::LaunchRecord& record) {
  const out::AmdLaunch& amd = out::AmdOf(record);
  return record.stage == "compute" ? Field(amd.rsrc3, 0, 4) : Field(amd.rsrc2, 28, 4);
}

// Returns the VGPRs that the inputs of a draw reach up to; 0 of compute programs, whose three at
// most always fit.
uint32_t InputVgprs(const out::LaunchRecord& record) {
  if (record.stage == "fragment") return FragmentInputVgprs(record);
  return record.stage == "vertex" ? VertexInputVgprs(record) : 0;
}

bool HasScratchOffset(const out::AmdLaunch& amd) { return Field(amd.rsrc2, 0, 1) != 0; }

uint32_t AllocatedVgprs(const out::LaunchRecord& record) {
  const uint32_t granule = record.dispatch_width == 32 ? 8 : 4;
  return (Field(out::AmdOf(record).rsrc1, 0, 6) + 1) * granule;
}

// FLOAT_MODE, DX10_CLAMP, IEEE_MODE and FP16_OVFL, of which the last has a place of its own in each
// stage (Mesa, amd/registers/gfx103.json).
uint32_t InitialMode(const out::LaunchRecord& record) {
  const uint32_t rsrc1 = out::AmdOf(record).rsrc1;
  const int overflow = record.stage == "compute" ? 26 : record.stage == "fragment" ? 29 : 31;
  return Field(rsrc1, 12, 8) | Field(rsrc1, 21, 1) << alu::kDx10ClampBit |
         Field(rsrc1, 23, 1) << alu::kIeeeBit | Field(rsrc1, overflow, 1) << alu::kFp16OverflowBit;
}

bool IsSupplied(PushSource source) {
  return source == PushSource::kClientPushConstants || source == PushSource::kBaseWorkgroup ||
         source == PushSource::kNumWorkgroups || source == PushSource::kNothing;
}

// Checks what the hardware could not start. Sources: user SGPRs: registers COMPUTE_USER_DATA_0 to
// 15, SPI_SHADER_USER_DATA_PS_0 and GS_0 to 31 (Mesa, amd/registers/gfx103.json); registers, waves
// and LDS: amd/isa/wave_limits.h. A workgroup of which not all waves find room at once is never
// started.
absl::Status CheckRoom(const out::LaunchRecord& record, uint32_t waves) {
  const uint32_t most = record.stage == "compute" ? 16 : 32;
  if (UserSgprs(record) > most) {
    return absl::InvalidArgumentError(
        absl::StrFormat("launch record: more than %d user SGPRs", most));
  }
  if (LdsBytes(record) > isa::kLdsOfCu) {
    return absl::InvalidArgumentError("launch record: more LDS than a workgroup can have");
  }
  if (SharedVgprs(record) != 0) {
    return absl::UnimplementedError("unsupported: shared VGPRs");
  }
  const auto vgprs = static_cast<int>(AllocatedVgprs(record));
  if (vgprs > isa::kVgprCount) {
    return absl::InvalidArgumentError("launch record: more than 256 VGPRs");
  }
  if (InputVgprs(record) > AllocatedVgprs(record)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("launch record: inputs beyond the %d VGPRs", vgprs));
  }
  const isa::Wave size = record.dispatch_width == 64 ? isa::Wave::k64 : isa::Wave::k32;
  const int room = isa::SimdsOfGroup(WgpMode(record)) * isa::WavesByRegisters(vgprs, size);
  if (waves > static_cast<uint32_t>(room)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "launch record: the %d waves of its workgroup do not fit a %s, which holds %d of %d VGPRs",
        waves, WgpMode(record) ? "WGP" : "CU", room, vgprs));
  }
  return absl::OkStatus();
}

uint32_t BytesOf(DescriptorForm form) { return form == DescriptorForm::kImageResource ? 32 : 16; }

constexpr uint64_t kMaxDescriptors = 1u << 16;
constexpr uint32_t kDriverTableBytes = 4096;

// Where RADV's table has the positions of samples: those of n samples at 8 n from here on (Mesa
// 25.0.7, radv_nir_lower_abi.c, load_sample_positions_amd).
constexpr uint32_t kSamplePositions = 176 - 8;

}  // namespace

LaunchState::LaunchState(const out::LaunchRecord& record, const scene::RunOptions& options,
                         scene::Dispatch& dispatch)
    : record_(record),
      amd_(out::AmdOf(record)),
      options_(options),
      dispatch_(dispatch),
      undefined_(options.opposite ? kOtherUndefined : kUndefined) {
  const std::array<uint32_t, 3>& size = record.compute.local_size;
  const uint64_t lanes = uint64_t{size[0]} * size[1] * size[2];
  waves_ = static_cast<uint32_t>((lanes + record.dispatch_width - 1) / record.dispatch_width);
  if (record.stage == "fragment") waves_ = 1;
  if (record.stage == "vertex") waves_ = VertexWaves(record);
}

absl::StatusOr<std::unique_ptr<LaunchState>> LaunchState::Create(absl::Span<const uint8_t> code,
                                                                 const out::LaunchRecord& record,
                                                                 const scene::RunOptions& options,
                                                                 scene::Dispatch& dispatch) {
  std::unique_ptr<LaunchState> state(new LaunchState(record, options, dispatch));
  absl::Status status = state->CheckRegisters();
  if (status.ok()) status = state->Map(code);
  if (status.ok()) status = state->FillDescriptors();
  if (status.ok()) status = state->MapDraw();
  if (status.ok()) status = state->MapTables();
  if (!status.ok()) return status;
  return state;
}

absl::Status LaunchState::CheckRegisters() const {
  if (absl::Status s = CheckRoom(record_, waves_); !s.ok()) return s;
  if (Field(amd_.rsrc1, 20, 1) != 0) {  // PRIV, "must be 0" (LLVM, AMDGPUUsage)
    return absl::InvalidArgumentError("launch record: a privileged program");
  }
  if (record_.scratch_bytes_per_thread != 0 && !HasScratchOffset(amd_)) {
    return absl::InvalidArgumentError("launch record: scratch that rsrc2 does not enable");
  }
  if (uint64_t{amd_.push_first_sgpr} + amd_.push_sgprs > EndOfUserSgprs(record_)) {
    return absl::InvalidArgumentError("launch record: push data beyond the user SGPRs");
  }
  for (const out::PushPart& p : record_.push) {
    if (uint64_t{p.at} + p.bytes > 4 * uint64_t{amd_.push_sgprs}) {
      return absl::InvalidArgumentError("launch record: push data beyond their SGPRs");
    }
    if (p.source == PushSource::kSubgroupId) {
      return absl::InvalidArgumentError(
          "launch record: the number of a wave in user SGPRs, which are the same for all waves");
    }
    if (!IsSupplied(p.source)) {
      return absl::InvalidArgumentError("launch record: push data of another architecture");
    }
  }
  for (const out::UserSgpr& u : amd_.user_sgprs) {
    if (uint64_t{u.sgpr} + SgprsOf(u.what) > EndOfUserSgprs(record_)) {
      return absl::InvalidArgumentError("launch record: user SGPR beyond their number");
    }
  }
  if (LdsBytes(record_) < record_.shared_bytes) {
    return absl::InvalidArgumentError("launch record: more LDS than rsrc2 says");
  }
  for (const out::DescriptorRange& range : record_.descriptor_memory) {
    if (range.resource >= record_.resources.size()) {
      return absl::InvalidArgumentError("launch record: a descriptor of no resource");
    }
    if (range.stride < BytesOf(range.form)) {
      return absl::InvalidArgumentError("launch record: stride of descriptors in memory");
    }
  }
  return absl::OkStatus();
}

// Maps memory whose address is passed in one SGPR.
absl::StatusOr<uint64_t> LaunchState::MapShort(std::vector<uint8_t>& bytes) {
  constexpr uint64_t kStep = scene::AddressSpace::kAlignment;
  const uint64_t address = next_short_;
  next_short_ += (bytes.size() + kStep) / kStep * kStep;
  absl::Status status = memory_.space.MapAt(address, absl::MakeSpan(bytes));
  if (!status.ok()) return status;
  return address;
}

absl::Status LaunchState::Map(absl::Span<const uint8_t> code) {
  if (absl::Status s = scene::CheckWindows(dispatch_); !s.ok()) return s;
  scene::AssignAddresses(absl::MakeSpan(dispatch_.buffers));
  for (scene::ClientBuffer& b : dispatch_.buffers) {
    if (b.window) continue;
    if (absl::Status s = memory_.space.MapAt(b.address, absl::MakeSpan(b.bytes)); !s.ok()) return s;
  }
  if (absl::Status s = MapImages(); !s.ok()) return s;
  // Below the memories with an address in one SGPR: a V#'s has 48 bits.
  if (dispatch_.vertices) {
    absl::Status s = vertex_buffers_.Build(record_, *dispatch_.vertices, memory_.space);
    if (!s.ok()) return s;
  }
  code_.assign(code.begin(), code.end());
  code_address_ = memory_.space.Map(absl::MakeSpan(code_));
  lds_.resize(LdsBytes(record_));
  scratch_.resize(size_t{record_.scratch_bytes_per_thread} * waves_);
  next_short_ = uint64_t{amd_.address_high} << 32 | 0x10000000;
  const absl::StatusOr<uint64_t> scratch = MapShort(scratch_);
  if (!scratch.ok()) return scratch.status();
  scratch_address_ = *scratch;
  push_ = dispatch_.push_constants;
  push_.resize(std::max<size_t>(push_.size(), record_.push_constant_bytes));
  const absl::StatusOr<uint64_t> push = MapShort(push_);
  if (!push.ok()) return push.status();
  push_address_ = *push;
  return absl::OkStatus();
}

// Texel buffers lie in memory, images have addresses as names.
absl::Status LaunchState::MapImages() {
  for (scene::ClientImage& image : dispatch_.images) {
    const absl::Span<uint8_t> texels = scene::BytesOf(image, dispatch_);
    if (!image.null_surface && image.Bytes() > texels.size()) {
      return absl::InvalidArgumentError("an image has fewer bytes than texels");
    }
    uint64_t address = 0;
    if (!image.window) {
      address = memory_.space.Map(texels);
    } else if (!image.window->of_image) {
      address = dispatch_.buffers[image.window->index].address + image.window->offset;
    }
    memory_.images.push_back({address, &image, texels});
  }
  // Images that are windows have an address as a name, at which no byte is.
  for (PlacedImage& placed : memory_.images) {
    if (!placed.image->window || placed.image->dim == scene::ImageDim::kBuffer) continue;
    placed.address = memory_.space.Map({});
  }
  return absl::OkStatus();
}

uint64_t LaunchState::AddressOf(const scene::ClientImage& image) const {
  for (const PlacedImage& placed : memory_.images) {
    if (placed.image == &image) return placed.address;
  }
  return 0;
}

out::DescriptorRef LaunchState::Where(uint32_t resource, uint32_t element) const {
  const out::Resource& r = record_.resources[resource];
  return {r.set, r.binding, element};
}

absl::Status LaunchState::FillDescriptors() {
  for (const out::DescriptorRange& range : record_.descriptor_memory) {
    uint32_t count = range.count;
    if (count == 0) count = scene::CountBound(dispatch_, Where(range.resource, range.element));
    const uint64_t end = range.offset + uint64_t{range.stride} * count;
    if (count > kMaxDescriptors || end > kMaxDescriptors * 96) {
      return absl::InvalidArgumentError("too many descriptors in memory");
    }
    std::vector<uint8_t>& memory = descriptors_[range.memory];
    if (memory.size() < end) memory.resize((end + 31) / 32 * 32);
    for (uint32_t i = 0; i < count; ++i) {
      uint8_t* to = memory.data() + range.offset + uint64_t{range.stride} * i;
      absl::Status status = WriteDescriptor(range, range.element + i, to);
      if (!status.ok()) return status;
    }
  }
  for (const out::UserSgpr& u : amd_.user_sgprs) {
    if (u.what == SgprContent::kDescriptorMemory) descriptors_[u.memory];
  }
  for (auto& [number, bytes] : descriptors_) {
    const absl::StatusOr<uint64_t> address = MapShort(bytes);
    if (!address.ok()) return address.status();
    descriptor_addresses_[number] = *address;
  }
  return absl::OkStatus();
}

namespace {

template <typename Words>
absl::Status Put(const absl::StatusOr<Words>& words, uint8_t* to) {
  if (words.ok()) std::memcpy(to, words->data(), sizeof(Words));
  return words.status();
}

}  // namespace

// A descriptor without object stays null.
absl::Status LaunchState::WriteDescriptor(const out::DescriptorRange& range, uint32_t element,
                                          uint8_t* to) {
  const out::DescriptorRef where = Where(range.resource, element);
  const out::ResourceKind kind = record_.resources[range.resource].kind;
  if (range.form == DescriptorForm::kSamplerResource) {
    const scene::ClientSampler* sampler = scene::FindBound(dispatch_.samplers, where);
    if (sampler == nullptr) return absl::OkStatus();
    return Put<SamplerWords>(DescribeSampler(*sampler), to);
  }
  if (kind == out::ResourceKind::kUbo || kind == out::ResourceKind::kSsbo) {
    const scene::ClientBuffer* b = scene::FindBound(dispatch_.buffers, where);
    if (b == nullptr) return absl::OkStatus();
    return Put(DescribeBuffer(*b, b->address, scene::BytesOf(*b, dispatch_).size()), to);
  }
  const scene::ClientImage* image = scene::FindBound(dispatch_.images, where);
  if (image == nullptr) return absl::OkStatus();
  // Elements of a mutable array that hold another kind of descriptor stay null, too.
  const bool texel_buffer = range.form == DescriptorForm::kBufferResource;
  if (texel_buffer != (image->dim == scene::ImageDim::kBuffer)) return absl::OkStatus();
  if (texel_buffer) {
    return Put(DescribeTexelBuffer(*image, AddressOf(*image)), to);
  }
  if (range.form != DescriptorForm::kImageResource) {
    return absl::InvalidArgumentError("launch record: a descriptor of another architecture's form");
  }
  return Put(DescribeImage(*image, AddressOf(*image), kind == out::ResourceKind::kStorageImage),
             to);
}

absl::Status LaunchState::MapTables() {
  driver_table_.resize(kDriverTableBytes);
  const uint32_t base[2] = {static_cast<uint32_t>(scratch_address_),
                            0x80000000u | (static_cast<uint32_t>(scratch_address_ >> 32) & 0xffff)};
  std::memcpy(driver_table_.data(), base, sizeof(base));
  for (uint32_t samples : {1, 2, 4, 8}) {
    const absl::Span<const scene::Point> points = scene::SamplePositions(samples);
    for (size_t i = 0; i < points.size(); ++i) {
      const float at[2] = {static_cast<float>(points[i].x), static_cast<float>(points[i].y)};
      std::memcpy(driver_table_.data() + kSamplePositions + 8 * (samples + i), at, sizeof(at));
    }
  }
  for (const auto& [number, address] : descriptor_addresses_) {
    memory_table_.resize(std::max<size_t>(memory_table_.size(), 4 * (number + size_t{1})));
    const auto low = static_cast<uint32_t>(address);
    std::memcpy(memory_table_.data() + 4 * number, &low, 4);
  }
  const absl::StatusOr<uint64_t> table = MapShort(memory_table_);
  if (!table.ok()) return table.status();
  memory_table_address_ = *table;
  driver_table_address_ = memory_.space.Map(absl::MakeSpan(driver_table_));
  return absl::OkStatus();
}

// Maps the table of vertex buffers and fills the user SGPRs that are the same for all waves.
absl::Status LaunchState::MapDraw() {
  if (record_.stage != "vertex" || !dispatch_.vertices) return absl::OkStatus();
  const scene::VertexInputs& draw = *dispatch_.vertices;
  draw_registers_.first_vertex = static_cast<uint32_t>(draw.first_vertex);
  draw_registers_.base_instance = draw.first_instance;
  draw_registers_.draw_id = draw.draw_id;
  const absl::StatusOr<uint64_t> table = MapShort(vertex_buffers_.descriptors());
  if (!table.ok()) return table.status();
  draw_registers_.vertex_buffers = static_cast<uint32_t>(*table);
  return absl::OkStatus();
}

bool LaunchState::wgp_mode() const { return WgpMode(record_); }

int LaunchState::first_system_sgpr() const { return static_cast<int>(EndOfUserSgprs(record_)); }

bool LaunchState::memory_ordered() const {
  return Field(amd_.rsrc1, record_.stage == "compute" ? 30 : 25, 1) != 0;
}

uint32_t LaunchState::vgprs() const { return AllocatedVgprs(record_); }

uint32_t LaunchState::UndefinedDword(size_t i) const {
  return undefined_ | (static_cast<uint32_t>(4 * i) & 0xfffff);
}

void LaunchState::FillUndefined(std::vector<uint8_t>& bytes) const {
  for (size_t i = 0; 4 * i + 4 <= bytes.size(); ++i) {
    const uint32_t v = options_.zero_memory ? 0 : UndefinedDword(i);
    std::memcpy(bytes.data() + 4 * i, &v, 4);
  }
}

void LaunchState::StartGroup() {
  FillUndefined(lds_);
  FillUndefined(scratch_);
}

Context LaunchState::ContextOf(uint32_t index) {
  Context context;
  context.memory = &memory_;
  context.lds = absl::MakeSpan(lds_);
  context.scratch = scratch_address_ + uint64_t{record_.scratch_bytes_per_thread} * index;
  context.scratch_bytes_per_lane = record_.scratch_bytes_per_thread / record_.dispatch_width;
  context.order = options_.opposite ? LaneOrder::kDescending : LaneOrder::kAscending;
  context.code_address = code_address_;
  context.undefined = undefined_;
  context.clock = &clock_;
  return context;
}

// Returns the bytes of a push part; fewer than part.bytes if the source ends earlier.
std::vector<uint8_t> LaunchState::PushBytes(const out::PushPart& part) const {
  std::vector<uint8_t> source;
  const auto words = [&source](std::initializer_list<uint32_t> values) {
    for (uint32_t v : values) {
      for (int i = 0; i < 4; ++i) source.push_back(static_cast<uint8_t>(v >> (8 * i)));
    }
  };
  const std::array<uint32_t, 3>&base = dispatch_.base, &groups = dispatch_.groups;
  switch (part.source) {
    case PushSource::kClientPushConstants: source = dispatch_.push_constants; break;
    case PushSource::kBaseWorkgroup: words({base[0], base[1], base[2]}); break;
    case PushSource::kNumWorkgroups: words({groups[0], groups[1], groups[2]}); break;
    default: break;
  }
  source.erase(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(
                                                    std::min<size_t>(part.offset, source.size())));
  if (source.size() > part.bytes) source.resize(part.bytes);
  return source;
}

void LaunchState::FillUser(WaveState& w) const {
  for (const out::PushPart& part : record_.push) {
    const std::vector<uint8_t> bytes = PushBytes(part);
    if (bytes.empty()) continue;
    std::memcpy(reinterpret_cast<uint8_t*>(&w.scalar[amd_.push_first_sgpr]) + part.at, bytes.data(),
                bytes.size());
  }
  for (const out::UserSgpr& u : amd_.user_sgprs) {
    const int at = static_cast<int>(u.sgpr);
    switch (u.what) {
      case SgprContent::kScratchBase:
        std::memcpy(&w.scalar[u.sgpr], driver_table_.data(), 8);
        break;
      case SgprContent::kDriverTable:
        w.SetScalar(at, static_cast<uint32_t>(driver_table_address_));
        w.SetScalar(at + 1, static_cast<uint32_t>(driver_table_address_ >> 32));
        break;
      case SgprContent::kDescriptorMemory:
        w.SetScalar(at, static_cast<uint32_t>(descriptor_addresses_.at(u.memory)));
        break;
      case SgprContent::kDescriptorMemories:
        w.SetScalar(at, static_cast<uint32_t>(memory_table_address_));
        break;
      case SgprContent::kPushConstants:
        w.SetScalar(at, static_cast<uint32_t>(push_address_));
        break;
      default: FillDrawRegister(draw_registers_, u, w);
    }
  }
}

// Order: ids of the workgroup, number of waves and of this one, offset of the scratch.
void LaunchState::FillSystem(uint32_t index, const std::array<uint32_t, 3>& group,
                             WaveState& w) const {
  int at = first_system_sgpr();
  for (int i = 0; i < 3; ++i) {
    if (Field(amd_.rsrc2, 7 + i, 1) != 0) w.SetScalar(at++, group[static_cast<size_t>(i)]);
  }
  if (Field(amd_.rsrc2, 10, 1) != 0) w.SetScalar(at++, waves_ | index << 6 | index << 20);
  if (HasScratchOffset(amd_)) w.SetScalar(at, record_.scratch_bytes_per_thread * index);
}

void LaunchState::FillLanes(uint32_t index, WaveState& w) const {
  const std::array<uint32_t, 3>& size = record_.compute.local_size;
  const uint32_t total = size[0] * size[1] * size[2];
  const auto ids = static_cast<size_t>(Field(amd_.rsrc2, 11, 2)) + 1;
  uint64_t exec = 0;
  for (uint32_t lane = 0; lane < record_.dispatch_width; ++lane) {
    const uint32_t i = index * record_.dispatch_width + lane;
    if (i >= total) break;
    exec |= uint64_t{1} << lane;
    const std::array<uint32_t, 3> id = {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
    for (size_t d = 0; d < std::min<size_t>(ids, 3); ++d) w.vector[d][lane] = id[d];
  }
  w.SetLaneMask(isa::kExecLo, exec);
}

void LaunchState::StartRegisters(uint32_t index, WaveState& w) const {
  w = WaveState{};
  w.size = record_.dispatch_width == 64 ? isa::Wave::k64 : isa::Wave::k32;
  w.number = index;
  for (size_t i = 0; i < w.scalar.size(); ++i) w.scalar[i] = UndefinedDword(i);
  w.scalar[isa::kNull] = 0;
  w.vector.resize(AllocatedVgprs(record_));
  for (size_t r = 0; r < w.vector.size(); ++r) {
    for (size_t lane = 0; lane < kMaxLanes; ++lane) w.vector[r][lane] = UndefinedDword(r);
  }
  w.scc = options_.opposite;
  w.mode = InitialMode(record_);
  FillUser(w);
}

void LaunchState::StartWave(uint32_t index, const std::array<uint32_t, 3>& group,
                            WaveState& w) const {
  StartRegisters(index, w);
  FillSystem(index, group, w);
  FillLanes(index, w);
}

}  // namespace kiln::sim::rdna2
