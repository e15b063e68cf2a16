// Clocks, medians, names and contents of files.
#pragma once

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <time.h>

namespace fs = std::filesystem;

namespace peerstat {

inline double now_ms()
{
   timespec ts;
   clock_gettime(CLOCK_MONOTONIC, &ts);
   return double(ts.tv_sec) * 1e3 + double(ts.tv_nsec) / 1e6;
}

inline double cpu_ms()
{
   timespec ts;
   clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
   return double(ts.tv_sec) * 1e3 + double(ts.tv_nsec) / 1e6;
}

inline double median(std::vector<double> v)
{
   if (v.empty())
      return 0;
   std::sort(v.begin(), v.end());
   size_t n = v.size();
   return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

inline std::string ms(double v)
{
   char b[32];
   snprintf(b, sizeof b, "%.3f", v);
   return b;
}

// A file name made of a path: separators become '_', leading dots go.
inline std::string flat_name(const std::string &path)
{
   std::string o;
   for (char c : path) {
      bool ok = isalnum((unsigned char)c) || c == '.' || c == '-' || c == '_' || c == '+';
      o += ok ? c : '_';
   }
   size_t k = o.find_first_not_of("._");
   return k == std::string::npos ? "shader" : o.substr(k);
}

inline void write_file(const fs::path &p, const void *data, size_t n)
{
   FILE *f = fopen(p.c_str(), "wb");
   if (!f)
      throw std::runtime_error("cannot write " + p.string() + ": " + strerror(errno));
   bool ok = fwrite(data, 1, n, f) == n;
   ok &= fclose(f) == 0;
   if (!ok)
      throw std::runtime_error("short write to " + p.string());
}

inline std::string read_file(const fs::path &p)
{
   std::ifstream f(p, std::ios::binary);
   return {std::istreambuf_iterator<char>(f), {}};
}

// Returns the texts with ", " between them.
template <class Texts>
std::string joined(const Texts &texts)
{
   std::string o;
   for (auto &t : texts)
      o += (o.empty() ? "" : ", ") + t;
   return o;
}

}   // namespace peerstat
