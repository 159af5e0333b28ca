// Command modulezip packs this module as Go's module proxies serve it. Run in the module's folder with the folder to write to, which is a
// file GOPROXY then:
//
//	agwp.dev/go/@v/list, vVERSION.info, vVERSION.mod, vVERSION.zip
//	agwp.dev/go@vVERSION.zip    the same archive, to unpack for a replace directive
package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	agwp "agwp.dev/go"
)

const module = "agwp.dev/go"

var semver = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

// A fixed time keeps the archive the same for the same content.
var packed = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "modulezip:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: modulezip DIST")
	}
	if !semver.MatchString(agwp.Version) {
		return fmt.Errorf("the version must be MAJOR.MINOR.PATCH, got %q", agwp.Version)
	}
	version := "v" + agwp.Version
	archive, err := pack(os.DirFS("."), module+"@"+version+"/")
	if err != nil {
		return err
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`+"\n", version, packed.Format(time.RFC3339))
	for name, content := range map[string][]byte{
		module + "@" + version + ".zip":     archive,
		module + "/@v/" + version + ".zip":  archive,
		module + "/@v/" + version + ".mod":  mod,
		module + "/@v/" + version + ".info": []byte(info),
		module + "/@v/list":                 []byte(version + "\n"),
	} {
		path := filepath.Join(os.Args[1], filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func pack(files fs.FS, prefix string) ([]byte, error) {
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		// What the generator and the build leave behind starts with a dot or is in build.
		if strings.HasPrefix(entry.Name(), ".") || path == "build" {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return nil
		}
		content, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		file, err := writer.CreateHeader(&zip.FileHeader{Name: prefix + path, Method: zip.Deflate, Modified: packed})
		if err != nil {
			return err
		}
		_, err = file.Write(content)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return archive.Bytes(), nil
}
