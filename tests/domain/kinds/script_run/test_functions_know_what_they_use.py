from corral.kinds.script_run.function_names import names_used

SOURCE = """
@traced(level=LEVEL)
def train(rate: Rate, steps=STEPS) -> Report:
    import os
    kept = [one for one in ROWS if os.path]
    local: Unneeded = 3

    def inside():
        return kept, helper(rate), other.attribute, local

    class Net(Base):
        width = WIDTH

    return inside, len, train, Net
"""


def test_names_from_around_are_found_at_any_depth_and_no_others() -> None:
    found = names_used(SOURCE)
    assert found == {"traced", "LEVEL", "STEPS", "ROWS", "helper", "other", "Base", "WIDTH", "len"}
