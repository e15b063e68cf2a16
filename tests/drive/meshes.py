"""Draws of triangles that share vertices, for vertex modules: lists, strips and fans of a grid, for the input assembly of
rdna2_run (`--assembly`)."""

import json

FORM = 1   # of the draws, for what is kept of them
ASSEMBLY = "assembly"   # key of a draw here; not one of jobs


def grid_list(columns, rows):
    """Returns the indices of the triangles of a grid of so many vertices, two of each cell."""
    indices = []
    for y in range(rows - 1):
        for x in range(columns - 1):
            a = y * columns + x
            b = a + columns
            indices += [a, a + 1, b, b, a + 1, b + 1]
    return indices


def grid_strips(columns, rows):
    """Returns (indices, restarts): a strip of each row of cells."""
    indices, restarts = [], []
    for y in range(rows - 1):
        if y:
            restarts.append(len(indices))
        for x in range(columns):
            indices += [y * columns + x, (y + 1) * columns + x]
    return indices, restarts


def grid_fans(columns, rows):
    """Returns (indices, restarts): a fan around every second vertex of every second row, of its neighbours."""
    indices, restarts = [], []
    for y in range(1, rows - 1, 2):
        for x in range(1, columns - 1, 2):
            if indices:
                restarts.append(len(indices))
            centre = y * columns + x
            around = [-columns - 1, -columns, -columns + 1, 1, columns + 1, columns, columns - 1, -1]
            indices += [centre, *(centre + d for d in around), centre + around[0]]
    return indices, restarts


def _drawn(topology, indices, restarts=(), join=False, reuse=True, **draw):
    assembly = {"topology": topology, "restarts": list(restarts), "reuse": reuse, "join": join}
    return {"indices": indices, ASSEMBLY: assembly, **draw}


# Workgroups have up to 128 primitives: more than vertices, so that waves have primitives alone (the first one at 64
# lanes, too), with vertices of two instances, and of parts of an instance.
DRAWS = [
    _drawn("list", grid_list(8, 8), instances=2, join=True),
    _drawn("strip", *grid_strips(17, 4), instances=2),
    _drawn("fan", *grid_fans(9, 7), vertex_offset=1, instances=2, first_instance=1, join=True),
    _drawn("list", grid_list(6, 5), reuse=False, vertex_offset=3, instances=2, join=True),
]


def split(job):
    """Returns (job, options of rdna2_run for its assembly): the job as jobs are, without the assembly."""
    draw = dict(job.get("vertices", {}))
    assembly = draw.pop(ASSEMBLY, None)
    if assembly is None:
        return job, []
    return {**job, "vertices": draw}, ["--assembly=" + json.dumps(assembly)]
