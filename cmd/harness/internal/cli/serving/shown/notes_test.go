package shown

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// TestNotesHideNone: notes of one kind that say the same are counted, and those that say something else are shown.
func TestNotesHideNone(t *testing.T) {
	point := func(users float64, faults []record.ServingFault, texts ...string) record.Run {
		r := record.Run{Serving: &record.Serving{
			Load: record.ServingLoad{By: arrival.Users, Value: users}, Faults: faults, Figures: &metrics.Figures{Requests: 9},
		}}
		for _, text := range texts {
			r.Notes = append(r.Notes, record.Finding{About: metrics.AboutLengths, Text: text})
		}
		return r
	}
	fault := func(status metrics.Status, n int) []record.ServingFault {
		return []record.ServingFault{{Status: status, Text: "no luck", Number: n}}
	}
	got := pointNotes([]record.Run{
		point(1, fault("http_500", 1), "prompts have 35 tokens on average, 32 were asked for (+9.4 %)",
			"answers have 8 tokens on average, 16 were asked for (-50 %)"),
		point(2, fault("http_500", 3), "prompts have 34.5 tokens on average, 32 were asked for (+8 %)"),
		point(4, fault("cut", 2), "9 answers of 9 requests: too few for p90, p99, which are the slowest"),
		point(8, nil, "92 answers of 92 requests: too few for p99, which are the slowest"),
	})
	want := []string{
		"1 user: prompts have 35 tokens on average, 32 were asked for (+9.4 %) (and so at 1 other point)",
		"1 user: answers have 8 tokens on average, 16 were asked for (-50 %)",
		"1 user: 0 of 9 requests failed; http_500 once: no luck (and so at 1 other point)",
		"4 users: 9 answers of 9 requests: too few for p90, p99, which are the slowest (and so at 1 other point)",
		"4 users: 0 of 9 requests failed; cut 2 times: no luck",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("notes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for value, want := range map[float64]string{0.00716871: "0.00717/s", 2.98833: "2.99/s", 512: "512/s", 20: "20/s"} {
		if got := loadCell(record.ServingLoad{By: arrival.Rate, Value: value}); got != want {
			t.Errorf("%v is %s, want %s", value, got, want)
		}
	}
}
