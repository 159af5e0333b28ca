package agwp_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agwp "agwp.dev/go"
)

func TestACAFileSaysWhomToTrust(t *testing.T) {
	address := os.Getenv("AGWP_TLS_SERVER")
	if address == "" {
		t.Skip("AGWP_TLS_SERVER names no server")
	}
	queue := aQueue()
	trusting := aClient(t, address, agwp.WithCAFile(os.Getenv("AGWP_TLS_CA")))

	equal(t, "queue", theJob(t, trusting, aJob(t, trusting, queue).JobId).Queue, queue)

	_, err := aClient(t, address, agwp.WithTriesMax(1)).GetQueue(context.Background(), queue)
	var noAnswer *agwp.NoAnswerError
	if !errors.As(err, &noAnswer) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
}

func TestACAFileWithoutCertificatesIsRefusedByName(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{empty, empty + ".none"} {
		if _, err := agwp.NewClient("https://127.0.0.1:1", agwp.WithCAFile(file)); err == nil || !strings.Contains(err.Error(), "empty.pem") {
			t.Errorf("%s: got %v", file, err)
		}
	}
}
