"""Makes the data of the examples, always the same: `python -m scripts.example_data`. Nobody in it exists."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
SEED = 20260201
DAYS = [date(2026, 2, 1) + timedelta(days=n) for n in range(7)]

FIRST = "Alva Bero Cilla Doran Esme Falk Gita Hale Imra Joss Kira Lio Mirel Nilo Orla Pim Rika Sol Tova Vito".split()
LAST = "Ashgrove Birkland Corvale Dunmere Elmsworth Fernhollow Glenrock Hartmoor Ivydale Kestrel Lindqvale".split()
PRODUCTS = [
    ("MTR", "Motor", "motor", 25000),
    ("HOM", "Home", "property", 80000),
    ("TRV", "Travel", "travel", 5000),
    ("PET", "Pet", "animals", 4000),
]
CURRENCIES = [("EUR", "Euro"), ("GBP", "Pound sterling"), ("SEK", "Swedish krona")]
REGIONS = [("N", "North"), ("E", "East"), ("S", "South"), ("W", "West")]

Row = dict[str, object]


def main() -> None:
    """Write every file of both examples."""
    insurance(EXAMPLES / "insurance_elt" / "data")
    retail(EXAMPLES / "retail_mesh" / "data" / "landing")


def write(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as csv; the first row names the columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def moment(chance: random.Random, day: date) -> str:
    """A time of a day, to the second."""
    at = datetime(day.year, day.month, day.day) + timedelta(seconds=chance.randrange(6 * 3600, 20 * 3600))  # noqa: DTZ001
    return at.isoformat(sep=" ")


def insurance(data: Path) -> None:
    """Customers, policies and claims of one week, with what goes wrong in a real one."""
    chance = random.Random(SEED)  # noqa: S311
    write(data / "reference" / "products.csv", [_product(*product) for product in PRODUCTS])
    write(data / "reference" / "regions.csv", [{"region_code": code, "region_name": name} for code, name in REGIONS])
    currencies = [{"currency": code, "currency_name": name} for code, name in CURRENCIES]
    write(data / "reference" / "currencies.csv", currencies)
    customers = {f"C{n:04d}": _customer(chance, n) for n in range(1, 41)}
    policies: dict[str, Row] = {}
    claims: dict[str, Row] = {}
    for number, day in enumerate(DAYS, 1):
        changed = _customers_of(chance, customers, number, day)
        if changed:
            write(data / "bronze" / f"customers_{day}.csv", changed)
        write(data / "bronze" / f"policies_{day}.csv", _policies_of(chance, policies, list(customers), number, day))
        write(data / "bronze" / f"claims_cdc_{day}.csv", _claims_of(chance, claims, policies, number, day))


def _product(code: str, name: str, line: str, largest: int) -> Row:
    return {"product_code": code, "product_name": name, "product_line": line, "max_claim": largest}


def _customer(chance: random.Random, number: int) -> Row:
    first, last = chance.choice(FIRST), chance.choice(LAST)
    return {
        "customer_id": f"C{number:04d}",
        "full_name": f"{first} {last}",
        "email": f"{first}.{last}{number}@example.com".lower(),
        "phone": f"+44 20 7946 0{chance.randrange(1000):03d}",
        "birth_date": date(chance.randrange(1945, 2005), chance.randrange(1, 13), chance.randrange(1, 29)),
        "region_code": chance.choice(REGIONS)[0],
        "segment": chance.choice(["private", "private", "business"]),
    }


def _customers_of(chance: random.Random, known: dict[str, Row], number: int, day: date) -> list[Row]:
    if number == 1:
        rows = [{**row, "updated_at": moment(chance, day)} for row in known.values()]
        # An e-mail that is none, and a customer without an id.
        rows[7]["email"] = "not-an-address"
        rows.append({**rows[3], "customer_id": "", "email": "nobody@example.com"})
        return rows
    if number not in (4, 6):
        return []
    rows = []
    for key in chance.sample(sorted(known), 6):
        known[key]["region_code"] = chance.choice(REGIONS)[0]
        known[key]["segment"] = chance.choice(["private", "business", "key account"])
        rows.append({**known[key], "updated_at": moment(chance, day)})
    # The source sends one region that nobody knows.
    rows[-1]["region_code"] = "X"
    return rows


def _policy(chance: random.Random, number: int, customers: Sequence[str], day: date) -> Row:
    start = day - timedelta(days=chance.randrange(0, 300))
    return {
        "policy_id": f"P{number:05d}",
        "customer_id": chance.choice(customers),
        "product_code": chance.choice(PRODUCTS)[0],
        "start_date": start,
        "end_date": start + timedelta(days=364),
        "annual_premium": f"{chance.randrange(8000, 120000) / 100:.2f}",
        "currency": "EUR",
        "status": chance.choice(["active", " Active", "ACTIVE"]),
    }


def _policies_of(
    chance: random.Random, known: dict[str, Row], customers: Sequence[str], number: int, day: date
) -> list[Row]:
    fresh = [_policy(chance, len(known) + n, customers, day) for n in range(1, 61 if number == 1 else 9)]
    changed = [known[key] for key in chance.sample(sorted(known), 6)] if known else []
    for row in changed:
        row["annual_premium"] = f"{float(str(row['annual_premium'])) * 1.04:.2f}"
        row["status"] = chance.choice(["active", "active", "lapsed", "cancelled"])
    known |= {str(row["policy_id"]): row for row in fresh}
    rows = [{**row, "updated_at": moment(chance, day)} for row in (*changed, *fresh)]
    return _with_bad_policies(rows, number)


def _with_bad_policies(rows: list[Row], number: int) -> list[Row]:
    """What goes wrong on each day, on rows that nothing else depends on."""
    last = dict(rows[-1])
    match number:
        case 2:
            rows += [dict(rows[0]), {**last, "policy_id": ""}]
        case 3:
            rows += [{**last, "policy_id": "P90301", "annual_premium": "-120.00"}]
            rows += [{**last, "policy_id": "P90302", "product_code": "ZZZ"}]
        case 4:
            rows += [{**last, "policy_id": "P90401", "annual_premium": "n/a"}]
        case 5:
            rows += [{**last, "policy_id": "P90501", "end_date": last["start_date"], "start_date": last["end_date"]}]
        case 6:
            # The source begins to send a column that nobody announced.
            rows = [{**row, "broker_code": f"B{index % 5}"} for index, row in enumerate(rows)]
    return rows


def _claims_of(
    chance: random.Random, known: dict[str, Row], policies: Mapping[str, Row], number: int, day: date
) -> list[Row]:
    rows = []
    newest = int(max(known, default="K0")[1:])
    for n in range(1, 13):
        policy = policies[chance.choice(sorted(policies))]
        rows.append(_event("I", moment(chance, day), _claim(chance, newest + n, policy, day)))
        known[str(rows[-1]["claim_id"])] = rows[-1]
    older = [key for key in sorted(known) if key not in {row["claim_id"] for row in rows}]
    for key in chance.sample(older, min(6, len(older))):
        changed = {**known[key], "status": chance.choice(["assessed", "paid", "rejected"])}
        rows.append(_event("U", moment(chance, day), changed))
        known[key] = rows[-1]
    if older and number % 2 == 0:
        rows.append(_event("D", moment(chance, day), known.pop(chance.choice(older))))
    return _with_bad_claims(chance, rows, number, day)


def _claim(chance: random.Random, number: int, policy: Row, day: date) -> Row:
    start = date.fromisoformat(str(policy["start_date"]))
    loss = max(start, day - timedelta(days=chance.randrange(0, 20)))
    return {
        "claim_id": f"K{number:05d}",
        "policy_id": policy["policy_id"],
        "loss_date": loss,
        "claim_type": chance.choice(["damage", "theft", "accident", "illness"]),
        "amount": f"{chance.randrange(5000, 350000) / 100:.2f}",
        "currency": "EUR",
        "status": "open",
    }


def _event(op: str, changed_at: str, claim: Row) -> Row:
    told = {key: value for key, value in claim.items() if key not in ("op", "changed_at")}
    return {"op": op, "changed_at": changed_at, **told}


def _with_bad_claims(chance: random.Random, rows: list[Row], number: int, day: date) -> list[Row]:
    first = rows[0]
    bad = {"changed_at": moment(chance, day)}
    match number:
        case 2:
            rows += [{**first, **bad, "claim_id": "K90201", "policy_id": "P99999"}]
        case 3:
            rows += [{**first, **bad, "claim_id": "K90301", "amount": "-50.00"}]
            rows += [{**first, **bad, "claim_id": ""}]
        case 4:
            rows += [{**first, **bad, "claim_id": "K90401", "amount": "unknown"}]
            rows += [{**first, **bad, "claim_id": "K90402", "loss_date": date(2019, 5, 4)}]
        case 5:
            # The same event once more: a source that delivers at least once.
            rows += [dict(first)]
        case 6:
            rows += [{**first, **bad, "claim_id": "K90601", "status": "lost in post"}]
        case 7:
            # An old state that arrives late must not win over what is known since.
            rows += [{**first, "op": "U", "status": "open", "changed_at": f"{day - timedelta(days=4)} 08:00:00"}]
    return rows


def retail(landing: Path) -> None:
    """Customers, products and orders of two days."""
    chance = random.Random(SEED + 1)  # noqa: S311
    days = [date(2026, 3, 1), date(2026, 3, 2)]
    skus = [f"SKU{n:03d}" for n in range(1, 21)]
    for number, day in enumerate(days, 1):
        write(landing / "crm" / f"customers_{day}.csv", list(_shoppers(chance, number, day)))
        write(landing / "erp" / f"products_{day}.csv", list(_goods(chance, skus, day)))
        write(landing / "pos" / f"orders_{day}.csv", list(_orders(chance, skus, number, day)))


def _shoppers(chance: random.Random, number: int, day: date) -> Iterable[Row]:
    for n in range(1, 31) if number == 1 else range(25, 36):
        first, last = chance.choice(FIRST), chance.choice(LAST)
        address = f"{first}.{last}{n}@example.org".lower() if n % 13 else "unknown"
        yield {
            "customer_id": f"R{n:04d}",
            "full_name": f"{first} {last}",
            "email": address,
            "country": chance.choice(["DE", "FR", "SE"]),
            "updated_at": moment(chance, day),
        }


def _goods(chance: random.Random, skus: Sequence[str], day: date) -> Iterable[Row]:
    for sku in skus:
        price = chance.randrange(199, 9999) / 100
        yield {
            "sku": sku,
            "product_name": f"Article {sku[3:]}",
            "category": chance.choice(["kitchen", "garden", "office"]),
            "list_price": f"{price:.2f}" if sku != "SKU007" else "free",
            "updated_at": moment(chance, day),
        }


def _orders(chance: random.Random, skus: Sequence[str], number: int, day: date) -> Iterable[Row]:
    for n in range(1, 61):
        yield {
            "order_id": f"O{number}{n:04d}",
            "customer_id": f"R{chance.randrange(1, 31):04d}" if n % 20 else "R9999",
            "sku": chance.choice(skus),
            "quantity": chance.randrange(1, 6) if n % 25 else 0,
            "unit_price": f"{chance.randrange(199, 9999) / 100:.2f}",
            "ordered_at": moment(chance, day),
        }


if __name__ == "__main__":
    main()
