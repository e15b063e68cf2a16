// Machine code as Mesa's Intel compilers reveal it: files named by a hash, which are matched to
// listings by instruction count and mix of execution sizes.
#pragma once

#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

// Identifies a piece of Gen code: the number of instructions other than
// no-ops, and how many uncompacted ones have each execution size (log2).
struct GenShape {
   size_t count = 0;
   std::array<int, 8> sizes{};

   int distance(const GenShape &o) const
   {
      int d = 0;
      for (size_t i = 0; i < sizes.size(); i++)
         d += std::abs(sizes[i] - o.sizes[i]);
      return d;
   }
};

struct GenCode {
   std::string code;      // without the padding after its end
   GenShape old, gfx12;   // the size field moved in gfx12
   bool valid = false;
};

inline GenCode gen_code(const std::string &b)
{
   GenCode g;
   size_t at = 0, end = 0;
   while (at + 8 <= b.size()) {
      uint32_t dw;
      memcpy(&dw, b.data() + at, 4);
      const bool compacted = dw >> 29 & 1;
      const bool nop = (dw & 0x7f) == 0x60 || (dw & 0x7f) == 0x7e;   // gfx12, older
      // The padding is one compacted no-op, which disassemblers reject.
      end = compacted && nop ? at : at + (compacted ? 8 : 16);
      at += compacted ? 8 : 16;
      if (nop)
         continue;
      g.old.count++;
      if (!compacted) {
         g.old.sizes[dw >> 21 & 7]++;
         g.gfx12.sizes[dw >> 16 & 7]++;
      }
   }
   g.gfx12.count = g.old.count;
   g.valid = at == b.size() && at > 0;
   g.code = b.substr(0, end);
   return g;
}

// The same from Mesa's listing: every instruction but a no-op ends in "};".
inline GenShape gen_listing(const std::string &text)
{
   GenShape s;
   size_t from = 0;
   for (size_t at; (at = text.find("};", from)) != std::string::npos; from = at + 2) {
      s.count++;
      std::string ins = text.substr(from, at - from);
      if (ins.find(" compacted ") != std::string::npos)
         continue;
      for (size_t p = 1; p + 2 < ins.size(); p++) {
         if (ins[p] != '(' || !(isalnum((unsigned char)ins[p - 1])))
            continue;
         char *e;
         unsigned long n = strtoul(ins.c_str() + p + 1, &e, 10);
         if (*e != ')' || n == 0 || n > 32 || (n & (n - 1)))
            continue;
         s.sizes[size_t(__builtin_ctzl(n))]++;
         break;
      }
   }
   return s;
}
