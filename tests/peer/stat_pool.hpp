// The pool of workers: gives each a file at a time, prints results in the order of the files, and replaces a worker
// that crashed or took too long.
#pragma once

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "json.hpp"
#include "stat_options.hpp"
#include "stat_result.hpp"
#include "stat_util.hpp"
#include "stat_worker.hpp"

namespace peerstat {

inline volatile sig_atomic_t g_stop;   // set by a signal: leave through the clean-up

struct Worker {
   pid_t pid = -1;
   int to = -1, from = -1;
   std::string buffer, scratch, log_path;
   long job = -1;
   double deadline = 0;
   std::string stage, entry, lacks, driver, device;
};

class Pool {
public:
   Pool(const Options &o, const std::vector<std::string> &files) : opt_(o), files_(files)
   {
      char t[] = "/tmp/peerstat.XXXXXX";
      std::string base = t;
      if (const char *e = getenv("TMPDIR"); e && *e)
         base = std::string(e) + "/peerstat.XXXXXX";
      std::vector<char> b(base.begin(), base.end());
      b.push_back(0);
      if (!mkdtemp(b.data()))
         throw std::runtime_error("cannot create a directory for temporary files");
      dir_ = b.data();
   }
   ~Pool()
   {
      for (auto &w : workers_)
         stop(w);
      std::error_code ec;
      fs::remove_all(dir_, ec);
   }

   // Returns the number of failed shaders; throws when no worker can start.
   int run();

private:
   const Options &opt_;
   const std::vector<std::string> &files_;
   std::string dir_;
   std::vector<Worker> workers_;
   std::vector<std::vector<std::string>> results_;
   std::vector<bool> finished_;
   size_t next_ = 0, printed_ = 0;
   int failed_ = 0, lines_ = 0;
   bool identified_ = false;   // a worker has said which driver and device it has
   std::string fatal_;

   void start(Worker &w, size_t index);
   void stop(Worker &w);
   void give(Worker &w);
   void result(Worker &w, const std::string &line);
   void done(size_t job);
   void lost(Worker &w, size_t index, bool timeout);
   void receive(Worker &w, size_t index);
   void obey(Worker &w, char kind, const std::string &arg);
   std::string log_tail(Worker &w);
};

inline void Pool::start(Worker &w, size_t index)
{
   w.log_path = dir_ + "/log" + std::to_string(index);
   if (!opt_.dump_bin.empty()) {
      w.scratch = dir_ + "/bin" + std::to_string(index);
      fs::remove_all(w.scratch);
      fs::create_directories(w.scratch);
   }
   int a[2], b[2];
   if (pipe2(a, O_CLOEXEC) || pipe2(b, O_CLOEXEC))
      throw std::runtime_error("pipe failed");
   fflush(nullptr);
   pid_t pid = fork();
   if (pid < 0)
      throw std::runtime_error("fork failed");
   if (pid == 0) {
      close(a[1]);
      close(b[0]);
      for (auto &o : workers_) {
         if (o.to >= 0) close(o.to);
         if (o.from >= 0) close(o.from);
      }
      int log = open(w.log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
      int null = open("/dev/null", O_RDWR);
      if (null >= 0) {
         dup2(null, 0);
         dup2(log >= 0 ? log : null, 1);   // drivers may print to stdout
      }
      if (log >= 0)
         dup2(log, 2);
      worker_main(opt_, a[0], b[1], w.scratch);
   }
   close(a[0]);
   close(b[1]);
   w.pid = pid;
   w.to = a[1];
   w.from = b[0];
   w.buffer.clear();
   w.job = -1;
}

inline void Pool::stop(Worker &w)
{
   if (w.to >= 0) close(w.to);
   if (w.from >= 0) close(w.from);
   w.to = w.from = -1;
   if (w.pid > 0) {
      kill(w.pid, SIGKILL);
      while (waitpid(w.pid, nullptr, 0) < 0 && errno == EINTR)
         ;
   }
   w.pid = -1;
}

inline std::string Pool::log_tail(Worker &w)
{
   std::string s = read_file(w.log_path);
   // Every start of HASVK prints this; it says nothing about a shader.
   size_t k = s.find("MESA-INTEL: warning: Haswell Vulkan support is incomplete\n");
   if (k != std::string::npos)
      s.erase(k, s.find('\n', k) - k + 1);
   if (s.size() > 2000)
      s = s.substr(s.size() - 2000);
   while (!s.empty() && (s.back() == '\n' || s.back() == ' '))
      s.pop_back();
   return s;
}

inline void Pool::give(Worker &w)
{
   if (next_ >= files_.size()) {
      if (w.to >= 0) {
         close(w.to);
         w.to = -1;
      }
      w.job = -1;
      return;
   }
   w.job = long(next_++);
   w.stage.clear();
   w.entry.clear();
   w.deadline = now_ms() + opt_.timeout * 1e3;
   if (truncate(w.log_path.c_str(), 0) != 0) {
      // the log only decorates error messages
   }
   std::string l = files_[size_t(w.job)] + "\n";
   if (write(w.to, l.data(), l.size()) != ssize_t(l.size())) {
      // A dead worker shows up as end of file on its result pipe.
   }
}

inline void Pool::result(Worker &w, const std::string &line)
{
   std::string l = line;
   if (l.find(",\"ok\":true,") == std::string::npos) {
      failed_++;
      std::string tail = log_tail(w);
      if (!tail.empty() && l.find(",\"log\":") == std::string::npos) {
         size_t at = l.rfind(",\"executables\":[]}");
         if (at != std::string::npos)
            l.insert(at, ",\"log\":" + json::quote(tail));
      }
   }
   lines_++;
   results_[size_t(w.job)].push_back(l);
}

inline void Pool::done(size_t job)
{
   finished_[job] = true;
   while (printed_ < files_.size() && finished_[printed_]) {
      for (auto &l : results_[printed_])
         puts(l.c_str());
      results_[printed_].clear();
      printed_++;
   }
   fflush(stdout);
   if (!opt_.quiet && isatty(2))
      fprintf(stderr, "\r%zu/%zu", printed_, files_.size());
}

inline void Pool::lost(Worker &w, size_t index, bool timeout)
{
   int status = 0;
   if (timeout)
      kill(w.pid, SIGKILL);
   while (waitpid(w.pid, &status, 0) < 0 && errno == EINTR)
      ;
   w.pid = -1;
   std::string why;
   if (timeout)
      why = "time limit of " + std::to_string(opt_.timeout) + " s exceeded";
   else if (WIFSIGNALED(status))
      why = std::string("compiler crashed: ") + strsignal(WTERMSIG(status));
   else
      why = "compiler ended the process, status " + std::to_string(WEXITSTATUS(status));
   if (w.job >= 0) {
      result(w, failure(files_[size_t(w.job)], w.entry, w.stage, w.driver, w.device, why, w.lacks, ""));
      done(size_t(w.job));
   }
   stop(w);
   if (next_ < files_.size()) {
      start(w, index);
      give(w);
   }
}

// Reads what a worker has written; takes note of its end.
inline void Pool::receive(Worker &w, size_t index)
{
   char b[65536];
   ssize_t got = read(w.from, b, sizeof b);
   if (got < 0 && errno == EINTR)
      return;
   if (got <= 0) {
      if (w.job < 0)
         return stop(w);
      if (!identified_ && fatal_.empty())
         fatal_ = "the driver crashed while starting up\n" + log_tail(w);
      if (!identified_)
         throw std::runtime_error(fatal_);
      return lost(w, index, false);
   }
   w.buffer.append(b, size_t(got));
   for (size_t nl; (nl = w.buffer.find('\n')) != std::string::npos;) {
      std::string l = w.buffer.substr(0, nl);
      w.buffer.erase(0, nl + 1);
      if (!l.empty())
         obey(w, l[0], l.size() > 2 ? l.substr(2) : "");
   }
}

// Acts on one line of a worker (stat_worker.hpp).
inline void Pool::obey(Worker &w, char kind, const std::string &arg)
{
   size_t tab = arg.find('\t');
   switch (kind) {
   case 'F':
      fatal_ = arg + (log_tail(w).empty() ? "" : "\n" + log_tail(w));
      break;
   case 'I':
      identified_ = true;
      w.driver = arg.substr(0, tab);
      w.device = tab == std::string::npos ? "" : arg.substr(tab + 1);
      break;
   case 'S': {
      size_t tab2 = arg.find('\t', tab + 1);
      w.stage = arg.substr(0, tab);
      w.entry = arg.substr(tab + 1, tab2 - tab - 1);
      w.lacks = arg.substr(tab2 + 1);
      break;
   }
   case 'R':
      result(w, arg);
      break;
   case 'D':
      done(size_t(w.job));
      give(w);
      break;
   }
}

inline int Pool::run()
{
   results_.resize(files_.size());
   finished_.resize(files_.size());
   workers_.resize(std::min(size_t(std::max(1, opt_.jobs)), files_.size()));
   for (size_t i = 0; i < workers_.size(); i++) {
      start(workers_[i], i);
      give(workers_[i]);
   }
   while (printed_ < files_.size()) {
      std::vector<pollfd> pf;
      std::vector<size_t> who;
      double wait = 1e9;
      for (size_t i = 0; i < workers_.size(); i++) {
         if (workers_[i].from < 0)
            continue;
         pf.push_back({workers_[i].from, POLLIN, 0});
         who.push_back(i);
         if (workers_[i].job >= 0)
            wait = std::min(wait, workers_[i].deadline - now_ms());
      }
      if (pf.empty())
         break;
      if (g_stop)
         throw std::runtime_error("interrupted");
      int r = poll(pf.data(), pf.size(), int(std::max(0.0, std::min(wait, 1e6))) + 1);
      if (r < 0) {
         if (errno != EINTR)
            throw std::runtime_error("poll failed");
         continue;
      }
      for (size_t k = 0; k < pf.size(); k++) {
         Worker &w = workers_[who[k]];
         if (pf[k].revents)
            receive(w, who[k]);
         else if (w.job >= 0 && now_ms() > w.deadline)
            lost(w, who[k], true);
      }
      if (!fatal_.empty() && !identified_)
         throw std::runtime_error(fatal_);
   }
   if (!opt_.quiet)
      fprintf(stderr, "%speerstat: %d results from %zu files, %d failed\n", isatty(2) ? "\r" : "", lines_,
              files_.size(), failed_);
   return failed_;
}

}   // namespace peerstat
