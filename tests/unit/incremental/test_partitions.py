"""Dated folders and partition folders: each instant is covered, and by no window that it does not belong to."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakelogic.contract.source import Source
from lakelogic.errors import ContractError, SourceError
from lakelogic.sources.files import Listing
from lakelogic.sources.partitions import DatedFolders, narrowed
from lakelogic.sources.watermarks.date_range import within_days
from tests.unit.incremental.builders import file

_FORMS = ["%Y/%m/%d", "year=%Y/month=%m/day=%d", "dt=%Y%m%d", "%Y-%m-%d/%H", "%Y/%j", "%Y%m%d%H%M%S", "%Y-%m", "%Y"]
_TODAY = date(2026, 3, 2)

moments = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
days = st.dates(date(1990, 1, 1), date(2060, 1, 1))


@given(st.sampled_from(_FORMS), moments)
def test_a_folder_named_after_an_instant_covers_it(form: str, moment: datetime) -> None:
    period = DatedFolders(form).period(f"{moment.strftime(form)}/data.csv")
    assert period is not None
    began, ended = period
    assert began <= moment.replace(microsecond=0) < ended
    following = DatedFolders(form).period(f"{ended.strftime(form)}/data.csv")
    assert following is not None and following[0] == ended


@given(st.sampled_from(_FORMS[:6]), moments, st.lists(days, min_size=1, max_size=6, unique=True))
def test_windows_that_follow_each_other_cover_each_instant_once(form: str, moment: datetime, cuts: list[date]) -> None:
    ends = sorted(cuts)
    firsts = [None, *(end + timedelta(days=1) for end in ends)]
    folder = f"{moment.strftime(form)}/data.csv"
    assert (
        sum(DatedFolders(form).meets(folder, first, last) for first, last in zip(firsts, [*ends, None], strict=True))
        == 1
    )


@given(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)), st.sampled_from(["Europe/Berlin", "America/New_York"]))  # noqa: DTZ001
def test_days_of_files_are_days_of_utc_whatever_the_clocks_do(local: datetime, zone: str) -> None:
    moment = local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    modified = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000
    listing = Listing("/in", (file("a", modified),))
    day = moment.date()
    for shift in (-1, 0, 1):
        asked = day + timedelta(days=shift)
        assert bool(within_days(listing, Source(), asked, asked)) is (shift == 0)


def test_the_last_days_are_read_by_the_names_of_folders() -> None:
    names = ["2026/02/27", "2026/02/28", "2026/03/01", "2026/03/03", "2026/02/30", "other"]
    listing = Listing("/in", tuple(file(f"{name}/x.csv") for name in names))
    source = Source.model_validate({"partition": {"format": "%Y/%m/%d", "lookback_days": 2}})
    kept, said = narrowed(listing, source, _TODAY)
    assert [each.path for each in kept.files] == [f"/in/{name}/x.csv" for name in names[1:4]]
    assert said == "; 2 files are in no folder of the form %Y/%m/%d"


def test_a_month_is_read_whole_where_folders_tell_no_days() -> None:
    listing = Listing("/in", tuple(file(f"{month}/x.csv") for month in ("2026-01", "2026-02", "2026-03")))
    source = Source.model_validate(
        {"partition": {"format": "%Y-%m", "start_date": "2026-02-28", "end_date": "2026-02-28"}}
    )
    assert [each.path for each in narrowed(listing, source, _TODAY)[0].files] == ["/in/2026-02/x.csv"]


def test_a_pattern_narrows_the_files_of_a_partition() -> None:
    listing = Listing("/in", (file("2026/a.csv"), file("2026/b.json")))
    source = Source.model_validate({"partition": {"format": "%Y", "file_pattern": "*.csv"}})
    assert [each.path for each in narrowed(listing, source, _TODAY)[0].files] == ["/in/2026/a.csv"]


def test_folders_are_chosen_by_their_values() -> None:
    names = ["country=DE/day=1/x", "country=FR/day=1/x", "country=%C3%96/day=2/x"]
    listing = Listing("/in", tuple(file(name) for name in names))
    source = Source.model_validate({"partition_filters": {"Country": ["DE", "Ö"]}})
    assert [each.path for each in narrowed(listing, source, _TODAY)[0].files] == [f"/in/{names[0]}", f"/in/{names[2]}"]
    one = Source.model_validate({"partition_filters": {"day": 1, "country": "FR"}})
    assert [each.path for each in narrowed(listing, one, _TODAY)[0].files] == [f"/in/{names[1]}"]
    with pytest.raises(SourceError, match="names 'contry', which is no partition folder"):
        narrowed(listing, Source.model_validate({"partition_filters": {"contry": "DE"}}), _TODAY)


@pytest.mark.parametrize("form", ["%m/%d", "%Y/%Q", "%Y/%Y", "data"])
def test_a_form_that_tells_no_date_is_refused(form: str) -> None:
    with pytest.raises(ContractError, match="partition.format"):
        DatedFolders(form)


def test_days_without_a_form_are_refused() -> None:
    source = Source.model_validate({"partition": {"lookback_days": 1}})
    with pytest.raises(ContractError, match="needs a format"):
        narrowed(Listing("/in", (file("a"),)), source, _TODAY)
