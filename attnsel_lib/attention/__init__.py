"""The one-layer softmax attention classifier: model, one step on E, flow on p, max margin."""

from . import synthetic
from .asymptotics import Asymptotics, asymptotics
from .closed_form import ClosedForm, closed_form_margin
from .flow import gradient_flow
from .margin import MarginSolution, max_margin, selection_pairs
from .model import (
    GradientDirection,
    GradientFactors,
    GradientUnderflow,
    forward,
    gradient_factors,
    gradients,
    loss,
    p_gradient_direction,
)
from .onestep import (
    embedding_step,
    first_order_error,
    measured_alignment,
    predicted_alignment,
    step_error_bound,
    step_for_alignment,
)
from .parameters import Parameters, initial_parameters
from .path import FlowPath
from .shape import QuadraticFit, quadratic_fit
from .training import TrainingPath, accuracy, train
from .weights import attention_weights, selection

__all__ = [
    "Asymptotics",
    "ClosedForm",
    "FlowPath",
    "GradientDirection",
    "GradientFactors",
    "GradientUnderflow",
    "MarginSolution",
    "Parameters",
    "QuadraticFit",
    "TrainingPath",
    "accuracy",
    "asymptotics",
    "attention_weights",
    "closed_form_margin",
    "embedding_step",
    "first_order_error",
    "forward",
    "gradient_factors",
    "gradient_flow",
    "gradients",
    "initial_parameters",
    "loss",
    "max_margin",
    "measured_alignment",
    "p_gradient_direction",
    "predicted_alignment",
    "quadratic_fit",
    "selection",
    "selection_pairs",
    "step_error_bound",
    "step_for_alignment",
    "synthetic",
    "train",
]
