#!/usr/bin/env python3
"""Where the instructions of a packet-hop go: the difference of two callgrind profiles by file and by source line.

    KEEP=DIR tests/bench/instructions.sh BENCH permutation-1024-on 40 60      (BENCH built with -O3 -g)
    tests/bench/instructions_by_line.py DIR/40.callgrind DIR/60.callgrind HOPS

HOPS is what instructions.sh printed last; all numbers are instructions per packet-hop.
"""
import collections
import re
import sys


def self_costs(path):
    """Instructions by (file, line), without those of called functions."""
    costs, names, file, line, is_call = collections.Counter(), {}, None, 0, False
    with open(path) as profile:
        for text in profile:
            text = text.rstrip("\n")
            position = re.match(r"(fl|fi|fe|cfi|cfl)=\((\d+)\)\s*(.*)", text)
            if position:  # a file: named once, by its number afterwards
                kind, number, name = position.groups()
                if name:
                    names[number] = name
                if not kind.startswith("c"):
                    file = names.get(number, "?")
            elif text.startswith("calls="):
                is_call = True
            elif text and (text[0].isdigit() or text[0] in "+-*"):
                where, *cost = text.split()
                if where[0] in "+-":
                    line += int(where)
                elif where != "*":
                    line = int(where)
                if not is_call and cost:
                    costs[(file, line)] += int(cost[0])
                is_call = False
    return costs


def source_line(file, line):
    try:
        with open(file) as source:
            return source.read().split("\n")[line - 1].strip()[:100]
    except (OSError, IndexError):
        return ""


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    first, second, hops = self_costs(sys.argv[1]), self_costs(sys.argv[2]), int(sys.argv[3])
    lines = collections.Counter({key: cost - first.get(key, 0) for key, cost in second.items()})
    files = collections.Counter()
    for (file, _), cost in lines.items():
        files[file] += cost
    for file, cost in files.most_common(20):
        print(f"{cost / hops:8.1f}  {file}")
    print()
    for (file, line), cost in lines.most_common(50):
        print(f"{cost / hops:8.1f}  {file.split('/')[-1]}:{line}  {source_line(file, line)}")


if __name__ == "__main__":
    main()
