// Rows of results, from compiling the stages of a pipeline, on their way into the database.
#ifndef KILN_CLIENT_DATABASE_RESULT_ROWS_H_
#define KILN_CLIENT_DATABASE_RESULT_ROWS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "kiln/v1/compile.pb.h"
#include "server/key/sha256.h"

namespace kiln::client {

// A digest of all that a stage is compiled from but the target; stages with the same share a
// result.
using UnitDigest = cache::Digest;

// A result that the database has.
struct StoredResult {
  int64_t id = 0;
  kiln::v1::TargetResult::Status status = kiln::v1::TargetResult::OK;
  std::string reads;  // NextStageReads as JSON, of fragment shaders that compiled; else empty
};

// By unit; one for each target.
using StoredResults = std::unordered_map<UnitDigest, StoredResult, cache::DigestHash>;

// The outcome of one stage for one target: `result`, or the one that the database has as `stored`.
struct OutcomeRow {
  std::string target;
  UnitDigest unit{};
  kiln::v1::TargetResult::Status status = kiln::v1::TargetResult::OK;
  std::shared_ptr<const kiln::v1::TargetResult> result;
  std::string reads;  // as in StoredResult
  int64_t stored = 0;
};

struct StageRow {
  std::string stage;
  std::string entry;
  std::string module;   // its hash in the capture; empty: not of a capture
  std::string name;     // given by a manifest
  std::string defines;  // separated by spaces
  std::string spec;     // "ID=TYPE:VALUE", separated by spaces
  uint32_t subgroup_size = 0;
  std::string state;  // PipelineState as JSON; empty: none
  std::vector<OutcomeRow> outcomes;
};

struct PipelineRow {
  int64_t source = 0;
  std::string name;  // unique in the source
  std::string file;  // in comparisons with JSON lines
  std::string kind;  // "graphics", "compute", "ray_tracing", "file", "pair"
  std::vector<StageRow> stages;
  std::vector<std::string> warnings = {};  // sentences for the user; not stored
};

// Returns true if the compiler has answered, so that asking again is of no use: not for crashes and
// time limits, nor for what the client found out itself.
bool IsFinal(const kiln::v1::TargetResult& result);

}  // namespace kiln::client

#endif  // KILN_CLIENT_DATABASE_RESULT_ROWS_H_
