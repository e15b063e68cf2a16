// The services under their old package's name: see v1alpha.h.
#include "server/rpc/v1alpha.h"

#include <google/protobuf/descriptor.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "kiln/v1/admin.pb.h"
#include "kiln/v1/compiler.pb.h"

namespace kiln::server {
namespace {

using google::protobuf::DescriptorProto;
using google::protobuf::FileDescriptor;
using google::protobuf::FileDescriptorProto;
using grpc::ByteBuffer;
using grpc::CallbackServerContext;
using Method = grpc::internal::RpcMethod;

// Returns `name` with another beginning, if it has this one.
std::string Moved(const std::string& name, absl::string_view from, absl::string_view to) {
  absl::string_view rest = name;
  return absl::ConsumePrefix(&rest, from) ? absl::StrCat(to, rest) : name;
}

std::string OldType(const std::string& name) { return Moved(name, ".kiln.v1.", ".kiln.v1alpha."); }
std::string OldPath(const std::string& path) { return Moved(path, "kiln/v1/", "proto/"); }

void RenameTypes(DescriptorProto* message) {
  for (auto& field : *message->mutable_field()) {
    if (field.has_type_name()) field.set_type_name(OldType(field.type_name()));
  }
  for (auto& nested : *message->mutable_nested_type()) RenameTypes(&nested);
}

FileDescriptorProto OldFile(const FileDescriptor& file) {
  FileDescriptorProto old;
  file.CopyTo(&old);
  old.set_name(OldPath(old.name()));
  old.set_package("kiln.v1alpha");
  old.clear_options();
  for (std::string& path : *old.mutable_dependency()) path = OldPath(path);
  for (auto& message : *old.mutable_message_type()) RenameTypes(&message);
  for (auto& service : *old.mutable_service()) {
    for (auto& method : *service.mutable_method()) {
      method.set_input_type(OldType(method.input_type()));
      method.set_output_type(OldType(method.output_type()));
    }
  }
  return old;
}

// Adds the file after those that it imports, each once.
void AddFile(const FileDescriptor& file, std::set<const FileDescriptor*>* seen,
             std::vector<FileDescriptorProto>* files) {
  if (!seen->insert(&file).second) return;
  for (int i = 0; i < file.dependency_count(); ++i) AddFile(*file.dependency(i), seen, files);
  files->push_back(OldFile(file));
}

template <typename Service>
using UnaryMethod = grpc::ServerUnaryReactor* (Service::*)(CallbackServerContext*,
                                                           const ByteBuffer*, ByteBuffer*);

template <typename Service>
grpc::internal::MethodHandler* Unary(Service* service, UnaryMethod<Service> method) {
  return new grpc::internal::CallbackUnaryHandler<ByteBuffer, ByteBuffer>(
      [service, method](CallbackServerContext* context, const ByteBuffer* request,
                        ByteBuffer* response) {
        return (service->*method)(context, request, response);
      });
}

}  // namespace

V1AlphaServices::V1AlphaServices(CompilerService* compiler, AdminService* admin) {
  int methods = 0;
  // As the code that gRPC generates: it keeps the path's pointer, and owns method and handler.
  const auto add = [&](const char* path, Method::RpcType type,
                       grpc::internal::MethodHandler* handler) {
    AddMethod(new grpc::internal::RpcServiceMethod(path, type, nullptr));
    MarkMethodRawCallback(methods++, handler);
  };
  const Method::RpcType one = Method::NORMAL_RPC;
  add("/kiln.v1alpha.Compiler/GetCapabilities", one,
      Unary(compiler, &CompilerService::GetCapabilities));
  add("/kiln.v1alpha.Compiler/Compile", one, Unary(compiler, &CompilerService::Compile));
  add("/kiln.v1alpha.Compiler/CompileStream", Method::BIDI_STREAMING,
      new grpc::internal::CallbackBidiHandler<ByteBuffer, ByteBuffer>(
          [compiler](CallbackServerContext* context) { return compiler->CompileStream(context); }));
  add("/kiln.v1alpha.Admin/ListQuarantine", one, Unary(admin, &AdminService::ListQuarantine));
  add("/kiln.v1alpha.Admin/ShowQuarantine", one, Unary(admin, &AdminService::ShowQuarantine));
  add("/kiln.v1alpha.Admin/ClearQuarantine", one, Unary(admin, &AdminService::ClearQuarantine));
}

std::vector<FileDescriptorProto> V1AlphaFiles() {
  std::vector<FileDescriptorProto> files;
  std::set<const FileDescriptor*> seen;
  AddFile(*v1::StreamRequest::descriptor()->file(), &seen, &files);
  AddFile(*v1::QuarantineList::descriptor()->file(), &seen, &files);
  return files;
}

}  // namespace kiln::server
