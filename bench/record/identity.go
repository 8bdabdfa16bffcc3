package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/terminal"
)

// Identity identifies a run among others: the user's name for it, and its position among a command's runs.
type Identity struct {
	Label string `json:"label,omitempty" flag:"label"` // the user's name for the run: --label
	Entry string `json:"entry,omitempty"`              // the name of the suite's entry if it differs from the model's name
	// Point is the point of a suite's matrix, or identifies one of several backends: "batch=4", "backend=ort". Each is
	// KEY=VALUE.
	Point []string `json:"point,omitempty"`
	// Repeat numbers the Repeats repetitions of the run, from 1. Both are 0 if the run is made once.
	Repeat  int `json:"repeat,omitempty"`
	Repeats int `json:"repeats,omitempty"`
}

// Place describes a run by the path of its folder of logs. Division and Submitter are those of a submission's tree.
type Place struct {
	Division  string `json:"division,omitempty"`
	Submitter string `json:"submitter,omitempty"`
	System    string `json:"system,omitempty"`    // the name of the folder
	Benchmark string `json:"benchmark,omitempty"` // the name of the folder
	Scenario  string `json:"scenario,omitempty"`  // in the spelling of the rules; from the folder, not from the log
	Run       int    `json:"run,omitempty"`       // N of performance/run_N
}

// String returns the submitter and the system: "Toylab/toy_edge".
func (p *Place) String() string {
	if p == nil {
		return ""
	}
	return strings.TrimPrefix(p.Submitter+"/"+p.System, "/")
}

// NamePart is a part of a run's name: a text and its subject. Parts of two runs with the same About and different texts
// distinguish the runs.
type NamePart struct {
	Place NamePlace
	About string // "model", "batch"
	Text  string // "resnet50", "batch=8": one line, without control characters
}

// NamePlace is the position of a part in a name.
type NamePlace int

// The positions in order: "label: model Scenario mode batch=4, backend=ort (2 of 3)".
const (
	NameBefore NamePlace = iota // a label, an entry: followed by a colon
	NameWord                    // model, scenario, mode: separated by blanks
	NameValue                   // KEY=VALUE: separated by commas
	NameCount                   // in parentheses
)

// maxNamePart is the maximum number of characters shown of a part. maxPoint is the maximum number of values shown of a
// point.
const (
	maxNamePart = 60
	maxPoint    = 8
)

// Part returns a part with arbitrary text made displayable.
func (p NamePlace) Part(about, text string) NamePart {
	line := []rune(strings.TrimSpace(terminal.Line(text)))
	if len(line) > maxNamePart {
		line = append(line[:maxNamePart-3], '.', '.', '.')
	}
	return NamePart{p, about, string(line)}
}

// NameParts returns the parts of the run's name that the run itself determines. There is at least one part, and texts
// are not empty.
func (r Run) NameParts() []NamePart {
	id := r.Identity
	parts := []NamePart{
		NameBefore.Part("label", id.Label), NameBefore.Part("entry", id.Entry), NameBefore.Part("system", r.Place.String()),
		NameWord.Part("model", r.Model),
		NameWord.Part("scenario", r.Scenario), NameWord.Part("mode", r.Kind()),
	}
	for _, point := range id.Point[:min(len(id.Point), maxPoint)] {
		about, _, _ := strings.Cut(point, "=")
		parts = append(parts, NameValue.Part(about, point))
	}
	parts = append(parts, r.placeParts()...)
	if id.Repeats > 1 {
		parts = append(parts, NameCount.Part("repeat", fmt.Sprintf("%d of %d", id.Repeat, id.Repeats)))
	}
	parts = slices.DeleteFunc(parts, func(p NamePart) bool { return p.Text == "" })
	if len(parts) == 0 {
		return []NamePart{NameWord.Part("model", "unnamed")}
	}
	return parts
}

// placeParts returns the parts that identify a run known only by its logs, from the path of its folder.
func (r Run) placeParts() (parts []NamePart) {
	if r.Place == nil {
		return nil
	}
	if r.Test != "" {
		parts = append(parts, NameWord.Part("run of the test", r.Mode))
	}
	if r.Place.Scenario != "" && r.Place.Scenario != r.Scenario {
		parts = append(parts, NameValue.Part("filed for", "filed for "+r.Place.Scenario))
	}
	if r.Place.Run > 1 {
		parts = append(parts, NameValue.Part("run", fmt.Sprintf("run=%d", r.Place.Run)))
	}
	return parts
}

// JoinName joins the parts of a name: "nightly: resnet50 Offline performance batch=4, backend=ort (2 of 3)".
func JoinName(parts []NamePart) string {
	var b strings.Builder
	last := NamePlace(-1)
	for place := NameBefore; place <= NameCount; place++ {
		for _, p := range parts {
			if p.Place != place {
				continue
			}
			switch {
			case b.Len() == 0:
			case last == NameBefore:
				b.WriteString(": ")
			case last == NameValue && place == NameValue:
				b.WriteString(", ")
			default:
				b.WriteString(" ")
			}
			text := p.Text
			if place == NameCount {
				text = "(" + text + ")"
			}
			b.WriteString(text)
			last = place
		}
	}
	return b.String()
}

// Name returns the name of a single run. Package names distinguishes several runs.
func (r Run) Name() string { return JoinName(r.NameParts()) }
