package host_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// TestALongQueryEndsWithItsContext issues more samples than a slow plugin accepts, and ends the context. The plugin
// must then accept the next workload.
func TestALongQueryEndsWithItsContext(t *testing.T) {
	for name, o := range map[string]host.LaunchOptions{"ring": {}, "stream": {StreamOnly: true}} {
		t.Run(name, func(t *testing.T) {
			p, err := launchWith(t, "slow-batches", o)
			if err != nil {
				t.Fatal(err)
			}
			w, err := p.Open(t.Context(), sdk.Options{Scenario: loadgen.Offline, Count: 1, Batch: 1, Sessions: 1})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.QSL().LoadSamplesToRAM(t.Context(), []loadgen.SampleIndex{0}); err != nil {
				t.Fatal(err)
			}
			query := make([]loadgen.QuerySample, 4<<20)
			for i := range query {
				query[i].ID = loadgen.ResponseID(i)
			}
			enough := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(50*time.Millisecond, func() { cancel(enough) })
			if err := w.SUT().IssueQuery(ctx, loadgen.Query{Samples: query}, newCounter(len(query))); !errors.Is(err, enough) {
				t.Errorf("%v, want what ended the context", err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := startTest(t, p, loadgen.SingleStream); err != nil {
				t.Errorf("after it: %v", err)
			}
		})
	}
}
