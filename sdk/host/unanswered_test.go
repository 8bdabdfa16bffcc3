package host_test

import (
	"context"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// answerSoon is the answer timeout in tests with a plugin that never answers.
const answerSoon = time.Second

// TestHangsWithHeartbeats runs plugins that stop answering while their heartbeats continue. The failure must describe
// what they wait for.
func TestHangsWithHeartbeats(t *testing.T) {
	for _, c := range []struct {
		fault string
		parts []string
	}{
		{"hang-open", []string{"it waits for the backend's Open (for ", `the call "open"`}},
		{"hang-warm-up", []string{"it waits for the warm-up of a session", `the call "warm up"`}},
		{"hang-run", []string{"Run of sample ", "answers to 1 samples"}},
		{"hang-collate", []string{"Collate of sample "}},
		{"hang-load", []string{"it waits for samples that it loads, 100 of them (for "}},
		{"mute", []string{"it waits for answers to 1 samples"}}, // it does not report its work
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			p, err := launchWith(t, c.fault, host.LaunchOptions{AnswerTimeout: answerSoon})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := p.Context(t.Context())
			defer cancel()
			if w, err := openCount(ctx, p, loadgen.SingleStream, 100); err == nil {
				// the cause explains more
				_, _ = loadgen.StartTest(ctx, w.SUT(), w.QSL(), settings(loadgen.SingleStream), loadgen.LogSettings{})
			}
			<-ctx.Done()
			wantFailure(t, context.Cause(ctx), host.KindHung, append(c.parts, "(limit 1s)", "--answer-timeout",
				"the plugin is process")...)
		})
	}
}
