"""Reads the invoices named on standard input, one path a line, and writes one JSON text a line: what eu-einvoice takes them for."""
import json
import sys

from eu_einvoice.parse import parse_file

for name in sys.stdin:
    try:
        answer = {"invoice": parse_file(name.rstrip("\n"))[0]}
    except Exception as fault:  # whatever the reader refuses is told, not hidden
        answer = {"fault": f"{type(fault).__name__}: {fault}"}
    print(json.dumps(answer, default=str), flush=True)
