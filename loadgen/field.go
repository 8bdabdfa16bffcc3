package loadgen

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Field describes one setting: its names, its field in TestSettings, its meaning, its allowed values, and its form in
// the logs.
type Field struct {
	Name     string // the field of TestSettings
	Official string // the official LoadGen's name of it, which the logs use
	// Key is the last part of a configuration key; empty where no configuration file can set the field.
	Key string
	// Scenario is the scenario under whose name the key is read; empty: under that of the run.
	Scenario string
	Unit     string // of the value in files: "ms", "%", "queries/s", "samples", ...; empty for numbers and switches
	Doc      string
	// RulesOnly fields come from the rules' defaults; in a user.conf they are an error (the official LoadGen ignores
	// them).
	RulesOnly bool
	Form      FieldForm // how a configuration file's number becomes the value

	at        func(*TestSettings) any                // the field: *uint64, *int, *bool, *Mode, *time.Duration or *float64
	fraction  func(*TestSettings) any                // a *float64, a duration's part below a nanosecond; nil: it has none
	effective func(*EffectiveSettings) any           // points to what a run uses; nil: the value asked for
	idle      func(*TestSettings) bool               // says that a run of its scenario does not read it; nil: it does
	want      func(*faultList, Field, *TestSettings) // what the value must be by itself; nil: any will do
	log       loggingRule
	logName   string // the logs' name where it is not Official
	keys      logKeys
	fixed     boundKind // what the rules say of its value
}

// loggingRule says when the logs have a setting.
type loggingRule int

const (
	always     loggingRule = iota // in runs of its scenario
	never                         // it shows in others, or the official logs have not got it
	withTokens                    // in token runs
	lastIfUsed                    // after all others, where it counts: the settings of old rounds
)

// logKeys are the names of a setting in the logs: of what was asked for and of what is used in the detail log, and of
// the latter in the summary.
type logKeys struct{ requested, effective, parameter string }

// completeFields gives the fields the names that logs have, and finds by their own where their values are.
func completeFields(fields []Field) []Field {
	for i := range fields {
		f := &fields[i]
		f.at, f.fraction = memberPointer[TestSettings](f.Name), memberPointer[TestSettings](f.Name+"Fraction")
		f.effective = memberPointer[EffectiveSettings](strings.TrimSuffix(f.Name, "Override"))
		asked, used := f.logName, strings.TrimSuffix(f.Official, "_override")
		asked = cmp.Or(asked, f.Official)
		f.keys = logKeys{requested: "requested_" + asked, effective: "effective_" + used, parameter: used}
		if name, ok := strings.CutSuffix(used, "_ms"); ok {
			f.keys.parameter = name + " (ms)"
		}
	}
	return fields
}

// memberPointer points to the field of a name; nil: there is none.
func memberPointer[S any](name string) func(*S) any {
	field, ok := reflect.TypeFor[S]().FieldByName(name)
	if !ok {
		return nil
	}
	return func(s *S) any { return reflect.ValueOf(s).Elem().FieldByIndex(field.Index).Addr().Interface() }
}

// boundKind says which values keep the rules.
type boundKind int

const (
	free    boundKind = iota // any: the submitter's to choose
	exactly                  // the rules' own
	atLeast                  // a larger one is stricter
	atMost                   // a smaller one is stricter
)

// Fields lists all settings in the order of TestSettings. They are rows of one table, from which checks, logs,
// configuration files, reports and documents follow.
func Fields() []Field { return slices.Clone(fields) }

// At is a pointer to the field in s: a *uint64, *int, *bool, *Mode, *time.Duration or *float64.
func (f Field) At(s *TestSettings) any { return f.at(s) }

// FractionAt is a pointer to the part of an expected latency below a nanosecond in s, in [0, 1); nil where the field
// has no such part.
func (f Field) FractionAt(s *TestSettings) *float64 {
	if f.fraction == nil {
		return nil
	}
	return f.fraction(s).(*float64)
}

// Applies reports whether the field has a meaning in runs of scenario.
func (f Field) Applies(scenario Scenario) bool {
	return f.Scenario == "" || f.Scenario == scenario.String() || f.Form == TokenMillisForm && scenario != Offline
}

// Counts reports whether a run with s reads the field. The field must have a meaning in the run's scenario, must not
// belong to another mode or round, and must not concern tokens if none are measured.
func (f Field) Counts(s TestSettings) bool { return f.isCount(&s) }

func (f Field) isCount(s *TestSettings) bool {
	return f.Applies(s.Scenario) && (f.idle == nil || !f.idle(s))
}

// Keeps reports whether the value in s complies with the rules' settings of the same run: it equals theirs, is
// stricter, or is not fixed by them.
func (f Field) Keeps(rules, s TestSettings) bool {
	switch f.fixed {
	case exactly:
		return f.Text(s) == f.Text(rules)
	case atLeast:
		return f.countValue(&s) >= f.countValue(&rules)
	case atMost:
		return f.countValue(&s) <= f.countValue(&rules)
	}
	return true
}

// Allowed returns the values that the rules allow; empty: any.
func (f Field) Allowed() string {
	switch f.fixed {
	case exactly:
		return "none but the rules' own"
	case atLeast:
		return "the rules' own, or more"
	case atMost:
		return "the rules' own, or less"
	}
	return ""
}

// countValue is the value of a count or a duration, for comparison.
func (f Field) countValue(s *TestSettings) uint64 {
	if d, ok := f.at(s).(*time.Duration); ok {
		return uint64(max(0, *d))
	}
	return *f.at(s).(*uint64)
}

// UserKey is the name under which a user sets the field: its Key, or where no file can set it, Official.
func (f Field) UserKey() string {
	if f.Key == "" {
		return f.Official
	}
	return f.Key
}

// Text is the field's value in s as a configuration file writes it, in Unit.
func (f Field) Text(s TestSettings) string {
	switch p := f.at(&s).(type) {
	case *uint64:
		return strconv.FormatUint(*p, 10)
	case *int:
		return strconv.Itoa(*p)
	case *bool:
		if *p {
			return "1"
		}
		return "0"
	case *Mode:
		return strconv.Itoa(int(*p))
	case *time.Duration:
		return strconv.FormatFloat(f.fractionalNanos(&s)/1e6, 'f', -1, 64)
	case *float64:
		if f.Form == PercentForm {
			return strconv.FormatFloat(math.Round(*p*1e14)/1e12, 'f', -1, 64)
		}
		return strconv.FormatFloat(*p, 'f', -1, 64)
	}
	panic(fmt.Sprintf("loadgen: field %s has no text form", f.Name))
}

// fractionalNanos is a duration with its fraction.
func (f Field) fractionalNanos(s *TestSettings) float64 {
	ns := float64(*f.at(s).(*time.Duration))
	if f.fraction != nil {
		ns += *f.fraction(s).(*float64)
	}
	return ns
}

// isLogged says whether the logs of a run with s have the field.
func (f Field) isLogged(s *TestSettings) bool {
	switch f.log {
	case always:
		return f.Applies(s.Scenario)
	case withTokens:
		return s.UseTokenLatencies && f.Applies(s.Scenario)
	case lastIfUsed:
		return f.isCount(s)
	}
	return false
}

// isCommon says whether the logs have the field in all scenarios, as it was asked for and as it is used.
func (f Field) isCommon() bool { return f.log == always && f.Scenario == "" }

// requestedValue is the value that was asked for, as the detail log has it: durations are in the unit of Official's
// end, or in nanoseconds, with their fraction where they have one.
func (f Field) requestedValue(s *TestSettings) any {
	v := reflect.ValueOf(f.at(s)).Elem().Interface()
	d, timed := v.(time.Duration)
	switch {
	case !timed:
		return v
	case f.fraction != nil:
		return f.fractionalNanos(s)
	case strings.HasSuffix(f.Official, "_ms"):
		return wholeMillis(d)
	}
	return d.Nanoseconds()
}

// usedValue is the value that the run uses, as the detail log has it.
func (f Field) usedValue(e *EffectiveSettings, s *TestSettings) any {
	if f.effective == nil {
		return f.requestedValue(s)
	}
	v := reflect.ValueOf(f.effective(e)).Elem().Interface()
	if d, ok := v.(time.Duration); ok {
		return wholeMillis(d)
	}
	return v
}
