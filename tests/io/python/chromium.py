"""Debian's Chromium without a window, cut off from every network: opened once, or driven by keys as a reader would."""

import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium")
# It says things of its own there; what it cannot resolve it cannot ask.
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--enable-logging=stderr",
]
KEYS = {"Tab": 9, "Enter": 13, " ": 32}  # key -> its code


class Opened:
    """What a page did: lines of its console, and addresses that it asked a network for."""

    def __init__(self, path):
        with tempfile.TemporaryDirectory(prefix="heddle_chromium_") as folder:
            log = pathlib.Path(folder, "net.json")
            done = subprocess.run(
                [
                    PROGRAM,
                    *OPTIONS,
                    f"--user-data-dir={folder}/user",
                    f"--log-net-log={log}",
                    "--dump-dom",
                    pathlib.Path(path).resolve().as_uri(),
                ],
                capture_output=True,
                text=True,
                timeout=120,
            )
            if done.returncode != 0:
                raise AssertionError(f"chromium ended with {done.returncode}:\n{done.stderr}")
            self.document = done.stdout
            self.console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
            self.requests = self._asked(json.loads(log.read_text()))

    @staticmethod
    def _asked(log):
        """Those of the page: Chromium's own have no file as their origin."""
        started = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
        return [
            event["params"]["url"]
            for event in log["events"]
            if event["type"] == started and event.get("params", {}).get("network_isolation_key", "").startswith("file://")
        ]


def _pipe():
    """os.pipe() above the places that Chromium takes its two ends from."""
    ends = os.pipe()
    moved = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return moved


class Driven:
    """A page in a Chromium that does what DevTools say, through a pipe; a context manager. `downloads`: where files come to."""

    def __init__(self, path, width=1280, height=900):
        self.folder = tempfile.TemporaryDirectory(prefix="heddle_chromium_", ignore_cleanup_errors=True)
        self.downloads = pathlib.Path(self.folder.name, "downloads")
        self.number, self.session, self.rest, self.events = 0, None, b"", []
        commands, self.out = _pipe()
        self.into, answers = _pipe()
        program = [
            PROGRAM,
            *OPTIONS,
            f"--user-data-dir={self.folder.name}/user",
            "--remote-debugging-pipe",
        ]  # reads from 3, writes to 4
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{commands}- 4>&{answers}-', "chromium", *program],
            pass_fds=(commands, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.do("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))
        self.do("Page.enable")
        self.resize(width, height)
        self.do("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.wait_for(lambda: any(event["method"] == "Page.loadEventFired" for event in self.events), "the page to load")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        self.folder.cleanup()

    def do(self, method, **parameters):
        """One command of the DevTools protocol; its answer."""
        self.number += 1
        message = {
            "id": self.number,
            "method": method,
            "params": parameters,
            **({"sessionId": self.session} if self.session else {}),
        }
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read(60)
            if answer is None:
                raise AssertionError(f"chromium does not answer {method}")
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def _read(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            if not select.select([self.into], [], [], max(0, end - time.monotonic()))[0]:
                return None
            self.rest += os.read(self.into, 1 << 20)
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def wait_for(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"waited {seconds} s for {what}")
            event = self._read(0.05)
            if event is not None:
                self.events.append(event)

    def ask(self, script):
        """The value of an expression of JavaScript."""
        result = self.do("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"])
        return result["result"].get("value")

    def press(self, key, shift=False):
        for kind in ("keyDown", "keyUp"):
            text = {"Enter": "\r", " ": " "}.get(key, "") if kind == "keyDown" else ""
            self.do(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code="Space" if key == " " else key,
                windowsVirtualKeyCode=KEYS[key],
                modifiers=8 if shift else 0,
                **({"text": text} if text else {}),
            )

    def resize(self, width, height=900):
        self.do("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def on_paper(self, width):
        """Lays the page out as for paper of that width."""
        self.do("Emulation.setEmulatedMedia", media="print")
        self.resize(width)

    def accessible(self):
        """(role, name) of everything that is there for who cannot see it."""
        nodes = self.do("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored")]
