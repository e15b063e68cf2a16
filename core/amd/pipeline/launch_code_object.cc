#include "core/amd/pipeline/launch_code_object.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/amd/pipeline/code_object.h"

namespace kiln::amd {
namespace {

using sim::scene::ClientBuffer;
using sim::scene::Dispatch;

absl::Status NotGiven(const std::string& what) {
  return absl::UnimplementedError(
      absl::StrCat("code object: ", what, ", which the simulator does not give"));
}

constexpr uint8_t kUndefined = 0xc5;  // each byte of what a kernel must not use

// ---- Arguments.

void Put(uint64_t value, size_t bytes, std::vector<uint8_t>& to) {
  for (size_t i = 0; i < bytes; ++i) to.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

// Returns the bytes of an argument, which has as many as its value.
absl::StatusOr<std::vector<uint8_t>> ValueOf(const out::AmdHsaArgument& a, Dispatch& dispatch) {
  if (!a.other_kind.empty()) return NotGiven(absl::StrCat("an argument of kind ", a.other_kind));
  std::vector<uint8_t> value;
  BufferArgument buffer;
  if (a.name == "push_constants") {
    value = dispatch.push_constants;
    value.resize(a.bytes);
  } else if (a.name == "num_workgroups") {
    for (const uint32_t n : dispatch.groups) Put(n, 4, value);
  } else if (a.name == "base_workgroup") {
    for (const uint32_t n : dispatch.base) Put(n, 4, value);
  } else if (ParseBufferArgument(a.name, &buffer)) {
    const ClientBuffer* b = sim::scene::FindBound(dispatch.buffers, buffer.where);
    if (b != nullptr && b->null_surface) b = nullptr;
    const uint64_t bytes = b == nullptr ? 0 : sim::scene::BytesOf(*b, dispatch).size();
    Put(buffer.is_size ? bytes : b == nullptr ? 0 : b->address, buffer.is_size ? 4 : 8, value);
  } else {
    return NotGiven(absl::StrCat("an argument of the name '", a.name, "'"));
  }
  if (value.size() != a.bytes) {
    return absl::InvalidArgumentError(absl::StrCat("code object: argument ", a.name, " has ",
                                                   a.bytes, " bytes, not ", value.size()));
  }
  return value;
}

// Returns the segment of arguments as a buffer that no descriptor names. Bytes that no argument
// fills are a pattern: a kernel that reads them shows.
absl::StatusOr<ClientBuffer> SegmentOf(const out::AmdHsaKernel& k, Dispatch& dispatch) {
  ClientBuffer segment;
  segment.bound = false;
  segment.bytes.resize(k.kernarg_bytes, kUndefined);
  for (const out::AmdHsaArgument& a : k.arguments) {
    const auto value = ValueOf(a, dispatch);
    if (!value.ok()) return value.status();
    std::copy(value->begin(), value->end(),
              segment.bytes.begin() + static_cast<std::ptrdiff_t>(a.offset));
  }
  return segment;
}

// ---- Registers.

// The user SGPRs of the kernel as push data, which a launch record can say: the simulator maps the
// scratch of a dispatch first, in the half of its addresses that has this high dword.
constexpr uint32_t kScratchHigh = 0x7ab1, kScratchLow = 0x10000000;

absl::StatusOr<std::vector<uint8_t>> UserSgprs(const out::AmdHsaProgram& program,
                                               uint64_t segment) {
  constexpr std::pair<uint32_t, const char*> kOthers[] = {
      {1 << 1, "the address of the dispatch packet"},
      {1 << 2, "the address of the queue"},
      {1 << 4, "the number of the dispatch"},
      {1 << 6, "the size of scratch in an SGPR"},
      {1 << 11, "a stack of dynamic size"}};
  for (const auto& [bit, what] : kOthers) {
    if ((program.properties & bit) != 0) return NotGiven(what);
  }
  constexpr uint32_t kScratchBuffer = 1 << 0;
  constexpr uint32_t kGiven = kScratchBuffer | out::kAmdHsaKernargAddress |
                              out::kAmdHsaFlatScratchInit | out::kAmdHsaWave32;
  if ((program.properties & ~kGiven) != 0) return NotGiven("unknown properties");
  if (program.preload != 0) return NotGiven("preloaded arguments");
  std::vector<uint8_t> sgprs;
  if ((program.properties & kScratchBuffer) != 0) {
    // LLVM asks for it always. Without scratch it describes nothing.
    if (program.kernel.scratch_bytes_per_lane != 0) return NotGiven("a V# of scratch in SGPRs");
    sgprs.resize(16, kUndefined);
  }
  if ((program.properties & out::kAmdHsaKernargAddress) != 0) Put(segment, 8, sgprs);
  if ((program.properties & out::kAmdHsaFlatScratchInit) != 0) {
    Put(uint64_t{kScratchHigh} << 32 | kScratchLow, 8, sgprs);
  }
  if (sgprs.size() / 4 != (program.kernel.rsrc2 >> 1 & 31)) {
    return absl::InvalidArgumentError(
        "code object: USER_SGPR of rsrc2 is not the number of SGPRs that the properties ask for");
  }
  return sgprs;
}

}  // namespace

absl::StatusOr<CodeObjectLaunch> LaunchCodeObject(absl::Span<const uint8_t> file,
                                                  Dispatch& dispatch) {
  const auto program = ReadCodeObject(file);
  if (!program.ok()) return program.status();
  auto record = RecordOfCodeObject(file);
  if (!record.ok()) return record.status();
  if (record->compute.local_size[0] == 0) {
    return absl::UnimplementedError(
        "code object: the kernel does not say the size of its workgroups (.reqd_workgroup_size)");
  }
  absl::Status fits = sim::scene::CheckWorkgroups(dispatch, record->compute.requires_zero_base);
  if (!fits.ok()) return fits;
  sim::scene::AssignAddresses(absl::MakeSpan(dispatch.buffers));
  auto segment = SegmentOf(program->kernel, dispatch);
  if (!segment.ok()) return segment.status();
  dispatch.buffers.push_back(*std::move(segment));
  sim::scene::AssignAddresses(absl::MakeSpan(dispatch.buffers));
  auto sgprs = UserSgprs(*program, dispatch.buffers.back().address);
  if (!sgprs.ok()) return sgprs.status();
  const auto bytes = static_cast<uint32_t>(sgprs->size());
  dispatch.push_constants = *std::move(sgprs);
  dispatch.base = {0, 0, 0};
  record->code_bytes = static_cast<uint32_t>(program->kernel.code.size());
  record->compute.requires_zero_base = false;
  record->resources.clear();
  record->push_constant_bytes = bytes;
  if (bytes != 0) record->push = {{0, bytes, out::PushSource::kClientPushConstants}};
  out::AmdLaunch& amd = std::get<out::AmdLaunch>(record->arch);
  amd.address_high = kScratchHigh;
  amd.push_sgprs = bytes / 4;
  return CodeObjectLaunch{program->kernel.code, *std::move(record)};
}

}  // namespace kiln::amd
