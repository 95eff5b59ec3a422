"""Debian's Chromium without a window, cut off from every network."""

import json
import pathlib
import shutil
import subprocess
import tempfile

PROGRAM = shutil.which("chromium")
# It says things of its own there; what it cannot resolve it cannot ask.
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
           "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--enable-logging=stderr"]


class Opened:
    """What a page did: lines of its console, and addresses that it asked a network for."""

    def __init__(self, path):
        with tempfile.TemporaryDirectory(prefix="heddle_chromium_") as folder:
            log = pathlib.Path(folder, "net.json")
            done = subprocess.run([PROGRAM, *OPTIONS, f"--user-data-dir={folder}/user", f"--log-net-log={log}", "--dump-dom", pathlib.Path(path).resolve().as_uri()],
                                  capture_output=True, text=True, timeout=120)
            if done.returncode != 0:
                raise AssertionError(f"chromium ended with {done.returncode}:\n{done.stderr}")
            self.document = done.stdout
            self.console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
            self.requests = self._asked(json.loads(log.read_text()))

    @staticmethod
    def _asked(log):
        """Those of the page: Chromium's own have no file as their origin."""
        started = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
        return [event["params"]["url"] for event in log["events"] if event["type"] == started and event.get("params", {}).get("network_isolation_key", "").startswith("file://")]
