package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// conversations are sessions of so many turns each.
func conversations(turns ...int) AskList {
	var all AskList
	for s, n := range turns {
		for turn := range n {
			all = append(all, prompts.Ask{
				Row: len(all), Session: fmt.Sprint("s", s), Turn: turn, Think: time.Duration(turn) * time.Second,
			})
		}
	}
	return all
}

// A turn is due when the answer before has ended and its user has thought.
func TestTurnsFollowEachOther(t *testing.T) {
	for _, f := range []arrival.LoadFlags{
		{Concurrency: "2", Turns: "all", Requests: "9"},
		{Rate: "1", Arrival: "constant", Turns: "all", Duration: "4s"},
	} {
		s := &script{first: 100 * time.Millisecond, tokens: 1}
		plan := PointPlan{Asks: conversations(3, 1, 3, 2), Load: pattern(t, f), Grace: time.Minute}
		measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
			ended := map[string]int64{}
			begun := 0
			for _, r := range p.Requests {
				if r.Status != metrics.OK {
					t.Errorf("%+v: %+v", f, r)
				}
				before, follows := ended[r.Session]
				if follows != (r.Turn > 0) || follows && r.Due != before+int64(r.Turn)*1e9 {
					t.Errorf("%+v: turn %d of %s is due at %d, the one before ended at %d", f, r.Turn, r.Session, r.Due, before)
				}
				if r.Turn == 0 && f.Rate != "" && r.Due != int64(begun)*1e9 {
					t.Errorf("session %d begins at %d", begun, r.Due)
				}
				if r.Turn == 0 {
					begun++
				}
				ended[r.Session] = r.End
			}
			// At a rate, turns that are due at 4 s or later are sent no more: the last of the first and the third session.
			if want := map[bool]int{true: 7, false: 9}[f.Rate != ""]; len(p.Requests) != want || begun != 4 {
				t.Errorf("%+v: %d turns of %d sessions, want %d", f, len(p.Requests), begun, want)
			}
		})
	}
}

// A session whose turn fails does not go on.
func TestAFailedTurnEndsASession(t *testing.T) {
	s := &script{first: time.Second, tokens: 1, status: func(n int64) metrics.Status {
		if n == 1 {
			return metrics.Cut
		}
		return ""
	}}
	plan := PointPlan{
		Asks: conversations(4, 2), Load: pattern(t, arrival.LoadFlags{Concurrency: "1", Turns: "all", Requests: "5"}),
		MaxErrors: &MaxErrors{Count: 3},
	}
	measured(t, s, plan, func(t *testing.T, p *MeasuredPoint) {
		var got []string
		for _, r := range p.Requests {
			got = append(got, fmt.Sprintf("%s %d %s", r.Session, r.Turn, r.Status))
		}
		want := "s0 0 ok,s0 1 cut,s1 0 ok,s1 1 ok"
		if text := strings.Join(got, ","); text != want {
			t.Errorf("%s, want %s", text, want)
		}
	})
}

// A trace with sessions gives the times of their first turns.
func TestReplayOfSessions(t *testing.T) {
	all := conversations(2, 1)
	all[0].Due, all[0].HasDue = 5*time.Second, true
	all[2].Due, all[2].HasDue = 4*time.Second, true
	s := &script{first: 100 * time.Millisecond, tokens: 1}
	measured(t, s, PointPlan{Asks: all, Load: pattern(t, arrival.LoadFlags{Replay: true})}, func(t *testing.T,
		p *MeasuredPoint) {
		var due []int64
		var rows []int
		for _, r := range p.Requests {
			due, rows = append(due, r.Due), append(rows, r.Row)
		}
		if !slices.Equal(due, []int64{0, 1e9, 21e8}) || !slices.Equal(rows, []int{2, 0, 1}) || len(p.Notes) != 1 {
			t.Errorf("rows %v at %v, notes %q", rows, due, p.Notes)
		}
	})
}

// speaking is a server that answers with what it was asked, and is given back.
type speaking struct{ script }

func (s *speaking) Prepare(a *prompts.Ask) (Prepared, error) {
	return string(a.Before) + string(a.Messages) + a.Text, nil
}

func (s *speaking) Ask(_ context.Context, p Prepared, clock Clock, r *metrics.Request) {
	s.Answer(context.Background(), p, clock, r)
}

func (s *speaking) Answer(_ context.Context, p Prepared, clock Clock, r *metrics.Request) string {
	r.Sent = clock.Now()
	r.Events.Add(metrics.StreamEvent{At: r.Sent, Kind: metrics.Content, Text: true})
	r.End, r.Status = clock.Now(), metrics.OK
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, p.(string))
	return fmt.Sprint("answer ", len(s.said))
}

// Turns that follow the server's own answers are sent with them.
func TestOwnHistory(t *testing.T) {
	all := conversations(3)
	for i := range all {
		all[i].Own, all[i].Text, all[i].Think = true, fmt.Sprint("question ", i+1), 0
	}
	plan := PointPlan{Asks: all, Load: pattern(t, arrival.LoadFlags{Concurrency: "1", Turns: "all", Requests: "3"})}
	s := &speaking{}
	if _, err := Measure(t.Context(), s, plan); err != nil {
		t.Fatal(err)
	}
	last := s.said[len(s.said)-1]
	for _, want := range []string{"question 1", "answer 1", "question 2", "answer 2", "question 3"} {
		before, rest, ok := strings.Cut(last, want)
		if !ok || strings.Contains(before, "question 3") {
			t.Fatalf("the last turn was sent as %q, want %q in its order", last, want)
		}
		last = rest
	}
	if _, err := Measure(t.Context(), &script{}, plan); err == nil || !strings.Contains(err.Error(), "gives none back") {
		t.Errorf("a client that gives no answers back: error %v", err)
	}
}
