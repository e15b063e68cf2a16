#include "core/amd/pipeline/code_object.h"

#include <cstdio>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/amd/perf/program.h"
#include "core/out/read_elf64.h"
#include "core/out/resources.h"

namespace kiln::amd {
namespace {

constexpr uint32_t kWorkgroupIds = 7u << 7;  // of rsrc2: TGID_X_EN to TGID_Z_EN

bool HasArgument(const out::AmdHsaKernel& k, const char* name) {
  for (const out::AmdHsaArgument& a : k.arguments) {
    if (a.name == name) return true;
  }
  return false;
}

}  // namespace

bool IsCodeObject(absl::Span<const uint8_t> file) { return out::IsElf(file); }

absl::StatusOr<out::AmdHsaProgram> ReadCodeObject(absl::Span<const uint8_t> file) {
  absl::StatusOr<std::vector<out::AmdHsaProgram>> all = out::ReadAmdHsa(file);
  if (!all.ok()) return all.status();
  if (all->size() == 1) return std::move(all->front());
  std::string names;
  for (const out::AmdHsaProgram& each : *all) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", each.kernel.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("code object: ", all->size(), " kernels (", names, "); files of one are read"));
}

uint32_t InstructionBytesOf(const out::AmdHsaKernel& kernel) {
  const auto program = DecodeCode(kernel.code);
  return static_cast<uint32_t>(program.ok() ? static_cast<size_t>(BytesOf(*program))
                                            : kernel.code.size());
}

bool ParseBufferArgument(const std::string& name, BufferArgument* to) {
  unsigned set = 0, binding = 0, element = 0;
  int end = 0;
  if (std::sscanf(name.c_str(), "buffer_%u_%u_%u%n", &set, &binding, &element, &end) != 3) {
    return false;
  }
  const std::string rest = name.substr(static_cast<size_t>(end));
  *to = {{set, binding, element}, rest == "_bytes"};
  return rest.empty() || to->is_size;
}

absl::StatusOr<out::LaunchRecord> RecordOfCodeObject(absl::Span<const uint8_t> file) {
  const absl::StatusOr<out::AmdHsaProgram> program = ReadCodeObject(file);
  if (!program.ok()) return program.status();
  const out::AmdHsaKernel& k = program->kernel;
  out::LaunchRecord r;
  r.target = "gfx1030";
  r.entry_point = k.name;
  r.stage = "compute";
  r.loadable_by = out::LoadableBy::kRocm;
  r.code_bytes = static_cast<uint32_t>(file.size());
  r.dispatch_width = k.lanes;
  for (const out::AmdHsaArgument& a : k.arguments) {
    BufferArgument buffer;
    if (a.name == "push_constants") r.push_constant_bytes = a.bytes;
    if (!ParseBufferArgument(a.name, &buffer) || buffer.is_size) continue;
    out::AddResource({out::ResourceKind::kSsbo, buffer.where.set, buffer.where.binding,
                      buffer.where.element + 1, ""},
                     r.resources);
  }
  r.shared_bytes = k.lds_bytes;
  r.scratch_bytes_per_thread = k.scratch_bytes_per_lane * k.lanes;
  r.compute.local_size = k.local_size;
  r.compute.uses_barrier = true;  // it may
  r.compute.requires_zero_base =
      (k.rsrc2 & kWorkgroupIds) != 0 && !HasArgument(k, "base_workgroup");
  out::AmdLaunch& amd = r.arch.emplace<out::AmdLaunch>();
  amd.rsrc1 = k.rsrc1;
  amd.rsrc2 = k.rsrc2 | (k.lds_bytes + 511) / 512 << 15;
  amd.rsrc3 = k.rsrc3;
  amd.vgprs = k.vgprs;
  amd.instruction_bytes = InstructionBytesOf(k);
  return r;
}

std::string DescribeKernel(const out::AmdHsaProgram& program) {
  const out::AmdHsaKernel& k = program.kernel;
  std::string text = absl::StrCat("; kernel ", k.name, ": wave", k.lanes, ", ", k.vgprs, " VGPRs, ",
                                  k.sgprs, " SGPRs, workgroup ", k.local_size[0], " x ",
                                  k.local_size[1], " x ", k.local_size[2], ", LDS ", k.lds_bytes,
                                  " bytes, scratch ", k.scratch_bytes_per_lane,
                                  " bytes a lane, arguments ", k.kernarg_bytes, " bytes\n");
  for (const out::AmdHsaArgument& a : k.arguments) {
    const std::string kind = !a.other_kind.empty() ? a.other_kind
                             : a.buffer            ? "address of a buffer"
                                                   : "value";
    absl::StrAppend(&text, ";   at ", a.offset, ", ", a.bytes,
                    " bytes: ", a.name.empty() ? "without name" : a.name, ", ", kind,
                    a.read_only ? ", only read\n" : "\n");
  }
  return text;
}

}  // namespace kiln::amd
