// Tests radv_cache.hpp on a cache made here: what is in it is found, and what does not fit the layout is refused with its
// reason. selftest builds and runs it.
#include <cstdio>
#include <functional>

#include "radv_cache.hpp"

namespace {

constexpr uint8_t Uuid[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
constexpr radv::Origin Here = {0x1002, 0x73a0, Uuid};

// Places in the whole cache: header, number of objects; object of the pipeline, object of the shader.
constexpr size_t Objects = 32, Pipeline = 36, Shader = Pipeline + 12 + 20 + 4 + 40, Blob = Shader + 12 + 32 + 4;
constexpr size_t Code = 64, Instructions = 44;

void put(std::vector<uint8_t> &b, size_t at, uint32_t v)
{
   if (b.size() < at + 4)
      b.resize(at + 4);
   memcpy(&b[at], &v, 4);
}

// A pipeline with one compute shader: descriptor set 3 in s2, two inlined push constants in s3 and s4.
std::vector<uint8_t> cache()
{
   std::vector<uint8_t> b;
   const size_t size = radv::ShaderBytes + radv::StatisticsBytes + Code;
   b.resize(Blob + size);
   put(b, 0, 32), put(b, 4, 1), put(b, 8, Here.vendor), put(b, 12, Here.device);
   memcpy(&b[16], Uuid, 16);
   put(b, Objects, 2);
   put(b, Pipeline, ~0u), put(b, Pipeline + 4, 20), put(b, Pipeline + 8, 40);
   put(b, Pipeline + 36, 1);
   put(b, Shader, ~0u), put(b, Shader + 4, 32), put(b, Shader + 8, uint32_t(size));
   put(b, Blob + 8, 24);                                        // VGPRs
   put(b, Blob + 24, 2);                                        // LDS
   put(b, Blob + 44, 0x602c0002), put(b, Blob + 48, 10);        // rsrc1, rsrc2
   const size_t info = Blob + 56;
   b[info + 19] = 64;
   for (size_t i = 0; i < 58; i++)
      b[info + 24 + 2 * i] = 0xff;
   auto user = [&](size_t at, uint8_t first, uint8_t count) { b[info + at] = first, b[info + at + 1] = count; };
   user(24 + 2 * 3, 2, 1), user(88, 0, 2), user(88 + 2 * 2, 3, 2);
   put(b, info + 140, 1 << 3);
   put(b, info + 252, radv::StageCompute);
   put(b, info + 940, 0xb848);
   put(b, Blob + 1168, uint32_t(size)), put(b, Blob + 1176, Code), put(b, Blob + 1180, Instructions);
   put(b, Blob + 1192, radv::StatisticsBytes);
   for (size_t i = 0; i < Code; i++)
      b[Blob + radv::ShaderBytes + radv::StatisticsBytes + i] = uint8_t(i);
   return b;
}

int failures = 0;

void check(bool ok, const std::string &what)
{
   if (!ok)
      failures++, printf("FAIL %s\n", what.c_str());
}

// The reason for which the cache is refused, "" if it is not.
std::string refusal(const std::vector<uint8_t> &b, uint32_t stage = radv::StageCompute)
{
   try {
      radv::shader_of_stage(radv::parse_cache(b, Here), stage);
      return "";
   } catch (const std::exception &e) {
      return e.what();
   }
}

void finds_what_is_there()
{
   const std::vector<uint8_t> b = cache();
   check(refusal(b).empty(), "the cache is read: " + refusal(b));
   const auto shaders = radv::parse_cache(b, Here);
   check(shaders.size() == 1, "one shader");
   const radv::Shader &s = shaders.at(0);
   check(s.stage() == radv::StageCompute && s.wave_size() == 64 && !s.ngg(), "stage and waves");
   check(s.vgprs() == 24 && s.lds_bytes() == 1024 && s.scratch_bytes() == 0, "sizes");
   check(s.rsrc(1) == 0x602c0002 && s.rsrc(2) == 10 && s.rsrc(3) == 0, "registers");
   check(s.code.size() == Code && s.instruction_bytes == Instructions && s.code.u8(63) == 63, "code");
   check(s.set_sgprs(3).first == 2 && s.set_sgprs(3).count == 1 && s.set_sgprs(2).count == 0, "descriptor set");
   check(s.user_sgprs(radv::InlinePushConstants).first == 3 && s.user_sgprs(radv::InlinePushConstants).count == 2,
         "push constants");
}

void refuses_what_it_does_not_know()
{
   const std::pair<const char *, std::function<void(std::vector<uint8_t> &)>> damages[] = {
      {"25.0.7: header", [](auto &b) { put(b, 0, 36); }},
      {"another driver", [](auto &b) { put(b, 12, 0x73bf); }},
      {"another driver", [](auto &b) { b[31]++; }},
      {"type of an object", [](auto &b) { put(b, Shader, 0); }},
      {"type of an object", [](auto &b) { put(b, Shader + 4, 28); }},
      {"left over", [](auto &b) { put(b, Objects, 1); }},
      {"list of a pipeline's shaders", [](auto &b) { put(b, Pipeline + 36, 2); }},
      {"LLVM", [](auto &b) { put(b, Blob, 1); }},
      {"type of shader 2", [](auto &b) { put(b, Blob, 2); }},
      {"size of the shader", [](auto &b) { put(b, Blob + 1168, 1200); }},
      {"no text", [](auto &b) { put(b, Blob + 1184, 1); }},
      {"no text", [](auto &b) { put(b, Blob + 1196, 1); }},
      {"statistics of 64", [](auto &b) { put(b, Blob + 1192, 64); }},
      {"parts of the shader", [](auto &b) { put(b, Blob + 1176, Code - 4); }},
      {"size of the code", [](auto &b) { put(b, Blob + 1180, Code + 4); }},
      {"size of the code", [](auto &b) { put(b, Blob + 1180, 0); }},
      {"number of VGPRs", [](auto &b) { put(b, Blob + 8, 257); }},
      {"stage 8", [](auto &b) { put(b, Blob + 56 + 252, 8); }},
      {"waves of 16", [](auto &b) { b[Blob + 56 + 19] = 16; }},
      {"kind of shader", [](auto &b) { put(b, Blob + 56 + 260, 2); }},
      {"no truth value", [](auto &b) { b[Blob + 56 + 144] = 2; }},
      {"mask of descriptor sets", [](auto &b) { put(b, Blob + 56 + 140, 1); }},
      {"place of user SGPRs", [](auto &b) { b[Blob + 56 + 24] = 40, b[Blob + 56 + 25] = 1; }},
      {"registers of the stage", [](auto &b) { put(b, Blob + 56 + 940, 0xb228); }},
      {"registers of the stage", [](auto &b) { b[Blob + 56 + 144] = 1; }},
   };
   for (auto &[why, damage] : damages) {
      std::vector<uint8_t> b = cache();
      damage(b);
      check(refusal(b).find(why) != std::string::npos, std::string(why) + ": \"" + refusal(b) + "\"");
   }
   check(refusal(cache(), radv::StageFragment).find("a shader of stage 4") != std::string::npos, "another stage");
   std::vector<uint8_t> empty = cache();
   empty.resize(36);
   put(empty, Objects, 0);
   check(refusal(empty) == "the driver stored no shader in the pipeline cache", "an empty cache");
   for (size_t n = 0; n < cache().size(); n++) {
      std::vector<uint8_t> b = cache();
      b.resize(n);
      check(!refusal(b).empty(), "cut at byte " + std::to_string(n));
   }
}

}   // namespace

int main()
{
   finds_what_is_there();
   refuses_what_it_does_not_know();
   printf("radv_cache_test: %d failures\n", failures);
   return failures != 0;
}
