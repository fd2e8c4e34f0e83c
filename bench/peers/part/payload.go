package part

import "strconv"

const (
	customerCount = 200
	padding       = "The quick brown fox jumps over the lazy dog, again and again, until the input is full."
)

// Payload is the data of a task, the same as the driver's own parts use.
type Payload struct {
	ID       int    `json:"id"`
	Customer string `json:"customer"`
	Action   string `json:"action"`
	URL      string `json:"url"`
	Note     string `json:"note"`
	// T0 is when its submission was called, where its delay is measured.
	T0 *float64 `json:"t0,omitempty"`
}

func newPayload(id int) Payload {
	return Payload{
		ID:       id,
		Customer: "customer-" + strconv.Itoa(id%customerCount),
		Action:   "thumbnail.render",
		URL:      "https://example.invalid/objects/" + strconv.Itoa(id),
		Note:     padding,
	}
}

func newPayloads(from, count int) []Payload {
	payloads := make([]Payload, count)
	for i := range payloads {
		payloads[i] = newPayload(from + i)
	}
	return payloads
}
