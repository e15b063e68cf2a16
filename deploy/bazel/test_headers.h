// The system headers that most tests read, compiled once (pch.bzl). A test still includes what it
// uses: builds with sanitisers read no precompiled header.
#ifndef KILN_DEPLOY_BAZEL_TEST_HEADERS_H_
#define KILN_DEPLOY_BAZEL_TEST_HEADERS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "deploy/bazel/library_headers.h"

#endif  // KILN_DEPLOY_BAZEL_TEST_HEADERS_H_
