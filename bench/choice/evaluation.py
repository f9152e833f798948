"""Cost of a choice of format: choices, their figures, and cross-validation by kind.

A choice is the column of a format for every product. Its loss is t_chosen / t_best - 1.
"""

import numpy as np

import network

FOLDS = 10
CAUTION = 2  # what the program multiplies predicted conversions by (app/choice/adaptive_operator.cpp)


def folds(groups):
    """Test rows of ten folds (fewer where there are fewer groups); no group is in two of them.

    The groups go, the largest first, to the fold that has the fewest rows.
    """
    names, counts = np.unique(groups, return_counts=True)
    parts = [[] for _ in range(min(FOLDS, len(names)))]
    sizes = np.zeros(len(parts))
    for number in np.argsort(-counts, kind="stable"):
        smallest = sizes.argmin()
        parts[smallest].append(names[number])
        sizes[smallest] += counts[number]
    return [np.flatnonzero(np.isin(groups, part)) for part in parts]


def mixed(names):
    """Groups for a split by matrix whatever its kind: as many as folds, drawn once."""
    distinct, index = np.unique(names, return_inverse=True)
    return np.random.default_rng(1).permutation(len(distinct))[index] % FOLDS


def cross_validate(cases, settings, groups=None):
    """Outputs for every product, by a network that saw nothing of its group (default: kind).

    Formats not worthwhile in the training are infinitely slow. Also the networks and the test rows
    of the folds.
    """
    tests = folds(cases.kind if groups is None else groups)
    networks = network.train(cases, [np.setdiff1d(np.arange(len(cases)), test) for test in tests],
                             settings)
    outputs = np.zeros((len(cases), 2 * len(cases.formats)))
    parts = []
    for trained, test in zip(networks, tests):
        training = np.setdiff1d(np.arange(len(cases)), test)
        left_out = np.setdiff1d(np.arange(len(cases.formats)),
                                network.worthwhile(cases[training]))
        trained.layers[-1][1][left_out] = np.inf
        outputs[test] = trained(cases.inputs[test])
        parts.append((trained, test))
    return outputs, parts


def fastest_predicted(cases, outputs):
    """The format predicted to be the fastest of those that can run."""
    return np.where(cases.ran, outputs[:, :len(cases.formats)], np.inf).argmin(axis=1)


def fastest_tried(cases, outputs, tried=3):
    """The fastest, as measured, of csr and the formats predicted to be the fastest."""
    predicted = np.where(cases.ran, outputs[:, :len(cases.formats)], np.inf)
    out_of_trial = predicted.argsort(axis=1).argsort(axis=1) >= tried
    out_of_trial |= np.isinf(predicted)
    out_of_trial[:, cases.csr] = False
    return np.where(out_of_trial, np.inf, cases.seconds).argmin(axis=1)


def always(cases, name):
    """One format, and csr where it cannot run."""
    column = cases.formats.index(name)
    return np.where(cases.ran[:, column], column, cases.csr)


def of(cases, values, chosen):
    return values[np.arange(len(cases)), chosen]


def loss(cases, chosen):
    return of(cases, cases.losses, chosen)


def totals(times, costs, output, csr, products):
    """Seconds of `products` products, conversions included, of one matrix: by csr, by the network's
    choice, by its choice with trials, and the least there is.

    Choosing begins on csr, so a format's conversion adds to csr's. A format is tried only if it is
    predicted to gain 2 % a product and to pay its conversion back. The predicted conversion and all
    trials before may take a twentieth of csr's total at most. The network's choice is the first such
    format, without a trial. With trials, each of the best three costs its conversion and a product,
    and the fastest stays.
    """
    ratios, prices = np.exp(output.reshape(2, -1)) * times[csr]
    prices *= CAUTION
    by_csr = costs[csr] + products * times[csr]
    gains = np.where(np.isfinite(times) & (ratios < 0.98 * times[csr]),
                     products * (times[csr] - ratios) - prices, -np.inf)
    gains[csr] = -np.inf
    candidates = [f for f in np.argsort(-gains)[:3] if gains[f] > 0]
    spent, kept, unseen = 0.0, csr, None
    for f in candidates:
        if spent + prices[f] <= 0.05 * by_csr:
            unseen = f if unseen is None else unseen
            spent += costs[f] + times[f]
            kept = min(kept, f, key=lambda g: times[g])
    blind = by_csr if unseen is None else costs[csr] + costs[unseen] + products * times[unseen]
    return by_csr, blind, costs[csr] + spent + products * times[kept], (
        costs + products * times).min()


def permutation_losses(cases, parts, repeats=5):
    """Growth of the held-out products' mean loss when an input is shuffled."""
    generator = np.random.default_rng(1)
    growth = np.zeros(cases.inputs.shape[1])
    for trained, test in parts:
        held_out = cases[test]
        before = loss(held_out, fastest_predicted(held_out, trained(held_out.inputs))).sum()
        for number in range(len(growth)):
            for _ in range(repeats):
                shuffled = held_out.inputs.copy()
                shuffled[:, number] = generator.permutation(cases.inputs[:, number])[:len(test)]
                chosen = fastest_predicted(held_out, trained(shuffled))
                growth[number] += (loss(held_out, chosen).sum() - before) / repeats
    return growth / len(cases)
