// Whether a job, a launch record and machine code belong together.
//
// The simulator runs what it is given; these are the mistakes that would show only as wrong
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

// InvalidArgument names the resource (elements behind the last that the program may reach are
// resources that it does not use) or the attribute of vertices, or what is missing. `unused` allows
// resources and attributes that the program does not use: a job for several programs.
absl::Status CheckJobFits(const Job& job, const out::LaunchRecord& record, bool unused);

// The record, as JSON text and as read, is of this code: of its size, and of its SHA-256 where the
// record has one ("code_sha256"; Kiln's have). InvalidArgument otherwise.
absl::Status CheckRecordIsOf(absl::string_view record_text, const out::LaunchRecord& record,
                             absl::string_view code);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_FIT_H_
