package serving

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/serving/shown"
)

// dryRun prints the planned requests without sending any.
func (s *benchSession) dryRun() error {
	fmt.Fprintln(s.Stdout, "nothing is asked")
	var facts []shown.RequestFact
	add := func(about, text string) { facts = append(facts, shown.RequestFact{About: about, Text: text}) }
	add("server", s.address)
	what := s.File
	if what == "" {
		what = s.ISL + " tokens in"
		if s.OSL != "" {
			what += ", " + s.OSL + " out"
		}
	}
	add("prompts", what+fmt.Sprintf(", seed %d", s.PromptOptions.Seed))
	switch {
	case s.benchRequest.sweep:
		add("loads", "one user, the maximum, rates between them, and more where the curve bends")
	case s.search != nil:
		from := "the server's own pace"
		if s.search.Start > 0 {
			from = fmt.Sprint(s.search.Start)
		}
		add("loads", fmt.Sprintf("those that a search for the highest %s tries, from %s on", s.find, from))
	}
	for i, p := range s.loads {
		name := ""
		if i == 0 {
			name = "loads"
		}
		add(name, shown.LoadText(p))
	}
	if text := s.objectives.String(); text != "" {
		add("objectives", text)
	}
	return shown.WriteFacts(s.Stdout, facts)
}
