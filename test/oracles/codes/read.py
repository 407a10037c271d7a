"""Reads the QR codes in the pictures named on standard input, one path a line, and writes a JSON list a line: text and level of each code."""
import json
import sys

import zxingcpp
from PIL import Image

for name in sys.stdin:
    codes = zxingcpp.read_barcodes(Image.open(name.rstrip("\n")), formats=zxingcpp.BarcodeFormat.QRCode)
    print(json.dumps([{"text": code.text, "level": code.ec_level} for code in codes]), flush=True)
