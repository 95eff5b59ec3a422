"""What the report.py of every study uses: the runs of its sweeps, tables of them, and the claims that have to hold."""

import csv
import json
import pathlib
import statistics
import subprocess
import sys

from scipy.special import stdtrit


class Run(dict):
    """One run: the columns of `heddle compare --csv`, numbers as such where they are; and its result file."""

    def __init__(self, row, path):
        super().__init__({key: _number(text) for key, text in row.items()})
        self.path = path

    def collective(self, column, size=None, job=0):
        """`time_ps` or `busbw_GBps` of the job's collective of `size` bytes; without a size, of its only one."""
        names = [
            name
            for name in self
            if name.startswith(f"job{job}.")
            and name.endswith("." + column)
            and self[name] != ""
            and (size is None or f".{size}B." in name)
        ]
        if len(names) != 1:
            raise KeyError(f"{self.path}: {len(names)} collectives of job {job} have {column} and {size} bytes")
        return self[names[0]]

    def links(self, source="", destination=""):
        """Its links between nodes of these names (gpu, rtsw, ctsw) as a DataFrame: use, sent_bytes, peak_queue_bytes..."""
        import heddle

        with heddle.open(self.path) as result:
            links = result.links()
        return links[links.src_name.str.startswith(source) & links.dst_name.str.startswith(destination)]

    def balance(self):
        """How even its links were, a row per kind of link (`rtsw>ctsw`): run.balance() of io/python."""
        import heddle

        with heddle.open(self.path) as result:
            return result.balance()


class Study:
    """Made of the arguments of report.py: HEDDLE OUT_FOLDER full|small."""

    def __init__(self, arguments=None):
        arguments = arguments or sys.argv[1:]
        if len(arguments) != 3:
            raise SystemExit("report.py HEDDLE OUT_FOLDER full|small: the run.sh beside it runs it so")
        self.heddle, folder, size = arguments
        self.folder = pathlib.Path(folder)
        self.small = size == "small"
        self.claims = []

    def runs(self, sweep, **where):
        """The runs of a sweep whose columns have these values; of keys with points the last part is enough."""
        done = subprocess.run([self.heddle, "compare", "--csv", self.folder / sweep], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"heddle compare {self.folder / sweep} ended with {done.returncode}:\n{done.stderr}")
        found = []
        with open(self.folder / sweep / "axes.csv", newline="") as axes:
            results = {row["run"]: row["result"] for row in csv.DictReader(axes)}
        for row in csv.DictReader(done.stdout.splitlines()):
            run = Run(row, self.folder / sweep / results[str(int(row["run"]))])
            if run["status"] != "complete":
                raise SystemExit(f"{run.path}: {run['status']}; a study is made of complete runs")
            found.append(run)
        return select(found, **where)

    def info(self, run):
        """What `heddle info --json` says of a run."""
        return json.loads(
            subprocess.run([self.heddle, "info", "--json", run.path], capture_output=True, text=True, check=True).stdout
        )

    def claim(self, says, holds):
        """Something that has to hold; end() says whether it does."""
        self.claims.append((says, bool(holds)))

    def end(self):
        """To be called last: the exit code says whether every claim holds."""
        if not self.claims:
            raise SystemExit("a study that claims nothing cannot be tested")
        for says, holds in self.claims:
            print(f"{'holds' if holds else 'FAILS'}: {says}")
        held = sum(holds for _, holds in self.claims)
        print(f"{held} of {len(self.claims)} claims hold")
        sys.exit(0 if held == len(self.claims) else 1)


def select(runs, **where):
    """Those of the runs whose columns have these values: `policy="ecmp"` is the column routing.policy."""
    for name, value in where.items():
        if runs:
            column = _column(runs[0], name)
            runs = [run for run in runs if run[column] == value]
    if not runs:
        raise KeyError(f"no run has {where}")
    return runs


def median(values):
    return statistics.median(list(values))


def mean(values):
    return statistics.fmean(values)


def mean_interval(values, form="{:.2f}"):
    """Mean +- half of its interval of 95 % confidence (Student's t); one value alone has none."""
    values = list(values)
    middle = form.format(statistics.fmean(values))
    if len(values) < 2:
        return middle
    half = stdtrit(len(values) - 1, 0.975) * statistics.stdev(values) / len(values) ** 0.5
    return f"{middle} +- {form.format(half)}"


def spread(values, form="{:.0f}"):
    """Median [least to most]: what hashes decide is rarely normal."""
    values = sorted(values)
    ends = [form.format(value) for value in (values[0], values[-1])]
    middle = form.format(statistics.median(values))
    return middle if ends[0] == ends[1] else f"{middle} [{ends[0]} to {ends[1]}]"


def table(head, rows):
    """A Markdown table on standard output."""
    print("\n| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def _column(run, name):
    names = [column for column in run if column == name or column.endswith("." + name)]
    if len(names) != 1:
        raise KeyError(f"{len(names)} columns are called {name}: {names}")
    return names[0]


def _number(text):
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
