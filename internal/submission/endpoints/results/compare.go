package results

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/table"
)

// Join combines the curves of several submissions. It then adds the organisation to the names of the systems.
func Join(all []*Results) *Results {
	if len(all) == 1 {
		return all[0]
	}
	out := &Results{Rules: all[0].Rules}
	for _, r := range all {
		out.Organisation += "+" + r.Organisation
		out.Submission += "+" + r.Submission
		out.Errors += r.Errors
		out.Warnings += r.Warnings
		out.joined = append(out.joined, r.Name())
		for _, c := range r.Curves {
			c.System = r.Organisation + "/" + c.System
			out.Curves = append(out.Curves, c)
		}
	}
	out.Organisation, out.Submission = out.Organisation[1:], out.Submission[1:]
	return out
}

// Name returns the organisation and name of the submission, or of all joined submissions.
func (r *Results) Name() string {
	if len(r.joined) > 0 {
		return strings.Join(r.joined, ", ")
	}
	return r.Organisation + "/" + r.Submission
}

// Comparison compares the curves of one model. A curve is a step function, because nothing is known between its points.
// At each speed per user, it has the throughput of its best point with that speed or more.
type Comparison struct {
	Model string  `json:"model"`
	Leads []Lead  `json:"leads"` // ordered by the speed per user
	Areas []Share `json:"areas"` // largest first
}

// Lead is a range of speeds per user in which one system leads.
type Lead struct {
	From   float64 `json:"from"` // exclusive, in tokens/s per user
	To     float64 `json:"to"`   // inclusive
	System string  `json:"system"`
	// Over is the ratio of its throughput to the second best at the end of the range; 0: no other system reaches that
	// speed.
	Over float64 `json:"over"`
}

// Share is the area under a system's curve: total tokens/s times tokens/s per user.
type Share struct {
	System string  `json:"system"`
	Area   float64 `json:"area"`
}

// speed returns the speed per user. For agentic models it refers to the time of turns.
func (p Point) speed() *float64 {
	if p.Interactivity != nil {
		return p.Interactivity
	}
	return p.TPSPerUser
}

// throughputAt returns the curve's throughput at a speed per user, or 0 if no point reaches the speed.
func (c Curve) throughputAt(speed float64) (tps float64) {
	for _, p := range c.Points {
		if s := p.speed(); !p.Dedicated() && s != nil && p.SystemTPS != nil && *s >= speed {
			tps = max(tps, *p.SystemTPS)
		}
	}
	return tps
}

// Compare compares the curves of each model with several curves.
func (r *Results) Compare() (all []Comparison) {
	var models []string
	for _, c := range r.Curves {
		if !slices.Contains(models, c.Model) {
			models = append(models, c.Model)
		}
	}
	for _, model := range models {
		curves := slices.Clone(r.Curves)
		curves = slices.DeleteFunc(curves, func(c Curve) bool { return c.Model != model })
		if len(curves) > 1 {
			all = append(all, compareCurves(model, curves))
		}
	}
	return all
}

func compareCurves(model string, curves []Curve) Comparison {
	out := Comparison{Model: model}
	areas := make([]float64, len(curves))
	var speeds []float64
	for _, c := range curves {
		for _, p := range c.Points {
			if s := p.speed(); !p.Dedicated() && s != nil && p.SystemTPS != nil && *s > 0 {
				speeds = append(speeds, *s)
			}
		}
	}
	slices.Sort(speeds)
	from := 0.0
	for _, to := range slices.Compact(speeds) {
		lead := Lead{From: from, To: to}
		first, second := 0.0, 0.0
		for i, c := range curves {
			h := c.throughputAt(to)
			areas[i] += h * (to - from)
			switch {
			case h > first:
				lead.System, first, second = c.System, h, first
			case h > 0 && h == first:
				lead.System, second = lead.System+" = "+c.System, h
			default:
				second = max(second, h)
			}
		}
		if second > 0 {
			lead.Over = first / second
		}
		out.addLead(lead)
		from = to
	}
	for i, c := range curves {
		out.Areas = append(out.Areas, Share{c.System, areas[i]})
	}
	slices.SortStableFunc(out.Areas, func(a, b Share) int { return cmp.Compare(b.Area, a.Area) })
	return out
}

// addLead adds a range. It joins it with the previous one if the same system leads.
func (c *Comparison) addLead(l Lead) {
	if n := len(c.Leads); n > 0 && c.Leads[n-1].System == l.System {
		l.From = c.Leads[n-1].From
		c.Leads = c.Leads[:n-1]
	}
	c.Leads = append(c.Leads, l)
}

// Others describes the ratio of the leader's throughput to the second best in words.
func (l Lead) Others() string {
	switch l.Over {
	case 0:
		return "no other gets there"
	case 1:
		return "equal"
	}
	return fmt.Sprintf("%.3g x the next one", l.Over)
}

// Share returns the ratio of a system's area to the largest area.
func (c Comparison) Share(s Share) string {
	if len(c.Areas) == 0 || c.Areas[0].Area <= 0 {
		return unknownText
	}
	return fmt.Sprintf("%.3g", s.Area/c.Areas[0].Area)
}

// writeComparisons writes the leading systems and the areas under the curves.
func (r *Results) writeComparisons(w io.Writer) error {
	for _, c := range r.Compare() {
		leads := table.Table{RightAligned: []int{0, 1}}
		leads.Head("ABOVE", "UP TO", "TOKENS/S OF ONE USER: AHEAD", "AT THE END OF THE RANGE")
		for _, l := range c.Leads {
			leads.Row(Shown(&l.From), Shown(&l.To), l.System, l.Others())
		}
		areas := table.Table{RightAligned: []int{1, 2}}
		areas.Head("SYSTEM", "AREA UNDER THE STEPS", "OF THE LARGEST")
		for _, s := range c.Areas {
			areas.Row(s.System, Shown(&s.Area), c.Share(s))
		}
		if _, err := fmt.Fprintf(w, "\n%s: who is ahead\n", c.Model); err != nil {
			return err
		}
		if _, err := leads.WriteTo(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
		if _, err := areas.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}
