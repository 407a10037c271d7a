"""Answers one question a line on standard input with a line of JSON: "MODULE NUMBER" whether that module of python-stdnum takes the number, "ksef NUMBER" whether
ksef-client takes the number of an invoice, "schema FILE" what it says of a document by the schema of FA(3), "link NIP DAY HASH" the address of an invoice."""
import importlib
import json
import sys

from ksef_client import KsefClientOptions
from ksef_client.documents.fa3.xml import FA3XmlValidationError, validate_fa3_xml_xsd
from ksef_client.services.verification_link import VerificationLinkService
from ksef_client.utils.ksef_number import validate_ksef_number

links = VerificationLinkService(KsefClientOptions(base_url="https://api.ksef.mf.gov.pl"))


def schema(name):
    with open(name, "rb") as file:
        try:
            validate_fa3_xml_xsd(file.read())
        except FA3XmlValidationError as fault:
            return str(fault)
    return ""


def answer(what, *arguments):
    if what == "ksef":
        return validate_ksef_number(*arguments).is_valid
    if what == "schema":
        return schema(*arguments)
    if what == "link":
        return links.build_invoice_verification_url(*arguments)
    return importlib.import_module("stdnum." + what).is_valid(*arguments)


for line in sys.stdin:
    print(json.dumps(answer(*line.split())), flush=True)
