package part

import "sync"

// pressure lets producers go on only while what is submitted and not done stays within the cap.
type pressure struct {
	mutex    sync.Mutex
	changed  *sync.Cond
	isHalted bool
	// next is the first id that is free.
	next int
	done int
}

func newPressure() *pressure {
	p := &pressure{}
	p.changed = sync.NewCond(&p.mutex)
	return p
}

// begin forgets a halt that ended an earlier command.
func (p *pressure) begin() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.isHalted = false
}

// take reserves ids whether or not what came before is done.
func (p *pressure) take(count int) (first int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	first = p.next
	p.next += count
	return first
}

// takeWithin reserves ids as soon as the cap allows it; false after a halt.
func (p *pressure) takeWithin(limit, count int) (first int, isGoing bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for !p.isHalted && p.next+count-p.done > limit {
		p.changed.Wait()
	}
	if p.isHalted {
		return 0, false
	}
	first = p.next
	p.next += count
	return first, true
}

func (p *pressure) submitted() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.next
}

func (p *pressure) setDone(n int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.done = n
	p.changed.Broadcast()
}

func (p *pressure) halt() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.isHalted = true
	p.changed.Broadcast()
}
