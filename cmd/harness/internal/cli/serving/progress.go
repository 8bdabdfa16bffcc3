package serving

import (
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving/arrival"
)

// showProgress shows the progress of a point until done is called.
func (s *benchSession) showProgress(p arrival.Pattern, progress *engine.PointProgress) (done func(*sweep.SweepPoint)) {
	told := s.sources.StartSampling()
	if s.quiet {
		return told
	}
	line, began, end := s.NewStatusLine(), time.Now(), make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		look := time.NewTicker(progressInterval)
		defer look.Stop()
		for {
			select {
			case <-look.C:
				line.Set(progressText(p, progress.Now(), time.Since(began)))
			case <-end:
				line.Clear()
				return
			}
		}
	}()
	return func(p *sweep.SweepPoint) {
		close(end)
		<-stopped
		told(p)
	}
}

const progressInterval = 250 * time.Millisecond

// progressText describes the progress of a point.
func progressText(p arrival.Pattern, now engine.RequestCounts, took time.Duration) string {
	text := fmt.Sprintf("%s  %s  %d answered", sweep.PointFolderName(p), figure.Seconds(took), now.Ended-now.Failed)
	if now.Sent == 0 && now.WarmUp > 0 {
		text = fmt.Sprintf("%s  warming up: %d", sweep.PointFolderName(p), now.WarmUp)
	}
	if now.Failed > 0 {
		text += fmt.Sprintf("  %d failed", now.Failed)
	}
	return text + fmt.Sprintf("  %d under way", now.UnderWay)
}
