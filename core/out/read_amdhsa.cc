#include "core/out/read_amdhsa.h"

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/out/elf64.h"
#include "core/out/read_elf64.h"
#include "core/out/read_message_pack.h"

namespace kiln::out {
namespace {

using Bytes = absl::Span<const uint8_t>;
using Kind = PackedValue::Kind;

constexpr uint64_t kMaxMetadataBytes = 1 << 20;
constexpr size_t kMaxKernels = 1024;

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("code object: ", std::string(what)));
}

// ---- Headers: whose file it is.

absl::Status CheckHeaders(const ElfView& elf) {
  constexpr uint16_t kRelocatable = 1, kShared = 3;
  if (elf.machine != kAmdHsaMachine) {
    return Wrong(absl::StrCat("an ELF file for machine ", elf.machine, ", not for AMDGPU (",
                              kAmdHsaMachine, ")"));
  }
  if (elf.os_abi != kAmdHsaOsAbi) {
    return Wrong(absl::StrCat("made for another system than ROCm: OSABI ", elf.os_abi, ", not ",
                              kAmdHsaOsAbi));
  }
  if (elf.abi_version != kAmdHsaVersion4 && elf.abi_version != kAmdHsaVersion5) {
    return Wrong(absl::StrCat("version ", elf.abi_version + 2,
                              " of code objects; versions 4 and 5 are read"));
  }
  if (elf.flags != kAmdHsaGfx1030) {
    return Wrong(absl::StrFormat("made for another device: e_flags 0x%x, gfx1030 has 0x%x",
                                 elf.flags, kAmdHsaGfx1030));
  }
  if (elf.type == kRelocatable) {
    return Wrong("not linked yet (ET_REL); link it with `ld.lld -shared`");
  }
  if (elf.type != kShared) return Wrong(absl::StrCat("an ELF file of type ", elf.type, ", not 3"));
  return absl::OkStatus();
}

// ---- Metadata.

// Returns the metadata among the notes of a segment.
std::optional<Bytes> MetadataIn(Bytes notes) {
  const auto padded = [](uint64_t size) { return (size + 3) / 4 * 4; };
  for (uint64_t at = 0; notes.size() - at >= 12;) {
    const uint64_t name = LittleEndian(notes, at, 4), size = LittleEndian(notes, at + 4, 4);
    const uint64_t type = LittleEndian(notes, at + 8, 4);
    at += 12;
    if (padded(name) > notes.size() - at) break;
    const std::string_view owner(reinterpret_cast<const char*>(notes.data() + at), name);
    at += padded(name);
    if (size > notes.size() - at) break;
    if (type == kAmdHsaMetadataNote &&
        owner == std::string_view(kAmdHsaNoteOwner, sizeof(kAmdHsaNoteOwner))) {
      return notes.subspan(at, size);
    }
    at += padded(size);
    if (at > notes.size()) break;
  }
  return std::nullopt;
}

absl::StatusOr<PackedValue> ReadMetadata(const ElfView& elf) {
  for (const ElfSegmentView& s : elf.segments) {
    if (s.type != kElfSegmentNote) continue;
    const auto bytes = MetadataIn(s.bytes);
    if (!bytes) continue;
    if (bytes->size() > kMaxMetadataBytes) return Wrong("metadata of more than 1 MiB");
    auto value = ReadMessagePack(*bytes);
    if (!value.ok()) return Wrong(absl::StrCat("damaged metadata: ", value.status().message()));
    return value;
  }
  return Wrong("no metadata (a note of AMDGPU)");
}

// Reads values of a map in the metadata; keeps the first thing that is wrong.
class Fields {
 public:
  Fields(const PackedValue& map, std::string of) : map_(map), of_(std::move(of)) {}

  uint32_t Number(std::string_view key) {
    const PackedValue* v = Required(key, Kind::kNumber);
    if (v == nullptr) return 0;
    if (v->number <= std::numeric_limits<uint32_t>::max()) return static_cast<uint32_t>(v->number);
    Blame(key);
    return 0;
  }
  std::string Text(std::string_view key) {
    const PackedValue* v = Required(key, Kind::kText);
    return v == nullptr ? "" : v->text;
  }
  const PackedValue* Optional(std::string_view key, Kind kind) {
    const PackedValue* v = map_.Find(key);
    if (v == nullptr || v->kind == kind) return v;
    Blame(key);
    return nullptr;
  }
  const PackedValue* Required(std::string_view key, Kind kind) {
    const PackedValue* v = Optional(key, kind);
    if (v == nullptr) Blame(key);
    return v;
  }
  void Blame(std::string_view key) {
    if (status_.ok()) {
      status_ = Wrong(absl::StrCat(of_, ": ", std::string(key), " is missing or wrong"));
    }
  }
  const absl::Status& status() const { return status_; }

 private:
  const PackedValue& map_;
  std::string of_;
  absl::Status status_;
};

absl::Status ReadArgument(const PackedValue& from, const std::string& of, AmdHsaArgument& to) {
  Fields f(from, of);
  if (const PackedValue* name = f.Optional(".name", Kind::kText)) to.name = name->text;
  to.offset = f.Number(".offset");
  to.bytes = f.Number(".size");
  const std::string kind = f.Text(".value_kind");
  to.buffer = kind == "global_buffer";
  if (!to.buffer && kind != "by_value") to.other_kind = kind;
  if (to.buffer) {
    const PackedValue* access = f.Optional(".actual_access", Kind::kText);
    if (access == nullptr) access = f.Optional(".access", Kind::kText);
    to.read_only = access != nullptr && access->text == "read_only";
  }
  return f.status();
}

absl::Status ReadArguments(const PackedValue& list, const std::string& of, AmdHsaKernel& k) {
  for (const PackedValue& each : list.items) {
    if (absl::Status s = ReadArgument(each, of + ", an argument", k.arguments.emplace_back());
        !s.ok()) {
      return s;
    }
    const AmdHsaArgument& a = k.arguments.back();
    if (a.offset > k.kernarg_bytes || a.bytes > k.kernarg_bytes - a.offset) {
      return Wrong(absl::StrCat(of, ": an argument lies beyond the argument segment"));
    }
  }
  return absl::OkStatus();
}

// ---- The kernel descriptor.

absl::Status Contradicts(const std::string& of, std::string_view what) {
  return Wrong(absl::StrCat(of, ": metadata and kernel descriptor differ in ", std::string(what)));
}

absl::Status ReadDescriptor(const ElfView& elf, const ElfSymbolView& symbol, const std::string& of,
                            uint64_t* entry, AmdHsaProgram& to) {
  const auto d = elf.At(symbol.value, kAmdHsaDescriptorBytes);
  if (!d) return Wrong(absl::StrCat(of, ": no kernel descriptor at its symbol"));
  const auto number = [&d](uint64_t at, int size) { return LittleEndian(*d, at, size); };
  AmdHsaKernel& k = to.kernel;
  k.rsrc3 = static_cast<uint32_t>(number(44, 4));
  k.rsrc1 = static_cast<uint32_t>(number(48, 4));
  k.rsrc2 = static_cast<uint32_t>(number(52, 4));
  to.properties = static_cast<uint32_t>(number(56, 2));
  to.preload = static_cast<uint32_t>(number(58, 2));
  *entry = symbol.value + number(16, 8);
  for (const uint64_t at : {12u, 24u, 32u, 36u, 40u, 60u}) {
    if (number(at, at == 24 ? 8 : 4) != 0) {
      return Wrong(absl::StrCat(of, ": reserved bytes of the kernel descriptor are not 0"));
    }
  }
  if (number(0, 4) != k.lds_bytes) return Contradicts(of, "group_segment_fixed_size");
  if (number(4, 4) != k.scratch_bytes_per_lane) {
    return Contradicts(of, "private_segment_fixed_size");
  }
  if (number(8, 4) != k.kernarg_bytes) return Contradicts(of, "kernarg_segment_size");
  if (k.lanes != ((to.properties & kAmdHsaWave32) != 0 ? 32 : 64)) {
    return Contradicts(of, "wavefront_size");
  }
  if ((k.rsrc2 & kAmdHsaLdsSize) != 0) {
    return Wrong(absl::StrCat(of, ": LDS_SIZE of the kernel descriptor is not 0"));
  }
  return absl::OkStatus();
}

const ElfSymbolView* Find(const ElfView& elf, std::string_view name) {
  for (const ElfSymbolView& s : elf.symbols) {
    if (s.name == name && s.section != 0) return &s;
  }
  return nullptr;
}

absl::Status ReadCode(const ElfView& elf, uint64_t entry, const std::string& of, AmdHsaKernel& k) {
  const ElfSymbolView* function = Find(elf, k.name);
  if (function == nullptr || function->type != kElfFunction) {
    return Wrong(absl::StrCat(of, ": no symbol of its code"));
  }
  if (function->value != entry) return Wrong(absl::StrCat(of, ": entry is not at its symbol"));
  if (entry % 256 != 0) return Wrong(absl::StrCat(of, ": entry is not at a multiple of 256"));
  const auto code = elf.At(entry, function->bytes);
  if (!code || code->empty()) return Wrong(absl::StrCat(of, ": no code at its symbol"));
  k.code.assign(code->begin(), code->end());
  return absl::OkStatus();
}

// ---- A kernel.

absl::StatusOr<AmdHsaProgram> ReadKernel(const ElfView& elf, const PackedValue& from) {
  AmdHsaProgram program;
  AmdHsaKernel& k = program.kernel;
  Fields f(from, "a kernel's metadata");
  k.name = f.Text(".name");
  const std::string symbol_name = f.Text(".symbol");
  k.lds_bytes = f.Number(".group_segment_fixed_size");
  k.scratch_bytes_per_lane = f.Number(".private_segment_fixed_size");
  k.kernarg_bytes = f.Number(".kernarg_segment_size");
  k.kernarg_alignment = f.Number(".kernarg_segment_align");
  k.lanes = f.Number(".wavefront_size");
  k.vgprs = f.Number(".vgpr_count");
  k.sgprs = f.Number(".sgpr_count");
  k.local_size = {0, 0, 0};
  if (const PackedValue* size = f.Optional(".reqd_workgroup_size", Kind::kArray)) {
    if (size->items.size() != 3) f.Blame(".reqd_workgroup_size");
    for (size_t i = 0; i < 3 && i < size->items.size(); ++i) {
      const PackedValue& v = size->items[i];
      if (v.kind != Kind::kNumber || v.number == 0 || v.number > 1024) {
        f.Blame(".reqd_workgroup_size");
      }
      k.local_size[i] = static_cast<uint32_t>(v.number);
    }
  }
  const PackedValue* arguments = f.Optional(".args", Kind::kArray);
  if (!f.status().ok()) return f.status();
  const std::string of = absl::StrCat("kernel ", k.name);
  if (arguments != nullptr) {
    if (absl::Status s = ReadArguments(*arguments, of, k); !s.ok()) return s;
  }
  const ElfSymbolView* symbol = Find(elf, symbol_name);
  if (symbol == nullptr || symbol->bytes != kAmdHsaDescriptorBytes) {
    return Wrong(absl::StrCat(of, ": no symbol of a kernel descriptor"));
  }
  uint64_t entry = 0;
  if (absl::Status s = ReadDescriptor(elf, *symbol, of, &entry, program); !s.ok()) return s;
  if (absl::Status s = ReadCode(elf, entry, of, k); !s.ok()) return s;
  return program;
}

}  // namespace

absl::StatusOr<std::vector<AmdHsaProgram>> ReadAmdHsa(Bytes file) {
  const auto elf = ReadElf64(file);
  if (!elf.ok()) return elf.status();
  if (absl::Status s = CheckHeaders(*elf); !s.ok()) return s;
  const auto metadata = ReadMetadata(*elf);
  if (!metadata.ok()) return metadata.status();
  const PackedValue* kernels = metadata->Find("amdhsa.kernels");
  if (kernels == nullptr || kernels->kind != Kind::kArray) return Wrong("no list of kernels");
  if (kernels->items.empty()) return Wrong("no kernel");
  if (kernels->items.size() > kMaxKernels) return Wrong("more than 1024 kernels");
  std::vector<AmdHsaProgram> programs;
  uint64_t code_bytes = 0;
  for (const PackedValue& each : kernels->items) {
    auto program = ReadKernel(*elf, each);
    if (!program.ok()) return program.status();
    code_bytes += program->kernel.code.size();
    if (code_bytes > file.size()) return Wrong("kernels that share their code");
    programs.push_back(*std::move(program));
  }
  return programs;
}

}  // namespace kiln::out
