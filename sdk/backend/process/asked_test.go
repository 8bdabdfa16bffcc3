package process

import (
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// An unrequested answer must not become the answer to the next batch.
func TestAnswersTwice(t *testing.T) {
	for fault, want := range map[string]string{
		"answers twice":           "answered what it was not asked (request 2; the last was 2, and is answered)",
		"nameless, answers twice": "answered what it was not asked, want",
	} {
		t.Run(fault, func(t *testing.T) {
			s := openFault(t, fault)
			for range 2 { // the second time on a new stream
				checkBatch(t, s, 2)
				l := <-s.lanes
				for len(l.replies) == 0 { // wait for the second answer
					time.Sleep(time.Millisecond)
				}
				s.lanes <- l
				wantAll(t, s.Run(t.Context(), batch(3), make([]backend.Tensor, 2)), want)
			}
		})
	}
}

// An unrequested answer that arrives while the next batch runs must not be taken for the answer to it.
func TestAnswersAgainLater(t *testing.T) {
	s := openFault(t, "answers again later")
	for range 2 {
		checkBatch(t, s, 2)
		wantAll(t, s.Run(t.Context(), batch(2), make([]backend.Tensor, 2)),
			"answered request 2, want one answer to request 3")
	}
}

// A process of the older form, without request ids, works as before.
func TestAnswersWithoutNames(t *testing.T) {
	s := openFault(t, "nameless")
	for _, rows := range []int{1, 3000, 2} {
		checkBatch(t, s, rows)
	}
}
