// Every pure op of core/mir/ops.def through the whole compiler: per lane, uniform and mixed
// sources, with and without the optional passes.
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/mir/mir.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

enum class Sources { kLanes, kUniform, kMixed };

class Writer {
 public:
  explicit Writer(const mir::OpInfo& info) : info_(info) {}

  std::string Module(Sources sources) {
    text_ =
        "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nresource 0 ssbo 0.0.0\nresource 1 ssbo 0.1.0\n"
        "resource 2 ubo 0.2.0\nbody {\n  %1:i32 = local_index\n  %2:i32 = shl %1, 4\n"
        "  %3:i32 = shl %1, 3\n";
    const std::string_view letters = info_.signature.substr(2);
    std::string list;
    for (size_t i = 0; i < letters.size(); ++i) {
      const bool uniform =
          sources == Sources::kUniform || (sources == Sources::kMixed && i % 2 == 1);
      absl::StrAppend(&list, i == 0 ? "" : ", ", Source(letters[i], i, uniform));
    }
    if (info_.name == "f2f16") {  // which NaN it makes is nobody's business
      const std::string half = Value("i32", absl::StrCat("f2f16 ", list));
      const std::string widened = Value("f32", absl::StrCat("f16f ", half));
      return absl::StrCat(text_, "  store_ssbo[1, align 8] %3, ", widened, "\n  return\n}\n");
    }
    const bool is_bool = info_.signature[0] == 'b';
    const std::string result = Value(
        is_bool ? "bool" : info_.signature[0] == 'f' ? "f32" : "i32",
        absl::StrCat(std::string(info_.name), " ", list));
    if (is_bool) {
      const std::string a = Value("i32", absl::StrCat("select ", result, ", 5, 9"));
      const std::string b = Value("i32", absl::StrCat("select ", result, ", 1, 0"));
      absl::StrAppend(&text_, "  store_ssbo[1, align 8] %3, ", a, ", ", b, "\n");
    } else {
      absl::StrAppend(&text_, "  store_ssbo[1, align 8] %3, ", result, "\n");
    }
    return absl::StrCat(text_, "  return\n}\n");
  }

 private:
  std::string Value(std::string_view type, const std::string& what) {
    const std::string name = absl::StrCat("%", next_++);
    absl::StrAppend(&text_, "  ", name, ":", std::string(type), " = ", what, "\n");
    return name;
  }

  std::string Source(char letter, size_t i, bool uniform) {
    const char* type = letter == 'f' ? "f32" : "i32";
    std::string v;
    if (uniform) {
      v = Value(type, absl::StrCat("load_ubo[2, align 4] ", 4 * (7 * i + 3)));
    } else {
      const std::string offset = Value("i32", absl::StrCat("iadd %2, ", 4 * i));
      v = Value(type, absl::StrCat("load_ssbo[0, align 4] ", offset));
    }
    // Offset and count of bit fields: their sum stays within the word.
    const bool field = info_.name.find("bitfield") != std::string_view::npos;
    if (field && i >= info_.signature.size() - 4) v = Value("i32", absl::StrCat("and ", v, ", 15"));
    // The math unit's sine, cosine and power of two are for moderate arguments.
    if (info_.name == "fsin" || info_.name == "fcos" || info_.name == "fexp2") {
      v = Value("f32", absl::StrCat("fmin ", v, ", 100.0f"));
      v = Value("f32", absl::StrCat("fmax ", v, ", -100.0f"));
    }
    if (info_.name == "fpow" && i == 0) v = Value("f32", absl::StrCat("fabs ", v));
    if (letter == 'b') v = Value("bool", absl::StrCat("slt ", v, ", 20"));
    return v;
  }

  const mir::OpInfo& info_;
  std::string text_;
  int next_ = 4;
};

// What is compared here is exact or, for these, as precise as Vulkan asks: quotients have errors
// that remainders multiply, powers those of their logarithm.
bool NeedsOwnTolerance(std::string_view name) {
  return name == "frem" || name == "fmod" || name == "fpow";
}

TEST(Ops, AllAgreeWithTheInterpreter) {
  int tested = 0;
  for (int i = 0; i < mir::NumOps(); ++i) {
    const mir::OpInfo& info = mir::Info(static_cast<mir::Op>(i));
    const bool plain = info.Has('P') && info.sources > 0 && info.results == 1 &&
                       info.signature[0] != '*' && !NeedsOwnTolerance(info.name);
    if (!plain) continue;
    ++tested;
    for (Sources sources : {Sources::kLanes, Sources::kUniform, Sources::kMixed}) {
      const std::string module = Writer(info).Module(sources);
      exec::Setup setup;
      setup.floats = info.signature[0] == 'f' || info.name == "f2f16";
      EXPECT_EQ(exec::Compare(module, setup), "") << module;
      setup.disabled_passes = {"propagate_copies", "propagate_saturate",
                               "merge_equal_instructions", "propagate_conditions",
                               "remove_dead_instructions"};
      EXPECT_EQ(exec::Compare(module, setup), "") << module;
    }
  }
  EXPECT_GT(tested, 70);
}

}  // namespace
}  // namespace kiln
