package agwp_test

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	agwp "agwp.dev/go"
)

func Test_the_snippets_of_the_readme_are_those_of_the_examples(t *testing.T) {
	readme := string(must(os.ReadFile("README.md"))(t))
	examples := string(must(os.ReadFile("examples/worker/main.go"))(t)) + string(must(os.ReadFile("examples/producer/main.go"))(t))
	snippets := strings.Split(readme, "```go\n")[1:]
	equal(t, "snippets", len(snippets), 3)
	for _, snippet := range snippets {
		code, _, _ := strings.Cut(snippet, "```")
		if !strings.Contains(examples, code) {
			t.Errorf("no example has this:\n%s", code)
		}
	}
}

// A clean module builds and runs the examples from the archive alone: through a file GOPROXY, and unpacked through a replace directive.
func Test_the_packed_module_is_usable(t *testing.T) {
	address := server(t)
	dist, version := t.TempDir(), "v"+agwp.Version
	execute(t, ".", nil, "go", "run", "./internal/tools/modulezip", dist)

	proxied := aModule(t)
	execute(t, proxied, []string{"GOPROXY=file://" + filepath.ToSlash(dist), "GONOSUMDB=agwp.dev", "GOMODCACHE=" + t.TempDir(),
		"GOFLAGS=-modcacherw"}, "sh", "-c", "go get agwp.dev/go@"+version+" && go run . && go vet agwp.dev/go/...")

	unpacked := t.TempDir()
	unzip(t, filepath.Join(dist, "agwp.dev", "go@"+version+".zip"), unpacked)
	replaced := aModule(t)
	execute(t, replaced, []string{"GOPROXY=off"}, "go", "mod", "edit", "-require=agwp.dev/go@"+version,
		"-replace=agwp.dev/go="+filepath.Join(unpacked, "agwp.dev", "go@"+version))
	equal(t, "the server's word", execute(t, replaced, []string{"GOPROXY=off", "AGWP_SERVER=" + address}, "go", "run", "."), "not_found\n")
}

func aModule(t *testing.T) string {
	folder := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": "module user.example/app\n\ngo 1.23\n",
		"main.go": `package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	agwp "agwp.dev/go"
)

func main() {
	client, err := agwp.NewClient(os.Getenv("AGWP_SERVER"))
	if err != nil {
		panic(err)
	}
	_, err = client.GetJob(context.Background(), "none")
	var refused *agwp.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Code)
	}
}
`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func execute(t *testing.T, folder string, environment []string, name string, arguments ...string) string {
	t.Helper()
	command := exec.Command(name, arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), environment...)
	var errors strings.Builder
	command.Stderr = &errors
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", command, err, out, errors.String())
	}
	return string(out)
}

func unzip(t *testing.T, archive, folder string) {
	reader := must(zip.OpenReader(archive))(t)
	defer reader.Close()
	if err := os.CopyFS(folder, reader); err != nil {
		t.Fatal(err)
	}
}
