"""The configuration as a diff against the defaults, and where the run comes from."""

from heddle.report.blocks import Column, Listing, Table, Words, table_of
from heddle.report.defaults import changed

MAX_OPEN = 24
TITLE = "Configuration and provenance"
PROVENANCE = (
    ("file", "file"),
    ("status", "status"),
    ("digest", "digest of all that was simulated"),
    ("config_hash", "hash of the configuration"),
    ("topology_hash", "hash of the topology"),
    ("workload_hash", "hash of the workload"),
    ("seed", "seed"),
    ("software_version", "version"),
    ("git_commit", "commit"),
    ("git_dirty", "sources changed since"),
    ("build", "build"),
    ("date", "date"),
    ("command_line", "command line"),
    ("hosts", "hosts"),
    ("slurm_job_id", "Slurm job"),
    ("ranks", "ranks"),
    ("threads", "threads"),
    ("devices", "devices"),
)


def blocks(page):
    found = [differences(page)]
    if page.alone:
        found.append(provenance(page.run))
        found.append(
            Listing(
                "The whole configuration, with every default",
                "\n".join(f"{key} = {value.text}" for key, value in page.run.parameters.items()),
            )
        )
    else:
        found.append(origins(page))
    return found


def differences(page) -> Table | Words:
    """Of one run what is not its default; of several what of it they have in common."""
    common = [
        row
        for row in changed(page.runs[0].parameters)
        if row[0] not in page.keys
        and all(run.parameters.get(row[0]) is not None and run.parameters[row[0]].text == row[1] for run in page.runs)
    ]
    if not common:
        return Words(["All parameters have their defaults."])
    rows = [
        {
            "key": key,
            "value": value,
            "default": "has to be given" if default is None else "not known" if default == "?" else default or "(empty)",
        }
        for key, value, default in common
    ]
    caption = "What differs from the defaults of this version of heddle" + ("" if page.alone else ", alike in all runs")
    return table_of(
        "configuration", caption, [Column("key", "parameter"), Column("value", "value"), Column("default", "default")], rows
    )


def provenance(run) -> Table:
    values = {"file": run.path, **run.attrs, "git_dirty": "yes" if run.attrs.get("git_dirty") else "no"}
    rows = [{"what": title, "value": values[key]} for key, title in PROVENANCE if values.get(key) not in (None, "")]
    return table_of("provenance", "Where the numbers come from", [Column("what", "what"), Column("value", "value")], rows)


def origins(page) -> Table:
    columns = [
        Column("run", "run"),
        *(Column(key, key) for key in page.keys),
        Column("status", "status"),
        Column("digest", "digest"),
        Column("git_commit", "commit"),
        Column("date", "date"),
        Column("file", "file"),
    ]
    rows = [
        {"run": run.name, **run.axes, **run.attrs, "git_commit": run.attrs.get("git_commit", "")[:12], "file": run.path}
        for run in page.runs
    ]
    return table_of("provenance", "Where the numbers come from", columns, rows, folded=len(rows) > MAX_OPEN)
