"""Trains the network that chooses a storage format, and reports how well it chooses.

    python bench/choice/train.py --timings timings-cuda.jsonl.gz --without packed \\
        --network app/choice/networks/cuda.json --report docs/results/choice-cuda.md

The timings are those of bench/choice/collect.py, one or several files of one backend; those of the
networks here lie in the history, at 159de7c in bench/results. Every figure of the report is of
matrices whose kind was not in the training: cross-validation of ten folds, a kind in one of them.
The network written is trained on all of them. Without --network or --report that part is left out;
--compare tries other settings too, which takes minutes.
"""

import argparse
import dataclasses
import shlex
import sys

import numpy as np

import classifiers
import evaluation
import network
import timings

THESIS_FORMATS = ["coo", "csr", "dia", "ell", "hyb"]
THESIS_SLOWDOWNS = {"coo": 3.86, "csr": 1.40, "dia": 6.15, "ell": 1.63, "hyb": 1.67}
CHOSEN = network.Settings()
OTHERS = {
    "four of 16 units": {"hidden": (16,)},
    "one of 64 units": {"members": 1, "hidden": (64,)},
    "the expected loss weighs 1": {"regret": 1.0},
}


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def percent(value):
    return f"{100 * value:.1f}"


QUALITY_HEAD = ["choice", "best, %", "within 2 %", "within 5 %", "mean loss, %", "median", "95 %",
                "largest", "gain over csr", "gain over hyb", "slower than 2 ×", "than 5 ×"]


def quality_row(name, cases, chosen):
    loss = evaluation.loss(cases, chosen)
    seconds = evaluation.of(cases, cases.seconds, chosen)
    gains = [(evaluation.of(cases, cases.seconds, evaluation.always(cases, other)) / seconds).mean()
             for other in ("csr", "hyb")]
    return [name, percent((loss == 0).mean()), percent((loss <= 0.02).mean()),
            percent((loss <= 0.05).mean()), percent(loss.mean()), percent(np.median(loss)),
            percent(np.quantile(loss, 0.95)), percent(loss.max()), *(f"{g:.3f}" for g in gains),
            (loss > 1).sum(), (loss > 4).sum()]


def quality(cases, outputs, title):
    rows = [
        quality_row("network", cases, evaluation.fastest_predicted(cases, outputs)),
        quality_row("network and trial", cases, evaluation.fastest_tried(cases, outputs)),
        *(quality_row(f"always {name}", cases, evaluation.always(cases, name))
          for name in ("csr", "hyb", "hybrid") if name in cases.formats)]
    return f"### {title}: {len(cases)} products\n\n" + table(QUALITY_HEAD, rows)


def choosing(cases, outputs, thesis, thesis_outputs):
    one, thesis_one = cases.block == 1, thesis.block == 1
    parts = [quality(cases, outputs, "All formats, blocks of 1 and 4"),
             quality(cases[one], outputs[one], "All formats, k = 1"),
             quality(thesis[thesis_one], thesis_outputs[thesis_one],
                     "The five formats of the thesis, k = 1")]
    text = ("## How good the choice is\n\nLoss is t / t_best − 1, gain the mean of t_csr / t or "
            "t_hyb / t. With trial, the three formats predicted to be the fastest and csr are timed "
            "and the fastest stays: its measurements are those of this table, so noise between "
            "trial and use is not in it. Where a format cannot run, `always` means csr. The "
            "thesis (Table 5.1), on its own matrices, device and formats, split by row: accuracy "
            "81.6 %, mean loss 4.4 %.\n\n")
    return text + "\n".join(parts)


def kind_table(cases, outputs):
    network_loss = evaluation.loss(cases, evaluation.fastest_predicted(cases, outputs))
    tried_loss = evaluation.loss(cases, evaluation.fastest_tried(cases, outputs))
    rows = []
    for kind in np.unique(cases.kind):
        of_kind = cases.kind == kind
        best = np.bincount(cases.seconds[of_kind].argmin(axis=1), minlength=len(cases.formats))
        often = ", ".join(f"{cases.formats[f]} {best[f]}" for f in np.argsort(-best)[:3] if best[f])
        rows.append([kind, len(set(cases.name[of_kind])), often,
                     percent(network_loss[of_kind].mean()), percent(network_loss[of_kind].max()),
                     percent(tried_loss[of_kind].mean()), percent(tried_loss[of_kind].max())])
    return ("## By kind of matrix\n\n" + table(
        ["kind", "matrices", "most often best", "network: mean loss, %", "largest",
         "with trial: mean", "largest"], rows))


def slowdown_rows(cases, outputs):
    best = cases.seconds.min(axis=1)
    rows = []
    for column, name in enumerate(cases.formats):
        ran = cases.ran[:, column]
        rows.append([name, THESIS_SLOWDOWNS.get(name, ""), ran.sum(),
                     f"{(cases.seconds[ran, column] / best[ran]).mean():.2f}"])
    chosen = evaluation.fastest_predicted(cases, outputs)
    rows.append(["network", "1.06", len(cases), f"{1 + evaluation.loss(cases, chosen).mean():.3f}"])
    return rows


def slowdowns(cases, outputs, thesis, thesis_outputs):
    one = cases.block == 1
    head = ["format", "thesis", "products it could run", "here"]
    of_thesis = slowdown_rows(thesis[one], thesis_outputs[one])
    return ("## Slowdown of single formats\n\nMean of t / t_best over the products a format could "
            "run, k = 1; the thesis's figures (Table 5.3) are of its own matrices.\n\n"
            "### The five formats among themselves\n\n" + table(head, of_thesis) +
            "\n### All formats\n\n" + table(head, slowdown_rows(cases[one], outputs[one])))


def classifier_table(cases, settings):
    """Classifiers and the network, split by kind and by row, of one set of formats."""
    splits = {"by kind": cases.kind, "by row": evaluation.mixed(cases.name)}
    rows = []
    for model in classifiers.MODELS:
        for features in classifiers.FEATURE_SETS:
            rows.append([model, features] + [
                cell for groups in splits.values()
                for cell in accuracy_and_loss(
                    cases, classifiers.choices(cases, model, features, groups))])
    row = ["network", "14, bytes"]
    for groups in splits.values():
        outputs, _ = evaluation.cross_validate(cases, settings, groups)
        row += accuracy_and_loss(cases, evaluation.fastest_predicted(cases, outputs))
    head = ["classifier", "features", *(f"{split}: {what}" for split in splits
                                        for what in ("accuracy, %", "mean loss, %"))]
    return table(head, [*rows, row])


def accuracy_and_loss(cases, chosen):
    loss = evaluation.loss(cases, chosen)
    return [percent((loss == 0).mean()), percent(loss.mean())]


def comparison_of_classifiers(cases, settings):
    one = cases[cases.block == 1]
    sets = "; ".join(f"{number}: {', '.join(names)}"
                     for number, names in classifiers.FEATURE_SETS.items() if number < 14)
    return ("## Classifiers, and what a split by row flatters\n\nThe best format as a class, k = 1, "
            "ten folds. By kind, a kind is never in training and test; by row, matrices are "
            "dealt to the folds whatever their kind, as in the thesis (Tables 5.5 and 5.6). Its "
            f"sets of 3 and 8 features were not at hand; here {sets}.\n\n"
            "### The five formats of the thesis\n\n" +
            classifier_table(one.among(THESIS_FORMATS), settings) +
            "\n### All formats\n\n" + classifier_table(one, settings))


def totals(cases, outputs):
    rows = []
    for products in (50, 1000, 10000):
        by_csr, *others = np.array([
            evaluation.totals(*row, cases.csr, products)
            for row in zip(cases.seconds, cases.conversions, outputs)]).T
        for name, total in zip(("network", "network and trial", "least possible"), others):
            ratio = total / by_csr
            rows.append([products, name, f"{ratio.mean():.3f}", f"{np.median(ratio):.3f}",
                         f"{ratio.max():.3f}", (ratio > 1.05).sum(),
                         f"{(total / others[-1]).mean():.3f}"])
    return ("## Conversion and N products\n\nOver csr's conversion and N products. Choosing begins "
            "on csr, so a format pays its conversion beside csr's, which the least possible does not. "
            "A format is tried only where twice its predicted conversion is at most 5 % of csr's total. "
            "The features are not counted.\n\n" +
            table(["N", "choice", "of csr: mean", "median", "largest", "above 1.05",
                   "of the least: mean"], rows))


def importance(cases, parts):
    growth = evaluation.permutation_losses(cases, parts)
    rows = [[cases.input_names[number], f"{100 * growth[number]:+.1f}"]
            for number in np.argsort(-growth)]
    return ("## Which inputs matter\n\nBy how much the mean loss of held-out products grows when one "
            "input is drawn from another product.\n\n" + table(["input", "loss, %"], rows))


def variants(cases):
    rows = []
    for name, changes in {"as written": {}, **OTHERS}.items():
        outputs, _ = evaluation.cross_validate(cases, dataclasses.replace(CHOSEN, **changes))
        chosen = evaluation.fastest_predicted(cases, outputs)
        tried = evaluation.fastest_tried(cases, outputs)
        rows.append([name, *accuracy_and_loss(cases, chosen),
                     percent(evaluation.loss(cases, tried).mean())])
    return ("## Other settings\n\nThe same cross-validation. The settings were chosen by it, which "
            "flatters the best of them a little.\n\n" +
            table(["network", "accuracy, %", "mean loss, %", "with trial: mean loss, %"], rows))


def heading(cases):
    kinds, counts = np.unique([kind for _, kind in set(zip(cases.name, cases.kind))],
                              return_counts=True)
    command = "python bench/choice/train.py " + shlex.join(sys.argv[1:])
    return (f"# Choosing a format: {cases.backend}\n\n"
            f"{', '.join(cases.devices)}. {len(set(cases.name))} matrices of {len(kinds)} kinds, all of 1e5 nonzeros or more ("
            + ", ".join(f"{kind} {count}" for kind, count in zip(kinds, counts)) +
            f"), {len(cases)} products, {len(cases.formats)} formats. The network: "
            f"{CHOSEN.members} × {', '.join(map(str, CHOSEN.hidden))} hidden units.\n\n"
            f"    {command}\n")


def report(cases, compare):
    outputs, parts = evaluation.cross_validate(cases, CHOSEN)
    thesis = cases.among(THESIS_FORMATS)
    thesis_outputs, _ = evaluation.cross_validate(thesis, CHOSEN)
    both = (cases, outputs, thesis, thesis_outputs)
    sections = [heading(cases), choosing(*both), kind_table(cases, outputs), slowdowns(*both),
                totals(cases, outputs), importance(cases, parts),
                comparison_of_classifiers(cases, CHOSEN)]
    return "\n".join(sections + ([variants(cases)] if compare else []))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--timings", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--network", metavar="FILE", help="the network file to write")
    parser.add_argument("--report", metavar="FILE", help="the report to write, Markdown; -: stdout")
    parser.add_argument("--without", nargs="*", default=(), metavar="FORMAT",
                        help="formats to leave out")
    parser.add_argument("--compare", action="store_true", help="other settings in the report too")
    options = parser.parse_args()
    cases = timings.read(options.timings)
    cases = cases.among([name for name in cases.formats if name not in options.without])
    if options.network:
        everything, = network.train(cases, [np.arange(len(cases))], CHOSEN)
        network.write(options.network, everything, cases, CHOSEN)
    if options.report:
        text = report(cases, options.compare)
        with open("/dev/stdout" if options.report == "-" else options.report, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
