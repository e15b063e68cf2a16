// The system headers that most tests read, compiled once (pch.bzl). A test still includes what it
// uses: builds with sanitisers read no precompiled header.
#ifndef KILN_DEPLOY_BAZEL_TEST_HEADERS_H_
#define KILN_DEPLOY_BAZEL_TEST_HEADERS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"

#endif  // KILN_DEPLOY_BAZEL_TEST_HEADERS_H_
