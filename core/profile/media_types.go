package profile

import (
	"cmp"
	"path"
	"strings"
)

// mediaTypes are those of files by how their names end (IANA, Media Types).
var mediaTypes = map[string]string{
	".pdf": "application/pdf", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".bmp": "image/bmp", ".tif": "image/tiff", ".tiff": "image/tiff",
	".csv": "text/csv", ".txt": "text/plain", ".html": "text/html", ".htm": "text/html", ".xml": "application/xml", ".isdoc": "application/xml", ".zip": "application/zip", ".isdocx": "application/zip",
	".doc": "application/msword", ".xls": "application/vnd.ms-excel", ".rtf": "application/rtf",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".odt": "application/vnd.oasis.opendocument.text", ".ods": "application/vnd.oasis.opendocument.spreadsheet",
}

// mediaTypeOf is the media type that the name of a file tells; bytes of any kind where it tells none.
func mediaTypeOf(name string) string {
	return cmp.Or(mediaTypes[strings.ToLower(path.Ext(name))], "application/octet-stream")
}
