import sys
import threading

import pytest

from assistant.llm.threads import ThreadCount, Usage, apart, fitting_threads, read_usage


@pytest.mark.parametrize(
    ("wanted", "n_cores", "others_busy", "expected"),
    [
        (2, 2, 0.0, 2),
        (2, 2, 0.4, 2),
        (2, 2, 0.6, 1),
        (2, 2, 2.0, 1),  # never none
        (4, 8, 1.0, 4),
        (4, 8, 5.0, 3),
        (2, 2, -0.1, 2),  # the clocks are read one after the other
    ],
)
def test_a_thread_needs_a_core_of_its_own(
    wanted: int, n_cores: int, others_busy: float, expected: int
) -> None:
    assert fitting_threads(wanted=wanted, n_cores=n_cores, others_busy=others_busy) == expected


def test_others_count_for_what_they_do_between_two_looks() -> None:
    usages = [
        Usage(0.0, 0.0, 0.0),
        Usage(1.0, 2.0, 1.0),  # somebody else had a whole core
        Usage(2.0, 3.0, 2.0),
    ]
    looks_at_s = iter([1.0, 1.05, 2.0])  # the second one is too early to tell
    count = ThreadCount(2, n_cores=2, usage=iter(usages).__next__, clock=looks_at_s.__next__)
    assert [count.look() for _ in range(3)] == [1, 1, 2]


def test_where_nothing_is_known_the_wanted_number_is_used() -> None:
    assert ThreadCount(3, n_cores=8, usage=lambda: None).look() == 3


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/stat")
def test_the_machine_has_worked_at_least_as_much_as_we_have() -> None:
    usage = read_usage()
    assert usage is not None
    assert usage.all_s >= usage.ours_s > 0


def test_a_thread_that_works_apart_ends_with_its_work() -> None:
    thread = apart(threading.current_thread)
    assert thread is not threading.current_thread()
    assert not thread.is_alive()
    with pytest.raises(ZeroDivisionError):
        apart(lambda: 1 / 0)
