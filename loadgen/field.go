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
	Name     string // name of the field in TestSettings
	Official string // the official LoadGen's name, used in the logs
	// Key is the last part of a configuration key. It is empty if no configuration file can set the field.
	Key string
	// Scenario is the scenario in the field's configuration keys. Empty means the scenario of the run.
	Scenario string
	Unit     string // unit of the value in files: "ms", "%", "queries/s", "samples", ...; empty for numbers and switches
	Doc      string
	// RulesOnly fields come from the rules' defaults. In a user.conf they are an error (the official LoadGen ignores
	// them).
	RulesOnly bool
	Form      FieldForm // how a number in a configuration file is converted to the value

	valuePointer     func(*TestSettings) any                // pointer to the field, with a type as in Field.At
	fractionPointer  func(*TestSettings) any                // pointer to a fraction of a ns, a *float64; nil: none
	effectivePointer func(*EffectiveSettings) any           // pointer to the effective value; nil: the requested one
	isIgnored        func(*TestSettings) bool               // whether a run of its scenario ignores the field; nil: never
	check            func(*faultList, Field, *TestSettings) // adds a fault if the value is not allowed; nil: any is
	logRule          loggingRule
	logName          string // name in the logs if it is not Official
	logKeys          logKeys
	bound            boundKind // how the rules restrict the value
}

// loggingRule determines which logs contain a setting.
type loggingRule int

const (
	logAlways     loggingRule = iota // in runs of its scenario
	logNever                         // not as a setting: other settings show it, or the official logs lack it
	logWithTokens                    // in token runs
	logLastIfUsed                    // after all others and only if it has an effect: settings of old rounds
)

// logKeys contains the names of a setting in the logs: of the requested and the effective value in the detail log, and
// of the effective value in the summary.
type logKeys struct{ requested, effective, parameter string }

// completeFields sets the fields' names in the logs and the pointers to their values, which it finds by their names.
func completeFields(fields []Field) []Field {
	for i := range fields {
		f := &fields[i]
		f.valuePointer = memberPointer[TestSettings](f.Name)
		f.fractionPointer = memberPointer[TestSettings](f.Name + "Fraction")
		f.effectivePointer = memberPointer[EffectiveSettings](strings.TrimSuffix(f.Name, "Override"))
		asked, used := f.logName, strings.TrimSuffix(f.Official, "_override")
		asked = cmp.Or(asked, f.Official)
		f.logKeys = logKeys{requested: "requested_" + asked, effective: "effective_" + used, parameter: used}
		if name, ok := strings.CutSuffix(used, "_ms"); ok {
			f.logKeys.parameter = name + " (ms)"
		}
	}
	return fields
}

// memberPointer returns a function that points to the field with a name, or nil if there is none.
func memberPointer[S any](name string) func(*S) any {
	field, ok := reflect.TypeFor[S]().FieldByName(name)
	if !ok {
		return nil
	}
	return func(s *S) any { return reflect.ValueOf(s).Elem().FieldByIndex(field.Index).Addr().Interface() }
}

// boundKind determines which values comply with the rules.
type boundKind int

const (
	anyValue   boundKind = iota // any value: the submitter's choice
	exactValue                  // only the rules' value
	minValue                    // larger values are stricter
	maxValue                    // smaller values are stricter
)

// Fields lists all settings in the order of TestSettings. Checks, logs, configuration files, reports and documents are
// derived from this table.
func Fields() []Field { return slices.Clone(fields) }

// At returns a pointer to the field in s: a *uint64, *int, *bool, *Mode, *time.Duration or *float64.
func (f Field) At(s *TestSettings) any { return f.valuePointer(s) }

// FractionAt returns a pointer to the fraction of a nanosecond, in [0, 1), of an expected latency in s. It returns nil
// if the field has no such fraction.
func (f Field) FractionAt(s *TestSettings) *float64 {
	if f.fractionPointer == nil {
		return nil
	}
	return f.fractionPointer(s).(*float64)
}

// Applies reports whether the field has a meaning in runs of scenario.
func (f Field) Applies(scenario Scenario) bool {
	return f.Scenario == "" || f.Scenario == scenario.String() || f.Form == TokenMillisForm && scenario != Offline
}

// Counts reports whether a run with s reads the field. The field must have a meaning in the run's scenario, must not
// belong to another mode or round, and must not concern tokens if none are measured.
func (f Field) Counts(s TestSettings) bool { return f.isRead(&s) }

func (f Field) isRead(s *TestSettings) bool {
	return f.Applies(s.Scenario) && (f.isIgnored == nil || !f.isIgnored(s))
}

// Keeps reports whether the value in s complies with the rules' settings of the same run: it equals theirs, is
// stricter, or is not fixed by them.
func (f Field) Keeps(rules, s TestSettings) bool {
	switch f.bound {
	case exactValue:
		return f.Text(s) == f.Text(rules)
	case minValue:
		return f.countValue(&s) >= f.countValue(&rules)
	case maxValue:
		return f.countValue(&s) <= f.countValue(&rules)
	}
	return true
}

// Allowed returns the values that the rules allow; empty: any.
func (f Field) Allowed() string {
	switch f.bound {
	case exactValue:
		return "none but the rules' own"
	case minValue:
		return "the rules' own, or more"
	case maxValue:
		return "the rules' own, or less"
	}
	return ""
}

// countValue returns the value of a count or a duration for comparison.
func (f Field) countValue(s *TestSettings) uint64 {
	if d, ok := f.valuePointer(s).(*time.Duration); ok {
		return uint64(max(0, *d))
	}
	return *f.valuePointer(s).(*uint64)
}

// UserKey returns the name with which a user sets the field: its Key, or Official if no file can set it.
func (f Field) UserKey() string {
	if f.Key == "" {
		return f.Official
	}
	return f.Key
}

// Text returns the field's value in s in the form of a configuration file, in Unit.
func (f Field) Text(s TestSettings) string {
	switch p := f.valuePointer(&s).(type) {
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

// fractionalNanos returns a duration with its fraction, in nanoseconds.
func (f Field) fractionalNanos(s *TestSettings) float64 {
	ns := float64(*f.valuePointer(s).(*time.Duration))
	if f.fractionPointer != nil {
		ns += *f.fractionPointer(s).(*float64)
	}
	return ns
}

// isLogged reports whether the logs of a run with s contain the field.
func (f Field) isLogged(s *TestSettings) bool {
	switch f.logRule {
	case logAlways:
		return f.Applies(s.Scenario)
	case logWithTokens:
		return s.UseTokenLatencies && f.Applies(s.Scenario)
	case logLastIfUsed:
		return f.isRead(s)
	}
	return false
}

// isCommon reports whether the logs of all scenarios contain the field's requested and effective value.
func (f Field) isCommon() bool { return f.logRule == logAlways && f.Scenario == "" }

// requestedValue returns the requested value in the form of the detail log. Durations are in the unit in Official's
// name, or else in nanoseconds with their fraction if they have one.
func (f Field) requestedValue(s *TestSettings) any {
	v := reflect.ValueOf(f.valuePointer(s)).Elem().Interface()
	d, timed := v.(time.Duration)
	switch {
	case !timed:
		return v
	case f.fractionPointer != nil:
		return f.fractionalNanos(s)
	case strings.HasSuffix(f.Official, "_ms"):
		return wholeMillis(d)
	}
	return d.Nanoseconds()
}

// usedValue returns the value that the run uses, in the form of the detail log.
func (f Field) usedValue(e *EffectiveSettings, s *TestSettings) any {
	if f.effectivePointer == nil {
		return f.requestedValue(s)
	}
	v := reflect.ValueOf(f.effectivePointer(e)).Elem().Interface()
	if d, ok := v.(time.Duration); ok {
		return wholeMillis(d)
	}
	return v
}
