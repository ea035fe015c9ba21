"""The dataset's own grader, run beside ours: its verdict on the same answer, for comparison."""

from services.reference.reference import ReferenceGrader, ReferenceVerdict, open_reference

__all__ = ["ReferenceGrader", "ReferenceVerdict", "open_reference"]
