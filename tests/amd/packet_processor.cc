#include "tests/amd/packet_processor.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/out/launch_record.h"

namespace kiln::tests {
namespace {

using sim::scene::ClientBuffer;
using sim::scene::Dispatch;

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("packet processor: ", what));
}

template <typename T>
void Write(Packet& packet, size_t at, T value) {
  std::memcpy(packet.data() + at, &value, sizeof(value));
}

template <typename T>
T Read(const Packet& packet, size_t at) {
  T value;
  std::memcpy(&value, packet.data() + at, sizeof(value));
  return value;
}

// Offsets of the packet's fields.
enum Field : size_t {
  kSetup = 2,
  kWorkgroupSize = 4,
  kGridSize = 12,
  kPrivateBytes = 24,
  kGroupBytes = 28,
  kKernelObject = 32,
  kKernargAddress = 40
};

// The simulator maps the scratch of a dispatch first, here in the half of its addresses that has
// this high dword: one of a user's address space.
constexpr uint32_t kScratchHigh = 0x7ab1, kScratchLow = 0x10000000;

// Returns the user SGPRs that the descriptor asks for, in the order of AMDGPUUsage.
absl::StatusOr<std::vector<uint32_t>> UserSgprs(const KernelDescriptor& d, uint64_t kernarg) {
  const auto has = [&](int bit) { return (d.properties >> bit & 1) != 0; };
  for (const int bit : {0, 1, 2, 4, 6, 11}) {
    if (has(bit)) return Wrong("a user SGPR that this one does not give");
  }
  if ((d.properties & ~(1u << 3 | 1u << 5 | 1u << 10)) != 0) return Wrong("reserved properties");
  if (d.preload != 0) return Wrong("preloaded arguments");
  std::vector<uint32_t> sgprs;
  if (has(3)) {
    sgprs.insert(sgprs.end(),
                 {static_cast<uint32_t>(kernarg), static_cast<uint32_t>(kernarg >> 32)});
  }
  if (has(5)) sgprs.insert(sgprs.end(), {kScratchLow, kScratchHigh});
  if (sgprs.size() != (d.rsrc2 >> 1 & 31)) return Wrong("USER_SGPR is not what is enabled");
  return sgprs;
}

// Instructions end with the padding behind them.
uint32_t InstructionBytes(absl::Span<const uint8_t> code) {
  constexpr uint32_t kCodeEnd = 0xbf9f0000;
  uint32_t in_a_row = 0;
  for (size_t at = 0; at + 4 <= code.size(); at += 4) {
    uint32_t word;
    std::memcpy(&word, code.data() + at, 4);
    in_a_row = word == kCodeEnd ? in_a_row + 1 : 0;
    if (in_a_row == 5) return static_cast<uint32_t>(at - 16);
  }
  return static_cast<uint32_t>(code.size());
}

}  // namespace

Packet MakePacket(const nlohmann::json& kernel, const std::array<uint32_t, 3>& groups,
                  uint64_t kernel_object, uint64_t kernarg_address) {
  Packet packet = {};
  Write<uint16_t>(packet, 0, 2);  // a kernel dispatch
  Write<uint16_t>(packet, kSetup, 3);
  for (size_t i = 0; i < 3; ++i) {
    const uint32_t size = kernel[".reqd_workgroup_size"][i];
    Write<uint16_t>(packet, kWorkgroupSize + 2 * i, static_cast<uint16_t>(size));
    Write<uint32_t>(packet, kGridSize + 4 * i, size * groups[i]);
  }
  Write<uint32_t>(packet, kPrivateBytes, kernel[".private_segment_fixed_size"]);
  Write<uint32_t>(packet, kGroupBytes, kernel[".group_segment_fixed_size"]);
  Write<uint64_t>(packet, kKernelObject, kernel_object);
  Write<uint64_t>(packet, kKernargAddress, kernarg_address);
  return packet;
}

absl::StatusOr<sim::scene::RunStats> ProcessPacket(const CodeObject& object, const Packet& packet,
                                                   const sim::rdna2::Options& options,
                                                   Dispatch& dispatch) {
  const auto descriptor_at = Read<uint64_t>(packet, kKernelObject);
  const auto d = object.DescriptorAt(descriptor_at);
  if (!d.ok()) return d.status();
  const auto code = object.CodeAt(descriptor_at + static_cast<uint64_t>(d->entry_offset));
  if (!code.ok()) return code.status();
  const auto private_bytes = Read<uint32_t>(packet, kPrivateBytes);
  const auto group_bytes = Read<uint32_t>(packet, kGroupBytes);
  if (private_bytes < d->private_segment_bytes) return Wrong("too little scratch");
  if (group_bytes < d->group_segment_bytes) return Wrong("too little LDS");
  if ((d->rsrc2 >> 15 & 0x1ff) != 0) return Wrong("LDS_SIZE is set in the descriptor");
  if ((d->rsrc2 & 1) == 0 && private_bytes != 0) return Wrong("scratch is not enabled");
  const auto sgprs = UserSgprs(*d, Read<uint64_t>(packet, kKernargAddress));
  if (!sgprs.ok()) return sgprs.status();

  out::LaunchRecord record;
  record.target = "gfx1030";
  record.stage = "compute";
  record.dispatch_width = (d->properties >> 10 & 1) != 0 ? 32 : 64;
  record.code_bytes = static_cast<uint32_t>(code->size());
  record.shared_bytes = group_bytes;
  record.scratch_bytes_per_thread = private_bytes * record.dispatch_width;
  record.compute.uses_barrier = true;
  out::AmdLaunch& amd = record.arch.emplace<out::AmdLaunch>();
  amd.rsrc1 = d->rsrc1;
  amd.rsrc2 = d->rsrc2 | (group_bytes + 511) / 512 << 15;
  amd.rsrc3 = d->rsrc3;
  amd.instruction_bytes = InstructionBytes(*code);
  amd.address_high = kScratchHigh;
  amd.push_sgprs = static_cast<uint32_t>(sgprs->size());
  const auto user_bytes = static_cast<uint32_t>(4 * sgprs->size());
  if (user_bytes != 0) record.push = {{0, user_bytes, out::PushSource::kClientPushConstants}};
  Dispatch run;
  for (size_t i = 0; i < 3; ++i) {
    const uint32_t size = Read<uint16_t>(packet, kWorkgroupSize + 2 * i);
    const auto grid = Read<uint32_t>(packet, kGridSize + 4 * i);
    if (size == 0 || grid % size != 0) return Wrong("workgroups that are not whole");
    record.compute.local_size[i] = size;
    run.groups[i] = grid / size;
  }
  run.push_constants.resize(user_bytes);
  std::memcpy(run.push_constants.data(), sgprs->data(), user_bytes);
  run.buffers = std::move(dispatch.buffers);
  run.limit = dispatch.limit;
  auto stats = sim::rdna2::Run(*code, record, options, run);
  dispatch.buffers = std::move(run.buffers);
  return stats;
}

namespace {

// Fills one argument.
absl::Status Fill(const nlohmann::json& argument, Dispatch& dispatch, std::vector<uint8_t>& to) {
  const std::string name = argument.value(".name", "");
  const uint64_t offset = argument.value(".offset", ~0u), size = argument.value(".size", ~0u);
  if (offset + size > to.size()) return Wrong(absl::StrCat(name, " beyond the segment"));
  std::vector<uint8_t> value;
  const auto put = [&value](uint64_t v, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) value.push_back(static_cast<uint8_t>(v >> (8 * i)));
  };
  unsigned set = 0, binding = 0, element = 0;
  int end = 0;
  if (name == "push_constants") {
    value = dispatch.push_constants;
    value.resize(size);
  } else if (name == "num_workgroups") {
    for (const uint32_t n : dispatch.groups) put(n, 4);
  } else if (name == "base_workgroup") {
    for (const uint32_t n : dispatch.base) put(n, 4);
  } else if (std::sscanf(name.c_str(), "buffer_%u_%u_%u%n", &set, &binding, &element, &end) == 3) {
    const std::string rest = name.substr(static_cast<size_t>(end));
    const bool is_address = rest.empty();
    if (!is_address && rest != "_bytes") return Wrong(absl::StrCat("argument ", name));
    if (is_address != (argument.value(".value_kind", "") == "global_buffer")) {
      return Wrong(absl::StrCat("kind of argument ", name));
    }
    ClientBuffer* b = sim::scene::FindBound(dispatch.buffers, {set, binding, element});
    const bool there = b != nullptr && !b->null_surface;
    if (is_address) {
      put(there ? b->address : 0, 8);
    } else {
      put(there ? sim::scene::BytesOf(*b, dispatch).size() : 0, 4);
    }
  } else {
    return Wrong(absl::StrCat("argument ", name));
  }
  if (value.size() != size) return Wrong(absl::StrCat("size of ", name));
  std::copy(value.begin(), value.end(), to.begin() + static_cast<std::ptrdiff_t>(offset));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<sim::scene::RunStats> LaunchKernel(const CodeObject& object, const std::string& name,
                                                  const sim::rdna2::Options& options,
                                                  Dispatch& dispatch) {
  const auto symbol = object.Find(name + ".kd");
  if (!symbol.ok()) return symbol.status();
  if (symbol->type != 1 || symbol->bytes != 64) return Wrong("the symbol is no descriptor");
  const auto function = object.Find(name);
  if (!function.ok()) return function.status();
  if (function->type != 2) return Wrong("the symbol is no function");
  const nlohmann::json* kernel = object.KernelOf(name + ".kd");
  if (kernel == nullptr) return Wrong("no metadata of the kernel");
  sim::scene::AssignAddresses(absl::MakeSpan(dispatch.buffers));
  ClientBuffer segment;
  segment.bound = false;
  // Bytes that no argument fills are no data: a kernel that reads them shows.
  segment.bytes.resize(kernel->at(".kernarg_segment_size"), 0xc5);
  for (const nlohmann::json& argument : kernel->at(".args")) {
    if (absl::Status s = Fill(argument, dispatch, segment.bytes); !s.ok()) return s;
  }
  dispatch.buffers.push_back(std::move(segment));
  sim::scene::AssignAddresses(absl::MakeSpan(dispatch.buffers));
  const Packet packet =
      MakePacket(*kernel, dispatch.groups, symbol->address, dispatch.buffers.back().address);
  auto stats = ProcessPacket(object, packet, options, dispatch);
  dispatch.buffers.pop_back();
  return stats;
}

}  // namespace kiln::tests
