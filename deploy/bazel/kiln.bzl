"""kiln_library, kiln_pass, kiln_test: the rules that most BUILD files are made of."""

load("@rules_cc//cc:defs.bzl", "cc_library", "cc_test")

# Tests are compiled more often than they run: without optimisation compiling takes a third of the
# time.
TEST_COPTS = ["-O0", "-U_FORTIFY_SOURCE"]

def _asserting():
    package = native.package_name() + "/"
    return package.startswith("core/") and not package.startswith("core/front/")

def kiln_test(name, srcs = None, deps = [], size = "small", copts = [], **kwargs):
    """Declares a GoogleTest of NAME.cc (or of `srcs`) with GoogleTest's main.

    Args:
      name: target name, ending in _test.
      srcs: sources, headers of the test among them; by default NAME.cc.
      deps: what the test uses; GoogleTest is added.
      size: Bazel's size, which bounds the time.
      copts: flags of the compiler.
      **kwargs: passed to cc_test.
    """
    pch = "test_pch_asserting" if _asserting() else "test_pch"
    cc_test(
        name = name,
        size = size,
        srcs = srcs or [name + ".cc"],
        copts = select({
            "//deploy/bazel:sanitised": [],
            "//conditions:default": TEST_COPTS + [
                "-include",
                "$(BINDIR)/deploy/bazel/%s.h" % pch,
            ],
        }) + copts,
        deps = deps + ["@system//:gtest_main"] + select({
            "//deploy/bazel:sanitised": [],
            "//conditions:default": ["//deploy/bazel:" + pch],
        }),
        **kwargs
    )

def kiln_library(name, srcs = None, hdrs = None, deps = [], test_deps = None, **kwargs):
    """Declares a library of NAME.cc and NAME.h, those of them that exist, and its test.

    Args:
      name: target name.
      srcs: sources and private headers; by default NAME.cc.
      hdrs: public headers; by default NAME.h.
      deps: what the library uses.
      test_deps: what NAME_test.cc uses besides the library; a list, perhaps empty, declares the
          test NAME_test, None declares none.
      **kwargs: passed to cc_library.
    """
    cc_library(
        name = name,
        srcs = native.glob([name + ".cc"]) if srcs == None else srcs,
        hdrs = native.glob([name + ".h"]) if hdrs == None else hdrs,
        deps = deps,
        **kwargs
    )
    if test_deps != None:
        kiln_test(name = name + "_test", deps = [":" + name] + test_deps)

def kiln_pass(name, deps = [], test_deps = [], **kwargs):
    """Declares a pass over MIR in NAME.cc and NAME.h, and its test in NAME_test.cc.

    Passes and their tests use what every pass does (the runner of passes, MIR and its builder, the
    text tests of mid/testing); `deps` and `test_deps` say what this one uses besides.

    Args:
      name: target name, which is the pass's.
      deps: what the pass uses besides.
      test_deps: what the test uses besides; None if there is no NAME_test.cc.
      **kwargs: passed to kiln_library.
    """
    kiln_library(
        name = name,
        deps = deps + [
            "//core/base:pass",
            "//core/mir",
            "//core/mir:build",
            "@system//:absl_statusor",
        ],
        test_deps = None if test_deps == None else test_deps + ["//core/mid/testing"],
        **kwargs
    )
