"""Label imbalance and its repair: the embedding step of the model with a fixed output bias.

With n_+ != n_- the step moves every token along v, in proportion to its plain frequency and the mean
label. The output bias log(n_+ / n_-) removes exactly that part.
Source: derived in the chapter `when_it_fails` of the book.
"""

import numpy as np
from scipy.special import expit

from .parameters import Parameters, check_fit, positive_step
from .weights import attention_weights


def head_bias(corpus):
    """Bias log(n_+ / n_-) of the output with which a constant answer has the lowest loss.

    Parameters
    ----------
    corpus : TokenCounts with both labels present

    Returns
    -------
    float; 0 for balanced labels
    """
    positive = np.count_nonzero(corpus.labels == 1)
    return float(np.log(positive / (corpus.n_sequences - positive)))


def biased_embedding_step(corpus, params, eta, bias):
    """Parameters after one gradient step on the embeddings of the model with outputs f_i + bias.

    At small logits the bias b = log(n_+ / n_-) turns the coefficient of v from (eta/2) alpha_s into

        eta pi_+ pi_- (P_+(s) - P_-(s)) = (eta/2) (alpha_s - ybar phi_s)

    with P_+-(s) the mean of cnt_i(s) / T_i over the sequences of a label, pi_+- the shares of the labels
    and ybar the mean label: tokens that both labels use alike stay where they are.

    Parameters
    ----------
    corpus : TokenCounts
    params : Parameters, (E_0, p_0, v)
    eta : float > 0, step size
    bias : float, held fixed

    Returns
    -------
    Parameters (E_1, p_0, v); those of `embedding_step` for bias 0.

    Raises
    ------
    ValueError
        If eta is not finite and positive, or corpus and parameters do not fit.

    Notes
    -----
    Source: chapter `when_it_fails`, label imbalance and its repair.
    """
    check_fit(corpus, params)
    eta, y, gamma = positive_step(eta), corpus.labels, params.gamma
    attention = attention_weights(corpus, params.logits)
    f = attention @ gamma
    pull = y * expit(-y * (f + bias)) / corpus.n_sequences
    a = attention.T @ pull
    w = gamma * a - attention.T @ (pull * f)
    step = np.multiply.outer(eta * a, params.v) + np.multiply.outer(eta * w, params.p)
    return Parameters(params.E + step, params.p, params.v)
