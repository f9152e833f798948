"""The classifiers of Muhammed's thesis: the best format as a class, of 3, 8 or 14 features."""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import evaluation
from timings import FEATURES

MODELS = {
    "logistic regression": lambda: LogisticRegression(max_iter=2000),
    "SVM, RBF kernel": lambda: SVC(C=10),
    "decision tree": lambda: DecisionTreeClassifier(min_samples_leaf=3, random_state=1),
}
FEATURE_SETS = {
    3: ["m", "nnz", "mean"],
    8: ["m", "nnz", "mean", "sd", "max", "distavg", "clusteravg", "ndiag"],
    14: FEATURES,
}


def choices(cases, model, features, groups):
    """Choices of the classifier trained on the other folds; csr if the chosen format cannot run."""
    inputs = cases.inputs[:, [cases.input_names.index(name) for name in FEATURE_SETS[features]]]
    best = cases.seconds.argmin(axis=1)
    chosen = np.empty_like(best)
    for test in evaluation.folds(groups):
        training = np.setdiff1d(np.arange(len(cases)), test)
        if len(set(best[training])) == 1:
            chosen[test] = best[training][0]
            continue
        fitted = make_pipeline(StandardScaler(), MODELS[model]())
        fitted.fit(inputs[training], best[training])
        chosen[test] = fitted.predict(inputs[test])
    return np.where(evaluation.of(cases, cases.ran, chosen), chosen, cases.csr)
