// Temporal as a part of a comparison: a task is a workflow of one activity that does nothing. Besides
// the roles of a part it has `register`, which prepares a new server and ends.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"signalbox.bench/part"
)

func main() {
	if err := start(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func start(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return errors.New("usage: temporal register|producer|worker|both CONFIG")
	}
	var config config
	if err := json.Unmarshal([]byte(args[1]), &config); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	if args[0] == "register" {
		return register(ctx, config)
	}
	system, err := open(config)
	if err != nil {
		return err
	}
	return part.Run(ctx, system)
}
