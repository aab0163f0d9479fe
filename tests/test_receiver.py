"""The downstream contract: one step for effect and record, retention to the millisecond."""

import pytest

from faultlab.receiver import Answer, Receiver, ReceiverError, Request

ORDER = Request(key="k", fingerprint=("tenant-a", "order-42", 1200))
OTHER_AMOUNT = Request(key="k", fingerprint=("tenant-a", "order-42", 2400))


class Clock:
    """A clock that the test sets by hand."""

    def __init__(self) -> None:
        self.ms = 0

    def __call__(self) -> int:
        return self.ms


def test_the_first_request_under_a_key_takes_effect() -> None:
    receiver = Receiver(now_ms=Clock())
    assert receiver.apply(ORDER) == Answer(disposition="applied", effect_id=1)
    assert [effect.request for effect in receiver.effects] == [ORDER]


def test_the_second_request_is_answered_from_the_record() -> None:
    receiver = Receiver(now_ms=Clock())
    receiver.apply(ORDER)
    assert receiver.apply(ORDER) == Answer(disposition="reused", effect_id=1)
    assert len(receiver.effects) == 1


def test_another_key_is_another_intent() -> None:
    receiver = Receiver(now_ms=Clock())
    receiver.apply(ORDER)
    again = Request(key="k2", fingerprint=ORDER.fingerprint)
    assert receiver.apply(again) == Answer(disposition="applied", effect_id=2)


def test_a_changed_fingerprint_is_refused_without_an_effect() -> None:
    receiver = Receiver(now_ms=Clock())
    receiver.apply(ORDER)
    assert receiver.apply(OTHER_AMOUNT) == Answer(disposition="conflict", effect_id=None)
    assert len(receiver.effects) == 1


def test_ignoring_the_fingerprint_hides_the_change_behind_the_old_result() -> None:
    receiver = Receiver(now_ms=Clock(), conflict_policy="ignore")
    receiver.apply(ORDER)
    assert receiver.apply(OTHER_AMOUNT) == Answer(disposition="reused", effect_id=1)


@pytest.mark.parametrize(
    ("after_ms", "disposition"), [(999, "reused"), (1000, "applied"), (1001, "applied")]
)
def test_at_the_exact_end_of_retention_the_record_is_gone(after_ms: int, disposition: str) -> None:
    clock = Clock()
    receiver = Receiver(now_ms=clock, retention_ms=1000)
    receiver.apply(ORDER)
    clock.ms = after_ms
    assert receiver.apply(ORDER).disposition == disposition
    assert len(receiver.effects) == (1 if disposition == "reused" else 2)


def test_a_lookup_has_no_effect_and_sees_what_is_retained() -> None:
    clock = Clock()
    receiver = Receiver(now_ms=clock, retention_ms=1000)
    assert receiver.lookup("k") is None
    receiver.apply(ORDER)
    found = receiver.lookup("k")
    assert found is not None
    assert found.effect_id == 1
    clock.ms = 1000
    assert receiver.lookup("k") is None
    assert len(receiver.effects) == 1


def test_an_answer_from_the_record_does_not_prolong_it() -> None:
    clock = Clock()
    receiver = Receiver(now_ms=clock, retention_ms=1000)
    receiver.apply(ORDER)
    clock.ms = 900
    receiver.apply(ORDER)
    clock.ms = 1000
    assert receiver.apply(ORDER).disposition == "applied"


def test_broken_twin_that_stores_its_record_later_repeats_the_effect() -> None:
    class TwoSteps(Receiver):
        """Takes effect, and forgets to keep the record: what a crash in between leaves."""

        def _take_effect(self, request: Request) -> Answer:
            answer = super()._take_effect(request)
            del self._records[request.key]
            return answer

    receiver = TwoSteps(now_ms=Clock())
    receiver.apply(ORDER)
    assert receiver.apply(ORDER).disposition == "applied"
    assert len(receiver.effects) == 2


def test_a_negative_retention_is_named_with_its_remedy() -> None:
    with pytest.raises(ReceiverError, match=r"retention_ms=-1 is negative\. Give 0 or more"):
        Receiver(now_ms=Clock(), retention_ms=-1)


def test_an_unknown_policy_is_named_with_the_nearest() -> None:
    with pytest.raises(ReceiverError, match="Did you mean 'enforce'"):
        Receiver(now_ms=Clock(), conflict_policy="enforced")  # type: ignore[arg-type]


def test_a_full_receiver_drops_its_oldest_record_though_it_is_retained() -> None:
    receiver = Receiver(now_ms=Clock(), capacity=1)
    receiver.apply(ORDER)
    receiver.apply(Request(key="other", fingerprint=("other",)))
    assert receiver.lookup("k") is None
    assert receiver.apply(ORDER).disposition == "applied"


def test_a_record_that_is_stored_anew_is_the_youngest() -> None:
    clock = Clock()
    receiver = Receiver(now_ms=clock, retention_ms=10, capacity=2)
    receiver.apply(ORDER)
    receiver.apply(Request(key="b", fingerprint=("b",)))
    clock.ms = 10
    receiver.apply(ORDER)
    receiver.apply(Request(key="c", fingerprint=("c",)))
    assert receiver.lookup("k") is not None


def test_an_answer_says_when_what_it_speaks_of_was_undone() -> None:
    receiver = Receiver(now_ms=Clock())
    receiver.apply(ORDER)
    assert receiver.apply(ORDER).still_there
    receiver.undo(1)
    assert receiver.apply(ORDER) == Answer(disposition="reused", effect_id=1, still_there=False)


def test_undoing_what_never_happened_is_refused() -> None:
    with pytest.raises(ReceiverError, match=r"there is no effect 1\. This receiver has 0"):
        Receiver(now_ms=Clock()).undo(1)


def test_a_receiver_without_room_is_refused() -> None:
    with pytest.raises(ReceiverError, match=r"capacity=0 holds no record\. Give 1 or more"):
        Receiver(now_ms=Clock(), capacity=0)
