package pdffile

// Object is what a PDF file is made of (ISO 32000-1 §7.3): nil, bool, Integer, Real, String, Name, Array, Dict, *Stream or Ref.
type Object any

// Integer is a number without a point (§7.3.3).
type Integer int64

// Real is a number with a point, as it is written.
type Real string

// String is the bytes of a string (§7.3.4), decrypted.
type String string

// Name is a name without its solidus (§7.3.5).
type Name string

// Array is a list of objects (§7.3.6).
type Array []Object

// Dict is a dictionary (§7.3.7).
type Dict map[Name]Object

// Ref points to an indirect object (§7.3.10).
type Ref struct{ Number, Generation int }

// Stream is a dictionary with data (§7.3.8).
type Stream struct {
	Dict Dict

	raw []byte // as it stands in the file: encoded, and encrypted where the file is
	of  Ref    // the object that it is; zero where it is in none
}
