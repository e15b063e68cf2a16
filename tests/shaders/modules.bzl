"""Names of the modules that are kept as SPIR-V assembly."""

MODULES = [
    "bit_widths",
    "debug_information",
    "derivative_group",
    "float_controls2",
    "maximal_reconvergence",
    "quad_control",
    "replicated_composites",
    "sample_offsets",
    "several_stages",
]
