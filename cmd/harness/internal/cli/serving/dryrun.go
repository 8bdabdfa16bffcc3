package serving

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/table"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/serving/arrival"
)

// dryRun prints what would be asked, and asks nothing.
func (s *session) dryRun() error {
	fmt.Fprintln(s.Stdout, "nothing is asked")
	t := table.Table{Indent: "  "}
	t.Row("server", s.address)
	what := s.File
	if what == "" {
		what = s.ISL + " tokens in"
		if s.OSL != "" {
			what += ", " + s.OSL + " out"
		}
	}
	t.Row("prompts", what+fmt.Sprintf(", seed %d", s.Options.Seed))
	switch {
	case s.request.sweep:
		t.Row("loads", "one user, the maximum, rates between them, and more where the curve bends")
	case s.search != nil:
		from := "the server's own pace"
		if s.search.Start > 0 {
			from = fmt.Sprint(s.search.Start)
		}
		t.Row("loads", fmt.Sprintf("those that a search for the highest %s tries, from %s on", s.find, from))
	}
	for i, p := range s.loads {
		name := ""
		if i == 0 {
			name = "loads"
		}
		t.Row(name, dryText(p))
	}
	if text := s.objectives.String(); text != "" {
		t.Row("objectives", text)
	}
	_, err := t.WriteTo(s.Stdout)
	return err
}

// dryText says what a load would be.
func dryText(p arrival.Pattern) string {
	text := fmt.Sprint(record.ServingLoad{By: p.Kind, Value: p.Value()})
	switch {
	case p.Requests > 0 && p.Duration > 0:
		text += fmt.Sprintf(", %d requests or %v", p.Requests, p.Duration)
	case p.Requests > 0:
		text += fmt.Sprintf(", %d requests", p.Requests)
	case p.Duration > 0:
		text += fmt.Sprintf(", %v", p.Duration)
	case p.Kind == arrival.Users || p.Kind == arrival.Rate && p.Stages == nil:
		text += fmt.Sprintf(", %v or %d requests, whichever is later", arrival.DefaultDuration, arrival.DefaultRequests)
	}
	if label := p.Label(); label != "" {
		text += "; " + label
	}
	return text
}
