package loadgen

import (
	"fmt"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/standstill"
	"github.com/plumbline-ml/plumbline/loadgen/pace"
)

// Pause is a time in which the machine was suspended or the process was stopped. Measurements around it do not count.
type Pause struct {
	At     time.Duration // when it was noticed, since the series' start on its clock, which may have stood still too
	Length time.Duration
}

// pauseList are those of a series.
type pauseList struct {
	mu   sync.Mutex
	list []Pause
}

func (p *pauseList) addPause(found Pause) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, found)
}

// allPauses may be called while the series runs.
func (p *pauseList) allPauses() []Pause {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list[:len(p.list):len(p.list)]
}

// watchClocks looks at the machine's clocks until the returned function is called. Virtual time knows no pauses. The
// looks are those of a goroutine of their own: they cost the issuing and the answering ones nothing.
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

// pausesText is "2 times, for 31.5 s altogether, first noticed 12.3 s after the start".
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
