package oracles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// CompiledRules gives a folder with the official rule sets that Maven Central has, as the publishers' compiled stylesheets, and
// their schemas: MODULE/external/schematron/… and MODULE/external/schemas/… for each module of rules/pom.xml, with the newest Factur-X
// among those of phive-rules-zugferd. The first call on a machine downloads them with Maven.
func CompiledRules(ctx context.Context) (string, error) {
	pom, err := own.ReadFile("rules/pom.xml")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the folder for downloads: %w", err)
	}
	folder := filepath.Join(cache, "einvoiced", "rules-"+hashOf(append(pom, newestFacturX...))[:12])
	unpacked := filepath.Join(folder, "unpacked")
	if _, err := os.Stat(unpacked); !errors.Is(err, fs.ErrNotExist) {
		return unpacked, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("make the folder for downloads: %w", err)
	}
	if err := replace(filepath.Join(folder, "pom.xml"), pom); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(folder, "lib")); errors.Is(err, fs.ErrNotExist) {
		if err := download(ctx, folder, filepath.Join(folder, "pom.xml"), "-DexcludeTransitive=true"); err != nil {
			return "", err
		}
	}
	newest, err := newestFacturXJar(ctx)
	if err != nil {
		return "", err
	}
	return unpacked, unpackRules(filepath.Join(folder, "lib"), newest, unpacked)
}

// unpackRules unpacks all jars of a folder, and that of the newest Factur-X, whole or not at all.
func unpackRules(lib, newest, target string) error {
	jars, err := filepath.Glob(filepath.Join(lib, "*.jar"))
	if err != nil || len(jars) == 0 {
		return fmt.Errorf("find the jars of the rule sets in %s: %w", lib, errors.Join(err, fs.ErrNotExist))
	}
	part, err := os.MkdirTemp(filepath.Dir(target), "part-")
	if err != nil {
		return fmt.Errorf("make the folder for the rule sets: %w", err)
	}
	defer os.RemoveAll(part)
	for _, jar := range jars {
		if err := unpackJar(jar, filepath.Join(part, module(jar)), external); err != nil {
			return fmt.Errorf("unpack %s: %w", filepath.Base(jar), err)
		}
	}
	if err := unpackNewest(newest, filepath.Join(part, "phive-rules-zugferd")); err != nil {
		return err
	}
	if err := os.Rename(part, target); err != nil {
		return fmt.Errorf("keep the rule sets: %w", err)
	}
	return nil
}

func external(name string) string {
	if strings.HasPrefix(name, "external/") {
		return name
	}
	return ""
}

// unpackNewest adds the newest Factur-X to the module that will have it.
func unpackNewest(lib, module string) error {
	jars, err := filepath.Glob(filepath.Join(lib, "*.jar"))
	if err != nil || len(jars) != 1 {
		return fmt.Errorf("find the jar of the newest Factur-X in %s: %w", lib, errors.Join(err, fs.ErrNotExist))
	}
	if err := unpackJar(jars[0], module, asInPhive); err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(jars[0]), err)
	}
	return nil
}

// module is the name of a jar without its version.
func module(jar string) string {
	name := strings.TrimSuffix(filepath.Base(jar), ".jar")
	return name[:strings.LastIndexByte(name, '-')]
}
