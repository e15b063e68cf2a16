// Clients of the fairness table (bench_fairness.cc): each a separate process, so that they affect
// each other only through the daemon.
#ifndef KILN_TESTS_SERVICE_FAIRNESS_CLIENT_H_
#define KILN_TESTS_SERVICE_FAIRNESS_CLIENT_H_

#include <grpcpp/grpcpp.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kiln/v1/compiler.grpc.pb.h"

namespace kiln::test {

// Describes a crowd of calls.
struct Crowd {
  std::string address;  // the daemon's, "127.0.0.1:PORT"
  std::string source;   // the client's own address, "127.0.0.2"
  int connections = 1;
  int outstanding = 1;  // calls that wait at a time, over all connections
  int calls = 0;        // the number in all; 0: until the process is ended
  int loops = 0;        // of the module (see Glsl); 0: the small one
  uint64_t first_salt = 0;
  bool hostile = false;  // retries refused calls at once
  // Takes only processor time that no other process wants, as a client on another machine takes
  // none of the daemon's.
  bool elsewhere = false;
};

// Counts of a crowd's calls by outcome.
struct CrowdResult {
  uint64_t answered = 0;
  uint64_t refused = 0;  // UNAVAILABLE; retried when kilnd asks it to, as kiln does
};

// Returns a channel over a new connection from `source` ("127.0.0.2") to `address`.
std::shared_ptr<grpc::Channel> ChannelFrom(const std::string& source, const std::string& address);

// Returns a compute shader with a specialisation constant: each value of it gives another result of
// about the same cost. `loops` 0: some 2 ms; otherwise so many loops over values that are all live.
std::string Glsl(int loops);
kiln::v1::CompileRequest Request(const std::string& glsl, uint64_t salt);

// Keeps the crowd's calls in flight; returns after `calls` of them. Exits if an answer is neither a
// result nor UNAVAILABLE.
CrowdResult Run(const Crowd& crowd);

// Runs the crowd in a separate process, this executable with --crowd=...; it ends with its parent.
class CrowdProcess {
 public:
  explicit CrowdProcess(const Crowd& crowd);
  // Ends it.
  ~CrowdProcess();
  CrowdProcess(const CrowdProcess&) = delete;
  CrowdProcess& operator=(const CrowdProcess&) = delete;

  // Returns the counts so far.
  CrowdResult Look();
  // Waits until it ends by itself.
  CrowdResult Wait();

 private:
  bool ReadLine();
  pid_t pid_ = -1;
  int from_ = -1;
  std::string text_;
  CrowdResult last_;
};

// The child side of CrowdProcess, to be called first in main. Returns true if this process was a
// crowd, and is done.
bool RunIfCrowd(int argc, char** argv);

}  // namespace kiln::test

#endif  // KILN_TESTS_SERVICE_FAIRNESS_CLIENT_H_
