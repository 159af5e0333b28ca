// River: its own client with as many workers as there are callers, by default or fetching as often as it can.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

const (
	jobsPerInsert     = 1000
	connectionsBeside = 4
	module            = "github.com/riverqueue/river"
)

type work struct {
	Queue   string `json:"queue"`
	Payload string `json:"payload"`
}

func (work) Kind() string { return "bench" }

type worker struct {
	river.WorkerDefaults[work]
	first *atomic.Int64
}

func (w *worker) Work(_ context.Context, _ *river.Job[work]) error {
	w.first.CompareAndSwap(0, time.Now().UnixNano())
	return nil
}

func main() {
	mode, url, payload := os.Args[1], os.Args[2], os.Args[6]
	callers, warmUpJobs, jobs := number(os.Args[3]), number(os.Args[4]), number(os.Args[5])
	ctx := context.Background()

	config, err := pgxpool.ParseConfig(url)
	check(err)
	config.MaxConns = int32(callers + connectionsBeside)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	check(err)
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, nil)
	check(err)
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	check(err)

	fetching := river.Config{}
	if mode == "tuned" {
		fetching = river.Config{FetchCooldown: river.FetchCooldownMin, FetchPollInterval: river.FetchPollIntervalMin}
	}
	workOff(ctx, pool, fetching, "warm_up", callers, warmUpJobs, payload)
	seconds := workOff(ctx, pool, fetching, "bench", callers, jobs, payload)
	fmt.Printf("RESULT River %s: %d %f\n", version(), jobs, seconds)
}

// workOff fills the queue, then times from the first job, since workers poll, until the table says that all are completed.
func workOff(ctx context.Context, pool *pgxpool.Pool, config river.Config, queue string, callers, jobs int, payload string) float64 {
	var first atomic.Int64
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{first: &first})
	config.Queues = map[string]river.QueueConfig{queue: {MaxWorkers: callers}}
	config.Workers = workers
	client, err := river.NewClient(riverpgxv5.New(pool), &config)
	check(err)
	for left := jobs; left > 0; left -= jobsPerInsert {
		batch := make([]river.InsertManyParams, min(left, jobsPerInsert))
		for i := range batch {
			batch[i] = river.InsertManyParams{Args: work{queue, payload}, InsertOpts: &river.InsertOpts{Queue: queue}}
		}
		_, err = client.InsertManyFast(ctx, batch)
		check(err)
	}
	// Room for all of them: what finds the channel full is dropped, and would be waited for in vain.
	completed, _ := client.SubscribeConfig(&river.SubscribeConfig{ChanSize: jobs, Kinds: []river.EventKind{river.EventKindJobCompleted}})
	check(client.Start(ctx))
	for ended := 0; ended < jobs; ended++ {
		<-completed
	}
	untilNoneIsLeft(ctx, pool, queue)
	seconds := float64(time.Now().UnixNano()-first.Load()) / 1e9
	check(client.Stop(ctx))
	return seconds
}

func untilNoneIsLeft(ctx context.Context, pool *pgxpool.Pool, queue string) {
	for left := 1; left > 0; {
		row := pool.QueryRow(ctx, "select count(*) from river_job where queue = $1 and state <> 'completed'", pgx.QueryExecModeExec, queue)
		check(row.Scan(&left))
	}
}

func version() string {
	build, _ := debug.ReadBuildInfo()
	for _, dependency := range build.Deps {
		if dependency.Path == module {
			return dependency.Version
		}
	}
	return "of unknown version"
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
