"""The store: the runs of many services over time, in SQLite or PostgreSQL, with their evidence beside it.

    from conformance.fleet.store.store import Store

    with Store.open("audits.sqlite", create=True) as store:
        store.set_target(Target(name="example", base_url="https://data.example/api", labels={"sector": "health"}))
        audit = store.begin_audit("2026, week 48")
        store.add_run(Path("reports/example"), target="example", audit=audit)
        store.end_audit(audit)
        for row in store.failing_requirements():
            print(row.target, row.requirement, row.since)

A store is named by a path, by `sqlite:///path`, or by the address of a PostgreSQL database. What a run has is in its
tables (`tables.py`); the run itself is kept as a bundle (`conformance/trust/bundle.py`) under its SHA-256 digest, in
a folder beside the file of SQLite or at any address that fsspec reaches.

What holds for each method of `Store`:

- A change is made whole or not at all, also when the process is killed. Several processes may change a store at once.
- Times are RFC 3339 in UTC with milliseconds and "Z", so that their texts are in the order of the times.
- Texts of a service are `model.printable.printable`: no database refuses them. They are not HTML; escape them.
- A method that returns an iterator reads row by row, in constant memory. Read it within the `with` of the store.
- `StoreFault` says what cannot be used or done, and `remedy` says what to do about it.

The packages of the extra [audit] are needed: SQLAlchemy, fsspec, and psycopg for PostgreSQL.
"""
