// Command producer puts a job for each file named on the command line on the queue "validate".
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	agwp "agwp.dev/go"
)

func main() {
	client, err := agwp.NewClient(os.Getenv("AGWP_SERVER"))
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range os.Args[1:] {
		job, err := enqueue(context.Background(), client, path)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(job.JobId, job.State)
	}
}

func enqueue(ctx context.Context, client *agwp.Client, path string) (*agwp.Job, error) {
	job, err := client.EnqueueJob(ctx, agwp.EnqueueJobRequest{
		Queue:     "validate",
		Payload:   agwp.Object{"path": path},
		UniqueKey: agwp.Ptr("validate:" + path),
	})
	var refused *agwp.Error
	if errors.As(err, &refused) {
		return nil, fmt.Errorf("%s: %w %v", refused.Code, err, refused.FieldErrors)
	}
	return job, err
}
