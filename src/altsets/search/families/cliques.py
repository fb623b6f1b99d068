"""The largest clique of a graph: branch and bound with colours (Tomita), on bit strings.

Vertices that are not joined may have one colour; a clique has each colour at most once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["largest_clique"]

#: A vertex, and how many vertices a clique of it and those before it can have.
Coloured = tuple[int, int]


def largest_clique(
    neighbours: Sequence[int], wanted: int, spend: Callable[[int], bool]
) -> tuple[list[int], int]:
    """A clique that is as large as possible, or has ``wanted`` vertices; and a size that no clique exceeds.

    Parameters
    ----------
    neighbours : sequence of int
        For each vertex a bit string of the vertices that it is joined to.
    wanted : int
        A clique of so many vertices is large enough.
    spend : callable
        Told how many vertices were coloured; true means stop.

    Examples
    --------
    >>> largest_clique([0b0110, 0b0101, 0b1011, 0b0100], 9, lambda n: False)
    ([0, 1, 2], 3)
    """
    best: list[int] = []
    chosen: list[int] = []
    everything = (1 << len(neighbours)) - 1
    open_nodes: list[tuple[int, list[Coloured]]] = [(everything, _coloured(everything, neighbours))]
    bound = open_nodes[0][1][-1][1] if neighbours else 0
    if spend(len(neighbours)):
        return best, bound
    while open_nodes:
        possible, order = open_nodes[-1]
        if not order or len(chosen) + order[-1][1] <= len(best):
            open_nodes.pop()
            if chosen:
                chosen.pop()
            continue
        vertex, colours = order.pop()
        if len(open_nodes) == 1:
            # Vertices are taken from the last one on: cliques that are still to come have no more colours than it.
            bound = max(colours, len(best))
        possible &= ~(1 << vertex)
        open_nodes[-1] = (possible, order)
        chosen.append(vertex)
        if len(chosen) > len(best):
            best = sorted(chosen)
            if len(best) >= wanted:
                return best, max(bound, len(best))
        rest = possible & neighbours[vertex]
        if not rest:
            chosen.pop()
            continue
        open_nodes.append((rest, _coloured(rest, neighbours)))
        if spend(rest.bit_count()):
            return best, max(bound, len(best))
    return best, len(best)


def _coloured(possible: int, neighbours: Sequence[int]) -> list[Coloured]:
    """The vertices colour by colour, each with the number of its colour."""
    order, colour = [], 0
    while possible:
        colour += 1
        of_this_colour = possible
        while of_this_colour:
            vertex = (of_this_colour & -of_this_colour).bit_length() - 1
            order.append((vertex, colour))
            possible &= ~(1 << vertex)
            of_this_colour &= ~(neighbours[vertex] | (1 << vertex))
    return order
