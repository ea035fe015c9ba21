"""What the page may send as a case."""

import pytest

from components.case import NoCase, case_of

CASE = {"gold": "1", "prediction": "1", "reward_mode": "numeric", "atol": 0, "rtol": 1e-3}


@pytest.mark.parametrize("tolerance", [10**400, float("inf"), float("nan"), -1, True, "0", None, [0]])
def test_a_tolerance_is_a_number_zero_or_more(tolerance):
    with pytest.raises(NoCase, match="a tolerance is a number, zero or more"):
        case_of(CASE | {"atol": tolerance})
    assert case_of(CASE).rtol == 1e-3
