"""kiln_fuzz_test: one LLVMFuzzerTestOneInput, run as a short test and as a real fuzzer."""

load("@rules_cc//cc:defs.bzl", "cc_test")

def kiln_fuzz_test(name, srcs, deps = [], seeds = [], runs = 2000, size = "medium", **kwargs):
    """Declares a fuzz target.

    `bazel test` runs every seed and `runs` mutations of them, the same ones each time, with a
    small driver. With --config=fuzz the same target is linked with libFuzzer instead:

        bazel run --config=fuzz //core/front:spirv_fuzz -- -max_total_time=300 $PWD/seeds

    Args:
      name: target name, by convention ending in _fuzz.
      srcs: files that define LLVMFuzzerTestOneInput.
      deps: cc_library dependencies.
      seeds: input files.
      runs: mutated inputs in an ordinary test run.
      size: test size.
      **kwargs: passed to cc_test.
    """
    cc_test(
        name = name,
        size = size,
        srcs = srcs,
        args = select({
            "//deploy/bazel:libfuzzer": ["-runs=%d" % runs],
            "//conditions:default": ["--runs=%d" % runs],
        }) + ["$(location %s)" % s for s in seeds],
        data = seeds,
        linkopts = select({
            "//deploy/bazel:libfuzzer": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        deps = deps + select({
            "//deploy/bazel:libfuzzer": [],
            "//conditions:default": ["//deploy/bazel:fuzz_main"],
        }),
        **kwargs
    )
