package oracles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// newestFacturX is the artefact of Maven Central that has Factur-X 1.09, which is ZUGFeRD 2.5.2: the validator of Mustang. phive-rules has
// it from 4.5 on, which is not there; its files are the same but for spaces (rules, code lists) or altogether (schemas). It is fetched by its
// name because the project that its description inherits from is not there either.
const newestFacturX = "org.mustangproject:validator:2.26.0"

// newestFacturXJar gives the folder that holds the jar, after fetching it where it is not there yet.
func newestFacturXJar(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the folder for downloads: %w", err)
	}
	folder := filepath.Join(cache, "einvoiced", "factur-x-"+hashOf([]byte(newestFacturX))[:12])
	lib := filepath.Join(folder, "lib")
	if _, err := os.Stat(lib); !errors.Is(err, fs.ErrNotExist) {
		return lib, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("make the folder for downloads: %w", err)
	}
	return lib, maven(ctx, folder, "dependency:copy", "-Dartifact="+newestFacturX)
}

// asInPhive is where phive-rules-zugferd has a file of Factur-X 1.09 that the jar has, empty for other files of it.
func asInPhive(name string) string {
	folder, file := path.Split(name)
	switch kind, profile, _ := strings.Cut(folder, "/ZF_250/"); kind {
	case "xslt":
		return "external/schematron/2.5.2/" + file
	case "schema":
		return "external/schemas/2.5.2/" + strings.ToLower(profile) + file
	}
	return ""
}
