package job

// CreateEntitlement is what generating a document takes; plain PDF has its own. Country and format are in lower case, or *.
func CreateEntitlement(country, format string) string {
	if format == "pdf" {
		return "pdf:" + country + ":generate"
	}
	return "e-invoice:" + country + ":" + format + ":create"
}

// ParseEntitlement is what parsing a document takes. Country and format are in lower case, or *.
func ParseEntitlement(country, format string) string {
	return "e-invoice:" + country + ":" + format + ":parse"
}
