#include "server/rpc/v1alpha.h"

#include <google/protobuf/descriptor.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kiln/v1/admin.grpc.pb.h"

namespace kiln::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;

TEST(V1Alpha, FilesHaveThePathsOfThen) {
  std::vector<std::string> paths;
  for (const auto& file : V1AlphaFiles()) paths.push_back(file.name());
  EXPECT_THAT(paths, testing::ElementsAre("proto/launch_record.proto", "proto/compile.proto",
                                          "proto/compiler.proto", "proto/admin.proto"));
}

TEST(V1Alpha, NothingNamesTheNewPackage) {
  for (const auto& file : V1AlphaFiles()) {
    EXPECT_EQ(file.package(), "kiln.v1alpha");
    EXPECT_FALSE(file.has_options()) << file.name();
    EXPECT_EQ(file.DebugString().find("kiln.v1."), std::string::npos) << file.name();
    EXPECT_EQ(file.DebugString().find("kiln/v1"), std::string::npos) << file.name();
  }
}

// Text of a message's fields that does not name the package.
std::string Fields(const Descriptor& message) {
  std::string text;
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    text += field.name() + " " + std::to_string(field.number()) + " " + field.type_name() + " " +
            std::to_string(field.label());
    if (field.message_type() != nullptr) text += " " + field.message_type()->name();
    if (field.enum_type() != nullptr) text += " " + field.enum_type()->name();
    text += "\n";
  }
  return text;
}

class V1AlphaPool : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& file : V1AlphaFiles()) {
      ASSERT_NE(pool_.BuildFile(file), nullptr) << file.name();
    }
  }
  DescriptorPool pool_;
};

TEST_F(V1AlphaPool, MethodsAndMessagesAreTodays) {
  const DescriptorPool& today = *DescriptorPool::generated_pool();
  for (const auto& [was, is] : {std::pair(kV1AlphaCompiler, "kiln.v1.Compiler"),
                                std::pair(kV1AlphaAdmin, "kiln.v1.Admin")}) {
    const ServiceDescriptor* old = pool_.FindServiceByName(was);
    const ServiceDescriptor* now = today.FindServiceByName(is);
    ASSERT_NE(old, nullptr) << was;
    ASSERT_NE(now, nullptr) << is;
    ASSERT_EQ(old->method_count(), now->method_count());
    for (int i = 0; i < old->method_count(); ++i) {
      const MethodDescriptor& a = *old->method(i);
      const MethodDescriptor& b = *now->method(i);
      EXPECT_EQ(a.name(), b.name());
      EXPECT_EQ(a.client_streaming(), b.client_streaming()) << a.full_name();
      EXPECT_EQ(a.server_streaming(), b.server_streaming()) << a.full_name();
      EXPECT_EQ(Fields(*a.input_type()), Fields(*b.input_type())) << a.full_name();
      EXPECT_EQ(Fields(*a.output_type()), Fields(*b.output_type())) << a.full_name();
    }
  }
}

TEST(V1Alpha, EachMethodIsAnswered) {
  // The paths are told to gRPC in v1alpha.cc, so a method that is added to a service and not there
  // would be told by reflection and not answered.
  size_t methods = 0;
  for (const auto& file : V1AlphaFiles()) {
    for (const auto& service : file.service()) methods += service.method_size();
  }
  EXPECT_EQ(methods, 6u) << "add the method to V1AlphaServices, and here";
}

}  // namespace
}  // namespace kiln::server
