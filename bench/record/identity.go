package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/terminal"
)

// Identity identifies a run among others: the user's name for it, and its position among a command's runs.
type Identity struct {
	Label string `json:"label,omitempty" flag:"label"` // the user's own name of it: --label
	Entry string `json:"entry,omitempty"`              // the name of the suite's entry, where it is not the model's
	// Point is that of a suite's matrix, or which of several backends it is: "batch=4", "backend=ort". Each is KEY=VALUE.
	Point []string `json:"point,omitempty"`
	// Repeat is which of Repeats it is, from 1 on; both are 0 where it is made once.
	Repeat  int `json:"repeat,omitempty"`
	Repeats int `json:"repeats,omitempty"`
}

// Place describes a run by the path of its folder of logs. Division and submitter are those of a submission's tree.
type Place struct {
	Division  string `json:"division,omitempty"`
	Submitter string `json:"submitter,omitempty"`
	System    string `json:"system,omitempty"`    // the folder's name
	Benchmark string `json:"benchmark,omitempty"` // likewise
	Scenario  string `json:"scenario,omitempty"`  // as the rules write it: that of the folder, not of the log
	Run       int    `json:"run,omitempty"`       // of performance/run_N
}

// String is the submitter and the system: "Toylab/toy_edge".
func (p *Place) String() string {
	if p == nil {
		return ""
	}
	return strings.TrimPrefix(p.Submitter+"/"+p.System, "/")
}

// NamePart is a part of a run's name: what it says, and what about. Parts of two runs with one About and different
// texts tell them apart.
type NamePart struct {
	Place NamePlace
	About string // "model", "batch"
	Text  string // "resnet50", "batch=8": one line, without control characters
}

// NamePlace says where in a name a part stands.
type NamePlace int

// The places, in their order: "label: model Scenario mode batch=4, backend=ort (2 of 3)".
const (
	NameBefore NamePlace = iota // a label, an entry: with a colon behind it
	NameWord                    // model, scenario, mode: with blanks between them
	NameValue                   // KEY=VALUE: with commas between them
	NameCount                   // in parentheses
)

// maxNamePart is how many characters of a part are shown, and maxPoint how many values of a point.
const (
	maxNamePart = 60
	maxPoint    = 8
)

// Part makes a part of a text that may hold anything.
func (p NamePlace) Part(about, text string) NamePart {
	line := []rune(strings.TrimSpace(terminal.Line(text)))
	if len(line) > maxNamePart {
		line = append(line[:maxNamePart-3], '.', '.', '.')
	}
	return NamePart{p, about, string(line)}
}

// NameParts are the parts of the run's name, as far as the run itself knows it: one at least. No text is empty.
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

// placeParts are what the folder of a bare run's logs tells it apart by.
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

// Name is the name of the run by itself. Where several are shown, package names tells them apart.
func (r Run) Name() string { return JoinName(r.NameParts()) }
