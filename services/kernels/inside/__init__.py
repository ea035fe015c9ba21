"""What runs in the kernels' own processes, by the kernels' Python: the standard library and ipykernel, nothing of ours.

Imports in here are relative: the kernels' Python knows this folder as `inside`, the app as `services.kernels.inside`.
"""
