"""Tables and claims of the study of management. run.sh runs it; README.md says what comes out."""

import heddle
from study import Study, mean, median, select, spread, table

CASES = {
    "e_ecmp": "E-ECMP, no controller",
    "at_once": "TE, no network: at once",
    "healthy": "TE, healthy",
    "slow": "TE, 1 ms at each switch",
    "spine": "TE, a spine of management down",
    "cut": "TE, controller cut off, RTO 200 ms, ACKs within 40 ms",
    "cut_short": "TE, controller cut off, RTO 5 ms, ACKs within 40 ms",
    "cut_shorter": "TE, controller cut off, RTO 5 ms, ACKs within 50 us",
    "one_server": "TE, one server cut off, RTO 200 ms, ACKs within 40 ms",
}


def lateness(run):
    """From measuring until the switches have all routes of a plan, in ms: message k of every connection is of plan k."""
    with heddle.open(run.path) as result:
        messages = result.messages()
    messages = messages[messages.fabric == "management"]
    if messages.empty:
        return []
    plan = messages.groupby(["src", "dst"]).cumcount()
    measured = messages.posted_ps.groupby(plan).min()
    return list((messages.received_ps.groupby(plan).max() - measured) * 1e-9)


class Case:
    """Runs that differ in the seed alone."""

    def __init__(self, study, runs):
        all_reduces = [study.info(run)["collectives"] for run in runs]
        self.total = [rows[-1]["finish_ps"] * 1e-9 for rows in all_reduces]
        self.last = [mean(row["busbw_GBps"] for row in rows[-2:]) for rows in all_reduces]
        by_number = zip(*([row["busbw_GBps"] for row in rows] for rows in all_reduces))
        self.course = " ".join(f"{median(rates):.0f}" for rates in by_number)
        self.late = [late for run in runs for late in lateness(run)]

    def row(self, without):
        more = spread([mine - its for mine, its in zip(self.total, without.total)], "{:.1f}") if without else "-"
        late = f"{min(self.late):.1f} / {max(self.late):.1f}" if self.late else "-"
        return [spread(self.total, "{:.1f}"), more, spread(self.last), self.course, late]


study = Study()
found, rows = {}, []
for failed, words in {"none": "none", "uplinks": "4 of a rack"}.items():
    for case, described in CASES.items():
        sweep = f"{failed}_{case}".replace("shorter", "short")
        if (study.folder / sweep).is_dir():
            runs = study.runs(sweep)
            if "short" in case:
                runs = select(runs, **{"tcp.ack_delay": "50 us" if case == "cut_shorter" else "40 ms"})
            found[failed, case] = Case(study, runs)
            twin = case if ("none", case) in found or case in ("e_ecmp", "at_once") else "healthy"
            without = found.get(("none", twin)) if failed == "uplinks" else None
            rows.append([words, described, *found[failed, case].row(without)])
table(
    [
        "uplinks fail",
        "routing",
        "all, ms",
        "more than if none fails",
        "busbw of the last two, GB/s",
        "of each",
        "a plan is late by, ms: least / most",
    ],
    rows,
)


def total(failed, case):
    return mean(found[failed, case].total)


def last(failed, case):
    return mean(found[failed, case].last)


study.claim(
    "where no uplink fails, a controller that is cut off costs next to nothing: the plan stays right",
    total("none", "cut") < 1.03 * total("none", "healthy"),
)
study.claim(
    "where uplinks fail while it is cut off, all-reduces take a tenth longer and more",
    total("uplinks", "cut") > 1.1 * total("uplinks", "healthy"),
)
study.claim(
    "a healthy network ends where a controller at once does, to 3 %",
    last("uplinks", "healthy") > 0.97 * last("uplinks", "at_once"),
)
study.claim("but later: it loses more on the way", total("uplinks", "healthy") > total("uplinks", "at_once"))
study.claim(
    "E-ECMP without a controller is faster than one behind a healthy network",
    total("uplinks", "e_ecmp") < total("uplinks", "healthy"),
)
study.claim("and a tenth and more faster than one that is cut off", 1.1 * total("uplinks", "e_ecmp") < total("uplinks", "cut"))
if not study.small:
    study.claim(
        "how much a plan that is out of date costs is chance: from nearly nothing to half of the rate",
        min(found["uplinks", "cut"].last) < 0.6 * max(found["uplinks", "cut"].last),
    )
    study.claim(
        "TCP's timers decide how long: the shorter, the sooner it is over",
        total("uplinks", "cut_shorter") < total("uplinks", "cut_short") < total("uplinks", "cut"),
    )
    study.claim(
        "one server that cannot report costs more than a healthy network, and less than a controller that is cut off",
        total("uplinks", "healthy") < total("uplinks", "one_server") < total("uplinks", "cut"),
    )
    study.claim(
        "a dead spine of the management network costs nothing, as there is another",
        total("uplinks", "spine") < 1.03 * total("uplinks", "healthy"),
    )
    study.claim(
        "a slow network loses more at every change than a healthy one",
        all(total(failed, "slow") > 1.05 * total(failed, "healthy") for failed in ("none", "uplinks")),
    )
study.end()
