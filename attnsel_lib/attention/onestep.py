"""One gradient step on the embeddings: alignment with v in proportion to the signed frequency.

    E_1[s] = E_0[s] + (eta/2) alpha_s v + error,      alpha_s = (1/n) sum_i y_i cnt_i(s) / T_i

Source: the abstract of arXiv 2505.17282 states the alignment; the bound and the first-order form of
the error are derived in the chapter `one_step` of the book.
"""

import numpy as np

from .model import gradient_factors
from .parameters import Parameters, check_fit, positive_step


def embedding_step(corpus, params, eta):
    """Parameters after one gradient step on the embeddings alone, E - eta dL/dE.

    Parameters
    ----------
    corpus : TokenCounts
    params : Parameters, (E_0, p_0, v)
    eta : float > 0, step size

    Returns
    -------
    after : Parameters
        (E_1, p_0, v)

    Raises
    ------
    ValueError
        If eta is not finite and positive, or corpus and parameters do not fit.
    """
    eta = positive_step(eta)
    a, w = gradient_factors(corpus, params)
    step = np.multiply.outer(-eta * a, params.v) + np.multiply.outer(-eta * w, params.p)
    return Parameters(params.E + step, params.p, params.v)


def predicted_alignment(corpus, eta):
    """Coefficient c_s = (eta/2) alpha_s of v in E_1[s] - E_0[s].

    Parameters
    ----------
    corpus : TokenCounts
    eta : float > 0, step size

    Returns
    -------
    (|S|,) float, in [-eta/2, eta/2]

    Raises
    ------
    ValueError
        If eta is not finite and positive.
    """
    return positive_step(eta) / 2 * corpus.signed_frequency()


def step_for_alignment(corpus, c):
    """Step size eta for which the largest predicted coefficient |c_s| = (eta/2) |alpha_s| equals c.

    Parameters
    ----------
    corpus : TokenCounts
    c : float > 0

    Returns
    -------
    float, eta

    Raises
    ------
    ValueError
        If c is not finite and positive, or no token has a signed frequency.
    """
    largest = np.abs(corpus.signed_frequency()).max()
    if largest == 0:
        raise ValueError("every signed frequency alpha_s is zero: no step size aligns anything with v")
    return 2 * positive_step(c) / largest


def measured_alignment(before, after):
    """Coefficient of v in the change of each embedding, (E_1[s] - E_0[s]).v / |v|^2.

    Parameters
    ----------
    before, after : Parameters with the same v

    Returns
    -------
    (|S|,) float
    """
    return (after.E - before.E) @ before.v / (before.v @ before.v)


def step_error_bound(corpus, params, eta):
    """Deterministic bound on |E_1[s] - E_0[s] - (eta/2) alpha_s v| for every token.

        eta phi_s [ (kappa - 1/2) |v| + 2 delta kappa |p_0| ],
        delta = max_s max(|E_s.p_0|, |E_s.v|),   kappa = (1/2 + delta/4) e^{2 delta}

    It holds for any parameters; it is small when delta is, which N(0, 1/d) entries make
    O(sqrt(log|S| / d)). The error follows the plain frequency phi, the signal the signed one.

    Parameters
    ----------
    corpus : TokenCounts
    params : Parameters before the step
    eta : float > 0, step size

    Returns
    -------
    (|S|,) float >= 0 (inf where e^{2 delta} overflows)

    Raises
    ------
    ValueError
        If eta is not finite and positive, or corpus and parameters do not fit.

    Notes
    -----
    Source: chapter `one_step`, deterministic bound.
    """
    check_fit(corpus, params)
    delta = max(np.abs(params.logits).max(), np.abs(params.gamma).max())
    with np.errstate(over="ignore"):  # inf is a true, if useless, bound
        kappa = (0.5 + delta / 4) * np.exp(2 * delta)
        per_frequency = (kappa - 0.5) * np.linalg.norm(params.v) + 2 * delta * kappa * np.linalg.norm(
            params.p
        )
        return positive_step(eta) * corpus.frequency() * per_frequency


def first_order_error(corpus, params, eta):
    """Leading term of the error of the one-step prediction, in powers of the initial logits and scores.

        eta { (alpha_s z_s - beta_s)/2 - m_s/4 } v + (eta/2) (alpha_s gamma_s - zeta_s) p_0

    beta_s, zeta_s and m_s are means over sequences of (cnt_i(s)/T_i) times y_i zbar_i, y_i f_i and f_i,
    with zbar_i and f_i the mean logit and mean score of sequence i.

    Parameters
    ----------
    corpus : TokenCounts
    params : Parameters before the step
    eta : float > 0, step size

    Returns
    -------
    (|S|, d) float; what it leaves out is of relative order sqrt(log|S| / d).

    Notes
    -----
    Source: chapter `one_step`, first-order form of the error.
    """
    check_fit(corpus, params)
    y, n, shares = corpus.labels, len(corpus.labels), corpus.shares
    mean_logit, mean_score = shares @ params.logits, shares @ params.gamma
    beta, zeta, m = (shares.T @ np.column_stack([y * mean_logit, y * mean_score, mean_score]) / n).T
    alpha = corpus.signed_frequency()
    along_v = (alpha * params.logits - beta) / 2 - m / 4
    along_p = (alpha * params.gamma - zeta) / 2
    return positive_step(eta) * (np.outer(along_v, params.v) + np.outer(along_p, params.p))
