package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"signalbox.bench/part"
)

// config is what bench/compare/systems/river.ts says on the command line.
type config struct {
	URL             string `json:"url"`
	Connections     int32  `json:"connections"`
	MaxWorkers      int    `json:"maxWorkers"`
	FetchCooldownMs int    `json:"fetchCooldownMs"`
	FetchPollMs     int    `json:"fetchPollMs"`
}

// system inserts and works tasks. Its inserting client is there from the beginning, its working
// client from Work on.
type system struct {
	config    config
	pool      *pgxpool.Pool
	inserting *river.Client[pgx.Tx]
	working   *river.Client[pgx.Tx]
}

func open(ctx context.Context, config config) (*system, error) {
	settings, err := pgxpool.ParseConfig(config.URL)
	if err != nil {
		return nil, fmt.Errorf("address of the database: %w", err)
	}
	settings.MaxConns = config.Connections
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return nil, err
	}
	inserting, err := river.NewClient(riverpgxv5.New(pool), config.forInserting())
	return &system{config: config, pool: pool, inserting: inserting}, err
}

// forInserting sets the cooldown although nothing is fetched: an inserting client notifies workers
// at most once per cooldown.
func (c config) forInserting() *river.Config {
	return &river.Config{
		FetchCooldown:     time.Duration(c.FetchCooldownMs) * time.Millisecond,
		FetchPollInterval: time.Duration(c.FetchPollMs) * time.Millisecond,
		// River's default writes to standard output, where the driver expects messages.
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
}

// task is the payload as River wants it: a type with a kind.
type task struct{ part.Payload }

func (task) Kind() string { return "bench" }

type handler struct {
	river.WorkerDefaults[task]
	onTask func(part.Payload)
}

func (h *handler) Work(_ context.Context, job *river.Job[task]) error {
	h.onTask(job.Args.Payload)
	return nil
}

func (s *system) Work(ctx context.Context, onTask func(part.Payload)) error {
	settings := s.config.forInserting()
	settings.Workers = river.NewWorkers()
	river.AddWorker(settings.Workers, &handler{onTask: onTask})
	settings.Queues = map[string]river.QueueConfig{
		river.QueueDefault: {MaxWorkers: s.config.MaxWorkers},
	}
	working, err := river.NewClient(riverpgxv5.New(s.pool), settings)
	if err != nil {
		return err
	}
	s.working = working
	return working.Start(ctx)
}

func (s *system) Submit(ctx context.Context, data part.Payload) error {
	_, err := s.inserting.Insert(ctx, task{data}, nil)
	return err
}

func (s *system) SubmitBatch(ctx context.Context, batch []part.Payload) error {
	params := make([]river.InsertManyParams, len(batch))
	for i, data := range batch {
		params[i] = river.InsertManyParams{Args: task{data}}
	}
	_, err := s.inserting.InsertManyFast(ctx, params)
	return err
}

func (s *system) Close(ctx context.Context) error {
	if s.working != nil {
		if err := s.working.Stop(ctx); err != nil {
			return err
		}
	}
	s.pool.Close()
	return nil
}
