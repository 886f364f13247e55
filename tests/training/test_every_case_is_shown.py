"""The contract and the tests know each other: no case without a test, no mark without a case."""

from tools.training_cases import contract, shown


def test_every_case_of_the_contract_has_a_test() -> None:
    marked = {case for one in shown() for case in one.cases}
    missing = [(case, words) for cases in contract().values() for case, words in cases.items() if case not in marked]
    assert missing == []


def test_every_mark_names_a_case_of_the_contract() -> None:
    known = {case for cases in contract().values() for case in cases}
    assert [(one.test, case) for one in shown() for case in one.cases if case not in known] == []


def test_all_seventy_cases_are_listed() -> None:
    numbers = sorted(case for cases in contract().values() for case in cases if isinstance(case, int))
    assert numbers == list(range(1, 71))
