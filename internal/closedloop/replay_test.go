package closedloop

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// recorded answers turns by their samples: fails are those whose answers fail.
type recorded struct {
	system
	asked []loadgen.SampleIndex
	fails map[loadgen.SampleIndex]error
	odd   bool // payloads are no JSON
}

func (s *recorded) TotalSampleCount() int { return 5 }

func (s *recorded) IssueQuery(_ context.Context, q loadgen.Query, r loadgen.Responder) error {
	at := q.Samples[0]
	s.mu.Lock()
	s.asked = append(s.asked, at.Index)
	s.mu.Unlock()
	payload := []byte(`{"output":"done","finish_reason":"stop"}`)
	tokens := int64(2)
	if err := s.fails[at.Index]; err != nil {
		payload, tokens = sdk.AppendFailedTurn(nil, err), 0
	}
	if s.odd {
		payload = []byte("done")
	}
	go r.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: at.ID, Data: payload, NTokens: tokens}})
	return nil
}

var twoConversations = []sdk.Conversation{{ID: "a", Turns: []int64{1, 3, 5}}, {ID: "b", Turns: []int64{1, 3}}}

func TestReplay(t *testing.T) {
	broken := errors.New("status 500")
	for _, c := range []struct {
		name  string
		fails map[loadgen.SampleIndex]error
		want  []loadgen.SampleIndex
		ends  []metrics.Status
	}{
		{"all", nil, []loadgen.SampleIndex{0, 1, 2, 3, 4}, []metrics.Status{"ok", "ok", "ok", "ok", "ok"}},
		{"one fails", map[loadgen.SampleIndex]error{1: broken}, []loadgen.SampleIndex{0, 1, 3, 4},
			[]metrics.Status{"ok", metrics.Faulty, "ok", "ok"}},
		{"one takes too long", map[loadgen.SampleIndex]error{0: sdk.ErrTurnTimeout}, []loadgen.SampleIndex{0, 3, 4},
			[]metrics.Status{metrics.Timeout, "ok", "ok"}},
		{"both conversations end", map[loadgen.SampleIndex]error{2: broken, 3: broken}, []loadgen.SampleIndex{0, 1, 2, 3},
			[]metrics.Status{"ok", "ok", metrics.Faulty, metrics.Faulty}},
	} {
		s := &recorded{system: *newSystem(), fails: c.fails}
		p, answers, err := Replay(t.Context(), s, s, twoConversations, 0, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if len(answers) != len(c.want) || len(p.Requests) != len(c.want) || !s.unloaded {
			t.Errorf("%s: asked for %v, %d answers, want %v", c.name, s.asked, len(answers), c.want)
			continue
		}
		for i, r := range p.Requests {
			wanted := "a"
			if c.want[i] > 2 {
				wanted = "b"
			}
			if s.asked[i] != c.want[i] || r.Row != int(c.want[i]) || r.Status != c.ends[i] || r.Session != wanted {
				t.Errorf("%s: request %d of sample %d: %+v", c.name, i, s.asked[i], r)
			}
			if (r.Status == metrics.OK) != (r.Finish == "stop") || (r.Status == metrics.OK) != (r.Fault == "") {
				t.Errorf("%s: request %d: %+v", c.name, i, r)
			}
		}
	}
}

// uncounted begins to answer turns, and ends with no count of tokens.
type uncounted struct{ recorded }

func (s *uncounted) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	r.FirstTokenComplete([]loadgen.QuerySampleResponse{{ID: q.Samples[0].ID}})
	r.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: q.Samples[0].ID, Data: []byte(`{"output":"done"}`)}})
	return nil
}

// TestReplayWithoutCounts: an answer whose tokens nobody counted ends at its end, and every turn counts, the last one
// too.
func TestReplayWithoutCounts(t *testing.T) {
	s := &uncounted{recorded{system: *newSystem()}}
	p, _, err := Replay(t.Context(), s, s, twoConversations, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Window != nil {
		t.Errorf("turns within %+v alone count", p.Window)
	}
	for i := range p.Requests {
		r := &p.Requests[i]
		if m := metrics.MeasureRequest(r, metrics.FigureRules{}); r.Events.Len() != 2 || m.First > m.Last || m.Last != r.End {
			t.Errorf("request %d: %d events, from %d to %d, ends at %d", i, r.Events.Len(), m.First, m.Last, r.End)
		}
	}
}

func TestReplayFaults(t *testing.T) {
	s := &recorded{system: *newSystem(), odd: true}
	if _, _, err := Replay(t.Context(), s, s, twoConversations, 0, nil); err == nil ||
		!strings.Contains(err.Error(), "the payload of a turn") {
		t.Errorf("error %v", err)
	}
	if _, _, err := Replay(t.Context(), s, s, twoConversations[:1], 0, nil); err == nil ||
		!strings.Contains(err.Error(), "3 turns, and the data set has 5 samples") {
		t.Errorf("error %v", err)
	}
}
