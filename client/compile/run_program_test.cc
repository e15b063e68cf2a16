#include "client/compile/run_program.h"

#include <fstream>
#include <string>
#include <vector>

#include "client/compile/compile_file.h"
#include "client/request/request_options.h"
#include "core/base/cause.h"
#include "gtest/gtest.h"

namespace kiln::client {
namespace {

std::string Written(const std::string& name, const std::string& bytes) {
  std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

ParsedFlags Flags(const std::vector<std::string>& arguments) {
  std::vector<Flag> flags = CompileFlags();
  flags.push_back({"launch", 0, "FILE", false, ""});
  absl::StatusOr<ParsedFlags> parsed = ParseFlags(flags, arguments);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? *std::move(parsed) : ParsedFlags();
}

absl::StatusOr<Program> Read(const std::string& record, const std::string& target = "tgl") {
  return ReadProgram(Flags({"--target=" + target, "--launch=" + Written("launch.json", record),
                            Written("code.bin", std::string(16, '\x01'))}));
}

constexpr char kRecord[] =
    R"({"record_version": 2, "target": "tgl", "stage": "compute", "code_bytes": 16,
        "dispatch_width": 8, "intel": {}})";

TEST(RunProgram, ReadsCodeWithItsRecord) {
  const absl::StatusOr<Program> program = Read(kRecord);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->variant, "SIMD8");
  EXPECT_EQ(program->code, std::vector<uint8_t>(16, 1));
  EXPECT_EQ(program->launch.stage, "compute");
}

TEST(RunProgram, TheRecordIsOfTheTargetAndTheCode) {
  const std::string target(Read(kRecord, "skl").status().message());
  EXPECT_NE(target.find("is the launch record of a program for tgl, not for skl"),
            std::string::npos)
      << target;
  std::string other = kRecord;
  other.replace(other.find("16"), 2, "32");
  const std::string size(Read(other).status().message());
  EXPECT_NE(size.find("is the launch record of other machine code, of 32 bytes, not 16"),
            std::string::npos)
      << size;
}

TEST(CheckHasCompiler, RefusesTargetsForWhichTheServiceHasNone) {
  kiln::v1::Capabilities capabilities;
  const auto add = [&](const std::string& name, uint32_t version) {
    auto* target = capabilities.add_targets();
    target->set_name(name);
    target->set_code_generation_version(version);
  };
  add("x", 3);
  add("y", 0);
  EXPECT_TRUE(CheckHasCompiler(capabilities, {"x"}).ok());
  EXPECT_TRUE(CheckHasCompiler(capabilities, {"unknown"}).ok());
  const absl::Status refused = CheckHasCompiler(capabilities, {"x", "y"});
  EXPECT_EQ(CauseOf(refused), "missing_compiler");
  EXPECT_NE(refused.message().find("the target y has tools"), std::string::npos) << refused;
}

TEST(RunProgram, MachineCodeIsNotCompiled) {
  EXPECT_TRUE(RefuseCompileFlags(Flags({"--target=tgl"})).ok());
  EXPECT_EQ(RefuseCompileFlags(Flags({"--target=tgl", "--widths=8"})).message(),
            "--widths is an option for compiling; the file is machine code and is not compiled");
}

}  // namespace
}  // namespace kiln::client
