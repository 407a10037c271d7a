package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	targetNamespace = regexp.MustCompile(`targetNamespace="([^"]*)"`)
	bareImport      = regexp.MustCompile(`<([\w]+:)?import\s+namespace="([^"]*)"\s*/>`)
)

// locate copies the schema files of a folder and gives imports without a location that of the file for their namespace, which
// xmllint does not look for.
func locate(from, to string) error {
	files, home := map[string]string{}, map[string]string{} // texts by path, paths by namespace
	err := filepath.WalkDir(from, func(name string, entry os.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".xsd" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, name)
		if namespace := targetNamespace.FindSubmatch(text); namespace != nil && home[string(namespace[1])] == "" {
			home[string(namespace[1])] = relative
		}
		files[relative] = string(text)
		return err
	})
	if err != nil {
		return fmt.Errorf("read schemas: %w", err)
	}
	for name, text := range files {
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return fmt.Errorf("copy schemas: %w", err)
		}
		if err := os.WriteFile(target, []byte(located(name, text, home)), 0o600); err != nil {
			return fmt.Errorf("copy schemas: %w", err)
		}
	}
	return nil
}

// located adds locations to the imports of one file; home gives the paths of the files by namespace.
func located(name, text string, home map[string]string) string {
	return bareImport.ReplaceAllStringFunc(text, func(found string) string {
		namespace := bareImport.FindStringSubmatch(found)[2]
		location, err := filepath.Rel(filepath.Dir(name), home[namespace])
		if home[namespace] == "" || err != nil {
			return found
		}
		return strings.TrimSuffix(found, "/>") + ` schemaLocation="` + filepath.ToSlash(location) + `"/>`
	})
}
