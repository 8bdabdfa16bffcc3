package official_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/official"
)

// TestOfficialSearchWithoutEnd runs a search with a SUT that is never too slow. The library would continue until it
// crashes.
func TestOfficialSearchWithoutEnd(t *testing.T) {
	l := golden.Library(t, official.Open)
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.Mode, s.ServerTargetQPS = loadgen.Server, loadgen.FindPeakPerformance, 1000
	s.MinDuration, s.MinQueryCount, s.ServerTargetLatency = 0, 10, time.Hour
	_, err := l.StartTest(t.Context(), &loadgentest.NullSUT{}, loadgentest.QSL{Total: 20, Performance: 20}, s,
		loadgen.LogSettings{OutDir: t.TempDir()})
	if !errors.Is(err, loadgen.ErrBadSettings) || !strings.Contains(err.Error(), "no rate that fails") {
		t.Errorf("%v, want that no rate fails", err)
	}
}

// mute is a SUT that does not answer and ends its test at the first query.
type mute struct {
	loadgentest.NullSUT
	cancel context.CancelCauseFunc
}

func (m *mute) IssueQuery(context.Context, loadgen.Query, loadgen.Responder) error {
	m.cancel(loadgen.ErrInterrupted)
	return nil
}

// TestOfficialTestIsLeft checks that a test ends with its context even if the library waits, and that the next test
// runs.
func TestOfficialTestIsLeft(t *testing.T) {
	l := golden.Library(t, official.Open)
	for _, scenario := range []loadgen.Scenario{
		loadgen.SingleStream, loadgen.MultiStream, loadgen.Server, loadgen.Offline,
	} {
		for threads := range uint64(3) {
			s := loadgen.DefaultTestSettings()
			s.Scenario, s.MinDuration, s.MinQueryCount, s.ServerTargetQPS = scenario, 0, 100, 1000
			s.ServerNumIssueQueryThreads, s.ServerTargetLatency = threads, time.Hour
			ctx, cancel := context.WithCancelCause(t.Context())
			run := func(ctx context.Context, sut loadgen.SUT) error {
				_, err := l.StartTest(ctx, sut, loadgentest.QSL{Total: 20, Performance: 20}, s,
					loadgen.LogSettings{OutDir: t.TempDir()})
				return err
			}
			if err := run(ctx, &mute{cancel: cancel}); !errors.Is(err, loadgen.ErrInterrupted) {
				t.Errorf("%v, %d threads: %v, want that it was interrupted", scenario, threads, err)
			}
			if err := run(t.Context(), &loadgentest.Script{}); err != nil {
				t.Errorf("%v, %d threads, then: %v", scenario, threads, err)
			}
		}
	}
}
