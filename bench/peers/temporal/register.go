package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	retention    = 24 * time.Hour
	registerWait = time.Minute
	lookEvery    = 100 * time.Millisecond
)

// register waits for a new server, makes its namespace, and returns when workflows can be started in
// it: the services learn of a namespace only when they next look.
func register(ctx context.Context, config config) error {
	ctx, cancel := context.WithTimeout(ctx, registerWait)
	defer cancel()
	if err := untilDone(ctx, func() error { return makeNamespace(ctx, config) }); err != nil {
		return err
	}
	return untilDone(ctx, func() error { return startProbe(ctx, config) })
}

func untilDone(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not within %s: %w", registerWait, err)
		case <-time.After(lookEvery):
		}
	}
}

func makeNamespace(ctx context.Context, config config) error {
	namespaces, err := client.NewNamespaceClient(client.Options{HostPort: config.Address})
	if err != nil {
		return err
	}
	defer namespaces.Close()
	err = namespaces.Register(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace:                        client.DefaultNamespace,
		WorkflowExecutionRetentionPeriod: durationpb.New(retention),
	})
	// An attempt whose answer was lost may have made it.
	var exists *serviceerror.NamespaceAlreadyExists
	if errors.As(err, &exists) {
		return nil
	}
	return err
}

// startProbe starts a workflow that no worker takes, and ends it.
func startProbe(ctx context.Context, config config) error {
	system, err := open(config)
	if err != nil {
		return err
	}
	defer system.client.Close()
	options := client.StartWorkflowOptions{ID: "probe", TaskQueue: "probe"}
	if _, err := system.client.ExecuteWorkflow(ctx, options, "probe"); err != nil {
		return err
	}
	return system.client.TerminateWorkflow(ctx, options.ID, "", "it has shown that it starts")
}
