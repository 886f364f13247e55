"""What is wrong with a training job: the rules as data, and the one place that applies them."""

from corral.kinds.training.validation.field_error import FieldError, summary
from corral.kinds.training.validation.judgement import (
    admission_errors_of,
    errors_of,
    is_judged,
    warnings_of,
    writing_errors_of,
)

__all__ = ["FieldError", "admission_errors_of", "errors_of", "is_judged", "summary", "warnings_of", "writing_errors_of"]
