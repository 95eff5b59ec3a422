"""A Slurm of one node for a test: munged, slurmctld and slurmd of this user, with ports and a folder of their own."""

import contextlib
import ctypes
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

# sbatch, srun and scontrol are clients; what they find in /etc/slurm is not used.
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "scancel", "squeue", "sinfo")
FOLDERS = "/usr/sbin:/usr/bin:/sbin:/bin"  # daemons are in no user's PATH
NODE = "heddle0"
CPUS = 6  # more than the machine may have, so that several jobs run at a time

CONFIGURATION = """
ClusterName=heddle_test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CryptoType=crypto/munge
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
# no control groups, no accounting: neither is to be had in a container
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=131072 State=UNKNOWN
PartitionName=test Nodes={node} Default=YES MaxTime=INFINITE State=UP
"""


def missing_programs():
    return [name for name in PROGRAMS if shutil.which(name, path=f"{os.environ['PATH']}:{FOLDERS}") is None]


def end_with_parent():
    """For a child before exec: SIGTERM when the test is killed, which then cleans up nothing."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


def free_ports(count):
    with contextlib.ExitStack() as sockets:
        bound = [sockets.enter_context(socket.socket()) for _ in range(count)]
        for one in bound:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in bound]


class PrivateSlurm:
    """`folder` takes its files, and its path must be short (a socket's is at most 107 characters). Use it in `with`."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.daemons = []
        self.configuration = self.folder / "slurm.conf"
        self.environment = {**os.environ, "SLURM_CONF": str(self.configuration), "PATH": f"{os.environ['PATH']}:{FOLDERS}"}
        for name in [name for name in self.environment if name.startswith(("SLURM_", "SBATCH_")) and name != "SLURM_CONF"]:
            del self.environment[name]  # of a batch job that this test is in

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        for path in (self.folder, *(self.folder / name for name in ("munge", "state", "spool", "pmix"))):
            path.mkdir(exist_ok=True)
            path.chmod(0o755)
        controller_port, node_port = free_ports(2)
        self.configuration.write_text(
            CONFIGURATION.format(
                host=socket.gethostname().split(".")[0],
                user=getpass.getuser(),
                folder=self.folder,
                node=NODE,
                cpus=CPUS,
                controller_port=controller_port,
                node_port=node_port,
            )
        )
        # else in /tmp under the job's number alone, where what another Slurm has left is in the way
        (self.folder / "mpi.conf").write_text(f"PMIxCliTmpDirBase={self.folder}/pmix\n")
        munge = self.folder / "munge"
        (munge / "key").write_bytes(os.urandom(128))
        (munge / "key").chmod(0o400)
        self.daemon(
            "munged",
            "--foreground",
            f"--key-file={munge}/key",
            f"--socket={munge}/socket",
            f"--pid-file={munge}/pid",
            f"--log-file={munge}/log",
            f"--seed-file={munge}/seed",
        )
        self.wait("munged listens", (munge / "socket").exists)
        self.daemon("slurmctld", "-D")
        self.daemon("slurmd", "-D", "-N", NODE)
        self.wait("the node is idle", lambda: self.node_state() == "idle")

    def daemon(self, program, *arguments):
        with open(self.folder / f"{program}.out", "wb") as output:
            self.daemons.append(
                subprocess.Popen(
                    [program, *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env=self.environment,
                    start_new_session=True,
                    preexec_fn=end_with_parent,
                )
            )

    def node_state(self):
        result = self.call("sinfo", "--noheader", "--format=%t", check=False)
        return result.stdout.strip()

    def call(self, *command, check=True, **options):
        result = subprocess.run(command, capture_output=True, text=True, timeout=60, env=self.environment, **options)
        if check and result.returncode != 0:
            raise AssertionError(f"{' '.join(command)} failed ({result.returncode}):\n{result.stdout}{result.stderr}")
        return result

    def wait(self, what, condition, seconds=60, poll_s=0.2):
        """Polls; when it takes longer, the logs of the daemons say why."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(poll_s)
        raise AssertionError(f"waited {seconds} s in vain until {what}\n{self.logs()}")

    def logs(self):
        paths = sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out"), *self.folder.glob("munge/log")])
        return "\n".join(f"== {path.name}\n" + "\n".join(path.read_text(errors="replace").splitlines()[-40:]) for path in paths)

    def submit(self, *arguments, folder, environment=None):
        """The number of the job."""
        result = subprocess.run(
            ["sbatch", "--parsable", *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=folder,
            env={**self.environment, **(environment or {})},
        )
        if result.returncode != 0:
            raise AssertionError(f"sbatch {' '.join(arguments)}:\n{result.stderr}")
        return result.stdout.strip()

    def states(self, job):
        """Of all tasks, as squeue names them; nothing once Slurm has forgotten the job."""
        result = self.call("squeue", "--noheader", "--array", "--states=all", "--format=%T", f"--jobs={job}", check=False)
        return result.stdout.split()

    def ended(self, job):
        return all(state in ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL") for state in self.states(job))

    def show(self, job):
        """What `scontrol show job` says, as key -> value."""
        text = self.call("scontrol", "--oneliner", "show", "job", job).stdout
        return dict(word.split("=", 1) for word in text.split() if "=" in word)

    def end_jobs(self):
        """All that are queued or running."""
        self.call("scancel", f"--user={getpass.getuser()}", check=False)
        self.wait("no job is left", lambda: not self.call("squeue", "--noheader", check=False).stdout.strip(), 20)

    def stop(self):
        """Ends all jobs, then the daemons in reverse order, and whatever they have left."""
        if len(self.daemons) == 3:
            with contextlib.suppress(AssertionError):
                self.end_jobs()
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for pid in self.left_behind():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.daemons = []

    def left_behind(self):
        """slurmstepd and what it started outlive slurmd: every process that has this Slurm in its environment."""
        mark = f"SLURM_CONF={self.configuration}".encode()
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if mark in entry.read_bytes().split(b"\0") and int(entry.parent.name) != os.getpid():
                    found.append(int(entry.parent.name))
        return found
