package part

// command is what the driver says; bench/compare/part-protocol.ts explains every kind and field.
type command struct {
	Kind     string  `json:"kind"`
	N        int     `json:"n"`
	Batch    int     `json:"batch"`
	Size     int     `json:"size"`
	Inflight int     `json:"inflight"`
	Cap      int     `json:"cap"`
	Warm     int     `json:"warm"`
	Ms       float64 `json:"ms"`
	GapMs    float64 `json:"gapMs"`
}

// plainMessage is `ready` and `working`: what says all by its kind.
type plainMessage struct {
	Kind string `json:"kind"`
}

type countMessage struct {
	Kind string `json:"kind"`
	N    int    `json:"n"`
}

type resultMessage struct {
	Kind   string    `json:"kind"`
	N      int       `json:"n"`
	Ms     float64   `json:"ms"`
	AcksMs []float64 `json:"acksMs,omitempty"`
}

type delaysMessage struct {
	Kind     string    `json:"kind"`
	DelaysMs []float64 `json:"delaysMs"`
}

type byeMessage struct {
	Kind       string `json:"kind"`
	Submitted  int    `json:"submitted"`
	Handled    int    `json:"handled"`
	Duplicates int    `json:"duplicates"`
}
