// Numbers and formats of jobs: from JSON to bytes and back.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include <vulkan/vulkan.h>

#include "json.hpp"

namespace lvp {

namespace fs = std::filesystem;
using json::Value;

[[noreturn]] inline void fail(const std::string &why)
{
   throw std::runtime_error(why);
}

// ---------------------------------------------------------------------------
// Numbers to bytes and back

inline uint16_t to_half(double v)
{
   _Float16 h = _Float16(v);
   uint16_t b;
   memcpy(&b, &h, 2);
   return b;
}

inline double from_half(uint16_t b)
{
   _Float16 h;
   memcpy(&h, &b, 2);
   return double(h);
}

enum class Elem { F16, F32, F64, U8, U16, U32, U64, I8, I16, I32, I64 };

inline std::optional<Elem> elem_of(const std::string &n)
{
   static const std::map<std::string, Elem> t{
      {"f16", Elem::F16}, {"f32", Elem::F32}, {"f64", Elem::F64}, {"u8", Elem::U8},
      {"u16", Elem::U16}, {"u32", Elem::U32}, {"u64", Elem::U64}, {"i8", Elem::I8},
      {"i16", Elem::I16}, {"i32", Elem::I32}, {"i64", Elem::I64}};
   auto it = t.find(n);
   if (it == t.end())
      return std::nullopt;
   return it->second;
}

inline const char *elem_name(Elem e)
{
   static const char *n[] = {"f16", "f32", "f64", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"};
   return n[int(e)];
}

inline size_t elem_size(Elem e)
{
   static const size_t n[] = {2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
   return n[int(e)];
}

template <class T> void put(std::string &out, T v)
{
   out.append(reinterpret_cast<const char *>(&v), sizeof v);
}

inline void put_number(std::string &out, Elem e, const Value &v)
{
   switch (e) {
   case Elem::F16: put(out, to_half(v.num())); break;
   case Elem::F32: put(out, float(v.num())); break;
   case Elem::F64: put(out, v.num()); break;
   case Elem::U8: case Elem::I8: put(out, uint8_t(v.integer())); break;
   case Elem::U16: case Elem::I16: put(out, uint16_t(v.integer())); break;
   case Elem::U32: case Elem::I32: put(out, uint32_t(v.integer())); break;
   case Elem::U64: case Elem::I64: put(out, uint64_t(v.integer())); break;
   }
}

inline std::string numbers(Elem e, const char *p, size_t bytes)
{
   std::string o = "[";
   const size_t n = elem_size(e);
   for (size_t at = 0; at + n <= bytes; at += n) {
      if (at)
         o += ",";
      auto get = [&](auto v) {
         memcpy(&v, p + at, sizeof v);
         return v;
      };
      switch (e) {
      case Elem::F16: o += json::number(from_half(get(uint16_t()))); break;
      case Elem::F32: o += json::number(double(get(float()))); break;
      case Elem::F64: o += json::number(get(double())); break;
      case Elem::U8: o += std::to_string(get(uint8_t())); break;
      case Elem::U16: o += std::to_string(get(uint16_t())); break;
      case Elem::U32: o += std::to_string(get(uint32_t())); break;
      case Elem::U64: o += std::to_string(get(uint64_t())); break;
      case Elem::I8: o += std::to_string(get(int8_t())); break;
      case Elem::I16: o += std::to_string(get(int16_t())); break;
      case Elem::I32: o += std::to_string(get(int32_t())); break;
      case Elem::I64: o += std::to_string(get(int64_t())); break;
      }
   }
   return o + "]";
}

inline std::string slurp(const fs::path &p)
{
   std::ifstream f(p, std::ios::binary);
   if (!f)
      fail("cannot open " + p.string());
   return {std::istreambuf_iterator<char>(f), {}};
}

inline void spill(const fs::path &p, const std::string &data)
{
   FILE *f = fopen(p.c_str(), "wb");
   if (!f)
      fail("cannot write " + p.string() + ": " + strerror(errno));
   bool ok = fwrite(data.data(), 1, data.size(), f) == data.size();
   ok &= fclose(f) == 0;
   if (!ok)
      fail("short write to " + p.string());
}

// ---------------------------------------------------------------------------
// Formats of images and texel buffers

struct Format {
   VkFormat vk;
   uint32_t bytes;
   Elem elem;   // how data is printed unless "as" says otherwise
};

inline const Format &format_of(const std::string &name)
{
   static const std::map<std::string, Format> t{
      {"r8", {VK_FORMAT_R8_UNORM, 1, Elem::U8}},
      {"rg8", {VK_FORMAT_R8G8_UNORM, 2, Elem::U8}},
      {"rgba8", {VK_FORMAT_R8G8B8A8_UNORM, 4, Elem::U8}},
      {"rgba8_snorm", {VK_FORMAT_R8G8B8A8_SNORM, 4, Elem::I8}},
      {"rgba8_srgb", {VK_FORMAT_R8G8B8A8_SRGB, 4, Elem::U8}},
      {"bgra8", {VK_FORMAT_B8G8R8A8_UNORM, 4, Elem::U8}},
      {"r8_snorm", {VK_FORMAT_R8_SNORM, 1, Elem::I8}},
      {"rg8_snorm", {VK_FORMAT_R8G8_SNORM, 2, Elem::I8}},
      {"r8ui", {VK_FORMAT_R8_UINT, 1, Elem::U8}},
      {"rg8ui", {VK_FORMAT_R8G8_UINT, 2, Elem::U8}},
      {"rg8i", {VK_FORMAT_R8G8_SINT, 2, Elem::I8}},
      {"r8i", {VK_FORMAT_R8_SINT, 1, Elem::I8}},
      {"rgba8ui", {VK_FORMAT_R8G8B8A8_UINT, 4, Elem::U8}},
      {"rgba8i", {VK_FORMAT_R8G8B8A8_SINT, 4, Elem::I8}},
      {"rgb10a2", {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, Elem::U32}},
      {"r11g11b10f", {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, Elem::U32}},
      {"rgb10a2ui", {VK_FORMAT_A2B10G10R10_UINT_PACK32, 4, Elem::U32}},
      {"r16", {VK_FORMAT_R16_UNORM, 2, Elem::U16}},
      {"rg16", {VK_FORMAT_R16G16_UNORM, 4, Elem::U16}},
      {"r16_snorm", {VK_FORMAT_R16_SNORM, 2, Elem::I16}},
      {"rg16_snorm", {VK_FORMAT_R16G16_SNORM, 4, Elem::I16}},
      {"rgba16_snorm", {VK_FORMAT_R16G16B16A16_SNORM, 8, Elem::I16}},
      {"rg16ui", {VK_FORMAT_R16G16_UINT, 4, Elem::U16}},
      {"rg16i", {VK_FORMAT_R16G16_SINT, 4, Elem::I16}},
      {"rgba16", {VK_FORMAT_R16G16B16A16_UNORM, 8, Elem::U16}},
      {"r16f", {VK_FORMAT_R16_SFLOAT, 2, Elem::F16}},
      {"rg16f", {VK_FORMAT_R16G16_SFLOAT, 4, Elem::F16}},
      {"rgba16f", {VK_FORMAT_R16G16B16A16_SFLOAT, 8, Elem::F16}},
      {"r16ui", {VK_FORMAT_R16_UINT, 2, Elem::U16}},
      {"r16i", {VK_FORMAT_R16_SINT, 2, Elem::I16}},
      {"rgba16ui", {VK_FORMAT_R16G16B16A16_UINT, 8, Elem::U16}},
      {"rgba16i", {VK_FORMAT_R16G16B16A16_SINT, 8, Elem::I16}},
      {"r32f", {VK_FORMAT_R32_SFLOAT, 4, Elem::F32}},
      {"rg32f", {VK_FORMAT_R32G32_SFLOAT, 8, Elem::F32}},
      {"rgba32f", {VK_FORMAT_R32G32B32A32_SFLOAT, 16, Elem::F32}},
      {"r32ui", {VK_FORMAT_R32_UINT, 4, Elem::U32}},
      {"rg32ui", {VK_FORMAT_R32G32_UINT, 8, Elem::U32}},
      {"rgba32ui", {VK_FORMAT_R32G32B32A32_UINT, 16, Elem::U32}},
      {"r32i", {VK_FORMAT_R32_SINT, 4, Elem::I32}},
      {"rg32i", {VK_FORMAT_R32G32_SINT, 8, Elem::I32}},
      {"rgba32i", {VK_FORMAT_R32G32B32A32_SINT, 16, Elem::I32}},
      {"d32f", {VK_FORMAT_D32_SFLOAT, 4, Elem::F32}},
   };
   auto it = t.find(name);
   if (it == t.end()) {
      std::string all;
      for (auto &[n, f] : t)
         all += " " + n;
      fail("unknown format \"" + name + "\"; known:" + all);
   }
   return it->second;
}

}   // namespace lvp
