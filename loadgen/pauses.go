package loadgen

import (
	"fmt"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/standstill"
	"github.com/plumbline-ml/plumbline/loadgen/pace"
)

// Pause is a period in which the machine was suspended or the process was stopped. The measurements around it are not
// valid.
type Pause struct {
	At     time.Duration // of detection, since the series' start; its clock may have stood still too
	Length time.Duration
}

// pauseList contains the pauses of a series.
type pauseList struct {
	mu   sync.Mutex
	list []Pause
}

func (p *pauseList) addPause(found Pause) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, found)
}

// allPauses returns the pauses so far. It may be called while the series runs.
func (p *pauseList) allPauses() []Pause {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list[:len(p.list):len(p.list)]
}

// watchClocks reads the machine's clocks regularly until stop is called. Virtual time has no pauses. It uses a separate
// goroutine, so it does not slow down the issuing and answering goroutines.
func (p *pauseList) watchClocks(clock *pace.Clock) (stop func()) {
	if clock.Virtual() || !standstill.Supported {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	last := standstill.Now()
	go func() {
		defer close(ended)
		tick := time.NewTicker(standstill.Every)
		defer tick.Stop()
		for more := true; more; {
			select {
			case <-done:
				more = false
			case <-tick.C:
			}
			next := standstill.Now()
			if length := standstill.Between(last, next); length > 0 {
				p.addPause(Pause{At: time.Duration(clock.Now()), Length: length})
			}
			last = next
		}
	}()
	return func() { close(done); <-ended }
}

// pausesText returns, for example, "2 times, for 31.5 s altogether, first noticed 12.3 s after the start".
func pausesText(list []Pause) string {
	var sum time.Duration
	for _, p := range list {
		sum += p.Length
	}
	times := "once, for " + humanDuration(sum)
	if len(list) > 1 {
		times = fmt.Sprintf("%d times, for %s altogether, first", len(list), humanDuration(sum))
	} else {
		times += ","
	}
	return fmt.Sprintf("the machine was suspended or the process stopped %s noticed %s after the start",
		times, humanDuration(list[0].At))
}

func pausesReason(list []Pause) Reason {
	return Reason{
		Rule: ruleStandstill, Measured: pausesText(list),
		Needed: "looks at the clocks that are at most " + humanDuration(standstill.Longest) + " apart",
		Hint:   "Keep the machine awake and let the process run, then run again.",
	}
}
