// Files of a result: names, contents, nothing outside of the folder.
#include "client/output/output_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "client/cli/paths.h"
#include "proto/launch_record_convert.h"

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

kiln::v1::TargetResult Sample() {
  kiln::v1::TargetResult result;
  result.set_target("tgl");
  result.set_stage("compute");
  result.set_loadable_by("none");
  for (uint32_t width : {8, 16}) {
    auto* variant = result.add_variants();
    variant->set_name("SIMD" + std::to_string(width));
    variant->set_width(width);
    variant->set_code("code" + std::to_string(width));
    variant->set_assembly("asm");
    variant->mutable_launch()->set_record_version(kiln::proto::kRecordVersion);
    variant->mutable_launch()->set_dispatch_width(width);
  }
  return result;
}

TEST(OutputFiles, OfEveryVariant) {
  std::string folder = testing::TempDir() + "/output_files/a";
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(PrepareOutputFolder(folder).ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  auto names = WriteOutputs(folder, "sub/x.comp", "shaders/x.comp", Sample(), true);
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, ElementsAre("sub/x.comp.tgl.8.bin", "sub/x.comp.tgl.16.bin"));
  EXPECT_EQ(ReadWholeFile(folder + "/sub/x.comp.tgl.16.bin", 100).value(), "code16");
  EXPECT_EQ(ReadWholeFile(folder + "/sub/x.comp.tgl.8.asm", 100).value(), "asm");
  std::string json = ReadWholeFile(folder + "/sub/x.comp.tgl.16.launch.json", 10000).value();
  EXPECT_THAT(json, HasSubstr("\"dispatch_width\": 16"));
  EXPECT_THAT(json, HasSubstr("\"file\": \"shaders/x.comp\""));
  EXPECT_THAT(json, HasSubstr("\"loadable_by\": \"none\""));
}

TEST(OutputFiles, ContainersHaveTheirEnding) {
  const std::string folder = testing::TempDir() + "/output_files/container";
  kiln::v1::TargetResult result = Sample();
  result.set_container("amdhsa");
  const auto names = WriteOutputs(folder, "x", "f", result, false);
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, ElementsAre("x.tgl.8.hsaco", "x.tgl.16.hsaco"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/x.tgl.8.launch.json"));
  result.set_container("of later versions");
  EXPECT_EQ(WriteOutputs(folder, "x", "f", result, false).status().code(),
            absl::StatusCode::kInternal);
}

// Its fields would be lost, and the rest would read as a record.
TEST(OutputFiles, RecordsOfAnotherVersionAreNotWritten) {
  const std::string folder = testing::TempDir() + "/output_files/version";
  kiln::v1::TargetResult result = Sample();
  result.mutable_variants(0)->mutable_launch()->set_record_version(1);
  const absl::Status s = WriteOutputs(folder, "x", "f", result, false).status();
  EXPECT_EQ(s.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(s.message()), HasSubstr("are of version 1, those of this program of"));
}

TEST(OutputFiles, StayInTheFolder) {
  std::string folder = testing::TempDir() + "/output_files/b/c";
  auto names = WriteOutputs(folder, "../../../escape", "f", Sample(), false);
  ASSERT_TRUE(names.ok());
  EXPECT_TRUE(std::filesystem::exists(folder + "/__/__/__/escape.tgl.8.bin"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/__/__/__/escape.tgl.8.asm"));
}

TEST(OutputFiles, FolderThatIsAFile) {
  std::string file = testing::TempDir() + "/output_files/file";
  ASSERT_TRUE(WriteWholeFile(file, "").ok());
  absl::Status status = PrepareOutputFolder(file);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot write here"));
}

// Links and FIFOs of others below the folder are not followed and do not block.
TEST(OutputFiles, LinksAndFifosBelowTheFolderAreNotFollowed) {
  namespace fs = std::filesystem;
  const std::string folder = testing::TempDir() + "/planted",
                    outside = testing::TempDir() + "/outside";
  fs::remove_all(folder);
  fs::remove_all(outside);
  fs::create_directories(folder);
  fs::create_directories(outside);
  ASSERT_TRUE(WriteWholeFile(outside + "/kept", "kept").ok());
  fs::create_symlink(outside + "/kept", folder + "/link");
  fs::create_directory_symlink(outside, folder + "/way");
  ASSERT_EQ(mkfifo((folder + "/fifo").c_str(), 0600), 0);
  EXPECT_TRUE(WriteWholeFileBelow(folder, "link", "new").ok());
  EXPECT_EQ(ReadWholeFile(outside + "/kept", 100).value(), "kept");
  EXPECT_EQ(ReadWholeFile(folder + "/link", 100).value(), "new");
  EXPECT_TRUE(absl::IsPermissionDenied(WriteWholeFileBelow(folder, "way/new", "new")));
  EXPECT_TRUE(WriteWholeFileBelow(folder, "fifo", "new").ok());
  EXPECT_TRUE(WriteWholeFileBelow(folder, "a/b/c", "new").ok());
  EXPECT_EQ(ReadWholeFile(folder + "/a/b/c", 100).value(), "new");
  // No temporary file is left over, in either folder.
  EXPECT_EQ(std::distance(fs::directory_iterator(outside), fs::directory_iterator()), 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 4);
}

TEST(OutputFiles, OnlyRegularFilesAreReadAsIncludes) {
  const std::string fifo = testing::TempDir() + "/a.fifo";
  unlink(fifo.c_str());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(absl::IsInvalidArgument(ReadRegularFile(fifo, 100).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadRegularFile("/dev/zero", 100).status()));
  const std::string file = testing::TempDir() + "/a.regular";
  ASSERT_TRUE(WriteWholeFile(file, "text").ok());
  EXPECT_EQ(ReadRegularFile(file, 100).value(), "text");
  EXPECT_TRUE(absl::IsInvalidArgument(ReadWholeFile(file + std::string("\0x", 2), 100).status()));
}

}  // namespace
}  // namespace kiln::client
