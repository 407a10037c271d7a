"""Says of a document with VeriFactu records what others make of it, as one line of JSON: what verifactu-lint finds, the hashes that verifactu-sdk computes,
and what the official schema, which verifactu-sdk brings, finds fault with."""
import io
import json
import os
import subprocess
import sys

import verifactu_sdk
from lxml import etree
from verifactu_sdk import hashing

SPACE = "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/SuministroInformacion.xsd}"
IDENTITY = {"id_emisor": "IDEmisorFactura", "num_serie": "NumSerieFactura", "fecha_expedicion": "FechaExpedicionFactura"}
AMOUNTS = {"tipo_factura": "TipoFactura", "cuota_total": "CuotaTotal", "importe_total": "ImporteTotal"}
# The schema imports that of XML Signature, which is not in the package; records without a signature need no more of it than its element.
SIGNATURE = b'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.w3.org/2000/09/xmldsig#"><xs:element name="Signature"/></xs:schema>'


class Resolver(etree.Resolver):
    def resolve(self, url, pubid, context):
        return self.resolve_file(io.BytesIO(SIGNATURE), context, base_url=url) if "xmldsig" in url else None


def schema():
    parser = etree.XMLParser()
    parser.resolvers.add(Resolver())
    folder = os.path.join(os.path.dirname(verifactu_sdk.__file__), "schemas")
    return etree.XMLSchema(etree.parse(os.path.join(folder, "SuministroLR.xsd"), parser))


def hashed(record):
    text = lambda name: record.findtext(".//" + SPACE + name) or ""
    previous = record.findtext(f"{SPACE}Encadenamiento/{SPACE}RegistroAnterior/{SPACE}Huella") or ""
    canceled = record.tag == SPACE + "RegistroAnulacion"
    fields = {name: text(element + ("Anulada" if canceled else "")) for name, element in IDENTITY.items()}
    if not canceled:
        fields.update({name: text(element) for name, element in AMOUNTS.items()})
    fields["huella_anterior"], fields["fecha_hora_huso_gen"] = previous, text("FechaHoraHusoGenRegistro")
    return (hashing.huella_anulacion if canceled else hashing.huella_alta)(**fields)


def main(name):
    lint = subprocess.run([sys.executable, "-c", "import sys; from verifactu_lint.cli import main; sys.exit(main())", "--formato", "json", name], capture_output=True, text=True)
    document = etree.parse(name)
    judge = schema()
    judge.validate(document)
    records = [e for e in document.iter() if e.tag in (SPACE + "RegistroAlta", SPACE + "RegistroAnulacion")]
    print(json.dumps({
        "lint": [f"{f.get('regla') or f.get('codigo')}: {f.get('mensaje')}" for f in json.loads(lint.stdout)["hallazgos"]],
        "hashes": [hashed(r) for r in records],
        "schema": [str(e) for e in judge.error_log],
    }))


main(sys.argv[1])
