package arrival

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
)

// LoadFlags contains the values of the flags with these names. An empty text means that the flag was not given.
type LoadFlags struct {
	Max, Replay         bool
	Rate, Concurrency   string // lists of points
	Arrival, Burstiness string
	Think, Ramp, Stages string
	Speed, From, To     string
	Turns               string
	Requests, Duration  string
	Seed                uint64
}

// ParsePatterns returns the requested points in ascending order. The error lists every fault. If no load was requested,
// it returns no points and no error.
func (f LoadFlags) ParsePatterns() ([]Pattern, error) {
	var p flagReader
	base := Pattern{Seed: f.Seed}
	p.addError(f.findKind(&base))
	p.checkConflicts(f)
	p.readCommon(f, &base)
	points := p.makePatterns(f, base)
	if err := errors.Join(p.faults...); err != nil {
		return nil, err
	}
	if base.Kind == "" {
		return nil, nil
	}
	return points, nil
}

// The turns of a session that are sent.
const (
	firstTurn = "first"
	allTurns  = "all"
)

// flagReader collects the faults of flags.
type flagReader struct{ faults []error }

func (p *flagReader) addError(err error) {
	if err != nil {
		p.faults = append(p.faults, err)
	}
}

func (p *flagReader) addErrorf(format string, args ...any) { p.addError(fmt.Errorf(format, args...)) }

// findKind sets the kind of the load.
func (f LoadFlags) findKind(p *Pattern) error {
	var asked []string
	add := func(given bool, name string, k Kind) {
		if given {
			asked = append(asked, name)
			p.Kind = k
		}
	}
	add(f.Max, "--max", Maximum)
	add(f.Replay, "--replay", Replay)
	add(f.Rate != "", "--rate", Rate)
	add(f.Stages != "", "--stages", Rate)
	if len(asked) > 1 {
		return fmt.Errorf("%s exclude each other", strings.Join(asked, " and "))
	}
	if p.Kind == "" && f.Concurrency != "" {
		p.Kind = Users
	}
	return nil
}

// checkConflicts adds faults for flags that have no meaning in combination with others.
func (p *flagReader) checkConflicts(f LoadFlags) {
	given := func(text string) bool { return text != "" }
	rate := given(f.Rate) || given(f.Stages)
	users := given(f.Concurrency) && !rate && !f.Max && !f.Replay
	for _, c := range []struct {
		given bool
		what  string
		with  bool
		wants string
	}{
		{given(f.Arrival), "--arrival", rate, "--rate or --stages"},
		{given(f.Burstiness), "--burstiness", f.Arrival == string(Gamma), "--arrival gamma"},
		{given(f.Think), "--think", users || f.Turns == allTurns, "--concurrency without a rate, or --turns all"},
		{given(f.Speed), "--speed", f.Replay, "--replay"},
		{given(f.From), "--from", f.Replay, "--replay"},
		{given(f.To), "--to", f.Replay, "--replay"},
		{given(f.Ramp), "--ramp", given(f.Rate) || users, "--rate or --concurrency"},
		{f.Turns == allTurns, "--turns all", rate || users || f.Replay, "--concurrency, --rate or --replay"},
	} {
		if c.given && !c.with {
			p.addErrorf("%s is for %s", c.what, c.wants)
		}
	}
	if f.Max && given(f.Concurrency) {
		p.addErrorf("--max and --concurrency: a maximum with so many at a time is --concurrency alone")
	}
}

// readCommon reads the options that all points share.
func (p *flagReader) readCommon(f LoadFlags, b *Pattern) {
	if b.Kind == Rate {
		b.Arrival = Poisson
	}
	switch a := Arrival(f.Arrival); a {
	case Poisson, Constant, Gamma:
		b.Arrival = a
	case "":
	default:
		p.addError(suggest.Unknown("--arrival", f.Arrival, []string{string(Poisson), string(Constant), string(Gamma)}))
	}
	if b.Arrival == Gamma {
		b.Burstiness = p.readNumber("--burstiness", f.Burstiness, 0.01, 1e6)
	}
	b.Think = p.readOptionalTime("--think", f.Think, 0)
	b.Duration = p.readOptionalTime("--duration", f.Duration, 1)
	b.From, b.To = p.readOptionalTime("--from", f.From, 0), p.readOptionalTime("--to", f.To, 1)
	if b.To > 0 && b.To <= b.From {
		p.addErrorf("--from %v and --to %v: want the end behind the beginning", b.From, b.To)
	}
	if f.Speed != "" {
		b.Speed = p.readNumber("--speed", f.Speed, 1e-6, 1e6)
	}
	if f.Requests != "" {
		n, err := strconv.Atoi(f.Requests)
		if err != nil || n < 1 || n > MostRequests {
			p.addErrorf("--requests %s: want a whole number from 1 to %d", f.Requests, MostRequests)
		}
		b.Requests = n
	}
	switch f.Turns {
	case "", firstTurn:
	case allTurns:
		b.Sessions = true
	default:
		p.addErrorf("--turns %s: want %s or %s", f.Turns, firstTurn, allTurns)
	}
	p.readRamp(f, b)
	p.readStages(f, b)
}

func (p *flagReader) readRamp(f LoadFlags, b *Pattern) {
	if f.Ramp == "" {
		return
	}
	from, over, hasRate := strings.Cut(f.Ramp, ":")
	if b.Kind == Rate != hasRate {
		p.addErrorf("--ramp %s: want FROM:TIME for a rate, such as 1:30s, or TIME for users, such as 30s", f.Ramp)
		return
	}
	if !hasRate {
		over = from
	} else if from != "0" {
		b.RampFrom = p.readNumber("--ramp", from, minRate, maxRate)
	}
	b.Ramp = p.readTime("--ramp", over, 1)
}

func (p *flagReader) readStages(f LoadFlags, b *Pattern) {
	if f.Stages == "" {
		return
	}
	some := false
	for part := range strings.SplitSeq(f.Stages, ",") {
		rate, over, ok := strings.Cut(strings.TrimSpace(part), ":")
		if !ok {
			p.addErrorf("--stages %s: %q has no time; want RATE:TIME,..., as 5:1m,20:1m", f.Stages, part)
			return
		}
		s := RateStage{For: p.readTime("--stages", over, 1)}
		if rate != "0" {
			s.PerSecond = p.readNumber("--stages", rate, minRate, maxRate)
			some = true
		}
		b.Stages = append(b.Stages, s)
	}
	if !some {
		p.addErrorf("--stages %s: want a rate above 0 in one of them", f.Stages)
	}
}

// makePatterns returns a pattern for each value.
func (p *flagReader) makePatterns(f LoadFlags, b Pattern) []Pattern {
	rates, users := []float64{0}, []float64{0}
	var err error
	if f.Rate != "" {
		rates, err = ParseLoads(f.Rate, false)
		p.addError(withFlagName("--rate", err))
	}
	if f.Concurrency != "" {
		users, err = ParseLoads(f.Concurrency, true)
		p.addError(withFlagName("--concurrency", err))
	}
	if len(rates) > 1 && len(users) > 1 {
		p.addErrorf("--rate %s and --concurrency %s: only one of them may be a list", f.Rate, f.Concurrency)
	}
	var all []Pattern
	for _, b.PerSecond = range rates {
		for _, n := range users {
			b.Users = int(n)
			all = append(all, b)
		}
	}
	return all
}

func withFlagName(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

func (p *flagReader) readNumber(flag, text string, minValue, maxValue float64) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || x < minValue || x > maxValue {
		what := fmt.Sprintf("%s %s", flag, text)
		if text == "" {
			what = flag + " is missing"
		}
		p.addErrorf("%s: want a number from %g to %g", what, minValue, maxValue)
		return 0
	}
	return x
}

// readOptionalTime returns a duration, or 0 if text is empty.
func (p *flagReader) readOptionalTime(flag, text string, minTime time.Duration) time.Duration {
	if text == "" {
		return 0
	}
	return p.readTime(flag, text, minTime)
}

// readTime returns a duration of minTime or longer.
func (p *flagReader) readTime(flag, text string, minTime time.Duration) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil || d < minTime || d > MostTime {
		what := "a time above 0"
		if minTime == 0 {
			what = "a time"
		}
		p.addErrorf("%s %s: want %s, up to %v, such as 500ms, 30s or 2m", flag, text, what, MostTime)
		return 0
	}
	return d
}

// MostTime is the maximum of each duration.
const MostTime = 30 * 24 * time.Hour
