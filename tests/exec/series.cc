#include "tests/exec/series.h"

#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"

namespace kiln::exec {
namespace {

using Values = std::vector<std::string>;

class Writer {
 public:
  Writer() {
    index_ = I32("local_index");
    base_ = I32(absl::StrCat("shl ", index_, ", 2"));
  }

  std::string Name() { return absl::StrCat("%", next_++); }
  void Line(std::string_view text) { absl::StrAppend(&text_, "  ", std::string(text), "\n"); }
  std::string Value(std::string_view type, std::string_view what) {
    const std::string name = Name();
    Line(absl::StrCat(name, ":", std::string(type), " = ", std::string(what)));
    return name;
  }
  std::string I32(std::string_view what) { return Value("i32", what); }
  std::string Op(std::string_view op, const std::string& a, const std::string& b) {
    return I32(absl::StrCat(std::string(op), " ", a, ", ", b));
  }
  const std::string& index() const { return index_; }

  void Array(int bytes) { absl::StrAppend(&arrays_, "private 0 ", bytes, "\n"); }

  // Lane l reads dword l + k of buffer 0.
  std::string Load(int k) {
    return I32(absl::StrCat("load_ssbo[0, align 4] ", Op("iadd", base_, std::to_string(4 * k))));
  }
  Values Loads(int n) {
    Values v;
    for (int k = 0; k < n; ++k) v.push_back(Load(k));
    return v;
  }

  // Uses all of `v` twice, the second time in the opposite order and after the first: no value can
  // be loaded late and be dead early.
  std::string Mix(const Values& v, std::string acc) {
    for (const std::string& x : v) acc = Op("iadd", Op("imul", acc, "3"), x);
    for (size_t k = v.size(); k-- > 0;) acc = Op("imul", Op("xor", acc, v[k]), "5");
    return acc;
  }

  std::string Module(const std::string& result) {
    return absl::StrCat(
        "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nresource 0 ssbo 0.0.0\n"
        "resource 1 ssbo 0.1.0\nresource 2 ubo 0.2.0\n",
        arrays_, "body {\n", text_, "  store_ssbo[1, align 4] ", base_, ", ", result,
        "\n  return\n}\n");
  }

  // Returns %names:i32 with or without initial values.
  std::string Params(const Values& names, const Values& init) {
    std::string list;
    for (size_t k = 0; k < names.size(); ++k) {
      absl::StrAppend(&list, k == 0 ? "" : ", ", names[k], ":i32");
      if (!init.empty()) absl::StrAppend(&list, " = ", init[k]);
    }
    return list;
  }
  Values Names(size_t n) {
    Values v;
    for (size_t k = 0; k < n; ++k) v.push_back(Name());
    return v;
  }
  static std::string List(const Values& v) {
    std::string list;
    for (const std::string& x : v) absl::StrAppend(&list, list.empty() ? "" : ", ", x);
    return list;
  }

  // loop (params = init) { if (counter >= rounds) break exits; body; continue next }; parameter 0
  // is the counter.
  template <class Body>
  Values Loop(const std::string& rounds, const Values& init, Body&& body) {
    const Values results = Names(init.size()), params = Names(init.size());
    Line(absl::StrCat(Params(results, {}), " = loop (", Params(params, init), ") {"));
    const std::string done = Value("bool", absl::StrCat("sge ", params[0], ", ", rounds));
    Line(absl::StrCat("if ", done, " {\n  break ", List(params), "\n} else {\n  yield\n}"));
    Values next = body(params);
    next.insert(next.begin(), Op("iadd", params[0], "1"));
    Line(absl::StrCat("continue ", List(next), "\n}"));
    return results;
  }

  // if (condition) { yield then() } else { yield other() }
  template <class Then, class Else>
  std::string If(const std::string& condition, Then&& then, Else&& other) {
    const std::string result = Name();
    Line(absl::StrCat(result, ":i32 = if ", condition, " {"));
    Line(absl::StrCat("yield ", then(), "\n} else {"));
    Line(absl::StrCat("yield ", other(), "\n}"));
    return result;
  }

 private:
  std::string text_, arrays_, index_, base_;
  int next_ = 1;
};

}  // namespace

int SeriesBytes(int n) { return 4 * (n + 256); }

std::string LiveValues(int n) {
  Writer w;
  const Values v = w.Loads(n);
  return w.Module(w.Mix(v, "1"));
}

std::string LiveUniforms(int n) {
  Writer w;
  Values v;
  for (int k = 0; k < n; ++k) {
    const std::string x = w.I32(absl::StrCat("load_ubo[2, align 4] ", 4 * k));
    v.push_back(w.Op("xor", w.Op("imul", x, std::to_string(2 * k + 3)), std::to_string(k)));
  }
  return w.Module(w.Mix(v, w.index()));
}

std::string LiveBesideArray(int n) {
  Writer w;
  w.Array(256);
  const Values v = w.Loads(n);
  const auto at = [&](const std::string& x) { return w.Op("shl", w.Op("and", x, "63"), "2"); };
  for (size_t k = 0; k < 64; ++k) {
    w.Line(absl::StrCat("store_private[0, align 4] ", 4 * k, ", ", v[k % v.size()]));
  }
  w.Line(absl::StrCat("store_private[0, align 4] ", at(v[0]), ", ", v[1]));
  const std::string mixed = w.Mix(v, "1");
  const std::string again = w.I32(absl::StrCat("load_private[0, align 4] ", at(mixed)));
  return w.Module(w.Op("xor", mixed, again));
}

std::string LiveAcrossIf(int n) {
  Writer w;
  const Values v = w.Loads(n);
  const std::string odd = w.Value("bool", absl::StrCat("ine ", w.Op("and", v[0], "1"), ", 0"));
  const size_t half = v.size() / 2;
  const std::string x = w.If(
      odd, [&] { return w.Mix(Values(v.begin(), v.begin() + half), "7"); },
      [&] { return w.Mix(Values(v.begin() + half, v.end()), "9"); });
  return w.Module(w.Mix(v, x));
}

std::string LiveThroughLoops(int n) {
  Writer w;
  const Values v = w.Loads(n);
  const std::string rounds = w.Op("and", v[0], "3");
  const Values out = w.Loop(rounds, {"0", v[1]}, [&](const Values& p) {
    const Values in = w.Loop(w.Op("and", p[1], "3"), {"0", p[1]}, [&](const Values& q) {
      return Values{w.Op("iadd", w.Op("imul", q[1], "5"), q[0])};
    });
    return Values{w.Op("iadd", in[1], v[2])};
  });
  return w.Module(w.Mix(v, out[1]));
}

std::string LoopCarried(int n) {
  Writer w;
  Values init = w.Loads(n);
  const std::string rounds = w.Op("and", init[0], "3");
  init.insert(init.begin(), "0");
  const Values out = w.Loop(rounds, init, [&](const Values& p) {
    Values next;
    for (size_t k = 1; k < p.size(); ++k) {
      const std::string& other = p[k + 1 == p.size() ? 1 : k + 1];
      // Some are passed on unchanged, as another parameter.
      next.push_back(k % 5 == 0 ? other : w.Op("iadd", w.Op("imul", p[k], "3"), other));
    }
    return next;
  });
  return w.Module(w.Mix(Values(out.begin() + 1, out.end()), "1"));
}

std::string HandedOn(int n) {
  Writer w;
  Values init = w.Loads(n);
  const std::string rounds = w.Op("and", init[0], "3");
  init.insert(init.begin(), "0");
  const Values out = w.Loop(rounds, init, [&](const Values& p) {
    Values next(p.begin() + 2, p.end());
    next.push_back(w.Op("iadd", p[1], p[0]));
    return next;
  });
  return w.Module(w.Mix(Values(out.begin() + 1, out.end()), "1"));
}

std::string BreakValues(int n) {
  Writer w;
  const Values v = w.Loads(4);
  const Values results = w.Names(static_cast<size_t>(n));
  const std::string i = w.Name(), a = w.Name();
  w.Line(absl::StrCat(w.Params(results, {}), " = loop (", w.Params({i, a}, {"0", v[0]}), ") {"));
  Values made;
  for (int k = 0; k < n; ++k) {
    made.push_back(w.Op("xor", w.Op("imul", made.empty() ? a : made.back(), "7"),
                        w.Op("iadd", i, v[static_cast<size_t>(k) % 4])));
  }
  const std::string limit = w.Op("and", w.index(), "3");
  const std::string done = w.Value("bool", absl::StrCat("sge ", i, ", ", limit));
  w.Line(absl::StrCat("if ", done, " {\n  break ", Writer::List(made), "\n} else {\n  yield\n}"));
  const std::string next = w.Op("iadd", i, "1");
  const std::string mixed = w.Mix(made, next);
  w.Line(absl::StrCat("continue ", next, ", ", mixed, "\n}"));
  return w.Module(w.Mix(results, "1"));
}

std::string Chain(int n) {
  Writer w;
  std::string x = w.Load(0);
  const std::string y = w.Load(1);
  static constexpr const char* kOps[] = {"iadd", "xor", "isub", "or"};
  for (int k = 0; k < n; ++k) {
    x = k % 7 == 6 ? w.Op("imul", x, "3") : w.Op(kOps[k % 4], x, k % 2 == 0 ? y : w.index());
  }
  return w.Module(x);
}

std::string Cases(int n) {
  Writer w;
  const std::string x = w.Load(0), y = w.Load(1);
  const std::string selector = w.Op("urem", w.Load(2), std::to_string(n));
  const auto make = [&](auto&& self, int k) -> std::string {
    if (k == n) return y;
    const std::string is = w.Value("bool", absl::StrCat("ieq ", selector, ", ", k));
    return w.If(
        is, [&] { return w.Op("iadd", w.Op("imul", x, std::to_string(k + 2)), y); },
        [&] { return self(self, k + 1); });
  };
  return w.Module(make(make, 0));
}

namespace {

// A constant that no instruction takes as an immediate here: the operand of a shift.
std::string Shifted(Writer& w, int k, const std::string& by) {
  return w.Op("shl", std::to_string(1'000'003 + 7 * k), by);
}

// The inlined form of `f(x): if (x odd) return K << s; for (i < x & 3) if (x < 0) return x ^ i;
// else x = x * 5 + i; return x + (K << s)`.
std::string Call(Writer& w, int k, const std::string& x, const std::string& by) {
  const std::string odd = w.Value("bool", absl::StrCat("ine ", w.Op("and", x, "1"), ", 0"));
  return w.If(
      odd, [&] { return Shifted(w, 2 * k, by); },
      [&] {
        const std::string rounds = w.Op("and", w.Op("ushr", x, "1"), "3");
        const Values results = w.Names(3), p = w.Names(2);
        w.Line(absl::StrCat(w.Params(results, {}), " = loop (", w.Params(p, {"0", x}), ") {"));
        const std::string done = w.Value("bool", absl::StrCat("sge ", p[0], ", ", rounds));
        w.Line(absl::StrCat("if ", done, " {\n  break ", p[0], ", ", p[1],
                            ", 0\n} else {\n  yield\n}"));
        const std::string negative = w.Value("bool", absl::StrCat("slt ", p[1], ", 0"));
        w.Line(absl::StrCat("if ", negative, " {"));
        const std::string returned = w.Op("xor", p[1], p[0]);
        w.Line(absl::StrCat("break ", p[0], ", ", returned, ", 1\n} else {\n  yield\n}"));
        const std::string next = w.Op("iadd", w.Op("imul", p[1], "5"), p[0]);
        w.Line(absl::StrCat("continue ", w.Op("iadd", p[0], "1"), ", ", next, "\n}"));
        const std::string left = w.Value("bool", absl::StrCat("ine ", results[2], ", 0"));
        return w.If(
            left, [&] { return results[1]; },
            [&] { return w.Op("iadd", results[1], Shifted(w, 2 * k + 1, by)); });
      });
}

}  // namespace

std::string Constants(int n) {
  Writer w;
  const std::string by = w.Op("and", w.Load(0), "7");
  std::string x = w.Load(1);
  for (int k = 0; k < n; ++k) x = w.Op(k % 3 == 0 ? "xor" : "iadd", x, Shifted(w, k, by));
  return w.Module(x);
}

std::string ConstantsAgain(int n) {
  Writer w;
  const std::string by = w.Op("and", w.Load(0), "7");
  std::string x = w.Load(1);
  for (int k = 0; k < n; ++k) x = w.Op("iadd", w.Op("xor", x, Shifted(w, k, by)), w.index());
  const std::string again = w.Op("and", x, "7");
  for (int k = n; k-- > 0;) x = w.Op("iadd", w.Op("xor", x, Shifted(w, k, again)), w.index());
  return w.Module(x);
}

std::string SmallIfs(int n) {
  Writer w;
  const std::string y = w.Load(0), by = w.Op("and", y, "7");
  std::string x = w.Load(1);
  for (int k = 0; k < n; ++k) {
    const std::string odd =
        w.Value("bool", absl::StrCat("slt ", w.Op("and", x, std::to_string(k % 63 + 1)), ", ", by));
    x = w.If(
        odd,
        [&] {
          // a load, so that it stays an if
          const std::string at = w.Op("shl", w.Op("and", x, "255"), "2");
          const std::string z = w.I32(absl::StrCat("load_ssbo[0, align 4] ", at));
          return w.Op("xor", z, Shifted(w, k, by));
        },
        [&] { return w.Op("iadd", x, y); });
  }
  return w.Module(x);
}

std::string Calls(int n) {
  Writer w;
  const std::string by = w.Op("and", w.Load(0), "7");
  std::string x = w.Load(1);
  for (int k = 0; k < n; ++k) x = Call(w, k, x, by);
  return w.Module(x);
}

std::string Nests(int n) {
  Writer w;
  const std::string by = w.Op("and", w.Load(0), "7");
  std::string x = w.Load(1);
  int k = 0;
  const auto nest = [&](auto&& self, int depth, const std::string& v) -> std::string {
    if (depth == 0 || k == n) return v;
    const std::string c = Shifted(w, k++, by);
    const std::string less = w.Value("bool", absl::StrCat("slt ", v, ", ", c));
    return w.If(
        less,
        [&] {
          if (k % 4 != 0) return w.Op("iadd", self(self, depth - 1, w.Op("xor", v, c)), v);
          const Values out = w.Loop(w.Op("and", v, "3"), {"0", v}, [&](const Values& p) {
            return Values{self(self, depth - 1, w.Op("iadd", p[1], c))};
          });
          return w.Op("xor", out[1], v);
        },
        [&] { return w.Op("isub", v, c); });
  };
  while (k < n) x = nest(nest, 24, x);
  return w.Module(x);
}

std::string DeepNest(int n) {
  Writer w;
  const std::string by = w.Op("and", w.Load(0), "7");
  const auto nest = [&](auto&& self, int k, const std::string& v) -> std::string {
    if (k == n) return v;
    const std::string c = Shifted(w, k, by);
    const std::string less = w.Value("bool", absl::StrCat("slt ", v, ", ", c));
    return w.If(
        less, [&] { return w.Op("iadd", self(self, k + 1, w.Op("xor", v, c)), v); },
        [&] { return w.Op("isub", v, c); });
  };
  return w.Module(nest(nest, 0, w.Load(1)));
}

std::string Wide(int n) {
  Writer w;
  std::string x = w.Load(0);
  for (int made = 0; made < n;) {
    const Values v = w.Loads(12);
    x = w.Mix(v, x);
    const std::string odd = w.Value("bool", absl::StrCat("slt ", x, ", ", v[1]));
    x = w.If(
        odd, [&] { return w.Mix(v, x); }, [&] { return w.Op("iadd", x, v[2]); });
    const Values out = w.Loop(w.Op("and", x, "3"), {"0", x},
                              [&](const Values& p) { return Values{w.Mix(v, p[1])}; });
    x = out[1];
    made += 12 * 2 + 3 * 48;
  }
  return w.Module(x);
}

}  // namespace kiln::exec
