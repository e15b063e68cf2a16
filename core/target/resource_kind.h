// The kind by which a launch record names a resource of a module.
#ifndef KILN_CORE_TARGET_RESOURCE_KIND_H_
#define KILN_CORE_TARGET_RESOURCE_KIND_H_

#include "core/mir/mir.h"
#include "core/out/resources.h"

namespace kiln {

out::ResourceKind ResourceKindOf(mir::ResourceKind kind);

}  // namespace kiln

#endif  // KILN_CORE_TARGET_RESOURCE_KIND_H_
