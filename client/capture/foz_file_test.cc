// Archives as the writer of tests/precompile makes them, right and wrong.
#include "client/capture/foz_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include "client/capture/testing.h"

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<FozFile> OpenForm(const std::string& name) {
  auto file = FozFile::Open(FormPath(name));
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *std::move(file) : nullptr;
}

std::string OpenError(const std::string& path) {
  const auto file = FozFile::Open(path);
  return file.ok() ? "opened" : std::string(file.status().message());
}

TEST(FozFile, ListsEntriesByTagAndHash) {
  const auto file = OpenForm("kinds.foz");
  EXPECT_THAT(file->Hashes(FozTag::kModule), ElementsAre(0x10, 0x11, 0x12, 0x13));
  EXPECT_THAT(file->Hashes(FozTag::kComputePipeline), ElementsAre(0x20));
  EXPECT_THAT(file->Hashes(FozTag::kGraphicsPipeline), ElementsAre(0x40, 0x41, 0x42, 0x43));
  EXPECT_THAT(file->Hashes(FozTag::kRayTracingPipeline), ElementsAre(0x50));
  EXPECT_EQ(file->trouble(), "");
  EXPECT_EQ(file->Find(FozTag::kModule, 0x20), nullptr);
}

TEST(FozFile, TheFirstOfRepeatedEntriesCounts) {
  const auto file = OpenForm("kinds.foz");
  const auto payload = file->Read(*file->Find(FozTag::kComputePipeline, 0x20));
  ASSERT_TRUE(payload.ok()) << payload.status();
  EXPECT_THAT(*payload, HasSubstr("computePipelines"));
}

TEST(FozFile, KeepsWhatIsBeforeACut) {
  for (const char* name : {"cut.foz", "cut_header.foz", "long.foz"}) {
    const auto file = OpenForm(name);
    EXPECT_THAT(file->trouble(), HasSubstr("cut short")) << name;
    EXPECT_THAT(file->Hashes(FozTag::kModule), ElementsAre(0x10, 0x11, 0x12, 0x13)) << name;
  }
}

TEST(FozFile, KeepsWhatIsBeforeADamagedHeader) {
  const auto file = OpenForm("flipped.foz");
  EXPECT_THAT(file->trouble(), HasSubstr("is damaged; it and all after it are left out"));
  EXPECT_THAT(file->Hashes(FozTag::kModule), ElementsAre(0x10, 0x11, 0x12, 0x13));
}

TEST(FozFile, AFileWithoutEntriesIsWhole) { EXPECT_EQ(OpenForm("start.foz")->trouble(), ""); }

TEST(FozFile, RefusesOtherFiles) {
  EXPECT_THAT(OpenError(FormPath("empty.foz")), HasSubstr("is not a Fossilize capture"));
  EXPECT_THAT(OpenError(FormPath("text.foz")), HasSubstr("is not a Fossilize capture"));
  EXPECT_THAT(OpenError(FormPath("old.foz")), HasSubstr("version 4"));
  EXPECT_THAT(OpenError(FormPath("new.foz")), HasSubstr("version 7"));
  EXPECT_THAT(OpenError(FormPath("mesa.foz")), HasSubstr("shader cache of Mesa"));
  EXPECT_THAT(OpenError(testing::TempDir()), HasSubstr("not a regular file"));
  EXPECT_THAT(OpenError("/no/such.foz"), HasSubstr("No such file"));
}

TEST(FozFile, DoesNotWaitForAFifo) {
  const std::string path = testing::TempDir() + "/fifo.foz";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(OpenError(path), HasSubstr("not a regular file"));
}

std::string PayloadError(uint64_t hash) {
  const auto file = OpenForm("payloads.foz");
  const auto payload = file->Read(*file->Find(FozTag::kModule, hash));
  return payload.ok() ? "read" : std::string(payload.status().message());
}

TEST(FozFile, NamesWhatIsWrongWithAPayload) {
  EXPECT_THAT(PayloadError(1), HasSubstr("checksum"));
  EXPECT_THAT(PayloadError(2), HasSubstr("does not inflate to the length"));
  EXPECT_THAT(PayloadError(3), HasSubstr("4294967295 bytes"));
  EXPECT_THAT(PayloadError(4), HasSubstr("compression, 3, is unknown"));
  EXPECT_THAT(PayloadError(5), HasSubstr("two lengths differ"));
  EXPECT_THAT(PayloadError(6), HasSubstr("does not inflate"));
  EXPECT_THAT(PayloadError(0x13), HasSubstr("too short for the length"));
}

TEST(InflateFozPayload, AnEntryMayInflateAsFarAsDeflateCan) {
  const std::string zeros(1 << 20, '\0');
  std::string stored(compressBound(zeros.size()), '\0');
  uLongf bytes = stored.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(stored.data()), &bytes,
                     reinterpret_cast<const Bytef*>(zeros.data()), zeros.size()),
            Z_OK);
  stored.resize(bytes);
  FozEntry entry;
  entry.format = 2;
  entry.inflated_bytes = 1 << 20;
  const auto payload = InflateFozPayload(entry, stored);
  ASSERT_TRUE(payload.ok()) << payload.status();
  EXPECT_EQ(*payload, zeros);
}

TEST(FozFile, EveryCutOfAFileOpensOrSaysWhyNot) {
  const std::string whole = FormBytes("kinds.foz");
  for (size_t size = 0; size < whole.size(); size += 13) {
    const auto file = FozFile::Open(TestFile("prefix.foz", whole.substr(0, size)));
    if (size < 16) {
      EXPECT_FALSE(file.ok()) << size;
      continue;
    }
    ASSERT_TRUE(file.ok()) << size;
    for (const uint64_t hash : (*file)->Hashes(FozTag::kModule)) {
      EXPECT_TRUE((*file)->Read(*(*file)->Find(FozTag::kModule, hash)).ok()) << size;
    }
  }
}

}  // namespace
}  // namespace kiln::client
