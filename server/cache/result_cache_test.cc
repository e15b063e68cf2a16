// Tests results through both tiers: outputs asked for, restart, what is never stored, translations.
#include "server/cache/result_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/cache/result_filter.h"

namespace kiln::cache {
namespace {

using kiln::v1::OutputMask;
using kiln::v1::TargetResult;

TargetResult Sample() {
  TargetResult r;
  r.set_target("tgl");
  r.set_status(TargetResult::OK);
  r.set_cause("ok");
  auto* v = r.add_variants();
  v->set_name("SIMD16");
  v->set_code("code");
  v->set_assembly("assembly");
  v->mutable_statistics()->set_instructions(7);
  for (const char* pass : {"cse", "fold", "cse"}) {
    r.add_passes()->set_pass(pass);
    r.mutable_passes(r.passes_size() - 1)->set_nanoseconds(70'000);
  }
  r.add_remarks()->set_text("remark");
  r.mutable_timings()->set_compile_ns(5);
  return r;
}

Outputs Want(bool binary, bool assembly, bool all = false) {
  OutputMask mask;
  mask.set_binary(binary);
  mask.set_assembly(assembly);
  mask.set_pass_records(all);
  mask.set_remarks(all);
  return Outputs(mask);
}

TargetResult Parse(const Ready& ready) {
  TargetResult r;
  EXPECT_TRUE(r.ParseFromArray(ready.bytes->data(), static_cast<int>(ready.bytes->size())));
  return r;
}

// For every set of outputs, filtering gives the same as parsing, clearing and serialising.
TEST(ResultFilterTest, AgreesWithParsing) {
  TargetResult sample = Sample();
  sample.add_variants()->mutable_launch()->set_target("tgl");
  sample.mutable_variants(1)->set_code(std::string(300, 'c'));
  sample.set_message(std::string(200, 'm'));
  sample.set_spirv_id(12345678);
  sample.set_stage("fragment");
  for (const auto& [name, value] : {std::pair("instructions", 30), std::pair("vgprs", 12)}) {
    auto* figure = sample.mutable_variants(1)->mutable_statistics()->add_values();
    figure->set_name(name);
    figure->set_value(value);
  }
  sample.mutable_pass_sums()->set_names("a worker's own, which nobody asked for");
  sample.mutable_reason()->set_sentence("It stands behind the sums.");
  std::string bytes = sample.SerializeAsString();
  for (int bits = 0; bits < 128; ++bits) {
    const bool records = bits & kPassesBit, sums = bits & kPassSumsBit;
    if ((bits & 32) != 0 || (records && sums)) continue;  // not a valid bit; sums replace records
    OutputMask mask;
    mask.set_binary(bits & kBinaryBit);
    mask.set_assembly(bits & kAssemblyBit);
    mask.set_launch_record(bits & kLaunchBit);
    mask.set_pass_records(bits & kPassesBit);
    mask.set_remarks(bits & kRemarksBit);
    mask.set_pass_sums(bits & kPassSumsBit);
    Outputs outputs(mask);
    ASSERT_EQ(outputs.bits(), bits);
    TargetResult expected = sample;
    outputs.Filter(&expected);
    std::string filtered;
    ResultTag tag;
    ASSERT_TRUE(FilterResult(bytes, outputs.bits(), &filtered, &tag));
    EXPECT_EQ(filtered, expected.SerializeAsString()) << bits;
    EXPECT_EQ(tag, ResultCache::Prepare(outputs, sample).bytes.tag()) << bits;
    EXPECT_EQ(tag.status, TargetResult::OK);
    EXPECT_EQ(kShaderStages[tag.stage].name, "fragment");
    EXPECT_EQ(tag.variants, 2);
    EXPECT_EQ(tag.instructions, 7u + 30u);
    EXPECT_EQ(tag.registers, 12u);
  }
}

TEST(ResultFilterTest, CutOrAlteredBytesAreNotReadBeyond) {
  std::string bytes = Sample().SerializeAsString();
  for (size_t n = 0; n < bytes.size(); ++n) {
    std::string out;
    ResultTag tag;
    FilterResult(std::string_view(bytes).substr(0, n), 31, &out, &tag);
    EXPECT_LE(out.size(), n + 10);
    std::string altered = bytes;
    altered[n] = static_cast<char>(altered[n] ^ 0xff);
    out.clear();
    FilterResult(altered, 31, &out, &tag);
    EXPECT_LE(out.size(), bytes.size() + 20);
  }
}

// Protobuf takes a known field of another type for an unknown one.
TEST(ResultFilterTest, AStatusIsANumber) {
  std::string bytes = Sample().SerializeAsString();
  bytes += std::string("\x80\x01\x05", 3);  // cache
  bytes += std::string("\x12\x00", 2);      // status, as bytes
  std::string filtered;
  ResultTag tag;
  ASSERT_TRUE(FilterResult(bytes, 31, &filtered, &tag));
  EXPECT_EQ(tag.status, TargetResult::OK);
  EXPECT_FALSE(FilterResult(std::string("\x80\x01\x05\x12\x00", 5), 31, &filtered, &tag));
}

// Only a module that is there has a digest; one of another size would not fit in the field.
TEST(StoredTranslationTest, HasADigestOrNone) {
  StoredTranslation translation;
  translation.status = TargetResult::REFUSED;
  translation.cause = "shader_too_large";
  translation.nanoseconds = 5;
  StoredTranslation read;
  ASSERT_TRUE(ReadTranslation(WriteTranslation(translation), &read));
  EXPECT_EQ(read.cause, "shader_too_large");
  EXPECT_EQ(read.nanoseconds, 5);
  TargetResult stored;
  stored.set_status(TargetResult::REFUSED);
  stored.set_spirv_sha256(std::string(100'000, 'x'));
  ASSERT_TRUE(ReadTranslation(stored.SerializeAsString(), &read));
  EXPECT_EQ(read.module, Digest());
  stored.set_status(TargetResult::OK);
  EXPECT_FALSE(ReadTranslation(stored.SerializeAsString(), &read));
  EXPECT_FALSE(ReadTranslation("\xff", &read));
}

class ResultCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = testing::TempDir() + "/results_" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(dir_);
    Open();
  }
  void Open(size_t memory = 1 << 20, uint64_t disk_bytes = 1 << 30) {
    cache_.reset();
    DiskOptions options;
    options.directory = dir_;
    options.limit_bytes = disk_bytes;
    auto disk = DiskTier::Open(options);
    ASSERT_TRUE(disk.ok()) << disk.status();
    cache_ = std::make_unique<ResultCache>(memory, *std::move(disk));
  }
  Lookup Find(const Digest& key, const Outputs& outputs, TargetResult* result) {
    Ready ready;
    Lookup found = cache_->Find(key, outputs, true, &ready);
    if (ready.bytes != nullptr) *result = Parse(ready);
    return found;
  }
  std::string dir_;
  std::unique_ptr<ResultCache> cache_;
};

TEST_F(ResultCacheTest, GivesWhatWasAskedFor) {
  Digest key = Sha256("k");
  ASSERT_TRUE(cache_->Store(key, Sample()).ok());
  TargetResult r;
  EXPECT_EQ(Find(key, Want(false, false), &r), Lookup::kDisk);
  EXPECT_EQ(r.variants(0).code(), "");
  EXPECT_EQ(r.variants(0).assembly(), "");
  EXPECT_EQ(r.variants(0).statistics().instructions(), 7);
  EXPECT_EQ(r.passes_size(), 0);
  EXPECT_EQ(Find(key, Want(false, false), &r), Lookup::kMemory);
  EXPECT_EQ(Find(key, Want(true, true, true), &r), Lookup::kDisk);
  EXPECT_EQ(r.variants(0).code(), "code");
  EXPECT_EQ(r.variants(0).assembly(), "assembly");
  EXPECT_EQ(r.passes_size(), 3);
  EXPECT_FALSE(r.has_pass_sums());
  EXPECT_EQ(r.remarks_size(), 1);
  EXPECT_EQ(r.timings().compile_ns(), 5);
}

// A client asks for sums and records if it also talks to daemons without sums.
TEST_F(ResultCacheTest, GivesSumsOfPassesInPlaceOfTheirRecords) {
  Digest key = Sha256("k");
  ASSERT_TRUE(cache_->Store(key, Sample()).ok());
  OutputMask mask;
  mask.set_pass_records(true);
  mask.set_pass_sums(true);
  for (const Lookup where : {Lookup::kDisk, Lookup::kMemory}) {
    TargetResult r;
    EXPECT_EQ(Find(key, Outputs(mask), &r), where);
    EXPECT_EQ(r.passes_size(), 0);
    EXPECT_EQ(r.pass_sums().names(), "csefold");
    ASSERT_EQ(r.pass_sums().runs_size(), 2);
    EXPECT_EQ(r.pass_sums().runs(0), 2);
    EXPECT_EQ(r.pass_sums().nanoseconds(0), 140'000);
  }
  EXPECT_EQ(Parse(ResultCache::Prepare(Outputs(mask), Sample())).pass_sums().runs_size(), 2);
}

TEST_F(ResultCacheTest, SurvivesARestart) {
  Digest key = Sha256("k");
  ASSERT_TRUE(cache_->Store(key, Sample()).ok());
  Open();
  TargetResult r;
  EXPECT_EQ(Find(key, Want(true, false), &r), Lookup::kDisk);
  EXPECT_EQ(Find(key, Want(true, false), &r), Lookup::kMemory);
  EXPECT_EQ(cache_->counters().disk_hits, 1u);
}

TEST_F(ResultCacheTest, AssemblyThatWasNeverMadeIsAMiss) {
  Digest key = Sha256("k");
  TargetResult without = Sample();
  without.mutable_variants(0)->clear_assembly();
  ASSERT_TRUE(cache_->Store(key, without).ok());
  TargetResult r;
  EXPECT_EQ(Find(key, Want(true, true), &r), Lookup::kMiss);
  EXPECT_EQ(Find(key, Want(true, false), &r), Lookup::kDisk);
}

TEST_F(ResultCacheTest, OnlyWhatTheModuleDecidesIsStored) {
  for (auto status : {TargetResult::OK, TargetResult::REFUSED, TargetResult::INVALID,
                      TargetResult::CRASHED, TargetResult::TIMED_OUT, TargetResult::MEMORY_LIMIT,
                      TargetResult::CANCELLED, TargetResult::NOT_CACHED}) {
    TargetResult result;
    result.set_status(status);
    Digest key = Sha256(TargetResult::Status_Name(status));
    ASSERT_TRUE(cache_->Store(key, result).ok());
    cache_->Remember(key, Want(true, false), ResultCache::Prepare(Want(true, false), result));
    TargetResult r;
    Lookup found = Find(key, Want(true, false), &r);
    bool stored = status <= TargetResult::INVALID;
    EXPECT_EQ(found, stored ? Lookup::kMemory : Lookup::kMiss) << TargetResult::Status_Name(status);
    Open();
    found = Find(key, Want(true, false), &r);
    EXPECT_EQ(found, stored ? Lookup::kDisk : Lookup::kMiss) << TargetResult::Status_Name(status);
  }
}

TEST_F(ResultCacheTest, Translations) {
  StoredTranslation t;
  t.status = TargetResult::OK;
  t.module = Sha256("spirv");
  t.nanoseconds = 9;
  ASSERT_TRUE(cache_->StoreTranslation(Sha256("glsl"), t, "spirv").ok());
  Open();
  StoredTranslation got;
  EXPECT_EQ(cache_->FindTranslation(Sha256("glsl"), true, &got), Lookup::kDisk);
  EXPECT_EQ(cache_->FindTranslation(Sha256("glsl"), true, &got), Lookup::kMemory);
  EXPECT_EQ(got.module, Sha256("spirv"));
  EXPECT_EQ(got.nanoseconds, 9);
  std::string module;
  EXPECT_TRUE(cache_->FindModule(Sha256("spirv"), &module));
  EXPECT_EQ(module, "spirv");
  EXPECT_FALSE(cache_->FindModule(Sha256("other"), &module));
  EXPECT_EQ(cache_->FindTranslation(Sha256("other"), true, &got), Lookup::kMiss);
}

// Reasons of refused texts and modules are kept; records of an earlier version have none and are
// read all the same.
TEST_F(ResultCacheTest, ReasonsAreKept) {
  StoredTranslation t;
  t.status = TargetResult::REFUSED;
  t.cause = "shader_too_large";
  t.reason.set_what("tokens");
  t.reason.set_limit(0);
  ASSERT_TRUE(cache_->StoreTranslation(Sha256("glsl"), t, "").ok());
  t.reason.Clear();
  ASSERT_TRUE(cache_->StoreTranslation(Sha256("older glsl"), t, "").ok());
  TargetResult refused;
  refused.set_status(TargetResult::REFUSED);
  refused.set_cause("float64");
  ASSERT_TRUE(cache_->Store(Sha256("older"), refused).ok());
  refused.mutable_reason()->set_name("data");
  ASSERT_TRUE(cache_->Store(Sha256("module"), refused).ok());
  Open();
  StoredTranslation got;
  EXPECT_EQ(cache_->FindTranslation(Sha256("glsl"), true, &got), Lookup::kDisk);
  EXPECT_EQ(got.reason.what(), "tokens");
  EXPECT_TRUE(got.reason.has_limit());
  EXPECT_EQ(cache_->FindTranslation(Sha256("older glsl"), true, &got), Lookup::kDisk);
  EXPECT_EQ(got.cause, "shader_too_large");
  EXPECT_EQ(got.reason.ByteSizeLong(), 0u);
  TargetResult r;
  EXPECT_EQ(Find(Sha256("module"), Want(true, false), &r), Lookup::kDisk);
  EXPECT_EQ(r.reason().name(), "data");
  EXPECT_EQ(Find(Sha256("older"), Want(true, false), &r), Lookup::kDisk);
  EXPECT_EQ(r.cause(), "float64");
  EXPECT_FALSE(r.has_reason());
}

// Others fill the disk several times over while two are asked for all the time, of memory.
TEST_F(ResultCacheTest, WhatIsAlwaysInMemoryDoesNotGrowOldOnDisk) {
  constexpr uint64_t kDiskBytes = 1 << 20;
  Open(16 << 20, kDiskBytes);
  const Digest hot = Sha256("hot"), glsl = Sha256("glsl");
  StoredTranslation t;
  t.status = TargetResult::OK;
  ASSERT_TRUE(cache_->StoreTranslation(glsl, t, "spirv").ok());
  ASSERT_TRUE(cache_->Store(hot, Sample()).ok());
  TargetResult r;
  ASSERT_EQ(Find(hot, Want(true, true), &r), Lookup::kDisk);
  TargetResult other = Sample();
  int waits = 0;
  for (uint64_t n = 0; cache_->disk()->usage().dropped_generations < 6; ++n) {
    ASSERT_LT(n, 10'000u);
    const Digest key = Sha256(std::to_string(n));
    std::string text;  // noise, which zstd cannot compress
    for (int i = 0; i < 200; ++i) {
      text += AsBytes(Sha256(std::to_string(n) + " " + std::to_string(i)));
    }
    other.mutable_variants(0)->set_code(text);
    ASSERT_TRUE(cache_->Store(key, other).ok());
    Ready ready;
    if (cache_->Find(hot, Want(true, true), false, &ready) == Lookup::kWouldBlock) {
      ++waits;
      EXPECT_EQ(ready.bytes, nullptr);
    }
    ASSERT_EQ(Find(hot, Want(true, true), &r), Lookup::kMemory) << n;
    ASSERT_EQ(cache_->FindTranslation(glsl, true, &t), Lookup::kMemory) << n;
  }
  EXPECT_GE(waits, 2);
  EXPECT_LE(waits, 10);
  Open(16 << 20, kDiskBytes);
  EXPECT_EQ(Find(hot, Want(true, true), &r), Lookup::kDisk);
  EXPECT_EQ(r.variants(0).assembly(), "assembly");
  EXPECT_EQ(cache_->FindTranslation(glsl, true, &t), Lookup::kDisk);
}

// Any client can have as many invalid modules, and sources that do not translate, as it likes.
TEST_F(ResultCacheTest, AFloodOfInvalidModulesEvictsNoGoodResult) {
  constexpr size_t kMemoryBytes = 4 << 20;
  constexpr uint64_t kDiskBytes = 8 << 20;
  const auto noise = [](const std::string& seed, int digests) {
    std::string text;  // noise, which zstd cannot compress
    for (int i = 0; i < digests; ++i) text += AsBytes(Sha256(seed + " " + std::to_string(i)));
    return text;
  };
  Open(kMemoryBytes, kDiskBytes);
  constexpr int kGood = 100;
  const Outputs want = Want(true, false);
  TargetResult r;
  for (int i = 0; i < kGood; ++i) {
    TargetResult good = Sample();
    good.mutable_variants(0)->set_code(noise(std::to_string(i), 60));
    ASSERT_TRUE(cache_->Store(Sha256(std::to_string(i)), good).ok());
    ASSERT_EQ(Find(Sha256(std::to_string(i)), want, &r), Lookup::kDisk);
  }
  constexpr int kFlood = 20'000;
  const auto bad_key = [](int i) { return Sha256("bad " + std::to_string(i)); };
  TargetResult invalid;
  invalid.set_target("tgl");
  invalid.set_status(TargetResult::INVALID);
  invalid.set_cause("spirv_invalid");
  StoredTranslation untranslated;
  untranslated.status = TargetResult::INVALID;
  for (int i = 0; i < kFlood; ++i) {
    // Printable text, like a message.
    invalid.set_spirv_id(static_cast<uint32_t>(i));
    const std::string text = noise("bad " + std::to_string(i), 12);
    invalid.set_message("");
    for (char c : text) invalid.mutable_message()->push_back(static_cast<char>(c & 0x7f));
    untranslated.message = invalid.message();
    ASSERT_TRUE(cache_->Store(bad_key(i), invalid).ok());
    cache_->Remember(bad_key(i), want, ResultCache::Prepare(want, invalid));
    ASSERT_TRUE(cache_->StoreTranslation(bad_key(i), untranslated, "").ok());
  }
  // The newest of the invalid results are in memory too.
  EXPECT_EQ(Find(bad_key(kFlood - 1), want, &r), Lookup::kMemory);
  EXPECT_EQ(r.status(), TargetResult::INVALID);
  StoredTranslation got;
  EXPECT_EQ(cache_->FindTranslation(bad_key(kFlood - 1), true, &got), Lookup::kMemory);
  int in_memory = 0, on_disk = 0, bad_on_disk = 0;
  for (int i = 0; i < kGood; ++i) {
    in_memory += Find(Sha256(std::to_string(i)), want, &r) == Lookup::kMemory ? 1 : 0;
  }
  Open(kMemoryBytes, kDiskBytes);
  for (int i = 0; i < kGood; ++i) {
    on_disk += Find(Sha256(std::to_string(i)), want, &r) == Lookup::kDisk ? 1 : 0;
  }
  for (int i = 0; i < kFlood; ++i) {
    bad_on_disk += Find(bad_key(i), want, &r) == Lookup::kDisk ? 1 : 0;
  }
  EXPECT_EQ(in_memory, kGood);
  EXPECT_EQ(on_disk, kGood);
  EXPECT_GT(bad_on_disk, 0);
}

TEST(ResultCacheWithoutDiskTest, MemoryAlone) {
  ResultCache cache(1 << 20, nullptr);
  Digest key = Sha256("k");
  Outputs want = Want(true, false);
  Ready ready;
  EXPECT_EQ(cache.Find(key, want, false, &ready), Lookup::kMiss);
  cache.Remember(key, want, ResultCache::Prepare(want, Sample()));
  EXPECT_EQ(cache.Find(key, want, false, &ready), Lookup::kMemory);
  EXPECT_EQ(ready.status, TargetResult::OK);
}

TEST(ResultCacheWithoutDiskTest, OtherOutputsNeedNoCompile) {
  ResultCache cache(1 << 20, nullptr);
  Digest key = Sha256("k");
  ASSERT_TRUE(cache.Store(key, Sample()).ok());
  cache.Remember(key, Want(false, false), ResultCache::Prepare(Want(false, false), Sample()));
  Ready ready;
  EXPECT_EQ(cache.Find(key, Want(true, false), false, &ready), Lookup::kMemory);
  EXPECT_EQ(Parse(ready).variants(0).code(), "code");
  EXPECT_EQ(cache.Find(key, Want(true, true, true), false, &ready), Lookup::kMemory);
  EXPECT_EQ(Parse(ready).variants(0).assembly(), "assembly");
  EXPECT_EQ(Parse(ready).remarks_size(), 1);
  TargetResult without = Sample();
  without.mutable_variants(0)->clear_assembly();
  ASSERT_TRUE(cache.Store(Sha256("l"), without).ok());
  EXPECT_EQ(cache.Find(Sha256("l"), Want(true, true), false, &ready), Lookup::kMiss);
}

// While the disk takes nothing, memory does.
TEST(ResultCacheWithoutDiskTest, AFailingDiskIsLikeNone) {
  std::string path = testing::TempDir() + "/results_no_directory";
  std::filesystem::remove_all(path);
  std::ofstream(path) << "a file";
  DiskOptions options;
  options.directory = path;
  auto disk = DiskTier::Open(options);
  ASSERT_TRUE(disk.ok()) << disk.status();
  ResultCache cache(1 << 20, *std::move(disk));
  Digest key = Sha256("k");
  EXPECT_FALSE(cache.Store(key, Sample()).ok());
  Ready ready;
  EXPECT_EQ(cache.Find(key, Want(true, true), true, &ready), Lookup::kMemory);
  StoredTranslation t;
  t.status = TargetResult::OK;
  t.module = Sha256("spirv");
  EXPECT_FALSE(cache.StoreTranslation(Sha256("glsl"), t, "spirv").ok());
  EXPECT_EQ(cache.FindTranslation(Sha256("glsl"), true, &t), Lookup::kMemory);
  std::string module;
  EXPECT_TRUE(cache.FindModule(Sha256("spirv"), &module));
  EXPECT_EQ(module, "spirv");
}

std::unique_ptr<ResultCache> OnDisk(const std::string& name, bool fresh = true) {
  DiskOptions options;
  options.directory = testing::TempDir() + "/" + name;
  if (fresh) std::filesystem::remove_all(options.directory);
  auto disk = DiskTier::Open(options);
  EXPECT_TRUE(disk.ok()) << disk.status();
  return std::make_unique<ResultCache>(1 << 20, *std::move(disk));
}

TEST(ForgetTest, NeitherTierHasIt) {
  auto cache = OnDisk("forget");
  const Digest kept{1}, lost{2}, glsl{3};
  StoredTranslation translation;
  translation.status = TargetResult::OK;
  translation.module = Sha256("spirv");
  for (const Digest& key : {kept, lost}) ASSERT_TRUE(cache->Store(key, Sample()).ok());
  ASSERT_TRUE(cache->StoreTranslation(glsl, translation, "spirv").ok());
  Ready ready;
  for (bool assembly : {false, true}) {  // now in memory with both sets of outputs
    ASSERT_EQ(cache->Find(lost, Want(true, assembly), true, &ready), Lookup::kDisk);
    ASSERT_EQ(cache->Find(lost, Want(true, assembly), true, &ready), Lookup::kMemory);
  }
  EXPECT_TRUE(cache->Forget(lost));
  EXPECT_TRUE(cache->ForgetTranslation(glsl));
  for (bool again : {false, true}) {
    for (bool assembly : {false, true}) {
      EXPECT_EQ(cache->Find(lost, Want(true, assembly), true, &ready), Lookup::kMiss);
      EXPECT_NE(cache->Find(kept, Want(true, assembly), true, &ready), Lookup::kMiss);
    }
    EXPECT_EQ(cache->FindTranslation(glsl, true, &translation), Lookup::kMiss);
    if (again) break;
    cache.reset();
    cache = OnDisk("forget", /*fresh=*/false);
  }
  ASSERT_TRUE(cache->Store(lost, Sample()).ok());
  EXPECT_EQ(cache->Find(lost, Want(true, true), true, &ready), Lookup::kDisk);
}

// Look-ups run all the time and put what they find into memory.
TEST(ForgetTest, ALookUpMeanwhileDoesNotBringItBack) {
  auto cache = OnDisk("forget_race");
  for (int round = 0; round < 300; ++round) {
    const Digest key{static_cast<uint8_t>(round), static_cast<uint8_t>(round >> 8), 9};
    ASSERT_TRUE(cache->Store(key, Sample()).ok());
    std::atomic<bool> stop = false;
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i) {
      readers.emplace_back([&] {
        Ready ready;
        while (!stop) cache->Find(key, Want(true, true), true, &ready);
      });
    }
    EXPECT_TRUE(cache->Forget(key));
    stop = true;
    for (auto& reader : readers) reader.join();
    Ready ready;
    EXPECT_EQ(cache->Find(key, Want(true, true), true, &ready), Lookup::kMiss) << round;
  }
}

}  // namespace
}  // namespace kiln::cache
