// The system headers that most sources read, compiled once (pch.bzl). A source still includes what
// it uses: builds with sanitisers read no precompiled header.
#ifndef KILN_DEPLOY_BAZEL_LIBRARY_HEADERS_H_
#define KILN_DEPLOY_BAZEL_LIBRARY_HEADERS_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"

#endif  // KILN_DEPLOY_BAZEL_LIBRARY_HEADERS_H_
