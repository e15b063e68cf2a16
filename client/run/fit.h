// Checks that a job, a launch record and machine code belong together.
//
// The simulator runs any combination; these checks find mistakes that would show only as wrong
// numbers: data for a binding that the program does not have, push constants that end too early,
// the record of another program.
#ifndef KILN_CLIENT_RUN_FIT_H_
#define KILN_CLIENT_RUN_FIT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "client/run/job.h"
#include "core/out/launch_record.h"

namespace kiln::client::run {

// InvalidArgument names the unused resource (an element after the last that the program may access
// is one) or attribute of vertices, or the missing one. `unused` allows resources and attributes
// that the program does not use: a job for several programs. `vertex`: the record of the vertex
// shader of a pair, else null.
absl::Status CheckJobFits(const Job& job, const out::LaunchRecord* vertex,
                          const out::LaunchRecord& record, bool unused);

// Checks that the record, as JSON text and as read, belongs to this code: by its size, and by its
// SHA-256 if the record has one ("code_sha256"; Kiln's have). InvalidArgument otherwise.
absl::Status CheckRecordIsOf(absl::string_view record_text, const out::LaunchRecord& record,
                             absl::string_view code);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_FIT_H_
