"""Rules for Bazel: a pack is an action, and so is a plan (docs/build-systems.md).

You name the program's label once: a file in the workspace, or the target that builds it. """

def _arguments(ctx, words):
    arguments = ctx.actions.args()
    arguments.add_all(words)
    return arguments

def _pack(ctx):
    name, out = ctx.attr.pack, ctx.outputs.out
    ctx.actions.run(
        executable = ctx.executable.tool,
        arguments = [_arguments(ctx, ["pack", ctx.file.layout, "--only", name, "-o", out])],
        inputs = [ctx.file.layout] + ctx.files.inputs,
        outputs = [out],
        mnemonic = "SeeklessCatalog" if name == "catalog" else "SeeklessPack",
        progress_message = "Packing " + name,
    )
    return [DefaultInfo(files = depset([out]))]

_seekless_pack = rule(
    implementation = _pack,
    attrs = {
        "layout": attr.label(allow_single_file = True, mandatory = True),
        "pack": attr.string(mandatory = True),
        "inputs": attr.label_list(allow_files = True),
        "out": attr.output(mandatory = True),
        "tool": attr.label(executable = True, allow_single_file = True, cfg = "exec", mandatory = True),
    },
)

def seekless_packs(name, layout, packs, tool):
    """Builds the packs of a layout, each from only the files that it needs, and their catalog.

    Args:
      name: name of the target and of the folder of packs. layout: label of the layout. packs:
      output of `seekless pack LAYOUT --list-packs --json`. tool: label of the program.
    """
    files = []
    for pack in packs["packs"]:
        _seekless_pack(
            name = name + "." + pack["name"],
            layout = layout,
            pack = pack["name"],
            inputs = pack["inputs"],
            out = name + "/" + pack["file"],
            tool = tool,
        )
        files.append(name + "/" + pack["file"])
    _seekless_pack(
        name = name + ".catalog",
        layout = layout,
        pack = "catalog",
        inputs = files,
        out = name + "/catalog.skl",
        tool = tool,
    )
    native.filegroup(name = name, srcs = files + [name + "/catalog.skl"])

def _plan(ctx):
    command = ["plan"] + ctx.files.traces
    if ctx.file.profile:
        command += ["--profile", ctx.file.profile]
    command += ["--content"] + ctx.attr.roots + ctx.attr.options
    ctx.actions.run(
        executable = ctx.executable.tool,
        arguments = [_arguments(ctx, command + ["-o", ctx.outputs.out])],
        inputs = ctx.files.content + ctx.files.traces + ([ctx.file.profile] if ctx.file.profile else []),
        outputs = [ctx.outputs.out],
        mnemonic = "SeeklessPlan",
        progress_message = "Planning " + ctx.label.name,
    )
    return [DefaultInfo(files = depset([ctx.outputs.out]))]

seekless_plan = rule(
    implementation = _plan,
    doc = "A layout, made by one action.",
    attrs = {
        "traces": attr.label_list(allow_files = True),
        "profile": attr.label(allow_single_file = True),
        "content": attr.label_list(allow_files = True, mandatory = True),
        "roots": attr.string_list(mandatory = True, doc = "--content: paths from the workspace's root"),
        "options": attr.string_list(doc = "more options of `seekless plan`"),
        "out": attr.output(mandatory = True),
        "tool": attr.label(executable = True, allow_single_file = True, cfg = "exec", mandatory = True),
    },
)
