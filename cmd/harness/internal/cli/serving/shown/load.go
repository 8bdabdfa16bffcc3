package shown

import (
	"fmt"
	"io"

	"github.com/plumbline-ml/plumbline/internal/table"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/serving/arrival"
)

// RequestFact is a line about the planned requests, with its subject and its text.
type RequestFact struct{ About, Text string }

// WriteFacts prints one fact per line.
func WriteFacts(w io.Writer, facts []RequestFact) error {
	t := table.Table{Indent: "  "}
	for _, f := range facts {
		t.Row(f.About, f.Text)
	}
	_, err := t.WriteTo(w)
	return err
}

// LoadText describes a planned load.
func LoadText(p arrival.Pattern) string {
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
