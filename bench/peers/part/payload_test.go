package part

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The same file is compared with what the parts in TypeScript submit.
func TestPayloadIsWhatTheOtherPartsSubmit(t *testing.T) {
	expected, err := os.ReadFile("testdata/payload-207.txt")
	if err != nil {
		t.Fatal(err)
	}
	made, err := json.Marshal(newPayload(207))
	if err != nil {
		t.Fatal(err)
	}
	if string(made) != strings.TrimSpace(string(expected)) {
		t.Fatalf("made %s", made)
	}
}
