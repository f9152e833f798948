"""What a choice of format costs: choices, their figures, and cross-validation by kind.

A choice is the column of a format for every product. Its loss is t_chosen / t_best - 1.
"""

import numpy as np

import network

FOLDS = 10


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

    Also the networks and the test rows of the folds.
    """
    outputs = np.zeros((len(cases), 2 * len(cases.formats)))
    parts = []
    for test in folds(cases.kind if groups is None else groups):
        training = np.setdiff1d(np.arange(len(cases)), test)
        trained = network.train(cases[training], settings)
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


def total_figures(cases, outputs, products):
    """Ratios of totals to csr's: of the network's choice, of its choice with trials, of the best.

    csr's total is its conversion and all products. Choosing begins on csr too, so a format pays
    its conversion beside csr's. None is tried unless its predicted conversion, with what trying has
    cost before, is at most a twentieth of csr's total. A trial costs a conversion and a product,
    and one not kept is lost; without measurement the first that may be tried is kept unseen.
    """
    formats = len(cases.formats)
    seconds, conversions = cases.seconds, cases.conversions
    ratios = np.zeros((len(cases), 3))
    for row, (times, costs, output) in enumerate(zip(seconds, conversions, outputs)):
        unit, csr_cost = times[cases.csr], costs[cases.csr]
        csr_total = csr_cost + products * unit
        predicted = np.exp(output[:formats])
        predicted[cases.csr] = 1
        price = np.exp(output[formats:])
        gain = products * (1 - predicted) - price
        order = [f for f in np.argsort(-gain) if gain[f] > 0 and np.isfinite(times[f])]
        order = [f for f in order if f != cases.csr and predicted[f] < 0.98]
        allowed = [f for f in order if price[f] * unit <= 0.05 * csr_total]
        blind = csr_total if not allowed else (csr_cost + costs[allowed[0]] +
                                               products * times[allowed[0]])
        spent, kept = 0.0, cases.csr
        for f in allowed[:3]:
            if spent + price[f] * unit <= 0.05 * csr_total:
                spent += costs[f] + (times[f] if times[f] >= times[kept] else 0)
                kept = f if times[f] < times[kept] else kept
        tried = csr_cost + spent + products * times[kept]
        ratios[row] = np.array([blind, tried, (costs + products * times).min()]) / csr_total
    return ratios


def permutation_losses(cases, parts, repeats=5):
    """How much the mean loss of the held-out products grows when an input is shuffled."""
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
