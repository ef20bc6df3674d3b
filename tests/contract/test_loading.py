"""Many subscriptions at once, in every form that they may come in."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.contract.cases import FORMS, Case, check, table, unchanged
from watchword import OptionError, SubscriptionError


class TestLoading:
    @pytest.mark.parametrize("form", FORMS)
    def test_every_form_is_the_same(self, case: Case, form: str) -> None:
        model, events = case.model(), case.events(10)
        index = case.index(FORMS[form](model))
        check(case, index, model, events)
        more = dict(zip(["s9", "t1", "s0", "t0"], case.texts(16)[12:], strict=True))
        index.update(FORMS[form](more))
        check(case, index, model | more, events)

    @pytest.mark.parametrize("form", FORMS)
    def test_nothing_to_load(self, case: Case, form: str) -> None:
        index = case.index(FORMS[form]({}))
        check(case, index, {}, case.events(3))
        index.update(FORMS[form]({}))
        index["s"] = text = case.texts(1)[0]
        check(case, index, {"s": text}, case.events(3))

    @pytest.mark.parametrize("form", FORMS)
    def test_refused_texts_name_the_row(self, case: Case, form: str) -> None:
        index, events = case.index(case.model()), case.events(5)
        good = case.model(6)
        for bad in case.language.bad_subscriptions:
            if "table" in form and not isinstance(bad, str):
                continue
            load = {"new": next(iter(good.values()))} | good | {"bad": bad}
            with unchanged(index, events):
                with pytest.raises(SubscriptionError) as refusal:
                    index.update(FORMS[form](load))
                assert refusal.value.row == len(load) - 1
                with pytest.raises(SubscriptionError) as refusal:
                    case.index(FORMS[form](load))
                assert refusal.value.row == len(load) - 1

    def test_one_refused_text(self, case: Case) -> None:
        index, events = case.index(case.model()), case.events(5)
        for bad in case.language.bad_subscriptions:
            for key in ("new", "s1"):
                with unchanged(index, events), pytest.raises(SubscriptionError) as refusal:
                    index[key] = bad
                assert refusal.value.row is None

    @pytest.mark.parametrize("form", ["pairs", "generator", "table"])
    def test_duplicate_ids_name_the_row(self, case: Case, form: str) -> None:
        model = case.model(6)
        index = case.index(model)
        again = {list(model)[1]: next(iter(model.values()))}
        for load in (index.update, case.index):
            rows = {
                "pairs": [*model.items(), *again.items()],
                "generator": (pair for part in (model, again) for pair in part.items()),
                "table": pa.concat_tables([table(model), table(again)]),
            }
            with unchanged(index, case.events(5)), pytest.raises(SubscriptionError) as refusal:
                load(rows[form])
            assert refusal.value.row == len(model)

    def test_options_are_checked(self, case: Case) -> None:
        options = case.language.variants[case.label]
        with pytest.raises(OptionError):
            case.language.index(**options, no_such_option=1)
        with pytest.raises(OptionError):
            case.language.index(**options | {"method": "no-such-method"})
