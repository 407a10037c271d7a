"""Converts invoices by eu-einvoice: a line names the target syntax, the document and the file to write, separated by tabs; the answer is "ok", or what happened."""
import contextlib
import sys

from eu_einvoice.cli import build
from eu_einvoice.parse import parse_file

for line in sys.stdin:
    target, source, result = line.rstrip("\n").split("\t")
    try:
        with contextlib.redirect_stdout(sys.stderr):
            invoice, _ = parse_file(source)
            invoice.pop("profile", None)
            build(invoice, target, result, force=True, do_validate=False, attach_files=False, trust=True)
        answer = "ok"
    except Exception as fault:  # whatever the converter refuses is told, not hidden
        answer = f"error {type(fault).__name__} {fault}".replace("\n", " ")
    print(answer, flush=True)
