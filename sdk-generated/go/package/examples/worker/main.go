// Command worker validates files: it counts the lines of the file that a job of the queue "validate" names.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	agwp "agwp.dev/go"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Getenv("AGWP_SERVER")); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, server string) error {
	client, err := agwp.NewClient(server)
	if err != nil {
		return err
	}
	worker, err := agwp.NewWorker(client, "checker-1", []string{"validate"}, countLines, agwp.WithConcurrency(2))
	if err != nil {
		return err
	}
	return worker.Run(ctx)
}

func countLines(ctx context.Context, job *agwp.ClaimedJob) (agwp.Outcome, error) {
	var task struct {
		Path string `json:"path"`
	}
	if err := job.Payload().Decode(&task); err != nil {
		return agwp.Dead("bad_payload", err.Error()), nil
	}
	content, err := os.ReadFile(task.Path)
	if err != nil {
		return nil, err
	}
	if len(content) == 0 {
		return agwp.Failed("the file is empty"), nil
	}
	lines := bytes.Count(content, []byte("\n"))
	return agwp.Passed(fmt.Sprint(lines, " lines")).WithResult(agwp.Object{"lines": lines}), nil
}
