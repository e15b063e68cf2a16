// grpc.reflection.v1alpha.ServerReflection: which services there are, and their messages.
//
// gRPC's own is not used, since it parses whatever a client sends, up to the bound on messages, and
// registers itself wherever it is linked. One request of a stream is answered at a time; the next
// is not read before its answer is written. What is told is the services' own files and what they
// need, from a pool of their own: protobuf's pool of all generated files has those of the workers'
// protocol too, and remembers names that it does not know. Files are serialized once, at the start,
// and answers share their bytes: streams that read none hold little.
#ifndef KILN_SERVER_RPC_REFLECTION_SERVICE_H_
#define KILN_SERVER_RPC_REFLECTION_SERVICE_H_

#include <google/protobuf/descriptor.h>
#include <grpcpp/grpcpp.h>

#include <map>
#include <string>
#include <vector>

#include "proto/reflection.grpc.pb.h"
#include "server/rpc/clients.h"

namespace kiln::server {

class ReflectionService final : public grpc::reflection::v1alpha::ServerReflection::
                                    WithRawCallbackMethod_ServerReflectionInfo<
                                        grpc::reflection::v1alpha::ServerReflection::Service> {
 public:
  // More than the names in a request, twice.
  static constexpr size_t kMaxRequestBytes = 4096;

  // `names`: full names of services that the program is linked with, itself included. `connections`
  // outlives it; null: calls are not counted.
  explicit ReflectionService(std::vector<std::string> names,
                             const net::ConnectionTable* connections = nullptr);

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ServerReflectionInfo(
      grpc::CallbackServerContext* context) override;

  // A ServerReflectionResponse; an error of the request is within.
  grpc::ByteBuffer Answer(const grpc::reflection::v1alpha::ServerReflectionRequest& request) const;

 private:
  // The file of another pool, after those that it needs.
  void Add(const google::protobuf::FileDescriptor& file);

  const std::vector<std::string> names_;
  const net::ConnectionTable* const connections_;
  google::protobuf::DescriptorPool pool_;
  // Of all files of the pool: the part of an answer that tells of it and what it needs.
  std::map<const google::protobuf::FileDescriptor*, grpc::Slice> files_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_REFLECTION_SERVICE_H_
