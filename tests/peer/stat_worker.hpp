// A worker: a child process that compiles the files whose names it reads, and writes what came of each. The pool
// (stat_pool.hpp) replaces it when the compiler crashes or exceeds the time limit.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "spirv_reflect.hpp"
#include "stat_compiler.hpp"
#include "stat_options.hpp"
#include "stat_result.hpp"

namespace peerstat {

// Child -> parent, one line each:
//   "I driver\tdevice"  identification, once
//   "S stage\tentry\tlacks"  about to compile; capabilities the device lacks
//   "R json"            a result
//   "D"                 file finished
//   "F text"            the worker cannot start at all
inline void send_line(int fd, const std::string &s)
{
   std::string l = s + "\n";
   for (size_t at = 0; at < l.size();) {
      ssize_t n = write(fd, l.data() + at, l.size() - at);
      if (n < 0 && errno == EINTR)
         continue;
      if (n <= 0)
         _exit(3);
      at += size_t(n);
   }
}

[[noreturn]] inline void worker_main(const Options &opt, int in, int out, const std::string &scratch)
{
   prctl(PR_SET_PDEATHSIG, SIGKILL);
   for (int sig : {SIGINT, SIGTERM, SIGHUP})
      signal(sig, SIG_IGN);   // the parent decides
   if (opt.mem_mb > 0) {
      rlimit rl{rlim_t(opt.mem_mb) << 20, rlim_t(opt.mem_mb) << 20};
      setrlimit(RLIMIT_AS, &rl);
   }
   rlimit core{0, 0};
   setrlimit(RLIMIT_CORE, &core);
   if (!scratch.empty())
      setenv("INTEL_SHADER_BIN_DUMP_PATH", scratch.c_str(), 1);

   std::unique_ptr<Compiler> comp;
   try {
      comp = std::make_unique<Compiler>(opt, scratch);
   } catch (const std::exception &e) {
      send_line(out, std::string("F ") + e.what());
      _exit(4);
   }
   const std::string driver = comp->driver(), device = comp->instance().props.deviceName;
   send_line(out, "I " + driver + "\t" + device);

   FILE *f = fdopen(in, "r");
   char *line = nullptr;
   size_t cap = 0;
   ssize_t n;
   while (f && (n = getline(&line, &cap, f)) > 0) {
      std::string file(line, size_t(n));
      while (!file.empty() && file.back() == '\n')
         file.pop_back();
      try {
         reflect::Module m = reflect::Module::load(file);
         size_t matched = 0;
         for (auto &ep : m.entries) {
            if (!opt.entry.empty() && ep.name != opt.entry)
               continue;
            matched++;
            std::string lacks;
            try {
               lacks = joined(comp->device_for(m).missing(m));
               send_line(out, std::string("S ") + reflect::stage_name(ep.model) + "\t" + ep.name + "\t" + lacks);
               comp->take_messages();
               send_line(out, "R " + comp->run(file, m, ep, m.entries.size() > 1));
            } catch (const std::exception &e) {
               send_line(out, "R " + failure(file, ep.name, reflect::stage_name(ep.model), driver, device,
                                             e.what(), lacks, comp->take_messages()));
            }
         }
         if (!matched)
            send_line(out, "R " + failure(file, opt.entry, "", driver, device, "no such entry point", "", ""));
      } catch (const std::exception &e) {
         send_line(out, "R " + failure(file, "", "", driver, device, e.what(), "", ""));
      }
      send_line(out, "D");
   }
   // Skip the drivers' exit handlers: nothing is left to save.
   _exit(0);
}

}   // namespace peerstat
