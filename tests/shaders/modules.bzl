"""Names of the modules that are kept as SPIR-V assembly."""

MODULES = [
    "debug_information",
    "derivative_group",
    "maximal_reconvergence",
    "quad_control",
    "replicated_composites",
    "several_stages",
]
