package oracles

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed pom.xml Bills.java Rules.java Files.java Profiles.java codes/read.py codes/requirements.txt converters/pom.xml converters/Convert.java mustang/pom.xml mustang/Mustang.java network/pom.xml network/Network.java proof/*.xml rules/pom.xml saxon/pom.xml swiss/pom.xml verapdf/pom.xml
var own embed.FS

// artefacts gives the folder that holds the official artefacts (lib/*.jar) and our own files beside them. The first call on
// a machine downloads the jars with Maven; the folder is named after what pom.xml asks for.
func artefacts(ctx context.Context) (string, error) { return fetched(ctx, "oracles", "pom.xml") }

// fetched is artefacts for what a pom.xml of ours asks for, in a folder of another name.
func fetched(ctx context.Context, name, from string) (string, error) {
	pom, err := own.ReadFile(from)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the folder for downloads: %w", err)
	}
	folder := filepath.Join(cache, "einvoiced", name+"-"+hashOf(pom)[:12])
	if err := unpack(folder); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(folder, "lib")); errors.Is(err, fs.ErrNotExist) {
		return folder, download(ctx, folder, filepath.Join(folder, from))
	}
	return folder, nil
}

// Jars gives the folder of the Java libraries that the oracles use, Saxon-HE among them, after fetching them where they are not there
// yet.
func Jars(ctx context.Context) (string, error) {
	folder, err := artefacts(ctx)
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, "lib"), nil
}

// unpack writes our own files anew each time: they change more often than pom.xml.
func unpack(folder string) error {
	return fs.WalkDir(own, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := own.ReadFile(name)
		if err != nil {
			return err
		}
		target := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("make the folder for downloads: %w", err)
		}
		return replace(target, data)
	})
}

// replace writes a file so that a reader at the same time sees the old or the new one, never half of it.
func replace(target string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(target), ".new-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", target, err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(0o644), f.Close(), os.Rename(f.Name(), target)); err != nil {
		return fmt.Errorf("write %s: %w", target, err)
	}
	return nil
}

// download copies what a pom.xml asks for to the folder lib in another.
func download(ctx context.Context, folder, pom string, flags ...string) error {
	return maven(ctx, folder, append([]string{"-f", pom, "dependency:copy-dependencies"}, flags...)...)
}

// maven runs a goal that copies artefacts, to the folder lib in another.
func maven(ctx context.Context, folder string, args ...string) error {
	part, err := os.MkdirTemp(folder, "part-")
	if err != nil {
		return fmt.Errorf("make the folder for downloads: %w", err)
	}
	defer os.RemoveAll(part)
	mvn := exec.CommandContext(ctx, "mvn", append([]string{"-q", "-B", "-DoutputDirectory=" + part}, args...)...)
	mvn.Dir = folder // a pom.xml where the tests run is none of its business
	if out, err := mvn.CombinedOutput(); err != nil {
		return fmt.Errorf("download the official artefacts with mvn: %w: %s", err, out)
	}
	if err := os.Rename(part, filepath.Join(folder, "lib")); err != nil && !errors.Is(err, fs.ErrExist) { // another process may have been quicker
		return fmt.Errorf("keep the official artefacts: %w", err)
	}
	return nil
}
