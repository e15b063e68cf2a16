// Round trip of EU binaries made by any compiler: decode, re-encode, decode again, compare fields.
//
//   eu_roundtrip write DIR FILE...   for each FILE: checks the round trip, of messages too, writes
//                                    DIR/NAME.full (the re-encoded bytes, nothing compacted) and
//                                    DIR/NAME.asm (text)
//   eu_roundtrip same A B            decodes two binaries and compares instruction by instruction
//   eu_roundtrip compact FILE...     for each FILE: a compacted instruction, expanded and compacted
//                                    again, has the same 8 bytes; a full one cannot be compacted
//   eu_roundtrip rescore DIR FILE... for each FILE: drops every sync.nop and scoreboard byte, lets
//                                    our scoreboard pass find them anew, writes DIR/NAME for the
//                                    simulator's contract mode to judge
//
// Prints one JSON line of counts; exit status 1 if anything failed. corpus_roundtrip.py drives it.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "core/intel/isa/compact.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/isa/encode.h"
#include "core/intel/isa/messages.h"
#include "core/intel/isa/program.h"
#include "core/intel/isa/verify.h"
#include "core/intel/swsb/assign_scoreboard.h"

namespace {

namespace isa = kiln::intel::isa;
using Program = std::vector<isa::PlacedInstruction>;

constexpr isa::Generation kGen = isa::Generation::kGen12;

std::vector<uint8_t> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(in), {});
}

struct Counts {
  long files = 0;
  long failed_files = 0;
  long instructions = 0;
  long compacted = 0;
  long findings = 0;
  // messages of the table, by name; "": functions that it lacks
  std::map<std::string, long> messages;
};

// Re-encodes one instruction and decodes it again; returns "" if equal but for the compaction bit.
std::string RoundTrip(const isa::Instruction& inst, std::vector<uint8_t>& out) {
  const auto bytes = isa::Encode(kGen, inst);
  if (!bytes.ok()) return std::string(bytes.status().message());
  out.insert(out.end(), bytes->begin(), bytes->end());
  const auto again = isa::Decode(kGen, *bytes);
  if (!again.ok()) return std::string(again.status().message());
  isa::Instruction expected = inst;
  expected.compacted = false;
  return again->inst == expected ? "" : "fields differ after re-encoding";
}

// Parses a send's descriptors and builds them anew; returns "" if they are equal, or known only at
// run time.
std::string RebuildMessage(const isa::Instruction& inst, Counts& counts) {
  const isa::SendFields& s = inst.send;
  if (!isa::IsSend(inst.op) || s.desc_is_register || s.ex_desc_is_register) return "";
  if (!isa::HasMessages(s.sfid)) return ++counts.messages[""], "";
  const auto fields = isa::ParseDescriptor(kGen, s.sfid, s.desc, s.ex_desc);
  if (!fields.ok()) return std::string(fields.status().message());
  ++counts.messages[std::string(isa::Info(fields->message).name)];
  const auto desc = isa::BuildDescriptor(kGen, *fields);
  if (!desc.ok()) return std::string(desc.status().message());
  return *desc == s.desc && isa::BuildExDescriptor(*fields) == s.ex_desc ? ""
                                                                         : "descriptors differ";
}

bool WriteOne(const std::string& path, const std::string& dir, Counts& counts) {
  const std::vector<uint8_t> bytes = ReadFile(path);
  const auto program = isa::DecodeProgram(kGen, bytes);
  if (!program.ok()) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), std::string(program.status().message()).c_str());
    return false;
  }
  bool ok = true;
  std::vector<uint8_t> full;
  for (const isa::PlacedInstruction& p : *program) {
    ++counts.instructions;
    counts.compacted += p.inst.compacted;
    std::string why = RoundTrip(p.inst, full);
    if (why.empty()) why = RebuildMessage(p.inst, counts);
    if (why.empty()) continue;
    std::fprintf(stderr, "%s: offset %u: %s\n", path.c_str(), p.offset, why.c_str());
    ok = false;
  }
  const auto findings = isa::Verify(kGen, *program);
  for (const isa::Finding& finding : *findings) {
    ++counts.findings;
    std::fprintf(stderr, "%s: offset %u: %s: %s\n", path.c_str(), finding.offset,
                 std::string(finding.restriction).c_str(), finding.text.c_str());
    ok = false;
  }
  const std::string base = dir + "/" + std::filesystem::path(path).filename().string();
  std::ofstream(base + ".full", std::ios::binary)
      .write(reinterpret_cast<const char*>(full.data()), static_cast<std::streamsize>(full.size()));
  std::ofstream(base + ".asm") << isa::DisassembleProgram(kGen, *program);
  return ok;
}

int Write(int argc, char** argv) {
  Counts counts;
  for (int i = 3; i < argc; ++i) {
    ++counts.files;
    counts.failed_files += !WriteOne(argv[i], argv[2], counts);
  }
  std::printf(
      "{\"files\": %ld, \"failed_files\": %ld, \"instructions\": %ld, \"compacted\": %ld, "
      "\"findings\": %ld, \"messages\": {",
      counts.files, counts.failed_files, counts.instructions, counts.compacted, counts.findings);
  const char* comma = "";
  for (const auto& [name, count] : counts.messages) {
    std::printf("%s\"%s\": %ld", comma, name.c_str(), count);
    comma = ", ";
  }
  std::printf("}}\n");
  return counts.failed_files == 0 ? 0 : 1;
}

uint64_t Load64(const std::vector<uint8_t>& bytes, size_t at) {
  uint64_t word = 0;
  for (size_t i = 0; i < 8; ++i) word |= uint64_t{bytes[at + i]} << (8 * i);
  return word;
}

struct CompactionCounts {
  long instructions = 0;
  long compacted = 0;
};

// Returns the fault of one instruction of `bytes`, or "".
std::string JudgeCompaction(const std::vector<uint8_t>& bytes, const isa::PlacedInstruction& p,
                            CompactionCounts& counts) {
  ++counts.instructions;
  if (!p.inst.compacted) {
    const isa::Word128 full = {Load64(bytes, p.offset), Load64(bytes, p.offset + 8)};
    const auto word = isa::Compact(kGen, full);
    if (!word.ok()) return std::string(word.status().message());
    return *word ? "not compacted there, but has a form" : "";
  }
  ++counts.compacted;
  const uint64_t word = Load64(bytes, p.offset);
  const auto full = isa::Expand(kGen, word);
  if (!full.ok()) return std::string(full.status().message());
  const auto again = isa::Compact(kGen, *full);
  if (!again.ok()) return std::string(again.status().message());
  return *again == word ? "" : "compacted to other bytes";
}

int JudgeCompactions(int argc, char** argv) {
  CompactionCounts counts;
  long failed = 0, undecoded = 0;
  for (int i = 2; i < argc; ++i) {
    const std::vector<uint8_t> bytes = ReadFile(argv[i]);
    const auto program = isa::DecodeProgram(kGen, bytes);
    undecoded += !program.ok();
    if (!program.ok()) continue;
    for (const isa::PlacedInstruction& p : *program) {
      const std::string why = JudgeCompaction(bytes, p, counts);
      if (why.empty()) continue;
      if (++failed <= 20) {
        std::fprintf(stderr, "%s: offset %u: %s: %s\n", argv[i], p.offset, why.c_str(),
                     isa::Disassemble(kGen, p.inst).c_str());
      }
    }
  }
  std::printf(
      "{\"files\": %d, \"undecoded_files\": %ld, \"instructions\": %ld, \"compacted\": %ld, "
      "\"failed\": %ld}\n",
      argc - 2, undecoded, counts.instructions, counts.compacted, failed);
  return failed == 0 ? 0 : 1;
}

// The text shows neither the flag register of an instruction that uses none, nor predicate and
// execution size of sync.
isa::Instruction AsShown(isa::Instruction inst) {
  if (inst.op == isa::Opcode::kSync || inst.op == isa::Opcode::kNop) {
    inst.exec_size = 1;
    inst.channel_offset = 0;
    inst.pred = isa::PredCtrl::kNone;
  }
  if (inst.pred == isa::PredCtrl::kNone) inst.pred_inverse = false;
  if (inst.pred == isa::PredCtrl::kNone && inst.cmod == isa::CondMod::kNone) {
    inst.flag_nr = 0;
    inst.flag_subnr = 0;
  }
  return inst;
}

int Same(const char* a_path, const char* b_path) {
  const auto a = isa::DecodeProgram(kGen, ReadFile(a_path));
  const auto b = isa::DecodeProgram(kGen, ReadFile(b_path));
  if (!a.ok() || !b.ok()) {
    std::fprintf(stderr, "%s: does not decode: %s\n", b_path,
                 std::string((a.ok() ? b : a).status().message()).c_str());
    return 1;
  }
  int differences = a->size() != b->size();
  for (size_t i = 0; i < a->size() && i < b->size(); ++i) {
    if (AsShown((*a)[i].inst) == AsShown((*b)[i].inst)) continue;
    if (++differences <= 3) {
      std::fprintf(stderr, "%s: offset %u:\n  %s\n  %s\n", a_path, (*a)[i].offset,
                   isa::Disassemble(kGen, (*a)[i].inst).c_str(),
                   isa::Disassemble(kGen, (*b)[i].inst).c_str());
    }
  }
  return differences == 0 ? 0 : 1;
}

// Returns the program without sync.nop and waits; branches to a dropped sync go to its successor.
isa::Program Strip(const isa::Program& program) {
  isa::Program out(kGen);
  std::vector<int32_t> place(program.insts.size() + 1);
  for (size_t i = 0; i < program.insts.size(); ++i) {
    place[i] = out.Next();
    isa::Instruction inst = program.insts[i];
    if (inst.op == isa::Opcode::kSync && inst.sync == isa::SyncFunction::kNop) continue;
    inst.swsb = 0;
    out.Append(inst, program.targets[i]);
  }
  place.back() = out.Next();
  for (isa::BranchTargets& t : out.targets) {
    if (t.jip != isa::kNoTarget) t.jip = place[t.jip];
    if (t.uip != isa::kNoTarget) t.uip = place[t.uip];
  }
  return out;
}

absl::Status RescoreOne(const std::string& path, const std::string& dir, Counts& counts,
                        kiln::intel::swsb::SwsbStats& total) {
  const auto placed = isa::DecodeProgram(kGen, ReadFile(path));
  if (!placed.ok()) return placed.status();
  const auto program = isa::ToProgram(kGen, *placed);
  if (!program.ok()) return program.status();
  isa::Program stripped = Strip(*program);
  counts.instructions += stripped.Next();
  counts.compacted += program->Next() - stripped.Next();
  const auto stats = kiln::intel::swsb::AssignScoreboard(stripped);
  if (!stats.ok()) return stats.status();
  total.syncs += stats->syncs;
  total.nomask_syncs += stats->nomask_syncs;
  const auto bytes = isa::Finalise(stripped);
  if (!bytes.ok()) return bytes.status();
  std::ofstream(dir + "/" + std::filesystem::path(path).filename().string(), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes->data()),
             static_cast<std::streamsize>(bytes->size()));
  return absl::OkStatus();
}

int Rescore(int argc, char** argv) {
  Counts counts;
  kiln::intel::swsb::SwsbStats total;
  for (int i = 3; i < argc; ++i) {
    ++counts.files;
    const absl::Status status = RescoreOne(argv[i], argv[2], counts, total);
    if (status.ok()) continue;
    ++counts.failed_files;
    std::fprintf(stderr, "%s: %s\n", argv[i], std::string(status.message()).c_str());
  }
  std::printf(
      "{\"files\": %ld, \"failed_files\": %ld, \"instructions\": %ld, \"dropped_syncs\": %ld, "
      "\"inserted_syncs\": %d, \"for_nomask_producers\": %d}\n",
      counts.files, counts.failed_files, counts.instructions, counts.compacted, total.syncs,
      total.nomask_syncs);
  return counts.failed_files == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "write" && argc > 3) return Write(argc, argv);
  if (mode == "same" && argc == 4) return Same(argv[2], argv[3]);
  if (mode == "compact" && argc > 2) return JudgeCompactions(argc, argv);
  if (mode == "rescore" && argc > 3) return Rescore(argc, argv);
  std::fprintf(stderr,
               "usage: eu_roundtrip write DIR FILE... | same A B | compact FILE... | "
               "rescore DIR FILE...\n");
  return 2;
}
