// The exit status of `heddle` for the shell, a batch system or a sweep. Printed by --help.
#pragma once

namespace heddle {

enum ExitCode : int {
  kExitComplete = 0,       // the work was done, or the horizon reached; losses are results, not failures of the run
  kExitInternalError = 1,  // a defect of the program, or of the machine it ran on
  kExitBadInput = 2,       // command line, configuration, input file or output path
  kExitNotComplete = 3,    // stalled, deadlocked, failed queue pair, interrupted, file full; a sweep lacks runs
  kExitRequeue = 75,       // a checkpoint was written on request: start again with --resume auto
};

inline constexpr const char* kExitCodeHelp =
    "Exit codes:\n"
    "  0   the run is complete (all work done, or the horizon reached), also when lossless packets were lost: that is\n"
    "      a finding, said last on the terminal, by `heddle info`, and by drops_headroom_overrun in the result file\n"
    "  1   internal error: a defect of the program, or of the machine (memory or disk full, also that of standard\n"
    "      output, unless it is a run). selftest: some worlds differ\n"
    "  2   bad input: command line, configuration, input file or output path; nothing was written\n"
    "  3   the simulated run did not complete: stall, deadlock, failed queue pair, interrupted, or output.max_bytes\n"
    "      reached; results are kept. compare FOLDER, sweep --run: a run of the sweep has no result, or one of\n"
    "      another configuration\n"
    "  75  a checkpoint was written: SIGUSR1 asked for it (with [checkpoint] or --resume also SIGTERM or Ctrl-C);\n"
    "      the same command with --resume auto resumes. sweep --run was stopped so: the same command resumes\n"
    "  130, 143  Ctrl-C, or SIGTERM, while the run was set up (nothing was simulated, nothing is left), or twice\n"
    "SIGHUP (a closed terminal) does what SIGTERM does, but 129 while the run is set up; under nohup nothing.\n";

}  // namespace heddle
