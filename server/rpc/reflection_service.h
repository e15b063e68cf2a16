// grpc.reflection.v1alpha.ServerReflection: tells clients the daemon's services and their messages.
//
// gRPC's own implementation is not used, since it parses whatever a client sends, up to the bound
// on messages, and registers itself wherever it is linked. One request of a stream is answered at a
// time; the next is not read before its answer is written. Answers cover the services' own files
// and those that they import, from a separate pool: protobuf's pool of all generated files has
// those of the workers' protocol too, and remembers names that it does not know. Files are
// serialized once, at the start, and answers share their bytes: streams whose clients do not read
// hold little.
#ifndef KILN_SERVER_RPC_REFLECTION_SERVICE_H_
#define KILN_SERVER_RPC_REFLECTION_SERVICE_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
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
  // Twice as much as the names in a request take, and more.
  static constexpr size_t kMaxRequestBytes = 4096;

  // `names`: full names of the daemon's services, including this one. `files`: of those that the
  // program has no generated code of, each after those that it imports. `connections` outlives it;
  // null: calls are not counted.
  ReflectionService(std::vector<std::string> names,
                    const std::vector<google::protobuf::FileDescriptorProto>& files,
                    const net::ConnectionTable* connections);

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ServerReflectionInfo(
      grpc::CallbackServerContext* context) override;

  // Returns a ServerReflectionResponse; it also carries an error of the request.
  grpc::ByteBuffer Answer(const grpc::reflection::v1alpha::ServerReflectionRequest& request) const;

 private:
  // Adds a file of another pool, after those that it imports.
  void Add(const google::protobuf::FileDescriptor& file);
  void Add(const google::protobuf::FileDescriptorProto& file);

  const std::vector<std::string> names_;
  const net::ConnectionTable* const connections_;
  google::protobuf::DescriptorPool pool_;
  // For each file of the pool: the part of an answer with it and its imports.
  std::map<const google::protobuf::FileDescriptor*, grpc::Slice> files_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_REFLECTION_SERVICE_H_
