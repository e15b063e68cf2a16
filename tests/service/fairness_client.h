// Clients of the fairness table (bench_fairness.cc): each a process of its own, so that none's work
// is in another's way but through the daemon.
#ifndef KILN_TESTS_SERVICE_FAIRNESS_CLIENT_H_
#define KILN_TESTS_SERVICE_FAIRNESS_CLIENT_H_

#include <grpcpp/grpcpp.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "proto/compiler.grpc.pb.h"

namespace kiln::test {

// How a crowd of calls is made.
struct Crowd {
  std::string address;  // of the daemon, "127.0.0.1:PORT"
  std::string source;   // the client's own address, "127.0.0.2"
  int connections = 1;
  int outstanding = 1;  // calls that wait at a time, over all connections
  int calls = 0;        // how many in all; 0: until the process is ended
  int loops = 0;        // of a module (Glsl); 0: the small one
  uint64_t first_salt = 0;
  bool hostile = false;  // comes again at once where it was refused
  // Takes only the processor time that all others leave, as a client on another machine takes none
  // of the daemon's.
  bool elsewhere = false;
};

// What a crowd came to.
struct CrowdResult {
  uint64_t answered = 0;
  uint64_t refused = 0;  // UNAVAILABLE; tried again when kilnd asks it to, as kiln does
};

// A channel over a connection of its own from `source` ("127.0.0.2") to `address`.
std::shared_ptr<grpc::Channel> ChannelFrom(const std::string& source, const std::string& address);

// A compute shader with a specialisation constant: each value of it is another result of about the
// same cost. `loops` 0: some 2 ms; otherwise so many loops over values that are all live.
std::string Glsl(int loops);
kiln::v1alpha::CompileRequest Request(const std::string& glsl, uint64_t salt);

// Keeps the crowd's calls under way; returns after `calls` of them. Exits where an answer is
// neither a result nor UNAVAILABLE.
CrowdResult Run(const Crowd& crowd);

// Runs the crowd in a process of its own, this executable with --crowd=...; it ends with its
// parent.
class CrowdProcess {
 public:
  explicit CrowdProcess(const Crowd& crowd);
  // Ends it.
  ~CrowdProcess();
  CrowdProcess(const CrowdProcess&) = delete;
  CrowdProcess& operator=(const CrowdProcess&) = delete;

  // What it has come to so far.
  CrowdResult Look();
  // Waits for its end by itself.
  CrowdResult Wait();

 private:
  bool ReadLine();
  pid_t pid_ = -1;
  int from_ = -1;
  std::string text_;
  CrowdResult last_;
};

// The other side of CrowdProcess: what main does first. True: this process was a crowd, and is
// done.
bool RunIfCrowd(int argc, char** argv);

}  // namespace kiln::test

#endif  // KILN_TESTS_SERVICE_FAIRNESS_CLIENT_H_
