"""precompiled_header: a header that the compiler has read once, for many tests."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _precompiled_header(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    compiled = ctx.actions.declare_file(ctx.label.name + ".h.gch")
    ctx.actions.symlink(output = header, target_file = ctx.file.header)
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        source_file = ctx.file.header.path,
        output_file = compiled.path,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts +
                             ctx.attr.copts + ["-iquote", ".", "-x", "c++-header"],
    )
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
        ),
        arguments = cc_common.get_memory_inefficient_command_line(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
            variables = variables,
        ),
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
            variables = variables,
        ),
        inputs = depset([ctx.file.header] + ctx.files.includes, transitive = [toolchain.all_files]),
        outputs = [compiled],
        mnemonic = "CppHeader",
        progress_message = "Compiling header %s" % ctx.file.header.short_path,
    )
    return [
        DefaultInfo(files = depset([header, compiled])),
        CcInfo(compilation_context = cc_common.create_compilation_context(
            headers = depset([header, compiled]),
        )),
    ]

# Precompiles a header with the flags of C++ files. A file that is compiled with `-include
# $(BINDIR)/PACKAGE/NAME.h` and depends on the target starts from the precompiled form. Relevant flags
# and defines must be those of the file: with -Winvalid-pch the compiler says what differs, else it
# reads the header as text without a word.
precompiled_header = rule(
    implementation = _precompiled_header,
    attrs = {
        "copts": attr.string_list(doc = "Flags beyond the toolchain's and the command line's."),
        "header": attr.label(
            allow_single_file = [".h"],
            doc = "The header, of system headers alone.",
            mandatory = True,
        ),
        "includes": attr.label_list(
            allow_files = [".h"],
            doc = "Headers of the repository that the header includes.",
        ),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
