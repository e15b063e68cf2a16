// Tests encoder, decoder, text and compaction on fixed words. iga64 made the words (tests/isa
// compares every form with it; this test needs no assembler); the texts are Kiln's own.
#include "core/intel/isa/encode.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "core/intel/isa/decode.h"
#include "core/intel/isa/disasm.h"

namespace kiln::intel::isa {
namespace {

constexpr Generation kGen = Generation::kGen12;

struct Golden {
  uint64_t lo, hi;
  const char* text;
};

const Golden kFull[] = {
    {0x0a050aa080030161, 0x0000000000461405, "(W) mov (8|M0) r10.0<1>:f r20.0<8;8,1>:f {@1}"},
    {0x0a46251000240061, 0x0000000000001424, "mov (16|M16) r10.4<2>:uw -r20.2<0;1,0>:w"},
    {0x0a058aa001430062, 0x3f8000000a232041,
     "(f0.1) sel (8|M0) r10.0<1>:f r[a0.2,16]<2;2,1>:f 0x3F800000:f"},
    {0x0a051aa418932340, 0x02000c040a460b05,
     "(~f1.0.any8h)add (8|M8) (sat)r10.0<1>:f (abs)r11.0<8;8,1>:f -r12.0<0;1,0>:f {$3.dst}"},
    {0x0a05a2200003a465, 0x000000ff22460b05,
     "and (8|M0) (ne)f0.0 r10.0<1>:ud ~r11.0<8;8,1>:ud 0xFF:ud {@2,$4.dst}"},
    {0x00010aa000c40070, 0x00460d055a460b05,
     "cmp (16|M0) (lt)f1.1 null<1>:f r11.0<8;8,1>:f r13.0<8;8,1>:f"},
    {0x0a040aa80003005b, 0x0d050c050a0a0b05,
     "mad (8|M0) r10.0<1>:f r11.0<8;1>:f r12.0<8;1>:f r13.0<1>:f"},
    {0x0a0441900003005b, 0x0d050c0509293c00,
     "mad (8|M0) r10.0<1>:hf 0x3C00:hf r12.0<8;1>:hf -r13.0<1>:hf"},
    {0x0a040aa800030072, 0x0d060c0452020b05,
     "csel (8|M0) (lt)f0.0 r10.0<1>:f r11.0<8;1>:f r12.0<0;0>:f r13.0<2>:f"},
    {0x0a04412000030078, 0x0d040c0402020005,
     "bfe (8|M0) r10.0<1>:ud 0x5:uw r12.0<0;0>:ud r13.0<0>:ud"},
    {0x0a040e6800030058, 0x0d050c050e0e0b05,
     "dp4a (8|M0) r10.0<1>:d r11.0<8;1>:d r12.0<8;1>:d r13.0<1>:d"},
    {0x0a050aa000034338, 0x0000000010460b05, "math.inv (8|M0) r10.0<1>:f r11.0<8;8,1>:f {$3}"},
    {0x0a05066000039338, 0x00460c05b6460b05,
     "math.idiv (8|M0) r10.0<1>:d r11.0<8;8,1>:d r12.0<8;8,1>:d {@1,$3}"},
    {0x0a05066200030049, 0x00460c0506460b05,
     "mach (8|M0) r10.0<1>:d r11.0<8;8,1>:d r12.0<8;8,1>:d {AccWrEn}"},
    {0x1081066800030061, 0x0000000000462001, "mov (8|M0) r[a0.1,32]<1>:d acc0.0<8;8,1>:d"},
    {0x3001411000000061, 0xffffffff00000000, "mov (1|M0) f0.0<1>:uw 0xFFFF:uw"},
    {0x0405022080000161, 0x0000000000004000, "(W) mov (1|M0) r4.0<1>:ud ce0.0<0;1,0>:ud {@1}"},
    {0x0205401000030061, 0x7654321000000000, "mov (8|M0) r2.0<1>:uw 0x76543210:uv"},
    {0x02050aa000030061, 0x0000000000f10000, "mov (8|M0) r2.0<1>:f r[a0.0]<1,0>:f"},
    {0x0001000000002301, 0x0000000000000000, "sync.nop null {$3.dst}"},
    {0x0001420080003701, 0x0000000530000000, "(W) sync.allwr 0x5 {$7.src}"},
    {0x0001000000000001, 0x00000000e0000000, "sync.bar null"},
    {0x0a0c000000034131, 0x001a0000cc02140c, "send.dc1 (8|M0) r10 r20 null 0x0 0x02106E01 {$1}"},
    {0x000000000003b131, 0x009a180ccc02140c,
     "send.dc1 (8|M0) null r20 r24 0x40 0x02026E01 {@3,$1}"},
    {0x1407020000044f31, 0x0000000020002804, "send.smpl (16|M0) r20 r40 null a0.2 a0.0 {$15}"},
    {0x0000000480030131, 0x0000000070007f0c,
     "(W) send.ts (8|M0) null r127 null 0x0 0x02000000 {EOT,@1}"},
    {0x0000c00001030022, 0x0000002000000040, "(f0.0) if (8|M0) 32 64"},
    {0x0000c00000030024, 0x0000002000000020, "else (8|M0) 32 32"},
    {0x0000400000030025, 0x0000001000000000, "endif (8|M0) 16"},
    {0x0000400011040027, 0xffffffc000000000, "(~f0.0) while (16|M0) -64"},
    {0x0000c00001030028, 0x0000001000000020, "(f0.0) break (8|M0) 16 32"},
    {0x0000400080000020, 0xffffffd000000000, "(W) jmpi -48"},
    {0x0000000000000060, 0x0000000000000000, "nop"},
};

const Golden kCompacted[] = {
    {0x1e001400200a0040, 0, "add (16|M0) r10.0<1>:f r20.0<8;8,1>:f r30.0<8;8,1>:f {Compacted}"},
    {0x1e001400210a0141, 0, "mul (8|M0) r10.0<1>:f r20.0<8;8,1>:f r30.0<8;8,1>:f {Compacted,@1}"},
    {0x1e001400620a2361, 0, "(W) mov (1|M0) r10.0<1>:f r20.0<8;8,1>:f {Compacted,$3.dst}"},
    {0x80001400e00a0040, 0, "add (16|M0) r10.0<1>:f r20.0<8;8,1>:f 0x80000000:f {Compacted}"},
    {0x3f801400e80a0040, 0, "add (1|M0) r10.0<1>:f r20.0<8;8,1>:f 0x3F800000:f {Compacted}"},
    {0x1e281400200a005b, 0,
     "mad (16|M0) r10.0<1>:f r20.0<0;0>:f r30.0<8;1>:f r40.0<0>:f {Compacted}"},
    {0x1e28140aec0a005b, 0,
     "mad (16|M16) r10.0<1>:f r20.0<0;0>:f r30.0<0;0>:f r40.1<1>:f {Compacted}"},
    {0x00110001e8003401, 0, "sync.nop null {Compacted,$4.src}"},
    {0x00110001e2000101, 0, "(W) sync.nop null {Compacted,@1}"},
    {0x3f810000a0050061, 0, "mov (16|M0) r5.0<1>:f 0x3F800000:f {Compacted}"},
};

std::array<uint8_t, 16> Bytes(const Golden& g) {
  std::array<uint8_t, 16> bytes;
  for (int i = 0; i < 8; ++i) {
    bytes[i] = static_cast<uint8_t>(g.lo >> (8 * i));
    bytes[8 + i] = static_cast<uint8_t>(g.hi >> (8 * i));
  }
  return bytes;
}

std::string OneSpaced(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  }
  return out;
}

TEST(Decode, FullForms) {
  for (const Golden& g : kFull) {
    const auto decoded = Decode(kGen, Bytes(g));
    ASSERT_TRUE(decoded.ok()) << decoded.status() << g.text;
    EXPECT_EQ(decoded->length, 16);
    EXPECT_EQ(OneSpaced(Disassemble(kGen, decoded->inst)), g.text);
    const auto again = Encode(kGen, decoded->inst);
    ASSERT_TRUE(again.ok()) << again.status() << g.text;
    const auto twice = Decode(kGen, *again);
    ASSERT_TRUE(twice.ok()) << twice.status();
    EXPECT_EQ(twice->inst, decoded->inst) << g.text;
  }
}

TEST(Decode, CompactedForms) {
  for (const Golden& g : kCompacted) {
    const auto bytes = Bytes(g);
    const auto decoded = Decode(kGen, absl::MakeSpan(bytes).subspan(0, 8));
    ASSERT_TRUE(decoded.ok()) << decoded.status() << g.text;
    EXPECT_EQ(decoded->length, 8);
    EXPECT_TRUE(decoded->inst.compacted);
    EXPECT_EQ(OneSpaced(Disassemble(kGen, decoded->inst)), g.text);
  }
}

TEST(Decode, ProgramsMixBothForms) {
  std::vector<uint8_t> bytes;
  const auto full = Bytes(kFull[0]), compacted = Bytes(kCompacted[0]);
  bytes.insert(bytes.end(), compacted.begin(), compacted.begin() + 8);
  bytes.insert(bytes.end(), full.begin(), full.end());
  bytes.insert(bytes.end(), compacted.begin(), compacted.begin() + 8);
  const auto program = DecodeProgram(kGen, bytes);
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_EQ(program->size(), 3u);
  EXPECT_EQ((*program)[1].offset, 8u);
  EXPECT_EQ((*program)[2].offset, 24u);
}

TEST(Decode, ErrorsNameThePlace) {
  EXPECT_FALSE(Decode(kGen, {}).ok());
  const auto full = Bytes(kFull[0]);
  EXPECT_FALSE(Decode(kGen, absl::MakeSpan(full).subspan(0, 12)).ok());  // truncated
  EXPECT_EQ(Decode(Generation::kGen9, full).status().code(), absl::StatusCode::kUnimplemented);
  std::array<uint8_t, 16> bad = full;
  bad[0] = 0x7f;  // no such opcode
  std::vector<uint8_t> program(full.begin(), full.end());
  program.insert(program.end(), bad.begin(), bad.end());
  const auto decoded = DecodeProgram(kGen, program);
  ASSERT_FALSE(decoded.ok());
  EXPECT_NE(std::string(decoded.status().message()).find("offset 16"), std::string::npos);
  bad = full;
  bad[2] = 0x07;  // execution size 7
  EXPECT_FALSE(Decode(kGen, bad).ok());
}

// Any bytes: an error or an instruction that survives encoding, never a crash.
TEST(Decode, RandomBytesEitherFailOrRoundTrip) {
  std::mt19937_64 rng(1);
  int decoded_count = 0;
  for (int i = 0; i < 200000; ++i) {
    Golden g{rng(), rng(), ""};
    const auto decoded = Decode(kGen, Bytes(g));
    if (!decoded.ok()) continue;
    ++decoded_count;
    EXPECT_FALSE(Disassemble(kGen, decoded->inst).empty());
    const auto bytes = Encode(kGen, decoded->inst);
    if (!bytes.ok()) continue;  // e.g. an immediate at a position that no compiler uses
    const auto again = Decode(kGen, *bytes);
    ASSERT_TRUE(again.ok()) << again.status();
    Instruction expected = decoded->inst;
    expected.compacted = false;
    EXPECT_EQ(again->inst, expected) << Disassemble(kGen, expected);
  }
  EXPECT_GT(decoded_count, 1000);
}

// Evenly spaced three-source regions are written in the nearest form that exists.
TEST(Encode, ThreeSourceRegionsAreAdapted) {
  Instruction inst = Decode(kGen, Bytes(kFull[6]))->inst;
  ASSERT_EQ(inst.op, Opcode::kMad);
  inst.exec_size = 16;
  inst.src[0].region = {16, 16, 1};
  inst.src[1].region = {1, 1, 0};
  inst.src[2].region = {16, 16, 1};
  const auto bytes = Encode(kGen, inst);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const Instruction read = Decode(kGen, *bytes)->inst;
  EXPECT_EQ(read.src[0].region, (Region{8, 8, 1}));
  EXPECT_EQ(read.src[1].region, (Region{1, 1, 0}));
  EXPECT_EQ(read.src[2].region, (Region{8, 8, 1}));
  inst.src[0].region = {8, 2, 1};  // not evenly spaced
  EXPECT_FALSE(Encode(kGen, inst).ok());
}

TEST(Opcodes, LookupsAgree) {
  for (int o = 0; o < kOpcodeCount; ++o) {
    const OpcodeInfo& info = Info(static_cast<Opcode>(o));
    EXPECT_EQ(static_cast<int>(info.op), o);
    EXPECT_EQ(OpcodeFromMnemonic(info.mnemonic), info.op);
    for (Generation gen : {Generation::kGen7p5, Generation::kGen9, Generation::kGen12}) {
      if (HasOpcode(gen, info.op)) {
        EXPECT_EQ(OpcodeFromHw(gen, info.code[static_cast<int>(gen)]), info.op);
      }
    }
  }
  EXPECT_FALSE(OpcodeFromHw(kGen, 128).has_value());
  EXPECT_FALSE(OpcodeFromHw(kGen, -1).has_value());
  EXPECT_TRUE(LegalTypes(kGen, Opcode::kMov, Type::kF, Type::kV) ==
              LegalTypes(kGen, Opcode::kMov, Type::kF, Type::kW));
  EXPECT_FALSE(LegalTypes(kGen, Opcode::kAnd, Type::kF, Type::kF));
}

}  // namespace
}  // namespace kiln::intel::isa
