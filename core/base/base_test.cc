// Ids, bit sets, key tables, causes, steps, random numbers, UTF-8.
#include <time.h>

#include <cctype>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/bitset.h"
#include "core/base/cause.h"
#include "core/base/ids.h"
#include "core/base/key_table.h"
#include "core/base/splitmix.h"
#include "core/base/step.h"
#include "core/base/utf8.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

TEST(Ids, DefaultIsNoneAndTagsDiffer) {
  using A = Id<struct ATag>;
  using B = Id<struct BTag>;
  EXPECT_FALSE(A().valid());
  EXPECT_TRUE(A(0).valid());
  EXPECT_LT(A(3), A(4));
  static_assert(!std::is_convertible_v<A, B>);
  static_assert(!std::is_convertible_v<int, A>);
}

// Compares with a stack of maps: keys of several lengths with many repetitions, scopes of random
// depth.
TEST(KeyTable, BehavesAsAMapWithScopes) {
  std::mt19937 random(2);
  KeyTable table;
  std::vector<size_t> sizes;
  std::vector<std::map<std::vector<uint32_t>, uint32_t>> models(1);
  for (uint32_t step = 0; step < 20000; ++step) {
    const uint32_t what = random() % 100;
    if (what < 2) {
      sizes.push_back(table.size());
      models.push_back(models.back());
    } else if (what < 4 && !sizes.empty()) {
      table.Shrink(sizes.back());
      sizes.pop_back();
      models.pop_back();
    } else {
      std::vector<uint32_t> key(random() % 4);
      for (uint32_t& word : key) word = random() % 12;
      const uint32_t* before = table.Find(key);
      const auto model = models.back().try_emplace(key, step);
      ASSERT_EQ(before == nullptr, model.second);
      const KeyTable::Found found = table.FindOrAdd(key, step);
      ASSERT_EQ(found.added, model.second);
      ASSERT_EQ(*found.value, model.first->second);
    }
    ASSERT_EQ(table.size(), models.back().size());
  }
}

// Compares with std::set, at sizes around word boundaries.
TEST(BitMatrix, RowsAreSetsOfTheirOwn) {
  for (size_t size : {1u, 63u, 64u, 65u, 200u}) {
    BitMatrix a(3, size), b(2, size);
    const auto members = [&](BitMatrix::Row row) {
      std::set<size_t> all;
      row.for_each([&](size_t i) { all.insert(i); });
      return all;
    };
    a.set(0, 0);
    a.set(1, size - 1);
    b.set(1, size / 2);
    EXPECT_TRUE(a.test(1, size - 1) && a[1].test(size - 1));
    EXPECT_EQ(members(a[0]), std::set<size_t>{0});
    EXPECT_TRUE(members(a[2]).empty());
    a.copy(2, 1);
    a.unite(2, b[1]);
    EXPECT_EQ(members(a[2]), (std::set<size_t>{size / 2, size - 1}));
    EXPECT_EQ(members(a[1]), std::set<size_t>{size - 1});
    EXPECT_TRUE(members(b[0]).empty());
  }
}

TEST(BitSet, BehavesAsASet) {
  std::mt19937 random(1);
  for (size_t size : {1u, 63u, 64u, 65u, 200u}) {
    std::set<size_t> model_a, model_b;
    BitSet a(size), b(size);
    for (int step = 0; step < 500; ++step) {
      const size_t i = random() % size;
      switch (random() % 6) {
        case 0:
          a.set(i);
          model_a.insert(i);
          break;
        case 1:
          b.set(i);
          model_b.insert(i);
          break;
        case 2:
          a.reset(i);
          model_a.erase(i);
          break;
        case 3: {
          const size_t before = model_a.size();
          model_a.insert(model_b.begin(), model_b.end());
          EXPECT_EQ(a.unite(b), model_a.size() != before);
          break;
        }
        case 4:
          a.subtract(b);
          for (size_t x : model_b) model_a.erase(x);
          break;
        default:
          a.intersect(b);
          for (auto it = model_a.begin(); it != model_a.end();) {
            it = model_b.count(*it) ? std::next(it) : model_a.erase(it);
          }
          if (random() % 2) {
            b.clear();
            model_b.clear();
          }
      }
      std::set<size_t> listed;
      a.for_each([&](size_t x) { listed.insert(listed.end(), x); });
      ASSERT_EQ(listed, model_a);
      ASSERT_EQ(a.count(), model_a.size());
      ASSERT_EQ(a.test(i), model_a.count(i) == 1);
    }
  }
}

TEST(Cause, AttachedOrFromTheCode) {
  EXPECT_EQ(CauseOf(absl::OkStatus()), "ok");
  EXPECT_EQ(CauseOf(absl::InvalidArgumentError("x")), "invalid_module");
  EXPECT_EQ(CauseOf(WithCause(absl::InternalError("x"), "width_loses")), "width_loses");
  EXPECT_EQ(WithCause(absl::OkStatus(), "width_loses"), absl::OkStatus());
  EXPECT_EQ(CauseOf(WithForeignCause(absl::InternalError("x"), "spilt")), "spilt");
}

TEST(Cause, EveryCodeHasARow) {
  for (int code = 1; code <= 16; ++code) {
    const absl::Status s(static_cast<absl::StatusCode>(code), "x");
    EXPECT_NE(FindCause(CauseOf(s)), nullptr) << s;
  }
}

TEST(Cause, RefusalsCarryTheirDetail) {
  const absl::Status s = BeyondLimit("too_many_views", {"views", 20, 16}, 7);
  EXPECT_EQ(s.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(s.message(), "views: 20, at most 16");
  EXPECT_EQ(CauseOf(s), "too_many_views");
  EXPECT_EQ(SpirvIdOf(s), 7u);
  EXPECT_EQ(TextOf(s), "too_many_views: views: 20, at most 16 (%7)");
  Detail detail = DetailOf(s);
  EXPECT_EQ(detail.what, "views");
  EXPECT_EQ(detail.seen, 20u);
  EXPECT_EQ(detail.limit, 16u);
  EXPECT_EQ(detail.capability, "");
  detail.seen.reset();
  detail.capability = "MultiView";
  EXPECT_EQ(DetailText(detail), "views: more than 16 [capability MultiView]");
  const absl::Status other = WithDetail(s, detail);
  EXPECT_EQ(DetailOf(other).seen, std::nullopt);
  EXPECT_EQ(DetailOf(other).capability, "MultiView");
  EXPECT_EQ(WithDetail(absl::OkStatus(), detail), absl::OkStatus());
  EXPECT_EQ(Unsupported("images", "a cube").code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(TextOf(Unsupported("images", "a cube")), "images: a cube");
  EXPECT_EQ(TextOf(absl::InternalError("x")), "x");
  EXPECT_EQ(DetailOf(absl::InternalError("x")).what, "");
}

TEST(Cause, CarriesAnInstruction) {
  const absl::Status s = WithInstruction(absl::InternalError("x"), 4194303);
  EXPECT_EQ(InstructionOf(s), 4194303u);
  EXPECT_EQ(SpirvIdOf(s), 0u);
  EXPECT_EQ(InstructionOf(WithInstruction(s, 0)), 4194303u);
  EXPECT_EQ(InstructionOf(absl::InternalError("x")), 0u);
}

TEST(Cause, CarriesALineOfGlsl) {
  const absl::Status s = WithSource(absl::InternalError("x"), {"a.comp", 12});
  EXPECT_EQ(SourceOf(s).file, "a.comp");
  EXPECT_EQ(SourceOf(s).line, 12u);
  const absl::Status whole = WithSource(s, {"b.comp", 0});
  EXPECT_EQ(SourceOf(whole).file, "b.comp");
  EXPECT_EQ(SourceOf(whole).line, 0u);
  EXPECT_EQ(SourceOf(absl::InternalError("x")).file, "");
  EXPECT_EQ(WithSource(absl::OkStatus(), {"a.comp", 12}), absl::OkStatus());
}

TEST(Cause, CarriesASpirvId) {
  EXPECT_EQ(SpirvIdOf(absl::OkStatus()), 0u);
  EXPECT_EQ(SpirvIdOf(absl::InternalError("LIR %7")), 0u);
  const absl::Status s = WithSpirvId(WithCause(absl::InternalError("x"), "width_loses"), 4194303);
  EXPECT_EQ(SpirvIdOf(s), 4194303u);
  EXPECT_EQ(CauseOf(s), "width_loses");
  EXPECT_EQ(SpirvIdOf(WithSpirvId(s, 5)), 5u);
  EXPECT_EQ(WithSpirvId(absl::OkStatus(), 5), absl::OkStatus());
}

// Times spans shorter and longer than those read from the kernel; a sleep counts as no work.
TEST(Step, TimesAreThoseOfTheKernelsClock) {
  const auto kernel = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  };
  std::mt19937 random(1);
  volatile uint32_t sink = 0;
  int64_t last = ThreadNanoseconds();
  const int64_t first = last, kernel_first = kernel();
  for (int i = 0; i < 2000; ++i) {
    for (uint32_t k = random() % (i % 10 == 0 ? 100'000 : 1000); k > 0; --k) sink = sink + k;
    const int64_t now = ThreadNanoseconds();
    ASSERT_GE(now, last);
    last = now;
  }
  const timespec pause = {0, 50'000'000};
  nanosleep(&pause, nullptr);
  const int64_t mine = ThreadNanoseconds() - first, kernels = kernel() - kernel_first;
  EXPECT_NEAR(static_cast<double>(mine), static_cast<double>(kernels), 1e6);
}

TEST(Step, ReportsBeginAndTime) {
  struct Recorder : Sink {
    void OnPassBegin(std::string_view pass) override { begun = pass; }
    void OnPass(const PassRecord& r) override { record = r; }
    std::string begun;
    PassRecord record;
  } recorder;
  {
    const Step step(&recorder, "import", "front", 16);
    EXPECT_EQ(recorder.begun, "import");
    EXPECT_EQ(recorder.record.pass, "");
  }
  EXPECT_EQ(recorder.record.pass, "import");
  EXPECT_EQ(recorder.record.level, "front");
  EXPECT_EQ(recorder.record.width, 16);
  EXPECT_GE(recorder.record.nanoseconds, 0);
  const Step none(nullptr, "import", "front");
}

// A sentence is one or several, begins with a capital and ends with a full stop.
bool IsSentence(std::string_view text) {
  return text.size() > 10 && text.size() <= 300 && text[0] >= 'A' && text[0] <= 'Z' &&
         text.back() == '.' && text.find("  ") == text.npos && IsUtf8(text);
}

std::string AsWords(std::string_view text) {
  std::string words(text);
  for (char& c : words) c = c == '_' ? ' ' : static_cast<char>(std::tolower(c));
  return words;
}

// Returns the text without the numbers that name a kind of data, an instruction set or a dimension.
std::string WithoutNames(std::string_view text) {
  static const std::regex names(
      R"([0-9]+-bit|[0-9]+ bits|GLSL\.std\.450|GLSL450|PhysicalStorageBuffer64|[123]D)");
  return std::regex_replace(std::string(text), names, "");
}

// A limit in a sentence would be true for one target only.
TEST(Cause, SentencesHaveNoLimitsInNumbers) {
  static const std::regex number("[1-9]|\\b(four|eight|sixteen|thirty)\\b");
  for (const CauseInfo& row : kCauses) {
    for (const std::string_view text : {row.sentence, row.remedy}) {
      EXPECT_FALSE(std::regex_search(WithoutNames(text), number)) << row.name << ": " << text;
    }
  }
  EXPECT_TRUE(std::regex_search(WithoutNames("At most 16 of 32 bits."), number));
  EXPECT_FALSE(std::regex_search(WithoutNames("Use 16-bit types in 2D."), number));
}

// Users read the sentence after the name: "refused (float64): ... The target has no ...".
TEST(Cause, RowsAreWellFormed) {
  std::set<std::string_view> names, sentences;
  EXPECT_GT(std::size(kCauses), 80u);
  for (const CauseInfo& row : kCauses) {
    SCOPED_TRACE(row.name);
    std::cout << row.name << ": " << row.sentence << " " << row.remedy << "\n";
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_TRUE(sentences.insert(row.sentence).second) << "two causes have this sentence";
    EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), row.name.npos);
    EXPECT_LE(row.name.size(), 64u);
    EXPECT_TRUE(IsSentence(row.sentence)) << row.sentence;
    EXPECT_TRUE(IsSentence(row.remedy)) << row.remedy;
    EXPECT_NE(row.sentence, row.remedy);
    for (const std::string_view text : {row.sentence, row.remedy}) {
      const bool several_words = row.name.find('_') != row.name.npos;
      EXPECT_FALSE(several_words && text.find(row.name) != text.npos) << text;
      EXPECT_NE(AsWords(text).rfind(AsWords(row.name), 0), 0u) << text << " begins with the name";
    }
    EXPECT_EQ(FindCause(row.name), &row);
  }
  EXPECT_EQ(FindCause("no_such_cause"), nullptr);
  EXPECT_EQ(FindCause(""), nullptr);
}

TEST(Utf8, WhatIsNotWellFormedIsEscaped) {
  for (const char* good : {"", "caf\xc3\xa9", "\xe2\x80\x93", "\xf0\x9f\x8c\x8a"}) {
    EXPECT_TRUE(IsUtf8(good));
    EXPECT_EQ(EscapeNonUtf8(good), good);
  }
  const std::pair<const char*, const char*> kBad[] = {
      {"caf\xe9 x", "caf\\xe9 x"},
      {"\xc0\xaf", "\\xc0\\xaf"},                         // overlong
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                // a surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},       // beyond U+10FFFF
      {"\xe2\x82", "\\xe2\\x82"},                         // cut short
      {"\xc3\xa9\x80\xc3\xa9", "\xc3\xa9\\x80\xc3\xa9"},  // well-formed neighbours stay
  };
  for (const auto& [bad, shown] : kBad) {
    EXPECT_FALSE(IsUtf8(bad));
    EXPECT_EQ(EscapeNonUtf8(bad), shown);
    EXPECT_TRUE(IsUtf8(EscapeNonUtf8(bad)));
  }
  EXPECT_EQ(EscapeNonAscii("a\xc3\xa9"), "a\\xc3\\xa9");
}

TEST(Utf8, LongTextsAreCutBetweenCharacters) {
  EXPECT_EQ(Shortened("", 4), "");
  EXPECT_EQ(Shortened("abcd", 4), "abcd");
  EXPECT_EQ(Shortened("abcde", 4), "abcd...");
  EXPECT_EQ(Shortened("abc\xc3\xa9", 4), "abc...");
  EXPECT_EQ(Shortened("ab\xc3\xa9z", 4), "ab\xc3\xa9...");
  EXPECT_EQ(Shortened("\xf0\x9f\x8c\x8a", 3), "...");
  // not a character: cut by bytes
  EXPECT_EQ(Shortened("\x80\x80\x80\x80\x80", 4), "\x80\x80\x80\x80...");
}

TEST(Utf8, ControlsAreEscaped) {
  const std::pair<const char*, const char*> kControls[] = {
      {"a\nb.spv: ok", "a\\x0ab.spv: ok"},
      {"\t\r\x1b[2J\x7f", "\\x09\\x0d\\x1b[2J\\x7f"},
      {"\xc2\x80 \xc2\x9b", "\\xc2\\x80 \\xc2\\x9b"},                  // C1
      {"\xe2\x80\xa8\xe2\x80\xa9", "\\xe2\\x80\\xa8\\xe2\\x80\\xa9"},  // separators
      {"\xd8\x9c", "\\xd8\\x9c"},
      {"\xe2\x80\x8e\xe2\x80\x8f", "\\xe2\\x80\\x8e\\xe2\\x80\\x8f"},
      {"\xe2\x80\xaa\xe2\x80\xae", "\\xe2\\x80\\xaa\\xe2\\x80\\xae"},
      {"\xe2\x81\xa6\xe2\x81\xa9", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9"},
      {"caf\xe9", "caf\\xe9"},
  };
  for (const auto& [text, shown] : kControls) {
    EXPECT_EQ(EscapeControls(text), shown);
    EXPECT_EQ(EscapeControls(shown), shown);
    EXPECT_EQ(Quoted(text), shown);
  }
  EXPECT_EQ(EscapeControls(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(EscapeControls("a\n\tb\r\xc2\x85", "\n\t"), "a\n\tb\\x0d\\xc2\\x85");
}

// The neighbours of the ranges that are escaped, and text of other scripts.
TEST(Utf8, OtherCharactersStay) {
  for (const char* text : {" ~", "\xc2\xa0\xc3\xa9", "\xd8\x9b\xd8\x9d", "\xe2\x80\x8d\xe2\x80\x90",
                           "\xe2\x80\xa7\xe2\x80\xaf", "\xe2\x81\xa5\xe2\x81\xaa", "\xe2\x82\xa8",
                           "\xe3\x80\x8e\xd7\xa9\xf0\x9f\x8c\x8a"}) {
    EXPECT_EQ(EscapeControls(text), text);
  }
}

TEST(Utf8, QuotesAreBounded) {
  const std::string limit(kQuotedBytes, 'n');
  EXPECT_EQ(Quoted(""), "");
  EXPECT_EQ(Quoted(limit), limit);
  EXPECT_EQ(Quoted(limit + "n"), limit + "...");
  // An escape, or a character, is whole or left out.
  EXPECT_EQ(Quoted(limit.substr(1) + "\n"), limit.substr(1) + "...");
  EXPECT_EQ(Quoted(limit.substr(1) + "\xc3\xa9"), limit.substr(1) + "...");
  EXPECT_EQ(Quoted(std::string(1000, '\n')).size(), kQuotedBytes + 3);
}

TEST(Utf8, QuotesOfFilesHaveTheirEnd) {
  const std::string limit(kQuotedBytes, 'n');
  EXPECT_EQ(QuotedFile(""), "");
  EXPECT_EQ(QuotedFile(limit), limit);
  EXPECT_EQ(QuotedFile("/tmp/" + limit), "..." + limit);
  EXPECT_EQ(QuotedFile("a\n" + limit.substr(2)), "..." + limit.substr(2));
  EXPECT_EQ(QuotedFile("\xc3\xa9" + limit.substr(1)), "..." + limit.substr(1));
  EXPECT_EQ(QuotedFile("a\xff\xc2\x9b"), "a\\xff\\xc2\\x9b");
  EXPECT_EQ(QuotedFile(std::string(1000, '\n')).size(), kQuotedBytes + 3);
  EXPECT_EQ(QuotedFile(std::string(1000, '\x80')), "...");
}

TEST(Cause, OwnFaultsAreInternal) {
  const absl::Status s =
      AsOwnFault(WithSpirvId(WithCause(absl::InvalidArgumentError("x"), "unknown_target"), 5));
  EXPECT_EQ(s.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(s.message(), "x");
  EXPECT_EQ(SpirvIdOf(s), 5u);
  EXPECT_EQ(AsOwnFault(absl::NotFoundError("x")).code(), absl::StatusCode::kInternal);
  for (const absl::Status& kept :
       {absl::OkStatus(), absl::UnimplementedError("x"), absl::ResourceExhaustedError("x"),
        absl::CancelledError("x"), absl::InternalError("x")}) {
    EXPECT_EQ(AsOwnFault(kept), kept);
  }
}

TEST(Splitmix, GivesThePublishedNumbers) {
  // splitmix64 of seed 0 begins with 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4.
  Splitmix numbers(0);
  EXPECT_EQ(numbers.Next(), 0xe220a839u);
  EXPECT_EQ(numbers.Next(), 0x6e789e6au);
  for (int i = 0; i < 100; ++i) EXPECT_LT(numbers.Draw(3), 3u);
}

}  // namespace
}  // namespace kiln
