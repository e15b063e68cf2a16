"""kiln_proto_library: protobuf and gRPC code by the system's protoc, as one cc_library.

Bazel's own proto rules would build protoc from downloaded sources.
"""

load("@rules_cc//cc:defs.bzl", "cc_library")

KilnProtoInfo = provider(fields = {"srcs": "depset of .proto files, transitive"})

# Generated files lie below this folder of the package, which dependents search as a system folder,
# so that warnings for our own code do not apply to generated headers.
_GEN = "gen"

def _proto_gen_impl(ctx):
    srcs = depset(ctx.files.srcs, transitive = [d[KilnProtoInfo].srcs for d in ctx.attr.deps])
    out_dir = "/".join([p for p in [ctx.bin_dir.path, ctx.label.package, _GEN] if p])
    args = ctx.actions.args()

    # protoc names a file by the first of these folders that it is below.
    args.add_all(ctx.attr.roots, format_each = "-I%s")
    args.add("--cpp_out=" + out_dir)
    if ctx.attr.grpc:
        args.add("--grpc_out=generate_mock_code=true:" + out_dir)
        args.add("--plugin=protoc-gen-grpc=/usr/bin/grpc_cpp_plugin")
    args.add_all(ctx.files.srcs)
    ctx.actions.run_shell(
        command = "for p in /usr/bin/protoc%s; do [ -x $p ] || { echo \"$p is missing: %s\" >&2; exit 1; }; done; exec /usr/bin/protoc \"$@\"" % (
            " /usr/bin/grpc_cpp_plugin" if ctx.attr.grpc else "",
            "apt-get install protobuf-compiler protobuf-compiler-grpc",
        ),
        arguments = [args],
        inputs = srcs,
        outputs = ctx.outputs.outs,
        mnemonic = "Protoc",
        progress_message = "protoc %{label}",
    )
    return [KilnProtoInfo(srcs = srcs), DefaultInfo(files = depset(ctx.outputs.outs))]

_proto_gen = rule(
    implementation = _proto_gen_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".proto"], mandatory = True),
        "deps": attr.label_list(providers = [KilnProtoInfo]),
        "grpc": attr.bool(),
        "roots": attr.string_list(),
        "outs": attr.output_list(),
    },
)

def kiln_proto_library(name, srcs, deps = [], grpc = True, visibility = None):
    """C++ for .proto files. Include it as "<path of the .proto>.pb.h" (or .grpc.pb.h).

    The path is that by which .proto files import each other: of a public one, below kiln/, from this
    package's folder (`"kiln/v1/compile.pb.h"`), of others from the repository root.

    Args:
      name: of the cc_library.
      srcs: .proto files of this package, all public or none.
      deps: other kiln_proto_library targets whose files are imported.
      grpc: also generate services, mocks included.
      visibility: of the cc_library.
    """
    kinds = [".pb"] + ([".grpc.pb"] if grpc else [])
    package = native.package_name()
    public = srcs[0].startswith("kiln/")
    prefix = _GEN + "/" + ("" if public else package + "/")
    stems = [prefix + s[:-len(".proto")] for s in srcs]
    sources = [s + k + ".cc" for s in stems for k in kinds]
    headers = [s + k + ".h" for s in stems for k in kinds]
    mocks = [s + "_mock.grpc.pb.h" for s in stems] if grpc else []

    _proto_gen(
        name = name + "_gen",
        srcs = srcs,
        outs = sources + headers + mocks,
        grpc = grpc,
        roots = [package, "."] if public else [".", package],
        deps = [_gen_of(d) for d in deps],
        visibility = visibility,
    )
    cc_library(
        name = name,
        srcs = sources,
        hdrs = headers + mocks,
        copts = ["-w"],
        # Server reflection (server/rpc/reflection_service.h) finds services in the descriptors that
        # their files register when the program starts.
        alwayslink = grpc,
        includes = [_GEN],
        visibility = visibility,
        deps = deps + ["@system//:grpcpp" if grpc else "@system//:protobuf"],
    )

def _gen_of(dep):
    if ":" not in dep:
        dep = dep + ":" + dep.split("/")[-1]
    return dep + "_gen"
