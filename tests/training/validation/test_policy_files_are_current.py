"""The files that a cluster applies are those that the rules give."""

from corral.kinds.training.policies import policies
from tools.training_policies import ROOT, files


def test_the_files_hold_what_the_rules_give() -> None:
    made = files()
    assert set((ROOT / "deploy" / "policies").iterdir()) == set(made)
    for path, text in made.items():
        assert path.read_text() == text, f"{path.name} is old; `make reference` writes it again"


def test_policies_stand_in_the_way_of_our_kinds_only() -> None:
    for policy in policies():
        if policy["kind"] == "ValidatingAdmissionPolicy":
            (rule,) = policy["spec"]["matchConstraints"]["resourceRules"]
            assert rule["apiGroups"] == ["kubeflow.org"]
            assert not [one for one in rule["resources"] if "*" in one or "/" in one]


def test_each_policy_is_bound() -> None:
    named = {(one["kind"], one["metadata"]["name"]) for one in policies()}
    bound = {one["spec"]["policyName"] for one in policies() if one["kind"].endswith("Binding")}
    assert bound == {name for kind, name in named if kind == "ValidatingAdmissionPolicy"}
