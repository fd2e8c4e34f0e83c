package main

import (
	"context"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"signalbox.bench/part"
)

const (
	taskQueue    = "bench"
	workflowName = "bench"
	activityName = "bench"
)

// config is what bench/compare/systems/temporal.ts says on the command line.
type config struct {
	Address string `json:"address"`
	// Concurrency is how many activities and how many workflow tasks a worker runs at once.
	Concurrency int `json:"concurrency"`
	Pollers     int `json:"pollers"`
	// BatchLanes is how many of a batch are started at once: there is no call that starts many.
	BatchLanes int `json:"batchLanes"`
}

type system struct {
	config     config
	client     client.Client
	worker     worker.Worker
	unfinished *unfinished
}

func open(config config) (*system, error) {
	level := &slog.HandlerOptions{Level: slog.LevelWarn}
	connection, err := client.Dial(client.Options{
		HostPort: config.Address,
		// The default writes to standard output, where the driver expects messages.
		Logger: log.NewStructuredLogger(slog.New(slog.NewTextHandler(os.Stderr, level))),
	})
	return &system{config: config, client: connection, unfinished: newUnfinished()}, err
}

// run is the smallest workflow that does what a task does: one activity, whose end is recorded.
func (s *system) run(ctx workflow.Context, data part.Payload) error {
	options := workflow.ActivityOptions{StartToCloseTimeout: time.Minute}
	ctx = workflow.WithActivityOptions(ctx, options)
	err := workflow.ExecuteActivity(ctx, activityName, data).Get(ctx, nil)
	// Not deferred: that would also be called when a waiting workflow is evicted from the cache.
	s.unfinished.remove(workflow.GetInfo(ctx).WorkflowExecution.ID)
	return err
}

func (s *system) Work(_ context.Context, onTask func(part.Payload)) error {
	s.worker = worker.New(s.client, taskQueue, worker.Options{
		MaxConcurrentActivityExecutionSize:     s.config.Concurrency,
		MaxConcurrentWorkflowTaskExecutionSize: s.config.Concurrency,
		MaxConcurrentActivityTaskPollers:       s.config.Pollers,
		MaxConcurrentWorkflowTaskPollers:       s.config.Pollers,
		WorkerStopTimeout:                      5 * time.Second,
	})
	s.worker.RegisterWorkflowWithOptions(s.run, workflow.RegisterOptions{Name: workflowName})
	handle := func(ctx context.Context, data part.Payload) error {
		s.unfinished.add(activity.GetInfo(ctx).WorkflowExecution.ID)
		onTask(data)
		return nil
	}
	s.worker.RegisterActivityWithOptions(handle, activity.RegisterOptions{Name: activityName})
	return s.worker.Start()
}

func (s *system) Submit(ctx context.Context, data part.Payload) error {
	options := client.StartWorkflowOptions{
		ID:        "bench-" + strconv.Itoa(data.ID),
		TaskQueue: taskQueue,
	}
	_, err := s.client.ExecuteWorkflow(ctx, options, workflowName, data)
	return err
}

func (s *system) SubmitBatch(ctx context.Context, batch []part.Payload) error {
	waiting := make(chan part.Payload, len(batch))
	for _, data := range batch {
		waiting <- data
	}
	close(waiting)
	failures := make(chan error, len(batch))
	var lanes sync.WaitGroup
	for range s.config.BatchLanes {
		lanes.Go(func() {
			for data := range waiting {
				if err := s.Submit(ctx, data); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	lanes.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}

func (s *system) Close(context.Context) error {
	if s.worker != nil {
		s.unfinished.waitForNone()
		s.worker.Stop()
	}
	s.client.Close()
	return nil
}
