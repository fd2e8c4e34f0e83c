package part

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// recorder takes tasks and tells their ids; it answers those of a steady load as done at once.
type recorder struct {
	mutex   sync.Mutex
	ids     map[int]int
	calls   int
	onTaken func(total int)
}

func (r *recorder) Submit(ctx context.Context, data Payload) error {
	return r.SubmitBatch(ctx, []Payload{data})
}

func (r *recorder) SubmitBatch(_ context.Context, batch []Payload) error {
	r.mutex.Lock()
	for _, data := range batch {
		r.ids[data.ID]++
	}
	r.calls++
	total := len(r.ids)
	r.mutex.Unlock()
	if r.onTaken != nil {
		r.onTaken(total)
	}
	return nil
}

func newProducing() (*producing, *recorder) {
	taken := &recorder{ids: map[int]int{}}
	return &producing{taken, newPressure()}, taken
}

func mustRun(t *testing.T, p *producing, order command) resultMessage {
	t.Helper()
	result, err := p.run(context.Background(), order)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestIdsGoOnOverCommands(t *testing.T) {
	p, taken := newProducing()
	first := mustRun(t, p, command{Kind: "load", N: 25, Batch: 10})
	second := mustRun(t, p, command{Kind: "latency", N: 3, Warm: 2})
	if first.N != 25 || second.N != 5 || len(second.AcksMs) != 3 {
		t.Fatalf("results %+v %+v", first, second)
	}
	for id := range 30 {
		if taken.ids[id] != 1 {
			t.Fatalf("id %d was submitted %d times", id, taken.ids[id])
		}
	}
	if taken.calls != 3+5 {
		t.Fatalf("%d calls", taken.calls)
	}
}

func TestSteadyWaitsAtTheCapUntilTasksAreDone(t *testing.T) {
	p, taken := newProducing()
	const limit, goal = 20, 200
	taken.onTaken = func(total int) {
		switch {
		case total >= goal:
			p.pressure.halt()
		case total%limit == 0:
			p.pressure.setDone(total)
		}
	}
	result := mustRun(t, p, command{Kind: "steady", Batch: 10, Inflight: 2, Cap: limit})
	if result.N != len(taken.ids) || result.N < goal || result.N > goal+limit {
		t.Fatalf("result %+v after %d", result, len(taken.ids))
	}
}

func TestAHaltEndsOnlyTheCommandThatRuns(t *testing.T) {
	p, taken := newProducing()
	taken.onTaken = func(int) { p.pressure.halt() }
	for range 2 {
		if result := mustRun(t, p, command{Kind: "steady", Batch: 1, Inflight: 1, Cap: 10}); result.N != 1 {
			t.Fatalf("result %+v", result)
		}
	}
}

type refusing struct{}

var errRefused = errors.New("refused")

func (refusing) Submit(context.Context, Payload) error        { return errRefused }
func (refusing) SubmitBatch(context.Context, []Payload) error { return errRefused }

func TestAFailedSubmissionIsNotAResult(t *testing.T) {
	orders := []command{
		{Kind: "load", N: 1, Batch: 1},
		{Kind: "single", Inflight: 2, Ms: 1_000},
		{Kind: "batch", Size: 2, Inflight: 2, Ms: 1_000},
		{Kind: "steady", Batch: 1, Inflight: 2, Cap: 10},
		{Kind: "latency", N: 1},
	}
	for _, order := range orders {
		p := &producing{refusing{}, newPressure()}
		if _, err := p.run(context.Background(), order); !errors.Is(err, errRefused) {
			t.Fatalf("%s: %v", order.Kind, err)
		}
	}
}
