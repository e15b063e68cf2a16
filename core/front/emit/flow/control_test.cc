// Tests every shape of control flow against expected results; the same kernels also after spirv-opt
// has given them other shapes (phis, merged returns, inlined and flattened code).
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/front/testing/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

std::vector<uint32_t> Inputs() {
  std::vector<uint32_t> input;
  for (uint32_t i = 0; i < 96; ++i) input.push_back(i < 48 ? i : i * 2654435761u);
  return input;
}

struct Shape {
  const char* name;
  const char* globals;
  const char* body;  // reads x, leaves its result in r
  std::function<uint32_t(uint32_t)> expected;
};

uint32_t Collatz(uint32_t x) {
  uint32_t n = 0;
  for (uint32_t v = x % 97u + 1; v != 1; v = v % 2 == 0 ? v / 2 : 3 * v + 1) ++n;
  return n;
}

const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> shapes = {
      {"if_else", "", "if (x % 3u == 0u) r = x + 1u; else r = x * 2u;",
       [](uint32_t x) { return x % 3 == 0 ? x + 1 : x * 2; }},
      {"if_only", "", "if (x > 5u) r = x;", [](uint32_t x) { return x > 5 ? x : 0; }},
      {"nested_if", "",
       "if (x > 4u) { if (x > 9u) r = 1u; else r = 2u; r += x; } else if (x == 2u) r = 9u;",
       [](uint32_t x) { return x > 4 ? (x > 9 ? 1 : 2) + x : (x == 2 ? 9u : 0u); }},
      {"for_loop", "", "for (uint i = 0u; i < x % 17u; ++i) r += i * i;",
       [](uint32_t x) {
         uint32_t r = 0;
         for (uint32_t i = 0; i < x % 17; ++i) r += i * i;
         return r;
       }},
      {"while_loop", "",
       "uint v = x % 97u + 1u; while (v != 1u) { v = v % 2u == 0u ? v / 2u : 3u * v + 1u; ++r; }",
       Collatz},
      {"do_while", "", "uint v = x % 11u; do { r += v + 1u; --v; } while (int(v) > 0);",
       [](uint32_t x) {
         uint32_t r = 0;
         uint32_t v = x % 11;
         do {
           r += v + 1;
           --v;
         } while (static_cast<int32_t>(v) > 0);
         return r;
       }},
      {"do_while_false", "", "do { r = 1u; if (x % 2u == 0u) break; r = 2u; } while (false);",
       [](uint32_t x) { return x % 2 == 0 ? 1 : 2; }},
      {"break_continue", "",
       "for (uint i = 0u; i < 40u; ++i) { if (i % 3u == 0u) continue; if (i > x % 37u) break; "
       "r += i; }",
       [](uint32_t x) {
         uint32_t r = 0;
         for (uint32_t i = 0; i < 40; ++i) {
           if (i % 3 == 0) continue;
           if (i > x % 37) break;
           r += i;
         }
         return r;
       }},
      {"continue_in_nested_if", "",
       "for (uint i = 0u; i < 12u; ++i) { if (i > 2u) { if (((x >> i) & 1u) != 0u) { r += 5u; "
       "continue; } r += i; } else { if (x == i) continue; } r += 1u; }",
       [](uint32_t x) {
         uint32_t r = 0;
         for (uint32_t i = 0; i < 12; ++i) {
           if (i > 2) {
             if (((x >> i) & 1) != 0) {
               r += 5;
               continue;
             }
             r += i;
           } else if (x == i) {
             continue;
           }
           r += 1;
         }
         return r;
       }},
      {"nested_loops_break_both", "",
       "bool stop = false; for (uint i = 0u; i < 9u && !stop; ++i) { for (uint j = 0u; j < 9u; "
       "++j) { r += i ^ j; if (i * j > x % 60u) { stop = true; break; } } }",
       [](uint32_t x) {
         uint32_t r = 0;
         bool stop = false;
         for (uint32_t i = 0; i < 9 && !stop; ++i) {
           for (uint32_t j = 0; j < 9; ++j) {
             r += i ^ j;
             if (i * j > x % 60) {
               stop = true;
               break;
             }
           }
         }
         return r;
       }},
      {"return_from_nested_loops",
       "uint f(uint x) { for (uint i = 0u; i < 9u; ++i) { for (uint j = 0u; j < 9u; ++j) { if (i "
       "* j == x % 70u) return i * 100u + j; } if (i == x % 11u) return 7u; } return 5u; }",
       "r = f(x) + 1u;",
       [](uint32_t x) {
         for (uint32_t i = 0; i < 9; ++i) {
           for (uint32_t j = 0; j < 9; ++j) {
             if (i * j == x % 70) return i * 100 + j + 1;
           }
           if (i == x % 11) return 8u;
         }
         return 6u;
       }},
      {"early_returns",
       "uint f(uint x) { if (x % 2u == 0u) return 1u; if (x % 3u == 0u) { if (x % 5u == 0u) return "
       "2u; x += 7u; } if (x % 7u == 0u) { return x; } else if (x % 11u == 0u) { x *= 3u; } return "
       "x + 4u; }",
       "r = f(x); r += f(x + 1u) * 2u;",
       [](uint32_t x) {
         const auto f = [](uint32_t x) {
           if (x % 2 == 0) return 1u;
           if (x % 3 == 0) {
             if (x % 5 == 0) return 2u;
             x += 7;
           }
           if (x % 7 == 0) return x;
           if (x % 11 == 0) x *= 3;
           return x + 4;
         };
         return f(x) + f(x + 1) * 2;
       }},
      {"return_in_main", "",
       "if (x % 4u == 1u) { out_[id] = 77u; return; } for (uint i = 0u; i < 5u; ++i) { if (i == x) "
       "{ out_[id] = 88u + i; return; } } r = 99u;",
       [](uint32_t x) { return x % 4 == 1 ? 77u
                               : x < 5    ? 88 + x
                                          : 99; }},
      {"switch_plain", "",
       "switch (x % 6u) { case 0u: r = 10u; break; case 1u: case 2u: r = 20u; break; case 4u: r = "
       "30u; break; default: r = 40u; } r += 1u;",
       [](uint32_t x) {
         switch (x % 6) {
           case 0: return 11u;
           case 1:
           case 2: return 21u;
           case 4: return 31u;
           default: return 41u;
         }
       }},
      {"switch_fallthrough", "",
       "switch (x % 7u) { case 0u: r += 1u; case 1u: r += 2u; if (x > 20u) break; r += 4u; case "
       "2u: "
       "r += 8u; break; default: r += 16u; case 5u: r += 32u; case 6u: r += 64u; }",
       [](uint32_t x) {
         uint32_t r = 0;
         switch (x % 7) {
           case 0: r += 1; [[fallthrough]];
           case 1:
             r += 2;
             if (x > 20) break;
             r += 4;
             [[fallthrough]];
           case 2: r += 8; break;
           default: r += 16; [[fallthrough]];
           case 5: r += 32; [[fallthrough]];
           case 6: r += 64;
         }
         return r;
       }},
      {"switch_break_from_nested_ifs", "",
       "switch (x % 5u) { case 0u: if (x > 10u) { if (x > 20u) break; r = 1u; } r += 2u; break; "
       "case "
       "3u: { for (uint i = 0u; i < 8u; ++i) { if (i == x % 9u) break; r += i; } if (x % 2u == 0u) "
       "break; r += 100u; } default: r += 5u; } r *= 3u;",
       [](uint32_t x) {
         uint32_t r = 0;
         switch (x % 5) {
           case 0:
             if (x > 10) {
               if (x > 20) break;
               r = 1;
             }
             r += 2;
             break;
           case 3:
             for (uint32_t i = 0; i < 8; ++i) {
               if (i == x % 9) break;
               r += i;
             }
             if (x % 2 == 0) break;
             r += 100;
             [[fallthrough]];
           default: r += 5;
         }
         return r * 3;
       }},
      {"continue_in_switch", "",
       "for (uint i = 0u; i < 10u; ++i) { switch ((x + i) % 5u) { case 0u: continue; case 1u: r += "
       "1u; break; case 2u: r += 10u; if (i > 6u) continue; r += 3u; case 3u: if (i > 8u) break; r "
       "+= 100u; } r += 1000u; }",
       [](uint32_t x) {
         uint32_t r = 0;
         for (uint32_t i = 0; i < 10; ++i) {
           switch ((x + i) % 5) {
             case 0: continue;
             case 1: r += 1; break;
             case 2:
               r += 10;
               if (i > 6) continue;
               r += 3;
               [[fallthrough]];
             case 3:
               if (i > 8) break;
               r += 100;
           }
           r += 1000;
         }
         return r;
       }},
      {"return_in_switch_in_loop",
       "uint f(uint x) { uint r = 0u; for (uint i = 0u; i < 10u; ++i) { switch ((x >> i) % 4u) { "
       "case 0u: r += 1u; break; case 1u: if (r > 3u) return r; r += 2u; break; case 2u: continue; "
       "default: if (i == 7u) return 500u + r; } r += 10u; } return r; }",
       "r = f(x);",
       [](uint32_t x) {
         uint32_t r = 0;
         for (uint32_t i = 0; i < 10; ++i) {
           switch ((x >> i) % 4) {
             case 0: r += 1; break;
             case 1:
               if (r > 3) return r;
               r += 2;
               break;
             case 2: continue;
             default:
               if (i == 7) return 500u + r;
           }
           r += 10;
         }
         return r;
       }},
      {"large_switch", "",
       "switch (x % 20u) { case 0u: r=3u;break; case 1u: r=14u;break; case 2u: r=15u;break; case "
       "3u:"
       " r=92u;break; case 4u: r=65u;break; case 5u: r=35u; case 6u: r+=89u;break; case 7u: r=79u;"
       "break; case 8u: r=32u;break; case 9u: r=38u;break; case 10u: r=46u;break; case 11u: r=26u;"
       "break; case 12u: case 17u: r=43u;break; case 13u: r=38u;break; default: r = 7u; case 15u: "
       "r+=1u; }",
       [](uint32_t x) -> uint32_t {
         static const uint32_t table[20] = {3,  14, 15, 92, 65, 124, 89, 79, 32, 38,
                                            46, 26, 43, 38, 8,  1,   8,  43, 8,  8};
         return table[x % 20];
       }},
      {"infinite_loop_with_breaks", "",
       "uint i = 0u; while (true) { i++; if (i * 7u > x % 50u) break; if (i % 4u == 3u) continue; "
       "r "
       "+= i; if (r > 30u) { r = 1000u; break; } }",
       [](uint32_t x) {
         uint32_t r = 0;
         uint32_t i = 0;
         while (true) {
           i++;
           if (i * 7 > x % 50) break;
           if (i % 4 == 3) continue;
           r += i;
           if (r > 30) {
             r = 1000;
             break;
           }
         }
         return r;
       }},
      {"work_in_continue_construct", "",
       "uint j = 0u; for (uint i = 0u; i < 20u; r += i, j = r ^ x, ++i) { if ((j & 3u) == 1u) "
       "continue; if (j % 13u == 12u) break; r += 2u; }  r += j;",
       [](uint32_t x) {
         uint32_t r = 0;
         uint32_t j = 0;
         for (uint32_t i = 0; i < 20; r += i, j = r ^ x, ++i) {
           if ((j & 3) == 1) continue;
           if (j % 13 == 12) break;
           r += 2;
         }
         return r + j;
       }},
      {"short_circuit", "",
       "bool a = x > 3u && (x % 2u == 0u || x / (x - 3u) == 1u); bool b = a || x == 1u; r = (a ? "
       "1u "
       ": 0u) + (b ? 2u : 0u); if (a && b && x != 8u) r += 4u;",
       [](uint32_t x) {
         const bool a = x > 3 && (x % 2 == 0 || x / (x - 3) == 1);
         const bool b = a || x == 1;
         return (a ? 1u : 0u) + (b ? 2u : 0u) + (a && b && x != 8 ? 4u : 0u);
       }},
      {"value_from_loop_used_after", "",
       "uint last; for (uint i = 0u; ; ++i) { uint sq = i * i; last = sq + i; if (sq >= x % 200u) "
       "break; } r = last;",
       [](uint32_t x) {
         for (uint32_t i = 0;; ++i) {
           if (i * i >= x % 200) return i * i + i;
         }
       }},
      {"calls_in_loops",
       "uint g(inout uint a, uint b) { if (b % 3u == 0u) return a; a += b; return a * 2u; } uint "
       "f(uint x) { uint s = 0u; for (uint i = 0u; i < 6u; ++i) { s += g(x, i); if (s > 5000u) "
       "return s; } return s + x; }",
       "r = f(x % 1000u) + f(3u);",
       [](uint32_t x) {
         const auto g = [](uint32_t& a, uint32_t b) {
           if (b % 3 == 0) return a;
           a += b;
           return a * 2;
         };
         const auto f = [&](uint32_t x) {
           uint32_t s = 0;
           for (uint32_t i = 0; i < 6; ++i) {
             s += g(x, i);
             if (s > 5000) return s;
           }
           return s + x;
         };
         return f(x % 1000) + f(3);
       }},
      {"global_state", "uint counter = 3u; void bump(uint n) { if (n > 2u) counter += n; }",
       "for (uint i = 0u; i < x % 7u; ++i) { bump(i); counter ^= i; } r = counter;",
       [](uint32_t x) {
         uint32_t counter = 3;
         for (uint32_t i = 0; i < x % 7; ++i) {
           if (i > 2) counter += i;
           counter ^= i;
         }
         return counter;
       }},
      {"never_returns_for_some", "void spin(uint x) { while (x > 5u) { x = x / 2u; } }",
       "spin(x); if (x == 3u) { while (r < 10u) { r += 3u; } } else { r = x; }",
       [](uint32_t x) { return x == 3 ? 12 : x; }},
      {"swap_in_loop", "",
       "uint a = x, b = x ^ 5u; for (uint i = 0u; i < x % 9u; ++i) { uint t = a; a = b; b = t + "
       "1u; "
       "} r = a * 3u + b;",
       [](uint32_t x) {
         uint32_t a = x;
         uint32_t b = x ^ 5;
         for (uint32_t i = 0; i < x % 9; ++i) {
           const uint32_t t = a;
           a = b;
           b = t + 1;
         }
         return a * 3 + b;
       }},
  };
  return shapes;
}

class ControlFlow : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(ControlFlow, EveryShape) {
  const std::vector<uint32_t> input = Inputs();
  for (const Shape& shape : Shapes()) {
    SCOPED_TRACE(shape.name);
    const std::string body =
        std::string("uint x = in_[id]; uint r = 0u;\n") + shape.body + "\nout_[id] = r;";
    std::vector<uint32_t> words = CompileCompute(KernelText(shape.globals, body));
    if (!GetParam().empty()) words = Optimise(words, GetParam());
    const auto module = ImportVerified(words);
    ASSERT_TRUE(module.ok()) << module.status();
    const auto output = RunWords(*module, input, input.size(), 3);
    ASSERT_TRUE(output.ok()) << output.status() << mir::Print(*module);
    for (size_t i = 0; i < input.size(); ++i) {
      ASSERT_EQ((*output)[i], shape.expected(input[i])) << "x = " << input[i] << "\n"
                                                        << mir::Print(*module);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Forms, ControlFlow,
    testing::Values(std::vector<std::string>{}, std::vector<std::string>{"-O"},
                    std::vector<std::string>{"-Os"},
                    std::vector<std::string>{"--eliminate-local-multi-store"},
                    std::vector<std::string>{"--merge-return"},
                    std::vector<std::string>{"--merge-return", "--inline-entry-points-exhaustive",
                                             "--eliminate-local-multi-store"},
                    std::vector<std::string>{"--eliminate-dead-branches", "--merge-blocks",
                                             "--ssa-rewrite", "--if-conversion"},
                    std::vector<std::string>{"--ssa-rewrite", "--loop-unroll-partial=2"},
                    std::vector<std::string>{"--ssa-rewrite", "--loop-peeling"},
                    std::vector<std::string>{"--wrap-opkill", "--ssa-rewrite",
                                             "--convert-local-access-chains"}));

}  // namespace
}  // namespace kiln::front
