package main

import "sync"

// unfinished are the workflows whose activity was handled and that have not ended yet. A worker that
// stopped before would leave them open for ever.
type unfinished struct {
	mutex   sync.Mutex
	changed *sync.Cond
	ids     map[string]struct{}
}

func newUnfinished() *unfinished {
	u := &unfinished{ids: map[string]struct{}{}}
	u.changed = sync.NewCond(&u.mutex)
	return u
}

func (u *unfinished) add(workflowID string) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.ids[workflowID] = struct{}{}
}

func (u *unfinished) remove(workflowID string) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	delete(u.ids, workflowID)
	u.changed.Broadcast()
}

func (u *unfinished) waitForNone() {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	for len(u.ids) > 0 {
		u.changed.Wait()
	}
}
