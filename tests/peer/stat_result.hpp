// The lines of JSON that peerstat prints.
#pragma once

#include <string>
#include <vector>

#include "json.hpp"
#include "spirv_reflect.hpp"
#include "stat_executable.hpp"
#include "stat_util.hpp"

namespace peerstat {

// Times of the compiles of one pipeline, in milliseconds.
struct Times {
   std::vector<double> wall, cpu;
   std::vector<double> stage;   // of the shader's own stage, if the driver says it
   bool cache_hit = false;
};

struct Result {
   std::string driver, device, method, note;
   std::string lacks;          // capabilities of the module that the device lacks
   std::string color_format;   // of fragment shaders
   Times times;
   std::vector<Executable> executables;
};

inline std::string executable_text(const Executable &x)
{
   std::string o;
   o += "{\"name\":" + json::quote(x.name) + ",\"subgroup_size\":" + std::to_string(x.subgroup);
   if (!x.binary_file.empty())
      o += ",\"binary\":" + json::quote(x.binary_file);
   if (!x.binary_note.empty())
      o += ",\"binary_note\":" + json::quote(x.binary_note);
   if (!x.record_file.empty())
      o += ",\"launch_record\":" + json::quote(x.record_file);
   if (!x.record_note.empty())
      o += ",\"launch_record_note\":" + json::quote(x.record_note);
   o += ",\"stats\":{";
   for (size_t k = 0; k < x.stats.size(); k++)
      o += (k ? "," : "") + json::quote(x.stats[k].name) + ":" + x.stats[k].value;
   return o + "}}";
}

// Returns the line about a shader that was compiled (README.md, "Output").
inline std::string success(const std::string &file, const reflect::EntryPoint &ep, const reflect::Interface &io, const Result &r)
{
   std::string o = "{\"file\":" + json::quote(file) + ",\"entry\":" + json::quote(ep.name) +
                   ",\"stage\":" + json::quote(reflect::stage_name(ep.model)) +
                   ",\"driver\":" + json::quote(r.driver) +
                   ",\"device\":" + json::quote(r.device) + ",\"ok\":true,\"error\":null" +
                   ",\"method\":" + json::quote(r.method);
   if (!r.note.empty())
      o += ",\"note\":" + json::quote(r.note);
   if (!r.lacks.empty())
      o += ",\"device_lacks\":" + json::quote(r.lacks);
   if (ep.model == spv::ExecutionModelFragment)
      o += ",\"color_format\":" + json::quote(r.color_format);
   if (ep.model == spv::ExecutionModelGLCompute)
      o += ",\"local_size\":[" + std::to_string(io.local_size[0]) + "," + std::to_string(io.local_size[1]) + "," +
           std::to_string(io.local_size[2]) + "]";
   o += ",\"compile_ms_median\":" + ms(median(r.times.wall)) + ",\"compile_ms\":[";
   for (size_t i = 0; i < r.times.wall.size(); i++)
      o += (i ? "," : "") + ms(r.times.wall[i]);
   o += "],\"cpu_ms_median\":" + ms(median(r.times.cpu));
   if (!r.times.stage.empty())
      o += ",\"stage_ms_median\":" + ms(median(r.times.stage));
   o += std::string(",\"cache_hit\":") + (r.times.cache_hit ? "true" : "false");
   if (!io.warnings.empty()) {
      o += ",\"warnings\":[";
      for (size_t i = 0; i < io.warnings.size(); i++)
         o += (i ? "," : "") + json::quote(io.warnings[i]);
      o += "]";
   }
   o += ",\"executables\":[";
   for (size_t i = 0; i < r.executables.size(); i++)
      o += (i ? "," : "") + executable_text(r.executables[i]);
   o += "]}";
   return o;
}

// Returns the line about a shader that was not.
inline std::string failure(const std::string &file, const std::string &entry, const std::string &stage,
                           const std::string &driver, const std::string &device, const std::string &why,
                           const std::string &lacks, const std::string &log)
{
   std::string o = "{\"file\":" + json::quote(file);
   if (!entry.empty())
      o += ",\"entry\":" + json::quote(entry);
   o += ",\"stage\":" + (stage.empty() ? std::string("null") : json::quote(stage));
   o += ",\"driver\":" + json::quote(driver) + ",\"device\":" + json::quote(device);
   o += ",\"ok\":false,\"error\":" + json::quote(why);
   if (!lacks.empty())
      o += ",\"device_lacks\":" + json::quote(lacks);
   if (!log.empty())
      o += ",\"log\":" + json::quote(log);
   return o + ",\"executables\":[]}";
}

}   // namespace peerstat
