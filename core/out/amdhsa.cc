#include "core/out/amdhsa.h"

#include <iterator>
#include <utility>

#include "core/out/elf64.h"
#include "core/out/message_pack.h"

namespace kiln::out {
namespace {

// Sections by number. The order is that of addresses: read-only, code, the writable table; then
// the symbols once more at no address, as LLVM's linker has them for readers of .symtab.
enum Section : uint16_t {
  kNote = 1,
  kDynsym,
  kHash,
  kDynstr,
  kRodata,
  kText,
  kDynamic,
  kSymtab,
  kStrtab
};

// ---- Metadata.

void PutArgument(const AmdHsaArgument& a, MessagePack& m) {
  m.Map(a.buffer ? 7 : 4);
  if (a.buffer) {
    m.Text(".access");
    m.Text(a.read_only ? "read_only" : "read_write");
    m.Text(".address_space");
    m.Text("global");
    m.Text(".is_const");
    m.Truth(a.read_only);
  }
  m.Text(".name");
  m.Text(a.name);
  m.Text(".offset");
  m.Number(a.offset);
  m.Text(".size");
  m.Number(a.bytes);
  m.Text(".value_kind");
  m.Text(a.buffer ? "global_buffer" : "by_value");
}

void PutKernel(const AmdHsaKernel& k, MessagePack& m) {
  constexpr uint32_t kVcc = 2;  // SGPRs that every wave has besides
  const std::pair<const char*, uint64_t> numbers[] = {
      {".group_segment_fixed_size", k.lds_bytes},
      {".kernarg_segment_align", k.kernarg_alignment},
      {".kernarg_segment_size", k.kernarg_bytes},
      {".max_flat_workgroup_size", k.local_size[0] * k.local_size[1] * k.local_size[2]},
      {".private_segment_fixed_size", k.scratch_bytes_per_lane},
      {".sgpr_count", k.sgprs + kVcc},
      {".uniform_work_group_size", 1},
      {".vgpr_count", k.vgprs},
      {".wavefront_size", k.lanes}};
  m.Map(static_cast<uint32_t>(std::size(numbers)) + 5);
  m.Text(".args");
  m.Array(static_cast<uint32_t>(k.arguments.size()));
  for (const AmdHsaArgument& a : k.arguments) PutArgument(a, m);
  for (const auto& [key, value] : numbers) {
    m.Text(key);
    m.Number(value);
  }
  m.Text(".name");
  m.Text(k.name);
  m.Text(".reqd_workgroup_size");
  m.Array(3);
  for (const uint32_t size : k.local_size) m.Number(size);
  m.Text(".symbol");
  m.Text(k.name + ".kd");
  m.Text(".uses_dynamic_stack");
  m.Truth(false);
}

// Returns the note's section: sizes of name and contents, type, name, contents.
std::vector<uint8_t> NoteOf(const AmdHsaKernel& k) {
  MessagePack m;
  m.Map(3);
  m.Text("amdhsa.kernels");
  m.Array(1);
  PutKernel(k, m);
  m.Text("amdhsa.target");
  m.Text("amdgcn-amd-amdhsa--gfx1030");
  m.Text("amdhsa.version");
  m.Array(2);
  m.Number(1);
  m.Number(2);
  std::vector<uint8_t> note;
  PutNumber(note, sizeof(kAmdHsaNoteOwner), 4);
  PutNumber(note, m.bytes().size(), 4);
  PutNumber(note, kAmdHsaMetadataNote, 4);
  note.insert(note.end(), kAmdHsaNoteOwner, kAmdHsaNoteOwner + sizeof(kAmdHsaNoteOwner));
  note.resize((note.size() + 3) / 4 * 4);
  note.insert(note.end(), m.bytes().begin(), m.bytes().end());
  note.resize((note.size() + 3) / 4 * 4);
  return note;
}

// ---- Code.

std::vector<uint8_t> DescriptorOf(const AmdHsaKernel& k, uint64_t entry_minus_descriptor) {
  const uint32_t properties =
      kAmdHsaKernargAddress | kAmdHsaFlatScratchInit | (k.lanes == 32 ? kAmdHsaWave32 : 0);
  std::vector<uint8_t> d;
  PutNumber(d, k.lds_bytes, 4);
  PutNumber(d, k.scratch_bytes_per_lane, 4);
  PutNumber(d, k.kernarg_bytes, 4);
  PutNumber(d, 0, 4);
  PutNumber(d, entry_minus_descriptor, 8);
  d.resize(44);
  PutNumber(d, k.rsrc3, 4);
  PutNumber(d, k.rsrc1, 4);
  PutNumber(d, k.rsrc2, 4);
  PutNumber(d, properties, 2);
  d.resize(kAmdHsaDescriptorBytes);
  return d;
}

// The machine fetches whole lines of 64 bytes and up to three lines ahead (LLVM, AMDGPUUsage, pads
// code of GFX10 as much): s_code_end follows.
std::vector<uint8_t> TextOf(const AmdHsaKernel& k) {
  constexpr uint32_t kCodeEnd = 0xbf9f0000, kLine = 64, kAhead = 3;
  std::vector<uint8_t> text = k.code;
  const size_t end = (text.size() + kLine - 1) / kLine * kLine + kAhead * kLine;
  while (text.size() < end) PutNumber(text, kCodeEnd, 4);
  return text;
}

// ---- The file.

const ElfSection& SectionOf(const ElfFile& file, Section s) { return file.sections[s - 1u]; }

// Returns where the tables of dynamic symbols are. Its size is the same before sections are placed.
std::vector<uint8_t> DynamicOf(const ElfFile& file) {
  constexpr uint64_t kTagHash = 4, kTagStrings = 5, kTagSymbols = 6, kTagStringBytes = 10,
                     kTagSymbolBytes = 11;
  const std::pair<uint64_t, uint64_t> rows[] = {
      {kTagSymbols, SectionOf(file, kDynsym).address},
      {kTagSymbolBytes, kElfSymbolBytes},
      {kTagStrings, SectionOf(file, kDynstr).address},
      {kTagStringBytes, SectionOf(file, kDynstr).bytes.size()},
      {kTagHash, SectionOf(file, kHash).address},
      {0, 0}};
  std::vector<uint8_t> bytes;
  for (const auto& [tag, value] : rows) {
    PutNumber(bytes, tag, 8);
    PutNumber(bytes, value, 8);
  }
  return bytes;
}

// Returns the names of the kernel and of its descriptor, in the order of their symbols.
std::vector<std::string> NamesOf(const AmdHsaKernel& k) { return {k.name, k.name + ".kd"}; }

std::vector<uint8_t> SymbolsOf(const AmdHsaKernel& k, const ElfFile& file) {
  ElfStrings strings;  // at the same offsets as in .dynstr
  const uint32_t name = strings.Add(k.name), descriptor = strings.Add(k.name + ".kd");
  std::vector<uint8_t> symbols(kElfSymbolBytes);
  PutSymbol(symbols, {name, kElfFunction, kText, SectionOf(file, kText).address, k.code.size()});
  PutSymbol(symbols, {descriptor, kElfObject, kRodata, SectionOf(file, kRodata).address,
                      kAmdHsaDescriptorBytes});
  return symbols;
}

// Fills in what depends on addresses; sizes do not.
void FillPlaced(const AmdHsaKernel& k, ElfFile& file) {
  const uint64_t distance = SectionOf(file, kText).address - SectionOf(file, kRodata).address;
  file.sections[kDynsym - 1].bytes = SymbolsOf(k, file);
  file.sections[kSymtab - 1].bytes = file.sections[kDynsym - 1].bytes;
  file.sections[kRodata - 1].bytes = DescriptorOf(k, distance);
  file.sections[kDynamic - 1].bytes = DynamicOf(file);
}

// Returns the file with its sections at their places.
ElfFile Placed(const AmdHsaKernel& k) {
  constexpr uint16_t kShared = 3;
  ElfStrings strings;
  for (const std::string& name : NamesOf(k)) strings.Add(name);
  ElfFile file{kShared, kAmdHsaMachine, kAmdHsaOsAbi, kAmdHsaVersion5, kAmdHsaGfx1030, {}};
  file.sections.resize(kStrtab);
  const auto add = [&file](Section at, const char* name, uint32_t type, uint64_t rights,
                           uint64_t alignment) -> ElfSection& {
    ElfSection& s = file.sections[at - 1u];
    s.name = name;
    s.type = type;
    s.flags = kElfAllocated | rights;
    s.alignment = alignment;
    return s;
  };
  ElfSection& note = add(kNote, ".note", kElfNote, 0, 4);
  note.bytes = NoteOf(k);
  note.also_segment = kElfSegmentNote;
  ElfSection& dynsym = add(kDynsym, ".dynsym", kElfDynamicSymbols, 0, 8);
  dynsym.entry_bytes = kElfSymbolBytes;
  dynsym.link = kDynstr;
  dynsym.info = 1;  // the first symbol that is not local
  ElfSection& hash = add(kHash, ".hash", kElfHash, 0, 4);
  hash.entry_bytes = 4;
  hash.link = kDynsym;
  hash.bytes = ElfHashTable(NamesOf(k));
  add(kDynstr, ".dynstr", kElfStrings, 0, 1).bytes = strings.bytes();
  add(kRodata, ".rodata", kElfProgbits, 0, kAmdHsaDescriptorBytes);
  add(kText, ".text", kElfProgbits, kElfExecutable, 256).bytes = TextOf(k);
  ElfSection& dynamic = add(kDynamic, ".dynamic", kElfDynamic, kElfWritable, 8);
  dynamic.entry_bytes = 16;
  dynamic.link = kDynstr;
  dynamic.also_segment = kElfSegmentDynamic;
  ElfSection& symtab = add(kSymtab, ".symtab", kElfSymbols, 0, 8);
  symtab.flags = 0;
  symtab.entry_bytes = kElfSymbolBytes;
  symtab.link = kStrtab;
  symtab.info = 1;
  ElfSection& strtab = add(kStrtab, ".strtab", kElfStrings, 0, 1);
  strtab.flags = 0;
  strtab.bytes = strings.bytes();
  FillPlaced(k, file);  // for the sizes
  PlaceSections(file);
  FillPlaced(k, file);
  return file;
}

}  // namespace

std::vector<uint8_t> AmdHsaCodeObject(const AmdHsaKernel& kernel) {
  return WriteElf(Placed(kernel));
}

uint32_t AmdHsaCodeOffset(const AmdHsaKernel& kernel) {
  return static_cast<uint32_t>(SectionOf(Placed(kernel), kText).address);
}

}  // namespace kiln::out
