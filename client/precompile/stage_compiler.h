// Compiles stages for the results database: each unit once, whatever asks for it.
//
// A unit is all that a result depends on but the target. Results that the database has are not
// requested; of equal units in flight the daemon compiles one. Thread-safe.
#ifndef KILN_CLIENT_PRECOMPILE_STAGE_COMPILER_H_
#define KILN_CLIENT_PRECOMPILE_STAGE_COMPILER_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "client/compile/compile_file.h"
#include "client/database/result_rows.h"
#include "client/service/service.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// Returns the digest of a request's unit: of all but targets, outputs and cache policy.
// `request` has a source, or its digest.
UnitDigest UnitOf(const kiln::v1::CompileRequest& request);

class StageCompiler {
 public:
  // `known`: results that the database has, by target.
  StageCompiler(Service* service, const kiln::v1::Capabilities& capabilities,
                std::map<std::string, StoredResults> known)
      : service_(service), capabilities_(capabilities), known_(std::move(known)) {}

  // Sets the request's source; asked only if some result is unknown.
  using SourceOf = std::function<absl::Status(kiln::v1::CompileRequest*)>;

  // Returns an outcome for each target of the file's request, in their order. `unit` is the
  // request's; `settings` are for messages. Errors of `source`, and calls that fail for other
  // reasons than this request, are errors; Cancelled if the service was stopped.
  absl::StatusOr<std::vector<OutcomeRow>> Compile(const UnitDigest& unit, LoadedFile file,
                                                  const CompileSettings& settings,
                                                  const SourceOf& source);

  // Calls `write` with the known results, to which it adds those that it writes.
  absl::Status Update(
      const std::function<absl::Status(std::map<std::string, StoredResults>*)>& write);

  // Sets the outcome if the database has its result; false: it has none.
  bool FindStored(const std::string& target, const UnitDigest& unit, OutcomeRow* row);

  const kiln::v1::Capabilities& capabilities() const { return capabilities_; }
  Service* service() const { return service_; }

 private:
  Service* const service_;
  const kiln::v1::Capabilities& capabilities_;
  absl::Mutex mutex_;
  std::map<std::string, StoredResults> known_ ABSL_GUARDED_BY(mutex_);
};

// Returns an outcome of a unit's result, without code and records, but with what a fragment shader
// reads. Errors: a launch record of another version.
absl::StatusOr<OutcomeRow> OutcomeOf(const UnitDigest& unit, kiln::v1::TargetResult result);

// Returns an outcome of a result that is no compiler's.
OutcomeRow OutcomeWithoutUnit(kiln::v1::TargetResult result);

}  // namespace kiln::client

#endif  // KILN_CLIENT_PRECOMPILE_STAGE_COMPILER_H_
