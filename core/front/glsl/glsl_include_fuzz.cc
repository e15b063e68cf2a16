// Fuzz target: includes of a GLSL source, also of themselves, repeated, and without end.
//
// The bytes make a source and up to six files of #include lines and padding, some for one includer
// only. Property: CompileGlsl's result agrees with a walk of the tree of includes: the source
// compiles; or it is invalid, since an include is missing or nested too deeply; or it is refused,
// since all includes together exceed Bound::kGlslIncluded. It always terminates.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/cause.h"
#include "core/front/check/bounds.h"
#include "core/front/glsl/glsl.h"

namespace {

using kiln::front::GlslSource;

constexpr size_t kFiles = 6;
constexpr size_t kDepth = 64;
constexpr uint64_t kBytesOfInclude = 256;
constexpr size_t kPadding[] = {0, 10, 1000, 60'000};

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  // Returns 0 at the end of the data.
  size_t Below(size_t n) { return at_ < size_ ? data_[at_++] % n : 0; }

 private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

std::string NameOf(size_t file) { return "f" + std::to_string(file); }

// A file as the reference walk knows it: by its lines.
struct File {
  size_t spelled = 0;
  std::string includer;  // empty: any
  std::vector<size_t> lines;
  std::string text;
};

void ReadLines(Bytes* bytes, File* file) {
  for (size_t n = bytes->Below(4); n > 0; --n) file->lines.push_back(bytes->Below(kFiles + 1));
  for (size_t line : file->lines) {
    file->text += line % 2 == 0 ? "#include \"" + NameOf(line) + "\"\n"
                                : "# include <" + NameOf(line) + ">\n";
  }
  if (const size_t padding = kPadding[bytes->Below(4)]; padding > 0) {
    file->text += "//" + std::string(padding, ' ') + "\n";
  }
}

enum class Verdict { kGood, kInvalid, kTooLarge };

class Judge {
 public:
  explicit Judge(const std::vector<File>& files) : files_(files) {}

  // Walks all includes, up to the bound.
  void Walk(const std::string& includer, const std::vector<size_t>& lines, size_t depth) {
    for (const size_t spelled : lines) {
      const File* file = Find(spelled, includer);
      if (file == nullptr || depth > kDepth) {
        lacking_ = true;
        continue;
      }
      bytes_ += file->text.size() + kBytesOfInclude;
      if (TooLarge()) return;
      const auto index = static_cast<size_t>(file - files_.data());
      Walk("r" + std::to_string(index), file->lines, depth + 1);
      if (TooLarge()) return;
    }
  }

  // Accepts any verdict that is possible: glslang may or may not continue after a missing include.
  bool CanBe(Verdict verdict) const {
    if (verdict == Verdict::kTooLarge) return TooLarge();
    if (verdict == Verdict::kInvalid) return lacking_;
    return !lacking_ && !TooLarge();
  }

 private:
  bool TooLarge() const { return bytes_ > kiln::front::Most(kiln::front::Bound::kGlslIncluded); }
  const File* Find(size_t spelled, const std::string& includer) const {
    const File* any = nullptr;
    for (const File& file : files_) {
      if (file.spelled != spelled) continue;
      if (file.includer == includer) return &file;
      if (file.includer.empty() && any == nullptr) any = &file;
    }
    return any;
  }

  const std::vector<File>& files_;
  uint64_t bytes_ = 0;
  bool lacking_ = false;
};

Verdict VerdictOf(const absl::Status& status) {
  if (status.ok()) return Verdict::kGood;
  return kiln::CauseOf(status) == "shader_too_large" ? Verdict::kTooLarge : Verdict::kInvalid;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  File main;
  ReadLines(&bytes, &main);
  std::vector<File> files(1 + bytes.Below(kFiles));
  GlslSource source;
  source.name = "main";
  source.text = "#version 450\n#extension GL_GOOGLE_include_directive : enable\n" + main.text +
                "void main() {}\n";
  for (size_t i = 0; i < files.size(); ++i) {
    File& file = files[i];
    file.spelled = bytes.Below(kFiles);
    const size_t includer = bytes.Below(2 * kFiles);
    if (includer < kFiles) file.includer = includer == 0 ? "main" : "r" + std::to_string(includer);
    ReadLines(&bytes, &file);
    source.includes.push_back(
        {NameOf(file.spelled), file.includer, "r" + std::to_string(i), file.text});
  }
  Judge judge(files);
  judge.Walk("main", main.lines, 1);
  const absl::Status status = kiln::front::CompileGlsl(source).status();
  if (judge.CanBe(VerdictOf(status))) return 0;
  std::fprintf(stderr, "property: it cannot be %s\n", status.ToString().c_str());
  std::abort();
}
