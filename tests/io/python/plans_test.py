"""Plans of a controller whose reports and routes travel: in the file, in texts, JSON and CSV, from Python and in reports."""

import csv
import io
import json
import unittest

import heddle
import html_pages
import small_runs
from heddle.results.message_kinds import kinds_told_apart
from small_plans import planned, slowly
from small_runs import program


class Plans(unittest.TestCase):
    def test_in_the_file_and_from_python(self):
        with heddle.open(planned()) as result:
            plans, messages, kinds = result.plans(), result.messages(), kinds_told_apart(result)
        self.assertEqual(plans.attrs["units"], {"measured_ps": "ps", "from_ps": "ps"})
        reports, routes = (messages[messages["purpose"] == purpose] for purpose in ("report", "route"))
        self.assertEqual((len(reports), len(routes)), (3 * 2, 3 * 4), "servers and switches, in three periods")
        self.assertEqual(plans["measured_ps"].tolist(), sorted(set(reports["posted_ps"])))
        arrived = routes.groupby(routes.groupby(["src", "dst"]).cumcount())["received_ps"].max()
        self.assertTrue((plans["from_ps"].to_numpy() > arrived.to_numpy()).all(), "after all switches have their routes")
        self.assertTrue((plans["from_ps"] - arrived.to_numpy() <= 20_000_000).all(), "at the next multiple of commit")
        self.assertIn("routes.management.best_effort", [kind.key for kind in kinds])

    def test_in_texts(self):
        with heddle.open(planned()) as result:
            plans = result.plans()
        delays = sorted(plans["from_ps"] - plans["measured_ps"])
        said = program("run", small_runs.folder() / "plans.toml", "-o", small_runs.folder() / "plans_said.h5")
        for text in (said, program("info", planned())):
            self.assertIn("controller 3 of 3 plans came into force, ", text)
        found = json.loads(program("info", "--json", planned()))["plans"]
        self.assertEqual([plan["from_ps"] for plan in found], plans["from_ps"].tolist())
        compared = program("compare", planned(), slowly())
        self.assertRegex(compared, r"controller's plans in force +3 of 3 +\d of 3")
        self.assertIn("longest delay", compared)
        row = next(csv.DictReader(io.StringIO(program("compare", "--csv", planned(), slowly()))))
        self.assertEqual((row["plans"], row["plans_in_force"]), ("3", "3"))
        self.assertEqual((int(row["plan_delay_median_ps"]), int(row["plan_delay_max_ps"])), (delays[1], delays[2]))

    def test_in_a_sweep_and_a_report(self):
        folder = small_runs.folder() / "plans_sweep"
        path = small_runs.folder() / "plans.toml"
        planned()
        program("sweep", path, "--axis", "routing.traffic_engineering.network.solve=30 us,450 us", "-o", folder, "--run")
        self.assertIn("longest plan delay", program("compare", folder))
        with heddle.open(planned()) as result:
            plans = result.plans()
        page = html_pages.of(planned())
        self.assertEqual(int(page.measures["plan_delay_ps"]), sorted(plans["from_ps"] - plans["measured_ps"])[1])

    def test_a_run_without_has_none(self):
        with heddle.open(small_runs.incast()) as result:
            self.assertEqual(len(result.plans()), 0)
            self.assertIn("/plan", result.missing())
        self.assertNotIn("controller", program("info", small_runs.incast()))


if __name__ == "__main__":
    unittest.main()
