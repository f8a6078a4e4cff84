"""The view of a result: complete, in order, safe, and narrow enough."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from lakelogic.cli.screen.next import after_run
from lakelogic.cli.screen.result import Told, result_view
from lakelogic.engines.base import Committed
from lakelogic.observe.service_levels import ServiceLevelResult
from lakelogic.run.looking import SafeRows
from lakelogic.run.result import Counts, DatasetRuleResult, RunResult, StepCount
from tests.unit.screen.builders import a_result, a_rule, plain_console, printed, terminal

_CONTROL = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")


def lines_of(result: RunResult, told: Told | None = None) -> list[str]:
    console = plain_console()
    return printed(console, result_view(result, told or Told(), console)).splitlines()


def test_a_result_shows_counts_ratio_and_score_under_their_headings() -> None:
    lines = lines_of(a_result(counts=Counts(1_200, 300, 900, 300, 200, 100, 900, 300)))
    at = next(position for position, line in enumerate(lines) if "Source" in line)
    assert lines[at].split() == "Source Expanded Good Quarantined Filtered Deduplicated Ratio Score".split()
    assert lines[at + 1].split() == ["1,200", "300", "900", "300", "200", "100", "25.0%", "75"]


def test_a_count_that_is_not_known_is_unknown_and_not_zero() -> None:
    lines = lines_of(a_result(counts=Counts(source=None, good=2, quarantined=None)))
    counted = next(line for line in lines if "unknown" in line and "rows" not in line)
    assert counted.split() == ["unknown", "2", "unknown", "unknown", "unknown", "unknown", "unknown"]


def test_failed_rules_come_first_with_count_share_reason_and_a_hidden_example() -> None:
    text = "\n".join(lines_of(a_result()))
    assert "Rules  2 of 3 failed" in text
    failed = next(line for line in text.splitlines() if "email_like" in line)
    assert failed.split() == ["✗", "email_like", "1", "25.0%", "correctness", "email", "LIKE", "'%@%.%'", "email=***"]
    assert text.index("email_required") < text.index("cus_id_required")


def test_errors_come_before_warnings_and_the_rule_with_most_rows_is_first() -> None:
    rules = (a_rule("few", 1), a_rule("doubted", 99, severity="warning"), a_rule("many", 30), a_rule("some", 5))
    lines = [
        line for line in lines_of(a_result(rules=rules)) if "Rule" not in line and line.split()[:1] in (["✗"], ["!"])
    ]
    assert [line.split()[1] for line in lines] == ["many", "some", "few", "doubted"]


def test_times_are_not_broken_between_lines() -> None:
    console = terminal(60)
    console._color_system = None
    phases = {"starting Spark": 6.2, "planning": 1.4, "writing quarantine": 3.0, "writing target": 14.0}
    lines = [line.strip() for line in printed(console, result_view(a_result(), Told(phases), console)).splitlines()]
    at = lines.index("Time")
    assert lines[at + 1 : at + 3] == [
        "starting Spark 6.2 s · planning 1.4 s ·",
        "writing quarantine 3.0 s · writing target 14.0 s",
    ]


def test_on_a_narrow_terminal_nothing_of_a_table_is_lost() -> None:
    location = "/data/lakehouse/production/silver/orders"
    console = terminal(80)
    console._color_system = None
    tables = {
        "target": Committed(location, 17, None, 1_100_000, 100_000),
        "quarantine": Committed(location + "_q", 9, 3),
    }
    text = printed(console, result_view(a_result(**tables), Told(), console))
    assert location in text
    assert "version 17 · 1,100,000 inserted, 100,000 updated" in text


def test_many_failed_rules_are_cut_unless_all_are_asked_for() -> None:
    rules = tuple(a_rule(f"rule_{number}", number) for number in range(1, 31))
    few, everything = lines_of(a_result(rules=rules)), lines_of(a_result(rules=rules), Told(all_rules=True))
    assert sum("✗" in line for line in few) == 10
    assert any("and 20 more" in line for line in few)
    assert sum("✗" in line for line in everything) == 30


def test_a_warning_is_marked_as_one() -> None:
    rules = (a_rule("recent", 3, severity="warning"),)
    line = next(line for line in lines_of(a_result(rules=rules)) if "recent" in line)
    assert line.split()[0] == "!"
    assert "(warning)" in line


def test_a_named_rule_does_not_repeat_its_name_in_its_reason() -> None:
    rules = (a_rule("valid_email", 1, message="Rule failed: valid_email (email LIKE '%@%.%')"),)
    line = next(line for line in lines_of(a_result(rules=rules)) if "valid_email" in line)
    assert line.count("valid_email") == 1
    assert "email LIKE '%@%.%'" in line


def test_dataset_rules_and_service_levels_tell_what_was_measured() -> None:
    result = a_result(
        dataset_rules=(
            DatasetRuleResult("row_count_between", "passed", 2.0, "error", "volume", "between 1 and 5 rows"),
            DatasetRuleResult("status_null_ratio", "failed", 0.25, "error", "completeness", "at most 0.1 are NULL"),
        ),
        service_levels=(ServiceLevelResult("freshness", "failed", 30.0, 24.0, "newest input is 30.0 h old"),),
    )
    lines = lines_of(result)
    failed = next(line for line in lines if line.split()[1:2] == ["status_null_ratio"])
    assert failed.split() == ["✗", "status_null_ratio", "0.25", "at", "most", "0.1", "are", "NULL"]
    assert any(line.split() == ["✓", "row_count_between", "2"] for line in lines)
    assert any("✗  freshness" in line and "30.0 h old" in line for line in lines)


def test_a_result_that_blocks_downstream_says_why() -> None:
    failed = DatasetRuleResult("unique", "failed", 2.0, "error", "uniqueness", "key repeated")
    text = "\n".join(lines_of(a_result(dataset_rules=(failed,), max_ratio=0.1)))
    assert text.startswith("✗ customers")
    assert "dataset rules failed (unique)" in text
    assert "50.0% quarantined, and quarantine.max_ratio is 10.0%" in text


def test_tables_are_shown_with_version_and_what_a_merge_did() -> None:
    lines = lines_of(a_result(target=Committed("lake/customers", 7, None, inserted=3, updated=1_000, deleted=0)))
    good = next(line for line in lines if "lake/customers" in line)
    assert good.split() == ["good", "lake/customers", "version", "7", "·", "3", "inserted,", "1,000", "updated"]


def test_steps_that_change_rows_show_rows_in_and_out() -> None:
    lines = lines_of(a_result(steps=(StepCount("1. filter", 10, 8), StepCount("2. explode", 8, None))))
    assert any(line.split() == ["1.", "filter", "10", "8"] for line in lines)
    assert any(line.split() == ["2.", "explode", "8", "unknown"] for line in lines)


def test_a_resumed_run_says_so() -> None:
    assert any("attempt 3 completed it" in line for line in lines_of(a_result(attempt=3)))
    assert not any("resumed" in line for line in lines_of(a_result()))


def test_nothing_new_is_one_line_with_the_reason() -> None:
    result = a_result(status="no_new_data", reason="0 of 1 files are new since the last run", rules=(), target=None)
    assert lines_of(result) == ["✓ customers  nothing new: 0 of 1 files are new since the last run"]


def test_nothing_new_still_tells_that_the_data_is_too_old() -> None:
    stale = ServiceLevelResult("freshness", "failed", 30.0, 24.0, "newest input is 30.0 h old")
    lines = lines_of(a_result(status="no_new_data", service_levels=(stale,)))
    assert any("✗  freshness" in line and "30.0 h old" in line for line in lines)


def test_rows_stand_in_the_order_of_the_home_page() -> None:
    rows = SafeRows(
        good=({"cus_id": "C100", "email": "enc:a1F3bG9nZ2VkQGV4dGVybmFs"},),
        bad=(
            {
                "cus_id": "C103",
                "email": None,
                "_lakelogic_categories": ["completeness"],
                "_lakelogic_errors": ["Rule failed: email is required"],
                "_lakelogic_rules": ["email_required"],
                "rejection_reason": "email_required",
            },
        ),
    )
    lines = lines_of(a_result(), Told(rows=rows))
    at = next(position for position, line in enumerate(lines) if line.startswith("result.bad"))
    assert lines[at + 1].split() == ["cus_id", "email", "_lakelogic_categories", "_lakelogic_errors"]
    assert re.split(r"\s{2,}", lines[at + 2].strip()) == [
        "C103", "null", '["completeness"]', '["Rule failed: email is required"]',
    ]  # fmt: skip
    assert any(line.split() == ["C100", "enc:a1F3bG9nZ2VkQGV4..."] for line in lines)


def test_no_rows_to_show_says_so() -> None:
    assert sum(line.strip() == "no rows" for line in lines_of(a_result(), Told(rows=SafeRows()))) == 2


def test_without_a_terminal_there_is_no_control_character_and_no_trailing_blank() -> None:
    lines = lines_of(a_result(), Told({"planning": 1.2}, (("lakelogic runs --contract c.yaml", "lists the runs"),)))
    assert "\x1b" not in "".join(lines)
    assert all(line == line.rstrip() for line in lines)


def test_text_of_the_data_can_not_draw_on_the_screen() -> None:
    rules = (a_rule("r", 1, sample={"name": "\x1b[2J[bold]x[/bold]\r\n"}, message="Rule failed: [red]a\x07"),)
    console = terminal()
    text = printed(console, result_view(a_result(rules=rules, reason="\x1b]0;title\x07"), Told(), console))
    assert "\x1b[2J" not in text and "\x07" not in text and "\x1b]0" not in text
    assert "[bold]" in text and "[red]a" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    long = "a/very/long/folder/" * 12 + "orders"
    result = a_result(
        target=Committed(long, 12, 1_234_567_890, inserted=1_234_567, updated=7_654_321),
        quarantine=Committed(f"{long}_quarantine", 3, 10),
        rules=(a_rule("a_rule_with_quite_a_long_name_of_its_own", 5, message="Rule failed: " + "x = 'é' AND " * 20),),
        counts=Counts(10_000_000, 0, 9_999_990, 10, 1_000_000, 1_000_000, 9_999_990, 10),
    )
    rows = SafeRows(good=tuple({f"column_{n}": "value " * 9 for n in range(12)} for _ in range(2)))
    console = terminal(width)
    told = Told(
        {"starting Spark": 6.0, "writing target": 3.0}, (("lakelogic runs --contract c.yaml", "lists the runs"),), rows
    )
    text = _CONTROL.sub("", printed(console, result_view(result, told, console)))
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert "more" in text


def test_on_ascii_terminals_good_and_bad_can_still_be_told_apart() -> None:
    console = plain_console()
    console.file = type("Ascii", (type(console.file),), {"encoding": "ascii"})()
    text = printed(console, result_view(a_result(), Told(), console))
    assert "x  email_like" in text and text.startswith("+ customers")


def test_what_to_try_next_fits_the_result() -> None:
    assert (
        after_run("my contract.yaml", a_result(), rows_shown=False)[0][0]
        == "lakelogic quarantine list 'my contract.yaml'"
    )
    assert after_run("c.yaml", a_result(), rows_shown=True)[0][0] == "lakelogic explain c.yaml"
    assert after_run("c.yaml", a_result(status="no_new_data"), rows_shown=False) == (
        ("lakelogic runs --contract c.yaml", "lists the runs"),
    )
