// masked_worker: executes kiln_worker.real, in its own folder, with FMA and AVX2 masked from the C
// library. A variable or a script could not do this: workers are started by descriptor and without
// an environment. Used by determinism.py.
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>

int main(int, char** argv) {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return 1;
  std::string real(path, static_cast<size_t>(length));
  real.resize(real.rfind('/') + 1);
  real += "kiln_worker.real";
  setenv("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2,-AVX,-FMA,-FMA4,-AVX512F,-ERMS", 1);
  execv(real.c_str(), argv);
  perror(real.c_str());
  return 1;
}
