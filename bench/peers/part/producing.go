package part

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Producer is how one system takes tasks. A call returns when what was submitted is durable.
type Producer interface {
	Submit(ctx context.Context, data Payload) error
	SubmitBatch(ctx context.Context, batch []Payload) error
}

// producing carries out a producer's commands on any system.
type producing struct {
	producer Producer
	pressure *pressure
}

func (p *producing) run(ctx context.Context, order command) (resultMessage, error) {
	startedAtMs, before := nowMs(), p.pressure.submitted()
	acksMs, err := p.submit(ctx, order)
	made := p.pressure.submitted() - before
	return resultMessage{"result", made, nowMs() - startedAtMs, acksMs}, err
}

func (p *producing) submit(ctx context.Context, order command) ([]float64, error) {
	switch order.Kind {
	case "load":
		return nil, p.load(ctx, order)
	case "single":
		return repeat(order, func() error {
			return p.producer.Submit(ctx, newPayload(p.pressure.take(1)))
		})
	case "batch":
		return repeat(order, func() error {
			first := p.pressure.take(order.Size)
			return p.producer.SubmitBatch(ctx, newPayloads(first, order.Size))
		})
	case "steady":
		return nil, p.steady(ctx, order)
	case "latency":
		return p.latency(ctx, order)
	}
	return nil, fmt.Errorf("a producer does not know %q", order.Kind)
}

func (p *producing) load(ctx context.Context, order command) error {
	for left := order.N; left > 0; left -= order.Batch {
		count := min(order.Batch, left)
		batch := newPayloads(p.pressure.take(count), count)
		if err := p.producer.SubmitBatch(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// steady submits until it is halted, held back by what the worker has done.
func (p *producing) steady(ctx context.Context, order command) error {
	p.pressure.begin()
	return inLanes(order.Inflight, func() error {
		for {
			first, isGoing := p.pressure.takeWithin(order.Cap, order.Batch)
			if !isGoing {
				return nil
			}
			var err error
			if order.Batch == 1 {
				err = p.producer.Submit(ctx, newPayload(first))
			} else {
				err = p.producer.SubmitBatch(ctx, newPayloads(first, order.Batch))
			}
			if err != nil {
				return err
			}
		}
	})
}

// latency submits at fixed instants, whether or not the one before was answered.
func (p *producing) latency(ctx context.Context, order command) ([]float64, error) {
	var acks samples
	startMs := nowMs()
	count := order.Warm + order.N
	answers := make(chan error, count)
	for i := range count {
		waitMs := startMs + float64(i)*order.GapMs - nowMs()
		time.Sleep(time.Duration(waitMs * float64(time.Millisecond)))
		data, t0 := newPayload(p.pressure.take(1)), nowMs()
		isMeasured := i >= order.Warm
		if isMeasured {
			data.T0 = &t0
		}
		go func() {
			err := p.producer.Submit(ctx, data)
			if isMeasured {
				acks.add(nowMs() - t0)
			}
			answers <- err
		}()
	}
	for range count {
		if err := <-answers; err != nil {
			return nil, err
		}
	}
	return acks.values, nil
}

// repeat is a closed loop: each lane submits again as soon as it has its answer.
func repeat(order command, submit func() error) ([]float64, error) {
	var acks samples
	endMs := nowMs() + order.Ms
	err := inLanes(order.Inflight, func() error {
		for atMs := nowMs(); atMs < endMs; {
			if err := submit(); err != nil {
				return err
			}
			nextMs := nowMs()
			acks.add(nextMs - atMs)
			atMs = nextMs
		}
		return nil
	})
	return acks.values, err
}

// inLanes runs the lane so many times at once and gives the first failure, when all have ended.
func inLanes(count int, lane func() error) error {
	ends := make(chan error, count)
	for range count {
		go func() { ends <- lane() }()
	}
	var first error
	for range count {
		if err := <-ends; err != nil && first == nil {
			first = err
		}
	}
	return first
}

type samples struct {
	mutex  sync.Mutex
	values []float64
}

func (s *samples) add(value float64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.values = append(s.values, value)
}
