// The services under kiln.v1alpha, the name that their package had before it was kiln.v1, for
// clients built from the .proto files of then. Messages are the same bytes: methods go to the
// handlers of today's names. Answered until the release after the one that brought kiln.v1.
#ifndef KILN_SERVER_RPC_V1ALPHA_H_
#define KILN_SERVER_RPC_V1ALPHA_H_

#include <google/protobuf/descriptor.pb.h>
#include <grpcpp/grpcpp.h>

#include <string>
#include <vector>

#include "server/quarantine/admin_service.h"
#include "server/rpc/service.h"

namespace kiln::server {

inline constexpr char kV1AlphaCompiler[] = "kiln.v1alpha.Compiler";
inline constexpr char kV1AlphaAdmin[] = "kiln.v1alpha.Admin";

// The methods of both services.
class V1AlphaServices final : public grpc::Service {
 public:
  // Both outlive the server with which this is registered.
  V1AlphaServices(CompilerService* compiler, AdminService* admin);
};

// Returns the files of kiln.v1 with the package and the paths that they had as kiln.v1alpha, each
// after those that it imports: what reflection tells about the old names. Options are left out, so
// that code generated from them does not collide with that of kiln.v1.
std::vector<google::protobuf::FileDescriptorProto> V1AlphaFiles();

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_V1ALPHA_H_
