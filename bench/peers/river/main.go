// River as a part of a comparison. Besides the roles of a part it has `migrate`, which prepares the
// database and ends.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"signalbox.bench/part"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return errors.New("usage: river migrate|producer|worker|both CONFIG")
	}
	var config config
	if err := json.Unmarshal([]byte(args[1]), &config); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	system, err := open(ctx, config)
	if err != nil {
		return err
	}
	if args[0] == "migrate" {
		return migrate(ctx, system)
	}
	return part.Run(ctx, system)
}

func migrate(ctx context.Context, system *system) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(system.pool), nil)
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return errors.Join(err, system.Close(ctx))
}
