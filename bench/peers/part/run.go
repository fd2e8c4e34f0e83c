// Package part makes a program a part of a comparison: it obeys the commands of the driver, which
// bench/compare/part-protocol.ts describes. What differs from system to system is a System.
package part

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

const countEvery = 5 * time.Millisecond

// A line of the driver is short; this is far beyond the longest.
const lineBytesMax = 1 << 20

// System is one measured system from the inside.
type System interface {
	Producer
	// Work begins to take tasks and calls onTask at the start of each.
	Work(ctx context.Context, onTask func(Payload)) error
	// Close returns when what was handled is durable and nothing more is taken.
	Close(ctx context.Context) error
}

type runner struct {
	system    System
	producing producing
	tally     tally
	writing   sync.Mutex
}

// Run obeys standard input until it is told to stop.
func Run(ctx context.Context, system System) error {
	r := &runner{system: system, producing: producing{system, newPressure()}}
	ends := make(chan error, 1)
	end := func(err error) {
		select {
		case ends <- err:
		default:
		}
	}
	go func() { end(r.read(ctx, end)) }()
	r.say(plainMessage{"ready"})
	return <-ends
}

// read answers each command beside the others: while one produces, `done` and `halt` must get through.
func (r *runner) read(ctx context.Context, end func(error)) error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, lineBytesMax)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var order command
		if err := json.Unmarshal(lines.Bytes(), &order); err != nil {
			return fmt.Errorf("from the driver: %w", err)
		}
		switch order.Kind {
		case "done":
			r.producing.pressure.setDone(order.N)
		case "halt":
			r.producing.pressure.halt()
		default:
			go func() {
				isLast, err := r.answer(ctx, order)
				if err != nil || isLast {
					end(err)
				}
			}()
		}
	}
	return errors.Join(lines.Err(), errors.New("the driver is gone"))
}

func (r *runner) answer(ctx context.Context, order command) (isLast bool, err error) {
	switch order.Kind {
	case "work":
		if err := r.system.Work(ctx, r.tally.add); err != nil {
			return false, err
		}
		r.say(plainMessage{"working"})
		go r.reportCounts()
	case "delays":
		r.say(delaysMessage{"delays", r.tally.takeDelays()})
	case "stop":
		if err := r.system.Close(ctx); err != nil {
			return false, err
		}
		handled, duplicates := r.tally.counts()
		r.say(byeMessage{"bye", r.producing.pressure.submitted(), handled, duplicates})
		return true, nil
	default:
		result, err := r.producing.run(ctx, order)
		if err != nil {
			return false, err
		}
		r.say(result)
	}
	return false, nil
}

func (r *runner) reportCounts() {
	told := 0
	for range time.Tick(countEvery) {
		if handled, _ := r.tally.counts(); handled != told {
			told = handled
			r.say(countMessage{"count", told})
		}
	}
}

func (r *runner) say(message any) {
	line, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	if _, err := os.Stdout.Write(append(line, '\n')); err != nil {
		// The driver is gone; the end of standard input ends this program.
		fmt.Fprintln(os.Stderr, err)
	}
}
