// The headers of sources that use gRPC or protobuf, compiled once (pch.bzl).
#ifndef KILN_DEPLOY_BAZEL_SERVICE_HEADERS_H_
#define KILN_DEPLOY_BAZEL_SERVICE_HEADERS_H_

#include <google/protobuf/message.h>
#include <google/protobuf/repeated_field.h>
#include <grpcpp/grpcpp.h>

#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "deploy/bazel/library_headers.h"

#endif  // KILN_DEPLOY_BAZEL_SERVICE_HEADERS_H_
