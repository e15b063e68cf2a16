// Listings, machine code and launch records of a pipeline, as files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "launch_record.hpp"
#include "machine_code.hpp"
#include "radv_cache.hpp"
#include "radv_record.hpp"
#include "stat_executable.hpp"
#include "stat_options.hpp"
#include "stat_util.hpp"
#include "vkutil.hpp"

namespace peerstat {

// Writes the files of --dump-asm and --dump-bin.
class Dump {
public:
   // `scratch`: the folder where Mesa's Intel compilers leave their machine code; empty without --dump-bin.
   Dump(const Options &o, const vku::Instance &inst, const std::string &scratch) : opt_(o), inst_(inst), scratch_(scratch) {}

   // `base`: the start of each file's name. Each notes in the executables what it wrote, or why not.
   void listings(const std::string &base, const std::vector<Executable> &ex) const;
   void intel(const std::string &base, std::vector<Executable> &ex) const;
   void radv_code(const std::string &base, const std::vector<uint8_t> &cache, const radv::Input &in, uint32_t stage,
                  std::vector<Executable> &ex) const;
   void records(const vku::Device &d, VkPipelineCache cache, launch::Input in, uint32_t stage,
                std::vector<Executable> &ex) const;

private:
   const Options &opt_;
   const vku::Instance &inst_;
   const std::string &scratch_;

   std::vector<std::string> anv_binaries() const;
};

// The files Mesa's Intel compiler wrote since the directory was last emptied.
inline std::vector<std::string> Dump::anv_binaries() const
{
   std::vector<std::string> out;
   if (scratch_.empty())
      return out;
   for (auto &e : fs::directory_iterator(scratch_))
      if (e.path().extension() == ".bin")
         out.push_back(read_file(e.path()));
   return out;
}

// Names of the executables in names of files, each different.
inline std::vector<std::string> file_tags(const std::vector<Executable> &ex)
{
   std::map<std::string, int> seen;
   std::vector<std::string> tag;
   for (auto &x : ex) {
      std::string t = flat_name(x.name);
      int k = seen[t]++;
      tag.push_back(k ? t + "-" + std::to_string(k) : t);
   }
   return tag;
}

inline void Dump::listings(const std::string &base, const std::vector<Executable> &ex) const
{
   const std::vector<std::string> tag = file_tags(ex);
   for (size_t i = 0; i < ex.size(); i++)
      for (auto &r : ex[i].reps)
         write_file(fs::path(opt_.dump_asm) / (base + "." + tag[i] + "." + flat_name(r.name) + (r.text ? ".txt" : ".dat")),
                    r.data.data(), r.data.size());
}

// Writes the machine code that Mesa's Intel compilers left in files.
inline void Dump::intel(const std::string &base, std::vector<Executable> &ex) const
{
   const std::vector<std::string> tag = file_tags(ex);
   std::vector<std::string> anv = anv_binaries();
   std::vector<GenCode> code;
   for (auto &b : anv)
      code.push_back(gen_code(b));
   for (size_t i = 0; i < ex.size(); i++) {
      Executable &x = ex[i];
      std::string bin;
      for (auto &r : x.reps) {
         if (!r.text || r.name != "GEN Assembly")
            continue;
         // The dumped binary with as many instructions as the listing; of
         // several, the one with the same mix of execution sizes.
         const GenShape want = gen_listing(r.data);
         GenCode *best = nullptr;
         int best_d = 0;
         for (auto &c : code) {
            if (!c.valid || c.old.count != want.count)
               continue;
            int d = std::min(c.old.distance(want), c.gfx12.distance(want));
            if (!best || d < best_d) {
               best = &c;
               best_d = d;
            }
         }
         if (!best) {
            x.binary_note = "no dumped binary has " + std::to_string(want.count) + " instructions";
         } else {
            bin = best->code;
            best->valid = false;   // used up
         }
      }
      if (bin.empty()) {
         if (x.binary_note.empty())
            x.binary_note = "the driver does not reveal the machine code";
         continue;
      }
      fs::path p = fs::path(opt_.dump_bin) / (base + "." + tag[i] + ".bin");
      write_file(p, bin.data(), bin.size());
      x.binary_file = p.string();
   }
}

// Writes the machine code that RADV's pipeline cache holds, and its launch record.
inline void Dump::radv_code(const std::string &base, const std::vector<uint8_t> &cache, const radv::Input &in, uint32_t stage,
                         std::vector<Executable> &ex) const
{
   const std::vector<std::string> tag = file_tags(ex);
   for (size_t i = 0; i < ex.size(); i++) {
      Executable &x = ex[i];
      const fs::path p = fs::path(opt_.dump_bin) / (base + "." + tag[i] + ".bin");
      radv::Shader s;
      try {
         if (inst_.driver_info.rfind(std::string(radv::KnownVersion) + "-", 0) != 0 && inst_.driver_info != radv::KnownVersion)
            throw std::runtime_error(std::string("the layout of RADV's pipeline cache is known for ") + radv::KnownVersion + " only");
         const auto shaders = radv::parse_cache(cache, {inst_.props.vendorID, inst_.props.deviceID, inst_.props.pipelineCacheUUID});
         s = radv::shader_of_stage(shaders, stage);
         radv::expect(x.stat("Code size").value_or(s.instruction_bytes) == s.instruction_bytes, "code size of the statistics");
         write_file(p, s.code.data(), s.code.size());
         x.binary_file = p.string();
      } catch (const std::exception &e) {
         x.binary_note = e.what();
         continue;
      }
      fs::path r = p;
      r.replace_extension(".launch.json");
      try {
         fs::remove(r);            // an earlier run's, if this one is refused
         const std::string text = radv::record(s, in);
         write_file(r, text.data(), text.size());
         x.record_file = r.string();
      } catch (const std::exception &e) {
         x.record_note = e.what();
      }
   }
}

inline std::vector<uint8_t> cache_data(const vku::Device &d, VkPipelineCache cache)
{
   size_t n = 0;
   vku::check(vkGetPipelineCacheData(d.handle, cache, &n, nullptr), "vkGetPipelineCacheData");
   std::vector<uint8_t> data(n);
   vku::check(vkGetPipelineCacheData(d.handle, cache, &n, data.data()), "vkGetPipelineCacheData");
   data.resize(n);
   return data;
}

// Writes the launch record beside each binary of ANV.
inline void Dump::records(const vku::Device &d, VkPipelineCache cache, launch::Input in, uint32_t stage,
                             std::vector<Executable> &ex) const
{
   std::vector<launch::Program> programs;
   std::vector<uint8_t> data;
   std::string why;
   try {
      if (inst_.driver_info.rfind("Mesa 25.0.", 0) != 0)
         throw std::runtime_error("the layout of ANV's pipeline cache is known for Mesa 25.0 only");
      data = cache_data(d, cache);
      programs = launch::parse_cache(data);
   } catch (const std::exception &e) {
      why = e.what();
   }
   for (auto &x : ex) {
      if (x.binary_file.empty())
         continue;
      fs::path p = x.binary_file;
      p.replace_extension(".launch.json");
      try {
         fs::remove(p);            // an earlier run's, if this one is refused
         if (!why.empty())
            throw std::runtime_error(why);
         in.code = read_file(x.binary_file);
         in.listing.clear();
         for (auto &r : x.reps)
            if (r.text && r.name == "GEN Assembly")
               in.listing = r.data;
         std::string text = launch::record(programs, stage, x.subgroup, in);
         if (text.empty())
            throw std::runtime_error("no program in the pipeline cache has this machine code");
         write_file(p, text.data(), text.size());
         x.record_file = p.string();
      } catch (const std::exception &e) {
         x.record_note = e.what();
      }
   }
}

}   // namespace peerstat
