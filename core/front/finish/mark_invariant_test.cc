// Checks that outputs decorated Invariant mark everything that they depend on, and nothing else.
#include <gtest/gtest.h>

#include <string>

#include "core/base/cause.h"
#include "core/front/finish/mark_invariant.h"
#include "core/front/testing/fragment_testing.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"

namespace kiln::front {
namespace {

// The body after marking. Output 0 is invariant, output 1 is not.
std::string Marked(const std::string& body, const std::string& more = "") {
  auto module = mir::Parse(
      "mir 1 stage vertex input 0 location 0.0 f32 x4 input 1 location 1.0 i32 x1 "
      "output 0 location 0.0 f32 x4 invariant output 1 location 1.0 f32 x4 "
      "resource 0 ssbo 0.0.0 private 0 16 " +
      more + " body {\n" + body + "\n}");
  if (!module.ok()) return TextOf(module.status());
  MarkInvariant(*module);
  if (absl::Status s = mir::Verify(*module); !s.ok()) return std::string(s.message());
  const std::string text = mir::Print(*module, {.renumber = true, .spirv_ids = false});
  const size_t begin = text.find("body {\n") + 6;
  return text.substr(begin, text.rfind("}\n") - begin);
}

TEST(MarkInvariant, MarksWhatIsStoredAndNothingElse) {
  EXPECT_EQ(Marked(R"(
  %0:f32, %1:f32 = load_input[0, 0]
  %2:f32 = fmul %0, %1
  %3:f32 = fadd %2, 1f
  %4:f32 = fmul %0, 3f
  %5:f32 = fadd %4, %3
  %6:bool = flt %0, %1
  %7:f32 = select %6, %3, %0
  store_output[0, 0] %7
  store_output[1, 0] %5
  return)"),
            R"(
  %0:f32, %1:f32 = load_input[0, 0]
  %2:f32 = fmul.exact %0, %1
  %3:f32 = fadd.exact %2, 1f
  %4:f32 = fmul %0, 3f
  %5:f32 = fadd %4, %3
  %6:bool = flt %0, %1
  %7:f32 = select %6, %3, %0
  store_output[0, 0] %7
  store_output[1, 0] %5
  return
)");
}

TEST(MarkInvariant, MarksWhatDecides) {
  EXPECT_EQ(Marked(R"(
  %0:f32, %1:f32 = load_input[0, 0]
  %2:f32 = fmul %0, %1
  %3:bool = flt %2, 1f
  %4:f32, %5:f32 = if %3 {
    %6:f32 = fadd %0, 1f
    %7:f32 = fadd %0, 2f
    yield %6, %7
  } else {
    yield %1, %1
  }
  store_output[0, 0] %4
  store_output[1, 0] %5
  return)"),
            R"(
  %0:f32, %1:f32 = load_input[0, 0]
  %2:f32 = fmul.exact %0, %1
  %3:bool = flt %2, 1f
  %4:f32, %5:f32 = if %3 {
    %6:f32 = fadd.exact %0, 1f
    %7:f32 = fadd %0, 2f
    yield %6, %7
  } else {
    yield %1, %1
  }
  store_output[0, 0] %4
  store_output[1, 0] %5
  return
)");
}

// A loop's value depends on the number of iterations: on every condition of its jumps, and through
// parameters on the conditions behind those.
TEST(MarkInvariant, MarksWhatKeepsLoopsGoing) {
  EXPECT_EQ(Marked(R"(
  %0:f32, %1:f32 = load_input[0, 0]
  %2:f32, %3:f32 = loop (%4:f32 = %0, %5:f32 = %1, %6:f32 = %0) {
    %7:f32 = fmul %5, 0.5f
    %8:bool = flt %7, 1f
    if %8 {
      break %4, %6
    } else {
      yield
    }
    %9:f32 = fadd %4, 1f
    %10:f32 = fadd %6, 1f
    continue %9, %7, %10
  }
  store_output[0, 0] %2
  store_output[1, 0] %3
  return)"),
            R"(
  %0:f32, %1:f32 = load_input[0, 0]
  %2:f32, %3:f32 = loop (%4:f32 = %0, %5:f32 = %1, %6:f32 = %0) {
    %7:f32 = fmul.exact %5, 0.5f
    %8:bool = flt %7, 1f
    if %8 {
      break %4, %6
    } else {
      yield
    }
    %9:f32 = fadd.exact %4, 1f
    %10:f32 = fadd %6, 1f
    continue %9, %7, %10
  }
  store_output[0, 0] %2
  store_output[1, 0] %3
  return
)");
}

// A value in memory also depends on the conditions of its store: on the ifs around it.
TEST(MarkInvariant, GoesThroughMemory) {
  EXPECT_EQ(Marked(R"(
  %0:f32, %1:f32 = load_input[0, 0]
  %2:f32 = fadd %0, %1
  %3:f32 = fmul %0, %1
  %4:bool = flt %3, 1f
  if %4 {
    store_private[0, align 4] 0, %2
    yield
  } else {
    yield
  }
  %5:f32 = load_private[0, align 4] 4
  store_output[0, 0] %5
  return)"),
            R"(
  %0:f32, %1:f32 = load_input[0, 0]
  %2:f32 = fadd.exact %0, %1
  %3:f32 = fmul.exact %0, %1
  %4:bool = flt %3, 1f
  if %4 {
    store_private[0, align 4] 0, %2
    yield
  } else {
    yield
  }
  %5:f32 = load_private[0, align 4] 4
  store_output[0, 0] %5
  return
)");
  EXPECT_EQ(Marked(R"(
  %0:f32 = load_input[0, 0]
  %1:f32 = fadd %0, %0
  store_ssbo[0, align 4] 0, %1
  %2:f32 = load_ssbo[0, align 4] 4
  store_output[0, 0] %2
  return)"),
            R"(
  %0:f32 = load_input[0, 0]
  %1:f32 = fadd.exact %0, %0
  store_ssbo[0, align 4] 0, %1
  %2:f32 = load_ssbo[0, align 4] 4
  store_output[0, 0] %2
  return
)");
}

// The result of an exchange between lanes depends on which lanes are active.
TEST(MarkInvariant, GoesThroughLanes) {
  EXPECT_EQ(Marked(R"(
  %0:f32, %1:f32 = load_input[0, 0]
  %2:f32 = fadd %0, %1
  %3:bool = flt %2, 1f
  %4:f32 = if %3 {
    %5:f32 = read_first %0
    store_private[0, align 4] 0, %5
    yield %5
  } else {
    yield 0f
  }
  %6:f32 = load_private[0, align 4] 0
  store_output[0, 0] %6
  return)"),
            R"(
  %0:f32, %1:f32 = load_input[0, 0]
  %2:f32 = fadd.exact %0, %1
  %3:bool = flt %2, 1f
  %4:f32 = if %3 {
    %5:f32 = read_first %0
    store_private[0, align 4] 0, %5
    yield %5
  } else {
    yield 0f
  }
  %6:f32 = load_private[0, align 4] 0
  store_output[0, 0] %6
  return
)");
}

TEST(MarkInvariant, OfAMemberOfABlock) {
  const auto text = [](const std::string& decoration) {
    return VertexText({.declarations = decoration + R"(
      OpDecorate %per_vertex Block
      OpMemberDecorate %per_vertex 0 BuiltIn Position
      OpDecorate %x Location 0
      %per_vertex = OpTypeStruct %v4float
      %p_per_vertex = OpTypePointer Output %per_vertex
      %7 = OpVariable %p_per_vertex Output
      %x = OpVariable %in_float Input)",
                       .main = R"(
      %y = OpAccessChain %out_float %7 %u_0 %u_1
      %v = OpLoad %float %x
      %w = OpFMul %float %v %v
      OpStore %y %w
      OpReturn)"});
  };
  const std::string body = R"(
body {
  %0:f32 = load_input[0, 0]
  %1:f32 = fmul)";
  const std::string marked = text("OpMemberDecorate %per_vertex 0 Invariant");
  EXPECT_EQ(marked.substr(0, marked.find("  store")),
            "\ninput 0 location 0.0 f32 x1\noutput 0 builtin position f32 x4 invariant" + body +
                ".exact %0, %0\n");
  const std::string plain = text("");
  EXPECT_EQ(plain.substr(0, plain.find("  store")),
            "\ninput 0 location 0.0 f32 x1\noutput 0 builtin position f32 x4" + body + " %0, %0\n");
}

}  // namespace
}  // namespace kiln::front
