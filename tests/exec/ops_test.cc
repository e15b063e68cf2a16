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

// Writes one op on sources of the given types; its result is widened to 32 bits and stored.
class Writer {
 public:
  Writer(std::string op, Sources sources) : op_(std::move(op)), sources_(sources) {}

  std::string Module(const std::vector<std::string>& types, std::string_view result_type) {
    text_ =
        "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nresource 0 ssbo 0.0.0\nresource 1 ssbo 0.1.0\n"
        "resource 2 ubo 0.2.0\nbody {\n  %1:i32 = local_index\n  %2:i32 = shl %1, 4\n"
        "  %3:i32 = shl %1, 3\n";
    std::string list;
    for (size_t i = 0; i < types.size(); ++i) {
      absl::StrAppend(&list, i == 0 ? "" : ", ", Source(types[i], i, types.size()));
    }
    Store(Value(result_type, absl::StrCat(op_, " ", list)), result_type);
    return absl::StrCat(text_, "  return\n}\n");
  }

 private:
  std::string Value(std::string_view type, const std::string& what) {
    std::string name = absl::StrCat("%", next_++);
    absl::StrAppend(&text_, "  ", name, ":", std::string(type), " = ", what, "\n");
    return name;
  }

  void Store(std::string result, std::string_view type) {
    if (type == "bool") {
      const std::string a = Value("i32", absl::StrCat("select ", result, ", 5, 9"));
      const std::string b = Value("i32", absl::StrCat("select ", result, ", 1, 0"));
      absl::StrAppend(&text_, "  store_ssbo[1, align 8] %3, ", a, ", ", b, "\n");
      return;
    }
    if (type == "i16" || type == "i8") result = Value("i32", absl::StrCat("zext ", result));
    if (type == "f16") result = Value("f32", absl::StrCat("f2f ", result));
    // f2f16 may return any NaN, so its result is compared as a float.
    if (op_ == "f2f16") result = Value("f32", absl::StrCat("f16f ", result));
    absl::StrAppend(&text_, "  store_ssbo[1, align 8] %3, ", result, "\n");
  }

  std::string Source(const std::string& type, size_t i, size_t count) {
    const bool uniform =
        sources_ == Sources::kUniform || (sources_ == Sources::kMixed && i % 2 == 1);
    const std::string loaded = type == "bool" ? "i32" : type;
    const bool is_short = loaded == "i16" || loaded == "f16" || loaded == "i8";
    const size_t place = is_short ? 2 * (i % 2) : 0;  // the low or the high word
    const char* align = is_short ? "align 2" : "align 4";
    std::string v;
    if (uniform) {
      v = Value(loaded, absl::StrCat("load_ubo[2, ", align, "] ", 4 * (7 * i + 3) + place));
    } else {
      const std::string offset = Value("i32", absl::StrCat("iadd %2, ", 4 * i + place));
      v = Value(loaded, absl::StrCat("load_ssbo[0, ", align, "] ", offset));
    }
    // Offset and count of a bit field: their sum stays within the integer's width.
    const bool field = op_.find("bitfield") != std::string::npos;
    if (field && i >= count - 2)
      v = Value(loaded, absl::StrCat("and ", v, ", ", Literal(loaded, field_mask_)));
    if (field && i == 0) field_mask_ = type == "i16" ? 7 : 15;
    // The math unit's sine, cosine and power of two are for moderate arguments; those of halves are
    // computed in single precision.
    if (op_ == "fsin" || op_ == "fcos" || op_ == "fexp2") {
      const std::string limit = type == "f16" ? "10.0h" : "100.0f";
      v = Value(type, absl::StrCat("fmin ", v, ", ", limit));
      v = Value(type, absl::StrCat("fmax ", v, ", -", limit));
    }
    // Division by zero is undefined, and differs between widths.
    const bool divides =
        op_ == "udiv" || op_ == "sdiv" || op_ == "urem" || op_ == "srem" || op_ == "smod";
    if (divides && i == 1) v = Value(type, absl::StrCat("or ", v, ", ", Literal(type, 1)));
    if (type == "bool") v = Value("bool", absl::StrCat("slt ", v, ", 20"));
    return v;
  }

  static std::string Literal(const std::string& type, int number) {
    return absl::StrCat(number, type == "i32" ? "" : type);
  }

  const std::string op_;
  const Sources sources_;
  std::string text_;
  int next_ = 4;
  int field_mask_ = 15;
};

// Returns the type of a signature's letter for these sizes of integers and floats.
std::string TypeOf(char letter, int int_bits, int float_bits) {
  switch (letter) {
    case 'b': return "bool";
    case 'f': return absl::StrCat("f", float_bits);
    case 's': return "f32";
    case 'u': return "i32";
    default: return absl::StrCat("i", int_bits);
  }
}

void ExpectAgreement(const std::string& op, const std::vector<std::string>& types,
                     const std::string& result) {
  for (Sources sources : {Sources::kLanes, Sources::kUniform, Sources::kMixed}) {
    const std::string module = Writer(op, sources).Module(types, result);
    exec::Setup setup;
    setup.floats = result[0] == 'f' || op == "f2f16";
    // One unit of half precision is 2^13 of single precision.
    if (result == "f16") setup.ulp = 2 << 13;
    EXPECT_EQ(exec::Compare(module, setup), "") << module;
    setup.disabled_passes = {"propagate_copies", "propagate_saturate", "merge_equal_instructions",
                             "propagate_conditions", "remove_dead_instructions"};
    EXPECT_EQ(exec::Compare(module, setup), "") << module;
  }
}

// Returns true for ops that are only as precise as Vulkan asks; the others are exact. Remainders
// multiply the error of a quotient, powers that of a logarithm.
bool NeedsOwnTolerance(std::string_view name) {
  return name == "frem" || name == "fmod" || name == "fpow";
}

void TestOps(int int_bits, int float_bits, int at_least) {
  int tested = 0;
  for (int i = 0; i < mir::NumOps(); ++i) {
    const mir::OpInfo& info = mir::Info(static_cast<mir::Op>(i));
    const bool plain = info.Has('P') && info.sources > 0 && info.results == 1 &&
                       info.signature.find_first_of("*jgd") == std::string_view::npos &&
                       !NeedsOwnTolerance(info.name);
    const bool sized = info.signature.find_first_of("ifnt") != std::string_view::npos;
    if (!plain || (int_bits != 32 && !sized)) continue;
    ++tested;
    std::vector<std::string> types;
    for (char letter : info.signature.substr(2)) {
      types.push_back(TypeOf(letter, int_bits, float_bits));
    }
    ExpectAgreement(std::string(info.name), types, TypeOf(info.signature[0], int_bits, float_bits));
  }
  EXPECT_GT(tested, at_least);
}

TEST(Ops, Of32BitsAgreeWithTheInterpreter) { TestOps(32, 32, 70); }
TEST(Ops, Of16BitsAgreeWithTheInterpreter) { TestOps(16, 16, 60); }

TEST(Ops, ConversionsAgreeWithTheInterpreter) {
  const std::vector<std::string> ints = {"i8", "i16", "i32"}, floats = {"f16", "f32"};
  for (size_t a = 0; a < ints.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      ExpectAgreement("zext", {ints[b]}, ints[a]);
      ExpectAgreement("sext", {ints[b]}, ints[a]);
      ExpectAgreement("trunc", {ints[a]}, ints[b]);
    }
    for (const std::string& f : floats) {
      ExpectAgreement("i2f", {ints[a]}, f);
      ExpectAgreement("u2f", {ints[a]}, f);
      ExpectAgreement("f2i", {f}, ints[a]);
      ExpectAgreement("f2u", {f}, ints[a]);
    }
  }
  ExpectAgreement("f2f", {"f16"}, "f32");
  ExpectAgreement("f2f", {"f32"}, "f16");
  ExpectAgreement("bitcast", {"f16"}, "i16");
  ExpectAgreement("bitcast", {"i16"}, "f16");
}

}  // namespace
}  // namespace kiln
