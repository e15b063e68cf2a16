"""One external repository, @system, with a cc_library for each library that Debian installs.

Flags come from pkg-config, or are written down here for the few libraries without a usable file.
All headers are below /usr/include, which the compiler searches anyway, so a library is its linker
flags and defines. A library whose package is missing still gets a target; building it fails and
names the package to install.
"""

# name: (pkg-config modules, Debian package, extra linker flags)
_PKG_CONFIG = {
    "benchmark": (["benchmark"], "libbenchmark-dev", []),
    "crypto": (["libcrypto"], "libssl-dev", []),
    "curl": (["libcurl"], "libcurl4-openssl-dev", []),
    "gmock": (["gmock"], "libgmock-dev", []),
    "gmock_main": (["gmock_main"], "libgmock-dev", []),
    "grpcpp": (["grpc++", "protobuf"], "libgrpc++-dev", []),
    "gtest": (["gtest"], "libgtest-dev", []),
    "gtest_main": (["gmock_main"], "libgmock-dev", []),
    "hiredis": (["hiredis"], "libhiredis-dev", []),
    "jemalloc": (["jemalloc"], "libjemalloc-dev", []),
    "nlohmann_json": (["nlohmann_json"], "nlohmann-json3-dev", []),
    "prometheus_core": (["prometheus-cpp-core"], "prometheus-cpp-dev", []),
    "png": (["libpng"], "libpng-dev", []),
    "protobuf": (["protobuf"], "libprotobuf-dev", []),
    "rocksdb": (["rocksdb"], "librocksdb-dev", []),
    "seccomp": (["libseccomp"], "libseccomp-dev", []),
    "spirv_headers": (["SPIRV-Headers"], "spirv-headers", []),
    "spirv_tools": (["SPIRV-Tools"], "spirv-tools", []),
    "sqlite3": (["sqlite3"], "libsqlite3-dev", []),
    "ssl": (["openssl"], "libssl-dev", []),
    "z": (["zlib"], "zlib1g-dev", []),
    "zstd": (["libzstd"], "libzstd-dev", []),
}

# name: (header that must exist, Debian package, linker flags, further @system names)
_BY_HEADER = {
    "benchmark_main": (
        "benchmark/benchmark.h",
        "libbenchmark-dev",
        ["-lbenchmark_main"],
        ["benchmark"],
    ),
    # Header-only; Boost has no pkg-config file.
    "boost_math": ("boost/math/distributions/students_t.hpp", "libboost-dev", [], []),
    # glslang.pc of glslang 12 names neither the SPIR-V generator nor the resource limits; the
    # order matters, these are static libraries.
    "glslang": (
        "glslang/Public/ShaderLang.h",
        "glslang-dev",
        [
            "-lglslang-default-resource-limits",
            "-lSPIRV",
            "-lglslang",
            "-lMachineIndependent",
            "-lGenericCodeGen",
            "-lOSDependent",
            "-lOGLCompiler",
        ],
        ["spirv_tools"],
    ),
    "pthread": ("pthread.h", "libc6-dev", ["-lpthread"], []),
}

# name: (path, Debian package): files that builds read.
_FILES = {
    "spirv.core.grammar.json": (
        "/usr/include/spirv/unified1/spirv.core.grammar.json",
        "spirv-headers",
    ),
    "spirv.hpp11": (
        "/usr/include/spirv/unified1/spirv.hpp11",
        "spirv-headers",
    ),
}

_ABSL_PACKAGE = "libabsl-dev"

# Prints "name|cflags|libs" for each module named, and for every installed Abseil module.
_QUERY = """
for m in "$@" $(pkg-config --list-all | sed -n 's/^\\(absl_[a-z0-9_]*\\) .*/\\1/p' | sort); do
  pkg-config --exists "$m" || continue
  printf '%s|%s|%s\\n' "$m" "$(pkg-config --cflags "$m")" "$(pkg-config --libs "$m")"
done
"""

def _words(text):
    return [w for w in text.strip().split(" ") if w]

def _last_of_each(words):
    """Drops repetitions, keeping the last, as static libraries need it."""
    seen = {}
    result = []
    for w in reversed(words):
        if w.startswith("-l") and w in seen:
            continue
        seen[w] = True
        result.append(w)
    return [w for w in reversed(result)]

def _as_needed(libs):
    if not libs:
        return []
    return ["-Wl,--push-state,--as-needed"] + libs + ["-Wl,--pop-state"]

def _library(name, defines = [], linkopts = [], deps = []):
    return "\n".join([
        "cc_library(",
        "    name = %r," % name,
        "    defines = %r," % defines,
        "    linkopts = %r," % linkopts,
        "    deps = %r," % deps,
        ")",
        "",
    ])

def _missing(name, package):
    return "missing_library(name = %r, package = %r)\n" % (name, package)

def _from_modules(name, modules, package, extra, known):
    defines = []
    libs = []
    for m in modules:
        if m not in known:
            return _missing(name, package)
        cflags, found = known[m]
        defines += [f[2:] for f in cflags if f.startswith("-D") and f != "-DNOMINMAX"]
        libs += found
    return _library(name, defines, _as_needed(_last_of_each(libs) + extra))

_MISSING_BZL = '''
def _missing_library_impl(ctx):
    fail("\\n\\nThe system library '%s' is not installed. It is in the Debian package %s:\\n" %
         (ctx.label.name, ctx.attr.package) +
         "    apt-get install %s    (or deploy/install-packages, for all of them)\\n" %
         ctx.attr.package + "then run 'bazel shutdown' and build again.\\n")

missing_library = rule(
    implementation = _missing_library_impl,
    attrs = {"package": attr.string()},
    provides = [CcInfo],
)
'''

def _system_libraries_impl(ctx):
    if not ctx.which("pkg-config"):
        fail("pkg-config is not installed: apt-get install pkg-config (or deploy/install-packages)")
    modules = {}
    for names, _, _ in _PKG_CONFIG.values():
        for m in names:
            modules[m] = True
    answer = ctx.execute(["sh", "-c", _QUERY, "sh"] + modules.keys(), environment = {"LC_ALL": "C"})
    if answer.return_code:
        fail("pkg-config: " + answer.stderr)

    known = {}
    for line in answer.stdout.splitlines():
        m, cflags, libs = line.split("|")
        known[m] = (_words(cflags), _words(libs))

    out = [
        "# Made by deploy/bazel/system.bzl.",
        'load(":missing.bzl", "missing_library")',
        'package(default_visibility = ["//visibility:public"])',
        "",
    ]
    for name, (names, package, extra) in _PKG_CONFIG.items():
        out.append(_from_modules(name, names, package, extra, known))
    for name, (header, package, linkopts, deps) in _BY_HEADER.items():
        if ctx.path("/usr/include/" + header).exists or name == "pthread":
            out.append(_library(name, [], linkopts, [":" + d for d in deps]))
        else:
            out.append(_missing(name, package))
    for name, (path, package) in _FILES.items():
        if ctx.path(path).exists:
            ctx.symlink(path, name)
            out.append("exports_files([%r])\n" % name)
        else:
            out.append(_missing(name, package))
    absl = [m for m in known if m.startswith("absl_")]
    for m in absl:
        out.append(_from_modules(m, [m], _ABSL_PACKAGE, [], known))
    if not absl:
        for m in _ABSL_NAMES:
            out.append(_missing(m, _ABSL_PACKAGE))

    ctx.file("WORKSPACE", "workspace(name = %r)\n" % ctx.name)
    ctx.file("missing.bzl", _MISSING_BZL)
    ctx.file("BUILD", "\n".join(out))

# Abseil libraries that Kiln uses: listed only for a clear error if Abseil is not installed.
_ABSL_NAMES = [
    "absl_flags",
    "absl_flags_parse",
    "absl_flat_hash_map",
    "absl_flat_hash_set",
    "absl_inlined_vector",
    "absl_span",
    "absl_status",
    "absl_statusor",
    "absl_str_format",
    "absl_strings",
    "absl_synchronization",
    "absl_time",
]

system_libraries = repository_rule(
    implementation = _system_libraries_impl,
    local = True,
    configure = True,
    environ = ["PKG_CONFIG_PATH"],
)
