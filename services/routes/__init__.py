"""The app's own HTTP routes."""

from services.routes.batch import batch_routes
from services.routes.callers import visitor_address
from services.routes.kernel import kernel_routes

__all__ = ["batch_routes", "kernel_routes", "visitor_address"]
