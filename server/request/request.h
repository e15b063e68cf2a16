// Checks a request and computes the components of its keys.
//
// Everything that a client sends is bounded here, before any work on it. An error here is the
// caller's, and names the field; errors inside a shader are not looked for here.
#ifndef KILN_SERVER_REQUEST_REQUEST_H_
#define KILN_SERVER_REQUEST_REQUEST_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "kiln/v1/compile.pb.h"
#include "proto/worker.pb.h"
#include "server/cache/result_cache.h"
#include "server/config/config.h"
#include "server/key/key.h"
#include "server/request/wire_bounds.h"

namespace kiln::server {

// Fields that are wrong and why, for google.rpc.BadRequest.
using Violations = std::vector<std::pair<std::string, std::string>>;

class RequestChecker {
 public:
  // `hello`: the targets, stages and passes of the workers.
  RequestChecker(const worker::Hello& hello, const Limits& limits);

  // Returns the fields that are wrong; empty: the request is well-formed.
  Violations Check(const kiln::v1::CompileRequest& request) const;

  // Returns the components of a target that Check accepted.
  const cache::TargetComponents& Components(const std::string& target) const {
    return targets_.at(target);
  }

 private:
  void CheckSource(const kiln::v1::CompileRequest& request, Violations* out) const;
  void CheckGlsl(const kiln::v1::GlslSource& glsl, Violations* out) const;
  void CheckHlsl(const kiln::v1::GlslSource::Hlsl& hlsl, Violations* out) const;
  void CheckTargets(const kiln::v1::CompileRequest& request, Violations* out) const;
  void CheckOptions(const kiln::v1::CompileRequest& request, Violations* out) const;
  void CheckState(const kiln::v1::CompileRequest& request, Violations* out) const;
  void CheckStage(const char* field, const std::string& stage, Violations* out) const;

  Limits limits_;
  std::map<std::string, cache::TargetComponents> targets_;
  std::string target_names_;
  std::vector<std::string> containers_ = {"raw"};  // of any target; the last one is no name
  std::string container_names_;
  std::vector<std::string> scans_;      // forms of any target
  std::set<uint32_t> ngg_groups_;       // sizes of any target
  std::map<std::string, bool> passes_;  // optional or not
  std::map<std::string, bool> stages_;
  std::string stage_names_;
};

kiln::v1::Capabilities MakeCapabilities(const worker::Hello& hello, const Limits& limits,
                                        const std::string& version);

}  // namespace kiln::server

#endif  // KILN_SERVER_REQUEST_REQUEST_H_
