"""kiln_library, kiln_pass, kiln_program, kiln_test: the rules that BUILD files are made of."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

# Tests are compiled more often than they run: without optimisation compiling takes a third of the
# time.
TEST_COPTS = ["-O0", "-U_FORTIFY_SOURCE"]

def _precompiled(name):
    """Returns (flags of the compiler, dependencies) that read the precompiled header NAME."""
    package = native.package_name() + "/"
    if package.startswith("core/") and not package.startswith("core/front/"):
        name += "_asserting"  # .bazelrc keeps assertions there
    copts = select({
        "//deploy/bazel:sanitised": [],
        # GCC 12 takes some destructors of absl::InlinedVector, which it has merged, for wrong.
        "//conditions:default": [
            "-include",
            "$(BINDIR)/deploy/bazel/%s.h" % name,
            "-Wno-array-bounds",
        ],
    })
    deps = select({
        "//deploy/bazel:sanitised": [],
        "//conditions:default": ["//deploy/bazel:" + name],
    })
    return copts, deps

def _serves(deps):
    return type(deps) == "list" and [
        dep
        for dep in deps
        if dep == "@system//:grpcpp" or dep.startswith("//proto:")
    ] != []

def _is_cpp(srcs):
    return type(srcs) == "list" and [src for src in srcs if src.endswith(".cc")] != []

def kiln_test(name, srcs = None, deps = [], size = "small", copts = [], optimised = False, **kwargs):
    """Declares a GoogleTest of NAME.cc (or of `srcs`) with GoogleTest's main.

    Args:
      name: target name, ending in _test.
      srcs: sources, headers of the test among them; by default NAME.cc.
      deps: what the test uses; GoogleTest is added.
      size: Bazel's size, which bounds the time.
      copts: flags of the compiler.
      optimised: for a test that runs its own code for seconds.
      **kwargs: passed to cc_test.
    """
    pch_copts, pch_deps = _precompiled("library_pch" if optimised else "test_pch")
    cc_test(
        name = name,
        size = size,
        srcs = srcs or [name + ".cc"],
        copts = ([] if optimised else select({
            "//deploy/bazel:sanitised": [],
            "//conditions:default": TEST_COPTS,
        })) + pch_copts + copts,
        deps = deps + ["@system//:gtest_main"] + pch_deps,
        **kwargs
    )

def kiln_library(name, srcs = None, hdrs = None, deps = [], test_deps = None, copts = [], **kwargs):
    """Declares a library of NAME.cc and NAME.h, those of them that exist, and its test.

    Its sources start from a precompiled header; those of a library that uses gRPC or messages of
    proto/ from one that has their headers as well.

    Args:
      name: target name.
      srcs: sources and private headers; by default NAME.cc.
      hdrs: public headers; by default NAME.h.
      deps: what the library uses.
      test_deps: what NAME_test.cc uses besides the library; a list, perhaps empty, declares the
          test NAME_test, None declares none.
      copts: flags of the compiler.
      **kwargs: passed to cc_library.
    """
    srcs = native.glob([name + ".cc"]) if srcs == None else srcs
    pch_copts, pch_deps = [], []
    if _is_cpp(srcs):
        pch_copts, pch_deps = _precompiled("service_pch" if _serves(deps) else "library_pch")
    cc_library(
        name = name,
        srcs = srcs,
        hdrs = native.glob([name + ".h"]) if hdrs == None else hdrs,
        copts = pch_copts + copts,
        deps = deps + pch_deps,
        **kwargs
    )
    if test_deps != None:
        kiln_test(name = name + "_test", deps = [":" + name] + test_deps)

def kiln_program(
        name,
        srcs = None,
        deps = [],
        test_args = None,
        test_data = [],
        testonly = False,
        **kwargs):
    """Declares a program of NAME.cc (or of `srcs`), and a test that runs it.

    Args:
      name: target name.
      srcs: sources and private headers; by default NAME.cc.
      deps: what the program uses.
      test_args: arguments with which the program is also a test, NAME_test, that passes if the
          program exits with 0; None if there is no such test.
      test_data: files that the test reads.
      testonly: whether only tests and other test programs may use it.
      **kwargs: passed to cc_binary.
    """
    srcs = srcs or [name + ".cc"]
    if test_args != None:
        # Compiled once for both.
        kiln_library(name = name + "_main", srcs = srcs, hdrs = [], deps = deps, testonly = testonly)
        cc_binary(name = name, testonly = testonly, deps = [":%s_main" % name], **kwargs)
        cc_test(
            name = name + "_test",
            size = "medium",
            args = test_args,
            data = test_data,
            deps = [":%s_main" % name],
        )
        return
    copts, pch_deps = _precompiled("service_pch" if _serves(deps) else "library_pch")
    cc_binary(
        name = name,
        srcs = srcs,
        testonly = testonly,
        copts = copts,
        deps = deps + pch_deps,
        **kwargs
    )

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
