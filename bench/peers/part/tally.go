package part

import "sync"

// tally counts each task once, however often it comes, in one bit per task.
type tally struct {
	mutex      sync.Mutex
	seen       []byte
	delaysMs   []float64
	handled    int
	duplicates int
}

func (t *tally) add(data Payload) {
	atMs := 0.0
	if data.T0 != nil {
		atMs = nowMs()
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	index, bit := data.ID>>3, byte(1)<<(data.ID&7)
	if index >= len(t.seen) {
		t.seen = append(t.seen, make([]byte, max(index+1-len(t.seen), len(t.seen)))...)
	}
	if t.seen[index]&bit != 0 {
		t.duplicates++
		return
	}
	t.seen[index] |= bit
	t.handled++
	if data.T0 != nil {
		t.delaysMs = append(t.delaysMs, atMs-*data.T0)
	}
}

func (t *tally) counts() (handled, duplicates int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.handled, t.duplicates
}

func (t *tally) takeDelays() []float64 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	taken := t.delaysMs
	t.delaysMs = nil
	if taken == nil {
		return []float64{}
	}
	return taken
}
