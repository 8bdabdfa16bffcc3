package record

import (
	"fmt"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/power/spl"
)

// PowerNote accompanies all power measurements.
const PowerNote = "An informal measurement: a submission of power needs the official power tools and an analyzer."

// Power contains the readings of the user's meter during a timed run. After a fault the figures are missing.
type Power struct {
	Source string `json:"source"` // "rapl (package-0, package-1)", "cmd ...", "file ..."
	Note   string `json:"note"`   // PowerNote
	// Begin and End are power_begin and power_end of the detail log. Samples between them count if they are above zero.
	Begin   time.Time `json:"begin"`
	End     time.Time `json:"end"`
	Samples int       `json:"samples"`
	Zeros   int       `json:"zero_samples"`  // samples of 0 W within the run, which do not count
	Gap     float64   `json:"longest_gap_s"` // the longest time within the run without a counted sample
	// Average is in W. Energy is in mJ per query, the power result of SingleStream and MultiStream, or per request to a
	// server. Token is in J per token of the server's answers.
	Average *Figure `json:"average,omitempty"`
	Energy  *Figure `json:"energy_per_query,omitempty"`
	Token   *Figure `json:"energy_per_token,omitempty"`
	// Efficiency is the performance per watt: samples or tokens per joule.
	Efficiency *Figure `json:"efficiency,omitempty"`
	// Fault is the reason why the run has no power measurement and is therefore INVALID; its performance figures stay
	// unchanged.
	Fault string `json:"fault,omitempty"`
}

// FromPower copies the measurements of a meter during the run. faults list the reasons why they are not valid for the
// run; empty: they are valid.
func (r *Run) FromPower(source string, a spl.Average, queries uint64, faults []string) {
	r.Power = &Power{
		Source: source, Note: PowerNote, Begin: a.Window.Begin, End: a.Window.End, Samples: a.Samples, Zeros: a.ZeroSamples,
		Gap: a.Gap.Seconds(),
	}
	m, err := a.Metric(spl.MeasuredRun{
		Scenario: r.Scenario, LoggedScenario: r.Scenario, Queries: queries, Performance: float64(r.Performance.Metric.Value),
	})
	if err != nil && len(faults) == 0 {
		faults = []string{err.Error()}
	}
	if len(faults) > 0 {
		r.Power.Fault = strings.Join(faults, "; ")
		r.Reasons = append(r.Reasons, Reason{
			Rule: powerRule.Name, Measured: r.Power.Fault,
			Needed: "readings above zero from the begin of the run to its end",
			Hint:   "The performance is not in doubt. See to the meter; --power-interval reads it more often.",
		})
		return
	}
	r.Power.Average = powerFigure(metric.PowerAverage, a.Watts)
	r.Power.Efficiency = powerFigure(metric.PowerEfficiency.As(metric.PowerEfficiency.Title, r.performancePerJoule()),
		m.Efficiency)
	if m.Unit == spl.Millijoules {
		r.Power.Energy = powerFigure(metric.PowerEnergy, m.Value)
	}
}

// FromMeter copies the measurements of a meter at a point of a server, within the time window of its figures. faults
// list the reasons why they are not valid for the point; empty: they are valid. Faults do not change the point's
// verdict.
func (r *Run) FromMeter(source string, a spl.Average, faults []string) {
	r.Power = &Power{
		Source: source, Note: PowerNote, Begin: a.Window.Begin, End: a.Window.End, Samples: a.Samples, Zeros: a.ZeroSamples,
		Gap: a.Gap.Seconds(),
	}
	if a.Samples == 0 && len(faults) == 0 {
		faults = []string{"no reading above zero within the window of the figures; --power-interval reads more often"}
	}
	if len(faults) > 0 {
		r.Power.Fault = strings.Join(faults, "; ")
		return
	}
	r.Power.Average = powerFigure(metric.PowerAverage, a.Watts)
	f := r.Serving.Figures
	if f.RequestsPerSec != nil && *f.RequestsPerSec > 0 {
		r.Power.Energy = powerFigure(metric.PowerEnergy.As("energy per request", metric.PowerEnergy.Unit),
			1000*a.Watts / *f.RequestsPerSec)
	}
	if rate := f.CountedTokensPerSec(); rate != nil && *rate > 0 {
		r.Power.Token = powerFigure(metric.PowerToken, a.Watts / *rate)
		r.Power.Efficiency = powerFigure(metric.PowerEfficiency.As(metric.PowerEfficiency.Title, "tokens/J"), *rate/a.Watts)
	}
}

func powerFigure(i metric.Info, value float64) *Figure {
	f := figureOf(i, value)
	return &f
}

// performancePerJoule returns the unit of the performance per watt. In streams the work is counted in samples.
func (r *Run) performancePerJoule() string {
	if unit, rate := strings.CutSuffix(r.Performance.Metric.Unit, "/s"); rate {
		return unit + "/J"
	}
	return "samples/J"
}

// isLost reports whether a requested power measurement failed.
func (p *Power) isLost() bool { return p != nil && p.Fault != "" }

// writePower writes a line about power below a run's row.
func (r Run) writePower(b *terminal.Writer) {
	p := r.Power
	if p == nil || p.isLost() { // the reasons contain the fault
		return
	}
	parts := []string{p.Average.String() + " on average"}
	if p.Energy != nil {
		_, of, _ := strings.Cut(p.Energy.Name, "per ")
		parts = append(parts, p.Energy.String()+" per "+of)
	}
	if p.Token != nil {
		parts = append(parts, p.Token.String()+" per token")
	}
	if p.Efficiency != nil {
		parts = append(parts, p.Efficiency.String())
	}
	fmt.Fprintf(b, "    power: %s, %s of %s\n    %s\n", strings.Join(parts, ", "),
		figure.Plural(p.Samples, "reading"), p.Source, p.Note)
}
