// What peerstat is asked to do: the command line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <vulkan/vulkan.h>

namespace fs = std::filesystem;

namespace peerstat {

struct Options {
   int runs = 3;
   int jobs = 1;
   int timeout = 60;
   int device = 0;
   long mem_mb = 0;
   std::string entry;
   std::string method = "auto";
   VkFormat color = VK_FORMAT_R32G32B32A32_SFLOAT;
   std::string color_name = "rgba32f";
   bool robust = false;
   uint32_t view_mask = 0;
   uint32_t subgroup_size = 0;     // required of compute shaders; 0: the driver chooses
   std::string dump_asm, dump_bin;
   bool quiet = false;
};

[[noreturn]] inline void usage(int rc)
{
   fprintf(rc ? stderr : stdout,
           "usage: peerstat [options] FILE.spv | DIRECTORY | @LIST ...\n"
           "  --runs N          timed compiles per shader (default 3)\n"
           "  --jobs N          worker processes (default 1; more disturb the times)\n"
           "  --timeout S       seconds one shader may take in all (default 60)\n"
           "  --mem-limit MB    address space limit of a worker (default none)\n"
           "  --entry NAME      only this entry point (default: all in a module)\n"
           "  --method M        auto | gpl | linked, for graphics stages (default auto)\n"
           "  --color-format F  rgba8 | rgba16f | rgba32f for float colour outputs\n"
           "                    (default rgba32f)\n"
           "  --robust          enable robustBufferAccess and robustImageAccess\n"
           "  --view-mask MASK  graphics pipelines are for these views of multiview, a bit each\n"
           "  --subgroup-size N compute shaders must have this subgroup size (default: the driver's choice)\n"
           "  --dump-asm DIR    write the compiler's internal representations as text\n"
           "  --dump-bin DIR    write the machine code of every executable and, for ANV and\n"
           "                    RADV, how to launch it (FILE.launch.json)\n"
           "  --device N        index of the physical device (default 0)\n"
           "  --list            print the device and exit\n"
           "  --quiet           no progress and no summary on stderr\n"
           "A directory is searched for *.spv; @LIST names a file with one path per line,\n"
           "@- reads that list from standard input.\n");
   exit(rc);
}

// Appends the files that an argument names: a file, the *.spv of a folder, or the lines of a list.
inline void collect(const std::string &arg, std::vector<std::string> &files)
{
   if (arg.size() > 1 && arg[0] == '@') {
      std::string name = arg.substr(1);
      std::ifstream f;
      std::istream *in = &std::cin;
      if (name != "-") {
         f.open(name);
         if (!f)
            throw std::runtime_error("cannot open list " + name);
         in = &f;
      }
      for (std::string l; std::getline(*in, l);)
         if (!l.empty())
            files.push_back(l);
      return;
   }
   if (fs::is_directory(arg)) {
      std::vector<std::string> found;
      for (auto &e : fs::recursive_directory_iterator(arg, fs::directory_options::skip_permission_denied))
         if (e.is_regular_file() && e.path().extension() == ".spv")
            found.push_back(e.path().string());
      std::sort(found.begin(), found.end());
      files.insert(files.end(), found.begin(), found.end());
      return;
   }
   files.push_back(arg);
}

struct CommandLine {
   Options opt;
   std::vector<std::string> files;
   bool list = false;   // print the device, compile nothing
};

// Reads the command line. Throws std::runtime_error with a sentence for the user; prints the usage and exits if asked to.
inline CommandLine parse_arguments(int argc, char **argv)
{
   CommandLine c;
   auto number = [](const std::string &name, const char *s, long lo, long hi) {
      char *e;
      long v = strtol(s, &e, 10);
      if (*e || e == s || v < lo || v > hi)
         throw std::runtime_error("bad value for " + name + ": " + s);
      return v;
   };
   for (int i = 1; i < argc; i++) {
      std::string a = argv[i];
      auto val = [&]() -> const char * {
         if (i + 1 >= argc)
            throw std::runtime_error(a + " needs a value");
         return argv[++i];
      };
      if (a == "--runs") c.opt.runs = int(number(a, val(), 1, 1000));
      else if (a == "--jobs") c.opt.jobs = int(number(a, val(), 1, 256));
      else if (a == "--timeout") c.opt.timeout = int(number(a, val(), 1, 86400));
      else if (a == "--mem-limit") c.opt.mem_mb = number(a, val(), 1, 1 << 20);
      else if (a == "--device") c.opt.device = int(number(a, val(), 0, 64));
      else if (a == "--entry") c.opt.entry = val();
      else if (a == "--method") {
         c.opt.method = val();
         if (c.opt.method != "auto" && c.opt.method != "gpl" && c.opt.method != "linked")
            throw std::runtime_error("unknown method " + c.opt.method);
      } else if (a == "--color-format") {
         c.opt.color_name = val();
         if (c.opt.color_name == "rgba8") c.opt.color = VK_FORMAT_R8G8B8A8_UNORM;
         else if (c.opt.color_name == "rgba16f") c.opt.color = VK_FORMAT_R16G16B16A16_SFLOAT;
         else if (c.opt.color_name == "rgba32f") c.opt.color = VK_FORMAT_R32G32B32A32_SFLOAT;
         else throw std::runtime_error("unknown colour format " + c.opt.color_name);
      } else if (a == "--robust") c.opt.robust = true;
      else if (a == "--view-mask") c.opt.view_mask = uint32_t(std::stoul(val(), nullptr, 0));
      else if (a == "--subgroup-size") c.opt.subgroup_size = uint32_t(number(a, val(), 1, 128));
      else if (a == "--dump-asm") c.opt.dump_asm = val();
      else if (a == "--dump-bin") c.opt.dump_bin = val();
      else if (a == "--list") c.list = true;
      else if (a == "--quiet") c.opt.quiet = true;
      else if (a == "--help" || a == "-h") usage(0);
      else if (a.size() > 1 && a[0] == '-') throw std::runtime_error("unknown option " + a);
      else collect(a, c.files);
   }
   if (c.files.empty() && !c.list)
      throw std::runtime_error("no shader files given (try --help)");
   for (auto &f : c.files)
      if (f.find('\n') != std::string::npos)
         throw std::runtime_error("a file name contains a line break");
   return c;
}

}   // namespace peerstat
