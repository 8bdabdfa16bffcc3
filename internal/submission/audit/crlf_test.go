package audit

import (
	"bytes"
	"context"
	"os"
	"testing"
)

// TestCarriageReturns: logs that went through git's autocrlf are judged as they were, each alone and all of them.
func TestCarriageReturns(t *testing.T) {
	for _, test := range []string{"TEST01", "TEST04", "TEST06", "TEST08"} {
		m := good(t, test, "Offline")
		r := m.written(t)
		logs := []string{r.Run.Detail, r.Run.Summary, r.Run.Accuracy, r.Reference.Detail, r.Reference.Summary,
			r.Reference.Accuracy}
		texts := map[string][]byte{}
		for _, name := range logs {
			if text, err := os.ReadFile(name); err == nil {
				texts[name] = text
			}
		}
		put := func(name string, text []byte) {
			if err := os.WriteFile(name, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		convert := func(name string) { put(name, bytes.ReplaceAll(texts[name], []byte("\n"), []byte("\r\n"))) }
		judge := func(what string) {
			if v, err := Verify(context.Background(), r); err != nil || !v.Pass {
				t.Errorf("%s, %s: %v %v", test, what, err, v.Reasons)
			}
		}
		for name := range texts {
			convert(name)
			judge(name)
			put(name, texts[name])
		}
		for name := range texts {
			convert(name)
		}
		judge("all")
	}
}
