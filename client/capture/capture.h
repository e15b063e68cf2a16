// A capture of Fossilize: the pipelines of an application, in one file or several.
//
// Fossilize writes base.foz and, from later runs, base.1.foz, base.2.foz and so on: together they
// are one capture, whichever of them is named. An entry of one may refer to any other's. If several
// entries have the same kind and hash, the first that can be read counts: the hash is that of their
// contents.
#ifndef KILN_CLIENT_CAPTURE_CAPTURE_H_
#define KILN_CLIENT_CAPTURE_CAPTURE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/capture/foz_file.h"

namespace kiln::client {

struct PipelineId {
  FozTag kind = FozTag::kComputePipeline;
  uint64_t hash = 0;

  // Returns "graphics/0123456789abcdef"; "compute", "ray_tracing".
  std::string Name() const;
  friend bool operator==(const PipelineId&, const PipelineId&) = default;
};

// Returns "graphics", "compute", "ray_tracing"; empty for other tags.
std::string PipelineKindWord(FozTag kind);

bool IsCaptureName(absl::string_view path);

// Returns the path of base.foz of the capture that `path` belongs to.
std::string CaptureBase(absl::string_view path);

class Capture {
 public:
  // Opens base.foz and all of base.N.foz beside it that exist, in the order of N. Errors: those of
  // FozFile::Open, and NotFound if none of them exists.
  static absl::StatusOr<std::unique_ptr<Capture>> Open(const std::string& base);

  // By kind, then by hash: the same order whichever file has them.
  const std::vector<PipelineId>& pipelines() const { return pipelines_; }

  // Returns the payload; may be called from several threads. NotFound: no file has it; DataLoss: it
  // is damaged in every file that has it.
  absl::StatusOr<std::string> Payload(FozTag tag, uint64_t hash) const;
  // Returns the SPIR-V of a module. Errors are those of Payload and ModuleCode.
  absl::StatusOr<std::string> Module(uint64_t hash) const;

  // Says of each file that is cut or damaged where it is; empty: none is.
  const std::string& trouble() const { return trouble_; }

 private:
  Capture() = default;
  void ListPipelines();

  std::vector<std::unique_ptr<FozFile>> files_;
  std::vector<PipelineId> pipelines_;
  std::string trouble_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_CAPTURE_CAPTURE_H_
