"""Chooses few rows in which every two values of any two axes meet. No chance is involved."""

from itertools import combinations


def plan(axes, allowed):
    """axes: name -> list of values. allowed(row): whether a row, perhaps unfinished, may stand."""
    missing = [pair for pair in pairs_of_axes(axes) if allowed(dict(pair))]
    rows = []
    while missing:
        row = complete(dict(missing[0]), axes, allowed, set(missing))
        covered = set(pairs_of_row(row, axes))
        missing = [pair for pair in missing if pair not in covered]
        rows.append(row)
    return rows


def complete(row, axes, allowed, missing):
    """Gives each axis that is still open the value that meets the most pairs not seen yet."""
    for position, axis in enumerate(axes):
        if axis in row:
            continue
        # Ties are broken by turns, so that no value is favoured merely for standing first.
        start = (len(missing) + position) % len(axes[axis])
        turned = axes[axis][start:] + axes[axis][:start]
        choices = [{**row, axis: value} for value in turned if allowed({**row, axis: value})]
        row = max(choices, key=lambda choice: gain(choice, axes, missing))
    return {axis: row[axis] for axis in axes}


def gain(row, axes, missing):
    return sum(pair in missing for pair in pairs_of_row(row, axes))


def pairs_of_axes(axes):
    for first, second in combinations(axes, 2):
        for one in axes[first]:
            for other in axes[second]:
                yield ((first, one), (second, other))


def pairs_of_row(row, axes):
    return combinations([(axis, row[axis]) for axis in axes if axis in row], 2)
