package part

import "testing"

func TestTallyCountsATaskOnceHoweverOftenItComes(t *testing.T) {
	var counted tally
	for _, id := range []int{0, 7, 8, 1_000_000, 7, 0} {
		counted.add(newPayload(id))
	}
	if handled, duplicates := counted.counts(); handled != 4 || duplicates != 2 {
		t.Fatalf("handled %d, duplicates %d", handled, duplicates)
	}
}

func TestTallyKeepsDelaysOfThoseWithAnInstantUntilTheyAreTaken(t *testing.T) {
	var counted tally
	t0 := nowMs() - 5
	timed := newPayload(1)
	timed.T0 = &t0
	counted.add(newPayload(0))
	counted.add(timed)
	if delays := counted.takeDelays(); len(delays) != 1 || delays[0] < 5 {
		t.Fatalf("delays %v", delays)
	}
	if delays := counted.takeDelays(); delays == nil || len(delays) != 0 {
		t.Fatalf("delays %v are not an empty list", delays)
	}
}
