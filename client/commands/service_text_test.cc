// Tests that no text of a service reaches the terminal as a control or as a line of its own: of
// each command that prints such texts, against a daemon whose every string is hostile.
#include <gmock/gmock.h>
#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "client/commands/command.h"
#include "client/commands/testing.h"
#include "kiln/v1/admin.grpc.pb.h"
#include "kiln/v1/compiler.grpc.pb.h"
#include "proto/health.grpc.pb.h"
#include "proto/statistics.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::QuarantineEntry;
using kiln::v1::QuarantineList;
using kiln::v1::TargetResult;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kBad[] = "a\nkiln: \x1b[31m";
constexpr char kShown[] = "a\\x0akiln: \\x1b[31m";

// Sets all strings that are empty, also of the messages that are there; nothing that JSON has as
// bytes.
void Spoil(google::protobuf::Message* message) {
  using google::protobuf::FieldDescriptor;
  const auto* reflection = message->GetReflection();
  for (int i = 0; i < message->GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = message->GetDescriptor()->field(i);
    if (field->is_map()) continue;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (!field->is_repeated() && reflection->HasField(*message, field)) {
        Spoil(reflection->MutableMessage(message, field));
      }
      for (int k = 0; field->is_repeated() && k < reflection->FieldSize(*message, field); ++k) {
        Spoil(reflection->MutableRepeatedMessage(message, field, k));
      }
    } else if (field->type() == FieldDescriptor::TYPE_STRING && field->is_repeated()) {
      reflection->AddString(message, field, kBad);
    } else if (field->type() == FieldDescriptor::TYPE_STRING && !field->containing_oneof() &&
               reflection->GetString(*message, field).empty()) {
      reflection->SetString(message, field, kBad);
    }
  }
}

class HostileCompiler : public kiln::v1::Compiler::Service {
 public:
  grpc::Status GetCapabilities(grpc::ServerContext*, const kiln::v1::GetCapabilitiesRequest*,
                               Capabilities* c) override {
    auto* target = c->add_targets();
    target->set_name("tgl");
    target->add_statistics()->set_name("count");
    target->add_statistics();
    c->add_passes();
    c->add_targets()->add_statistics();
    c->add_stages("compute");
    (*c->mutable_sandbox())[kBad] = 1;
    auto* limits = c->mutable_limits();
    limits->set_max_message_bytes(1 << 20);
    limits->set_max_module_bytes(1 << 20);
    limits->set_max_glsl_bytes(1 << 20);
    limits->set_max_targets(8);
    limits->set_max_includes(8);
    limits->set_max_name_bytes(100);
    limits->set_max_response_bytes(1 << 20);
    Spoil(c);
    return grpc::Status::OK;
  }
  grpc::Status Compile(grpc::ServerContext*, const CompileRequest*,
                       CompileResponse* response) override {
    TargetResult* result = response->add_results();
    result->set_status(status);
    if (status == TargetResult::OK) {
      auto* variant = result->add_variants();
      *variant->mutable_statistics() = PackStatistics({{"count", 3}});
      variant->set_assembly("nop\t\x1b[31m\nret\n");
    }
    Spoil(result);
    return grpc::Status::OK;
  }

  TargetResult::Status status = TargetResult::OK;
};

class HostileAdmin : public kiln::v1::Admin::Service {
 public:
  grpc::Status ListQuarantine(grpc::ServerContext*, const kiln::v1::ListQuarantineRequest*,
                              QuarantineList* list) override {
    Spoil(list->add_entries());
    return grpc::Status::OK;
  }
  grpc::Status ShowQuarantine(grpc::ServerContext*, const kiln::v1::ShowQuarantineRequest*,
                              QuarantineEntry* entry) override {
    Spoil(entry);
    return grpc::Status::OK;
  }
};

class HostileHealth : public grpc::health::v1::Health::Service {
 public:
  grpc::Status Check(grpc::ServerContext*, const grpc::health::v1::HealthCheckRequest*,
                     grpc::health::v1::HealthCheckResponse* response) override {
    response->set_status(grpc::health::v1::HealthCheckResponse::SERVING);
    return answer;
  }

  grpc::Status answer;
};

class ServiceText : public testing::Test {
 protected:
  void SetUp() override {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&compiler_);
    builder.RegisterService(&admin_);
    builder.RegisterService(&health_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
    flag_ = "--server=127.0.0.1:" + std::to_string(port);
    file_ = testing::TempDir() + "/service_text.comp";
    std::ofstream(file_) << "void main() {}\n";
  }

  // Runs the command, checks what it prints, and returns it.
  std::string TextOf(const Command& command, std::vector<std::string> arguments) {
    arguments.push_back(flag_);
    const Ran ran = RunWith(command, arguments);
    std::string text = ran.out + ran.err;
    EXPECT_THAT(text, HasSubstr(kShown));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    const std::vector<std::string> lines = absl::StrSplit(ran.out, '\n');
    EXPECT_THAT(lines, Each(Not(StartsWith("kiln:"))));
    return text;
  }

  HostileCompiler compiler_;
  HostileAdmin admin_;
  HostileHealth health_;
  std::unique_ptr<grpc::Server> server_;
  std::string flag_, file_;
};

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(ServiceText, OfTargets) {
  const std::string text = TextOf(TargetsCommand(), {"--statistics", "--passes"});
  // Two versions, a target three times, a stage, two names of scans, unit and meaning of three
  // figures, two of whose names are bad, and three words of a pass.
  EXPECT_EQ(Count(text, kShown), 19u) << text;
  // The service's second target is none of this program's.
  EXPECT_THAT(text, HasSubstr("0   disasm, analyze, trace, run\n"));
  EXPECT_THAT(text, HasSubstr("0   -\n"));
}

TEST_F(ServiceText, OfACompile) {
  const std::string text = TextOf(CompileCommand(), {"--target=tgl", file_});
  EXPECT_THAT(text, HasSubstr(std::string("loadable by ") + kShown + "\n"));
  EXPECT_THAT(TextOf(CompileCommand(), {"--target=tgl", "--asm", file_}),
              HasSubstr("nop\t\\x1b[31m\nret\n"));
  compiler_.status = TargetResult::REFUSED;
  TextOf(CompileCommand(), {"--target=tgl", file_});
}

TEST_F(ServiceText, OfTheHealth) {
  EXPECT_EQ(Count(TextOf(HealthCommand(), {}), kShown), 1u);  // a layer of the sandbox
  const absl::StatusOr<ParsedFlags> flags = ParseFlags(HealthCommand().flags, {flag_});
  ASSERT_TRUE(flags.ok());
  Environment environment;
  environment.json = true;
  testing::internal::CaptureStdout();
  EXPECT_EQ(HealthCommand().run(*flags, environment), kExitOk);
  const std::string json = testing::internal::GetCapturedStdout();
  EXPECT_THAT(json, HasSubstr(R"(a\nkiln: \u001b[31m)"));
  EXPECT_EQ(Count(json, "\n"), 1u) << json;
  EXPECT_THAT(json, Not(HasSubstr("\x1b")));
  health_.answer = grpc::Status(grpc::StatusCode::PERMISSION_DENIED, kBad);
  const Ran ran = RunWith(HealthCommand(), {flag_});
  EXPECT_THAT(ran.err, Not(HasSubstr("\x1b")));
}

TEST_F(ServiceText, OfTheQuarantine) {
  EXPECT_EQ(Count(TextOf(QuarantineCommand(), {"list"}), kShown), 4u);
  const std::string text = TextOf(QuarantineCommand(), {"show", "KEY"});
  EXPECT_THAT(text, HasSubstr(std::string("last pass  ") + kShown + "\n"));
  EXPECT_THAT(text, HasSubstr(std::string("cause      ") + kShown + ": "));
}

}  // namespace
}  // namespace kiln::client
