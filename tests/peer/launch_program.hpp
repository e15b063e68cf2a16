// Programs in a pipeline cache of Mesa's ANV driver (Intel gfx9 to gfx12.0), in which it stores each
// with its bind map and the compiler's "prog data". The byte layout below is that of Mesa 25.0 on
// x86-64; every blob is checked against it and refused if anything does not fit.
#pragma once

#include <array>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "json.hpp"
#include "spirv_reflect.hpp"

namespace launch {

inline std::array<uint8_t, 20> sha1(const uint8_t *data, size_t n)
{
   std::string m(reinterpret_cast<const char *>(data), n);
   m += char(0x80);
   while (m.size() % 64 != 56)
      m += '\0';
   for (int s = 56; s >= 0; s -= 8)
      m += char(uint64_t(n) * 8 >> s);
   uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
   auto rol = [](uint32_t x, int k) { return x << k | x >> (32 - k); };
   for (size_t at = 0; at < m.size(); at += 64) {
      uint32_t w[80];
      for (int i = 0; i < 80; i++) {
         if (i < 16) {
            w[i] = 0;
            for (int k = 0; k < 4; k++)
               w[i] = w[i] << 8 | uint8_t(m[at + size_t(4 * i + k)]);
         } else {
            w[i] = rol(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
         }
      }
      uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
      for (int i = 0; i < 80; i++) {
         uint32_t f, k;
         if (i < 20) f = (b & c) | (~b & d), k = 0x5a827999;
         else if (i < 40) f = b ^ c ^ d, k = 0x6ed9eba1;
         else if (i < 60) f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdc;
         else f = b ^ c ^ d, k = 0xca62c1d6;
         uint32_t t = rol(a, 5) + f + e + k + w[i];
         e = d, d = c, c = rol(b, 30), b = a, a = t;
      }
      h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
   }
   std::array<uint8_t, 20> out;
   for (size_t i = 0; i < 20; i++)
      out[i] = uint8_t(h[i / 4] >> (24 - 8 * (i % 4)));
   return out;
}

// A range of bytes read with bounds checks.
class Bytes {
public:
   Bytes() = default;
   Bytes(const uint8_t *p, size_t n) : p_(p), n_(n) {}

   size_t size() const { return n_; }
   size_t at() const { return at_; }
   const uint8_t *data() const { return p_; }
   Bytes sub(size_t off, size_t n) const
   {
      if (off > n_ || n > n_ - off)
         throw std::runtime_error("cache blob ends too early");
      return {p_ + off, n};
   }
   Bytes take(size_t n)
   {
      Bytes b = sub(at_, n);
      at_ += n;
      return b;
   }
   void align(size_t a) { at_ = (at_ + a - 1) / a * a; }
   uint32_t next32()
   {
      align(4);
      return take(4).u32(0);
   }
   uint8_t u8(size_t off) const { return *sub(off, 1).p_; }
   uint32_t u32(size_t off) const { return get<uint32_t>(off); }
   uint64_t u64(size_t off) const { return get<uint64_t>(off); }
   bool flag(size_t off) const
   {
      if (u8(off) > 1)
         throw std::runtime_error("byte " + std::to_string(off) + " is no truth value");
      return u8(off);
   }

private:
   const uint8_t *p_ = nullptr;
   size_t n_ = 0, at_ = 0;
   template <typename T> T get(size_t off) const
   {
      T v;
      memcpy(&v, sub(off, sizeof v).p_, sizeof v);
      return v;
   }
};

inline void expect(bool ok, const std::string &what)
{
   if (!ok)
      throw std::runtime_error("pipeline cache is not laid out as in Mesa 25.0: " + what);
}

// ---- the cached program -------------------------------------------------------

struct Reloc {
   uint32_t id, type, offset, delta;
};

struct TableEntry {       // of the binding table or the sampler table
   uint32_t index, binding, set_offset;
   uint8_t set, plane;    // plane: also input attachment or dynamic offset index
};

struct PushRange {        // start and length in units of 32 bytes
   uint32_t index;
   uint8_t set, dynamic, start, length;
};

// Values of "set" that mean something else than a descriptor set.
enum : uint8_t { SetDescriptorBuffer = 251, SetNull = 252, SetPush = 253, SetDescriptors = 254, SetColor = 255 };

enum : uint32_t { StageVertex = 0, StageFragment = 4, StageCompute = 5 };

struct Program {
   uint32_t stage = 0;
   Bytes kernel, prog;               // machine code and constants; prog data
   std::vector<Reloc> relocs;
   std::vector<uint32_t> widths;     // dispatch width of each compiled variant
   uint32_t used_set_buffer = 0;
   std::vector<TableEntry> surfaces, samplers;
   uint32_t embedded_samplers = 0;
   std::vector<PushRange> push;

   // Prog data common to all stages.
   uint32_t nr_params() const { return prog.u32(16); }
   uint64_t zero_push_reg() const { return prog.u64(24); }
   uint32_t curb_read_length() const { return prog.u32(36); }
   uint32_t total_scratch() const { return prog.u32(40); }
   uint32_t total_shared() const { return prog.u32(44); }
   uint32_t const_data_size() const { return prog.u32(52); }
   uint32_t const_data_offset() const { return prog.u32(56); }
};

struct Variant {
   uint32_t width, offset;
   uint32_t payload_regs;   // registers before the push constants
};

constexpr size_t CsProgData = 184, WmProgData = 792;

inline std::vector<Variant> variants(const Program &p)
{
   std::vector<Variant> v;
   if (p.stage == StageCompute) {
      for (uint32_t i = 0; i < 3; i++)
         if (p.prog.u32(144) >> i & 1)
            v.push_back({8u << i, p.prog.u32(132 + 4 * i), 1});
   } else if (p.stage == StageFragment) {
      if (p.prog.flag(147)) v.push_back({8, 0, p.prog.u32(80)});
      if (p.prog.flag(148)) v.push_back({16, p.prog.u32(132), p.prog.u8(128)});
      if (p.prog.flag(149)) v.push_back({32, p.prog.u32(136), p.prog.u8(129)});
   } else {
      v.push_back({p.widths.empty() ? 8 : p.widths[0], 0, p.prog.u32(80)});
   }
   return v;
}

// The payload of a fragment thread, as gfx9 to gfx12 deliver it.
struct FsPayload {
   struct Item {
      std::string name;
      uint32_t reg, regs;
      int half;        // lanes 16 * half and up; -1: for all lanes
   };
   std::vector<Item> items;
   uint32_t regs = 0;
};

inline const char *const barycentric_names[6] = {
   "perspective_pixel", "perspective_centroid", "perspective_sample",
   "linear_pixel", "linear_centroid", "linear_sample"};

inline FsPayload fs_payload(const Program &p, uint32_t width)
{
   FsPayload f;
   const uint32_t lanes = std::min(width, 16u), halves = width / lanes;
   auto add = [&](const std::string &name, uint32_t regs, int half) {
      f.items.push_back({name, f.regs, regs, half});
      f.regs += regs;
   };
   add("header", 1, -1);
   for (uint32_t h = 0; h < halves; h++)
      add("pixel_positions", 1, int(h));
   for (uint32_t h = 0; h < halves; h++) {
      for (uint32_t m = 0; m < 6; m++)
         if (p.prog.u32(188) >> m & 1)
            add(std::string("barycentric_") + barycentric_names[m], lanes / 4, int(h));
      if (p.prog.flag(154)) add("source_depth", lanes / 8, int(h));
      if (p.prog.flag(155)) add("source_w", lanes / 8, int(h));
      if (p.prog.flag(151)) add("sample_position_offsets", 1, int(h));
      if (p.prog.flag(160)) add("input_coverage_mask", lanes / 8, int(h));
   }
   if (p.prog.flag(156)) add("depth_w_coefficients", 1, -1);
   if (p.prog.flag(157)) add("perspective_barycentric_coefficients", 1, -1);
   if (p.prog.flag(158)) add("linear_barycentric_coefficients", 1, -1);
   if (p.prog.flag(159)) add("sample_offsets", 1, -1);
   return f;
}

inline std::vector<TableEntry> table(Bytes &b, uint32_t n)
{
   expect(n <= 4096, "table of " + std::to_string(n) + " entries");
   std::vector<TableEntry> t;
   for (uint32_t i = 0; i < n; i++) {
      Bytes e = b.take(16);
      t.push_back({e.u32(0), e.u32(4), e.u32(8), e.u8(12), e.u8(13)});
      expect(t.back().set < 8 || t.back().set >= SetDescriptorBuffer, "descriptor set of a table entry");
   }
   return t;
}

inline Program parse_program(Bytes b)
{
   Program p;
   p.stage = b.next32();
   expect(p.stage < 14, "stage " + std::to_string(p.stage));
   p.kernel = b.take(b.next32());
   const uint32_t prog_size = b.next32();
   expect(prog_size >= 120, "prog data of " + std::to_string(prog_size) + " bytes");
   expect((p.stage != StageCompute || prog_size == CsProgData) && (p.stage != StageFragment || prog_size == WmProgData),
          (p.stage == StageCompute ? "compute" : "fragment") + (" prog data of " + std::to_string(prog_size)) + " bytes");
   p.prog = b.take(prog_size);
   expect(p.prog.u32(20) == p.stage, "stage in the prog data");
   expect(p.prog.u64(64) == 0 && p.prog.u64(96) == 0, "pointers in the prog data");
   expect(p.prog.u32(48) == p.kernel.size(), "program size");
   if (p.const_data_size())
      expect(size_t(p.const_data_offset()) + p.const_data_size() <= p.kernel.size(), "constant data");
   const uint32_t relocs = p.prog.u32(60);
   expect(relocs < 65536, "number of relocations");
   for (uint32_t i = 0; i < relocs; i++) {
      Bytes r = b.take(16);
      p.relocs.push_back({r.u32(0), r.u32(4), r.u32(8), r.u32(12)});
      expect(p.relocs.back().type <= 1 && p.relocs.back().offset % 4 == 0 &&
             size_t(p.relocs.back().offset) + (p.relocs.back().type ? 16 : 4) <= p.kernel.size(), "relocation");
   }
   for (uint32_t n = b.next32(); n > 0; n--) {     // debug printf formats
      uint32_t args = b.next32(), bytes = b.next32();
      b.take(size_t(args) * 4);
      b.take(bytes);
   }
   const uint32_t stats = b.next32();
   expect(stats <= 4, "number of statistics");
   for (uint32_t i = 0; i < stats; i++) {
      p.widths.push_back(b.take(44).u32(0));
      expect(p.widths.back() <= 32 && p.widths.back() % 8 == 0, "dispatch width in the statistics");
   }
   b.take(b.next32());                             // transform feedback
   b.next32();                                     // dynamic push values
   b.next32();                                     // push descriptors used
   b.next32();                                     // UBOs promoted to push constants
   p.used_set_buffer = b.take(1).u8(0);
   b.take(40);                                     // hashes of the tables
   Bytes push_sha = b.take(20);
   const uint32_t ns = b.next32(), nt = b.next32();
   p.embedded_samplers = b.next32();
   expect(p.embedded_samplers <= 4096, "embedded samplers");
   p.surfaces = table(b, ns);
   p.samplers = table(b, nt);
   b.take(size_t(p.embedded_samplers) * 40);
   b.take(36);                                     // input attachments
   Bytes push = b.take(32);
   expect(b.at() == b.size(), std::to_string(b.size() - b.at()) + " bytes left over");
   expect(!memcmp(sha1(push.data(), 32).data(), push_sha.data(), 20), "hash of the push ranges");
   for (size_t i = 0; i < 4; i++) {
      Bytes r = push.sub(8 * i, 8);
      if (r.u8(7))
         p.push.push_back({r.u32(0), r.u8(4), r.u8(5), r.u8(6), r.u8(7)});
   }

   // Checks the parts against each other.
   uint32_t regs = 0;
   for (auto &r : p.push)
      regs += r.length;
   if (p.stage == StageCompute) {
      const uint32_t cross = p.prog.u32(160), per = p.prog.u32(172);
      expect(cross + per == p.nr_params(), "push constants of compute");
      expect(p.prog.u32(164) == (cross + 7) / 8 && p.prog.u32(168) == p.prog.u32(164) * 32 &&
             p.prog.u32(176) == (per + 7) / 8 && p.prog.u32(180) == p.prog.u32(176) * 32, "push constant blocks");
      expect(p.push.size() == 1 && p.push[0].set == SetPush, "push range of compute");
      expect(p.prog.u32(144) && p.prog.u32(144) < 8 && p.prog.u32(148) < 8, "dispatch widths of compute");
      expect(!p.prog.flag(154) && !p.prog.flag(155) && !p.prog.u8(157), "hardware made for gfx12.5");
      p.prog.flag(152), p.prog.flag(153), p.prog.flag(156), p.prog.flag(159);
   } else if (p.stage == StageFragment) {
      expect(p.prog.u8(141) <= 1 && p.prog.u8(142) == 0, "multi-polygon dispatch");
      for (size_t k = 143; k <= 166; k++)
         p.prog.flag(k);
      expect(p.curb_read_length() == regs, "push ranges of " + std::to_string(regs) + " registers, read length " +
                                              std::to_string(p.curb_read_length()));
      for (auto &v : variants(p))
         expect(fs_payload(p, v.width).regs == v.payload_regs,
                "payload of " + std::to_string(fs_payload(p, v.width).regs) + " registers at width " +
                   std::to_string(v.width) + ", start register " + std::to_string(v.payload_regs));
      expect(p.prog.u8(784) <= 64, "number of attributes");
   }
   for (auto &v : variants(p))
      expect(v.offset < p.kernel.size() && v.offset % 16 == 0, "start of a variant");
   return p;
}

// All programs in the data of vkGetPipelineCacheData. "data" must stay alive.
inline std::vector<Program> parse_cache(const std::vector<uint8_t> &data)
{
   Bytes b(data.data(), data.size());
   expect(b.size() >= 36 && b.u32(0) == 32 && b.u32(4) == 1 && b.u32(8) == 0x8086, "header");
   b.take(32);
   std::vector<Program> out;
   for (uint32_t n = b.next32(); n > 0; n--) {
      const int32_t type = int32_t(b.next32());
      const uint32_t key = b.next32(), size = b.next32();
      b.take(key);
      b.align(8);
      Bytes blob = b.take(size);
      if (type == 0)                               // others: intermediate code
         out.push_back(parse_program(blob));
   }
   return out;
}

// Returns true if the machine code starts at this offset of the program, up to relocated values.
inline bool same_code(const Program &p, uint32_t at, const std::string &code)
{
   if (size_t(at) + code.size() > p.kernel.size())
      return false;
   std::string a(reinterpret_cast<const char *>(p.kernel.data()) + at, code.size()), b = code;
   for (auto &r : p.relocs) {
      const uint32_t where = r.offset + (r.type ? 12 : 0);
      if (where < at || size_t(where) + 4 > at + code.size())
         continue;
      a.replace(where - at, 4, 4, '\0');
      b.replace(where - at, 4, 4, '\0');
   }
   return a == b;
}

}   // namespace launch
