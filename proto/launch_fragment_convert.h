// Converts the launch record of a fragment program from the message and back. Internal to the
// conversion (launch_record_convert.h).
#ifndef KILN_PROTO_LAUNCH_FRAGMENT_CONVERT_H_
#define KILN_PROTO_LAUNCH_FRAGMENT_CONVERT_H_

#include "absl/status/status.h"
#include "core/out/launch_record.h"
#include "proto/launch_record.pb.h"

namespace kiln::proto {

// InvalidArgument names the unknown or inconsistent value.
absl::Status ReadFragment(const v1alpha::LaunchFragment& in, out::FragmentLaunch& result);
void WriteFragment(const out::FragmentLaunch& in, v1alpha::LaunchFragment& result);

}  // namespace kiln::proto

#endif  // KILN_PROTO_LAUNCH_FRAGMENT_CONVERT_H_
