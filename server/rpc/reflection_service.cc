// grpc.reflection.v1alpha.ServerReflection: see reflection_service.h.
#include "server/rpc/reflection_service.h"

#include <set>
#include <utility>

#include "server/rpc/small_message.h"

namespace kiln::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using grpc::reflection::v1alpha::ExtensionRequest;
using grpc::reflection::v1alpha::FileDescriptorResponse;
using grpc::reflection::v1alpha::ServerReflectionRequest;
using grpc::reflection::v1alpha::ServerReflectionResponse;

void SetError(grpc::StatusCode code, const char* message, ServerReflectionResponse* response) {
  response->mutable_error_response()->set_error_code(code);
  response->mutable_error_response()->set_error_message(message);
}

// Adds the file and all that it imports, each once.
void AddFile(const FileDescriptor& file, std::set<const FileDescriptor*>* seen,
             FileDescriptorResponse* response) {
  if (!seen->insert(&file).second) return;
  google::protobuf::FileDescriptorProto text;
  file.CopyTo(&text);
  response->add_file_descriptor_proto(text.SerializeAsString());
  for (int i = 0; i < file.dependency_count(); ++i) AddFile(*file.dependency(i), seen, response);
}

const FileDescriptor* FileOfExtension(const DescriptorPool& pool, const ExtensionRequest& request) {
  const Descriptor* type = pool.FindMessageTypeByName(request.containing_type());
  if (type == nullptr) return nullptr;
  const FieldDescriptor* field = pool.FindExtensionByNumber(type, request.extension_number());
  return field == nullptr ? nullptr : field->file();
}

// Returns null if there is no such file.
const FileDescriptor* FindFile(const DescriptorPool& pool, const ServerReflectionRequest& request) {
  if (request.has_file_by_filename()) return pool.FindFileByName(request.file_by_filename());
  if (request.has_file_containing_symbol()) {
    return pool.FindFileContainingSymbol(request.file_containing_symbol());
  }
  return FileOfExtension(pool, request.file_containing_extension());
}

void SetExtensionNumbers(const DescriptorPool& pool, const std::string& name,
                         ServerReflectionResponse* response) {
  const Descriptor* type = pool.FindMessageTypeByName(name);
  if (type == nullptr) {
    return SetError(grpc::StatusCode::NOT_FOUND, "there is no such message", response);
  }
  std::vector<const FieldDescriptor*> extensions;
  pool.FindAllExtensions(type, &extensions);
  auto* numbers = response->mutable_all_extension_numbers_response();
  numbers->set_base_type_name(name);
  for (const FieldDescriptor* field : extensions) numbers->add_extension_number(field->number());
}

// A ServerReflectionInfo call. Reads, writes and ends in turn, so it needs no lock.
class Reactor final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Reactor(const ReflectionService* service, net::OpenCall open)
      : service_(service), open_(std::move(open)) {
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    ServerReflectionRequest request;
    const grpc::Status status = ParseSmall(request_, ReflectionService::kMaxRequestBytes, &request);
    request_.Clear();
    if (!status.ok()) return Finish(status);
    answer_ = service_->Answer(request);
    StartWrite(&answer_);
  }
  void OnWriteDone(bool ok) override {
    answer_.Clear();
    if (!ok) return Finish(grpc::Status::CANCELLED);
    StartRead(&request_);
  }
  void OnDone() override { delete this; }

 private:
  const ReflectionService* const service_;
  const net::OpenCall open_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer answer_;
};

}  // namespace

ReflectionService::ReflectionService(
    std::vector<std::string> names, const std::vector<google::protobuf::FileDescriptorProto>& files,
    const net::ConnectionTable* connections)
    : names_(std::move(names)), connections_(connections) {
  for (const auto& file : files) Add(file);
  for (const std::string& name : names_) {
    if (pool_.FindServiceByName(name) != nullptr) continue;
    Add(*DescriptorPool::generated_pool()->FindServiceByName(name)->file());
  }
}

void ReflectionService::Add(const FileDescriptor& file) {
  if (pool_.FindFileByName(file.name()) != nullptr) return;
  for (int i = 0; i < file.dependency_count(); ++i) Add(*file.dependency(i));
  google::protobuf::FileDescriptorProto text;
  file.CopyTo(&text);
  Add(text);
}

void ReflectionService::Add(const google::protobuf::FileDescriptorProto& file) {
  const FileDescriptor* own = pool_.BuildFile(file);
  std::set<const FileDescriptor*> seen;
  ServerReflectionResponse response;
  AddFile(*own, &seen, response.mutable_file_descriptor_response());
  files_.emplace(own, response.SerializeAsString());
}

grpc::ByteBuffer ReflectionService::Answer(const ServerReflectionRequest& request) const {
  ServerReflectionResponse response;
  response.set_valid_host(request.host());
  *response.mutable_original_request() = request;
  const FileDescriptor* file = nullptr;
  switch (request.message_request_case()) {
    case ServerReflectionRequest::kListServices:
      for (const std::string& name : names_) {
        response.mutable_list_services_response()->add_service()->set_name(name);
      }
      break;
    case ServerReflectionRequest::kAllExtensionNumbersOfType:
      SetExtensionNumbers(pool_, request.all_extension_numbers_of_type(), &response);
      break;
    case ServerReflectionRequest::MESSAGE_REQUEST_NOT_SET:
      SetError(grpc::StatusCode::UNIMPLEMENTED,
               "the request asks for nothing that this service knows", &response);
      break;
    default:
      file = FindFile(pool_, request);
      if (file == nullptr) SetError(grpc::StatusCode::NOT_FOUND, "no file defines it", &response);
  }
  if (file == nullptr) return BytesOf(response);
  // Concatenated messages parse as one that has the fields of both.
  const grpc::Slice slices[] = {grpc::Slice(response.SerializeAsString()), files_.at(file)};
  return grpc::ByteBuffer(slices, 2);
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
ReflectionService::ServerReflectionInfo(grpc::CallbackServerContext* context) {
  return new Reactor(this, BeginCall(connections_, *context));
}

}  // namespace kiln::server
