// The scalars of a location in launch records. Internal to the conversion.
#ifndef KILN_PROTO_LAUNCH_PARTS_H_
#define KILN_PROTO_LAUNCH_PARTS_H_

#include <vector>

#include "core/out/launch_record.h"
#include "proto/launch_record.pb.h"

namespace kiln::proto {

using LaunchInputs = google::protobuf::RepeatedPtrField<v1alpha::LaunchInput>;

inline void ReadParts(const LaunchInputs& in, std::vector<out::LocationPart>& result) {
  for (const v1alpha::LaunchInput& p : in) {
    result.push_back({p.component(), p.components(), p.type(), p.bits(), p.flat()});
  }
}

inline void WriteParts(const std::vector<out::LocationPart>& in, LaunchInputs& result) {
  for (const out::LocationPart& p : in) {
    v1alpha::LaunchInput& part = *result.Add();
    part.set_component(p.component);
    part.set_components(p.components);
    part.set_type(p.type);
    part.set_bits(p.bits);
    part.set_flat(p.flat);
  }
}

}  // namespace kiln::proto

#endif  // KILN_PROTO_LAUNCH_PARTS_H_
