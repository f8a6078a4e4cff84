"""Nested rows, rows as text, free text and narrowed links, from the file to the table."""

from __future__ import annotations

from tests.scenarios.project import Project

_PEOPLE = """
    {"id": 1, "name": "Ada", "at": {"city": "London", "geo": {"lat": 51.5}}, "tags": [{"k": "a"}]}
    {"id": 2, "name": "Bob", "at": null, "tags": []}
    {"id": "x", "name": "Cy", "at": {"city": "Rome", "geo": null}}
"""


def test_structs_of_json_become_columns_that_rules_and_types_know(project: Project) -> None:
    project.file("in.json", _PEOPLE)
    result = project.run(
        """
        source: {path: in.json, flatten_nested: true}
        model:
          fields: [{name: id, type: int}, {name: at_geo_lat, type: "decimal(4,1)"}]
        quality: {row_rules: [{name: has_city, sql: at_city IS NOT NULL}]}
        materialization: {target_path: out}
        """
    )
    (row,) = project.rows()
    assert (row["id"], row["at_city"], str(row["at_geo_lat"]), row["tags"]) == (1, "London", "51.5", [{"k": "a"}])
    assert "at" not in row
    assert {rule.name: rule.failed for rule in result.rules}["has_city"] == 1
    raw = {row["id"]: row["_lakelogic_raw"] for row in project.rows("out_quarantine")}
    assert '"at":{"city":"Rome","geo":null}' in raw["x"]


def test_nested_types_are_conformed_member_by_member(project: Project) -> None:
    project.file("in.json", _PEOPLE)
    project.run(
        """
        source: {path: in.json}
        model:
          fields:
            - {name: name, type: string}
            - {name: at, type: "struct<city:string,geo:struct<lat:int>>"}
            - {name: tags, type: "array<struct<k:string>>"}
        materialization: {target_path: out}
        """
    )
    rows = {row["name"]: row for row in project.rows()}
    assert rows["Ada"]["at"] == {"city": "London", "geo": {"lat": 51}}
    assert (rows["Bob"]["at"], rows["Bob"]["tags"]) == (None, [])


def test_a_server_that_casts_to_string_reads_text_and_nothing_else(project: Project) -> None:
    project.file("in.json", _PEOPLE)
    project.run(
        """
        server: {type: local, mode: ingest, path: in.json, cast_to_string: true}
        materialization: {target_path: out}
        """
    )
    assert project.values("id") == ["1", "2", "x"]
    assert '{"city":"London","geo":{"lat":51.5}}' in project.values("at")
    assert project.values("tags")[:2] == ["None", '[{"k":"a"}]'] or None in project.values("tags")


def test_patterns_read_columns_out_of_text_before_anything_judges_them(project: Project) -> None:
    project.file("in.csv", 'id,note\n1,"order 17 for ada@example.org"\n2,"order none"\n3,\n')
    project.run(
        """
        source: {path: in.csv}
        extraction:
          provider: regex
          text_column: note
          patterns: {order_no: 'order (\\d+)', mail: '\\S+@\\S+'}
        model: {fields: [{name: id, type: int}, {name: order_no, type: int}]}
        quality: {row_rules: [{name: ordered, sql: order_no > 0}]}
        materialization: {target_path: out}
        """
    )
    assert project.rows() == [
        {"id": 1, "note": "order 17 for ada@example.org", "order_no": 17, "mail": "ada@example.org"}
    ]
    assert project.bad() == {"2": ["Rule failed: ordered (order_no > 0)"], "3": ["Rule failed: ordered (order_no > 0)"]}


def test_links_are_narrowed_by_columns_filter_or_a_query_of_their_own(project: Project) -> None:
    project.file("in.csv", "id,c\n1,DE\n2,FR\n3,XX\n")
    project.file("countries.csv", "code,name,old\nDE,Germany,n\nFR,France,n\nXX,Nowhere,y\nDE,Deutschland,y\n")
    result = project.run(
        """
        source: {path: in.csv}
        links:
          - {name: current, path: countries.csv, columns: [code, name], filter: "old = 'n'"}
          - name: counted
            path: countries.csv
            query: SELECT code, COUNT(*) AS entries FROM counted GROUP BY code
        transformations:
          - {join: {reference: current, on: c, key: code}}
          - {lookup: {field: entries, reference: counted, on: c, key: code, value: entries}}
        quality: {row_rules: [{referential_integrity: {field: c, reference: current, key: code}, severity: warning}]}
        materialization: {target_path: out}
        """
    )
    assert [(row["id"], row["name"], row["entries"]) for row in project.rows()] == [
        ("1", "Germany", 2),
        ("2", "France", 1),
        ("3", None, 1),
    ]
    assert [rule.failed for rule in result.rules if rule.name == "c_referential_integrity"] == [1]


def test_an_event_within_any_period_of_its_key_stays_one_row(project: Project) -> None:
    project.file(
        "subs.csv", "subscriber_id,start_date,end_date\n1,2026-01-01,2026-01-31\n1,2026-01-15,\n2,,2026-01-31\n"
    )
    project.file(
        "in.csv", "id,event_ts,subscriber_id\n1,2026-01-16 10:00:00,1\n2,2025-02-16 10:00:00,1\n3,2026-01-02,2\n"
    )
    project.run(
        """
        source: {path: in.csv}
        links: [{name: subscribers, path: subs.csv}]
        model:
          fields: [{name: id, type: int}, {name: event_ts, type: timestamp}, {name: subscriber_id, type: int}]
        quality:
          row_rules:
            - lifecycle_window:
                event_ts: event_ts
                event_key: subscriber_id
                reference: subscribers
                reference_key: subscriber_id
                start_field: start_date
                end_field: end_date
                end_default: "9999-12-31"
        materialization: {target_path: out}
        """
    )
    assert project.values("id") == [1]
    told = ["Rule failed: subscriber_id_lifecycle_window (event_ts is within a period of subscriber_id in subscribers)"]
    assert project.bad() == {"2": told, "3": told}
