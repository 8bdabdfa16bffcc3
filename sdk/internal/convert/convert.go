// Package convert converts the messages of plugin.proto to plain Go and back, matching fields by name.
//
// In scope: names in another case, numbers of another size, durations and their nanoseconds (min_ns), enums, lists. Out
// of scope: fields of one side only.
package convert

import (
	"reflect"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// To converts v to a T: a message, or a list of messages, to plain Go types or in the other direction. The result
// refers to v's bytes and maps. A nil list stays nil, and empty parts of a message are omitted.
// TestConversionsKeepEveryField covers all types with which it is used.
func To[T any](v any) (t T) {
	setValue(reflect.ValueOf(&t).Elem(), reflect.ValueOf(v))
	return t
}

func setValue(to, from reflect.Value) {
	switch {
	case to.Type() == from.Type():
		to.Set(from)
	case from.Kind() == reflect.Pointer:
		if !from.IsNil() {
			setValue(to, from.Elem())
		}
	case to.Kind() == reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		setValue(to.Elem(), from)
	case to.Kind() == reflect.Struct:
		setFields(to, from)
	case to.Kind() == reflect.Slice:
		if !from.IsNil() {
			to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
			for i := range from.Len() {
				setValue(to.Index(i), from.Index(i))
			}
		}
	default:
		to.Set(enumValue(from).Convert(to.Type()))
	}
}

func setFields(to, from reflect.Value) {
	for _, f := range reflect.VisibleFields(to.Type()) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		same := from.FieldByNameFunc(func(name string) bool { return fieldKey(name) == fieldKey(f.Name) })
		if same.IsValid() && (same.Kind() != reflect.Struct || !same.IsZero()) {
			setValue(to.FieldByIndex(f.Index), same)
		}
	}
}

// fieldKey returns the common form of both names of a field.
func fieldKey(name string) string {
	if name == "Ns" { // in a percentile, whose time is At
		return "at"
	}
	return strings.ToLower(strings.TrimSuffix(name, "Ns"))
}

// metricDirections lists the directions of metrics by their numbers in messages. The first one is the default.
var metricDirections = []sdk.MetricDirection{
	pluginpb.Better_BETTER_HIGHER: sdk.HigherBetter, pluginpb.Better_BETTER_LOWER: sdk.LowerBetter,
	pluginpb.Better_BETTER_NEITHER: sdk.NeitherBetter,
}

// enumValue converts an enum to its type on the other side, and returns other values unchanged. In messages, scenarios
// are numbered from 1.
func enumValue(v reflect.Value) reflect.Value {
	switch of := v.Interface().(type) {
	case loadgen.Scenario:
		return reflect.ValueOf(pluginpb.Scenario(of) + pluginpb.Scenario_SCENARIO_SINGLE_STREAM)
	case pluginpb.Scenario:
		return reflect.ValueOf(loadgen.Scenario(of - pluginpb.Scenario_SCENARIO_SINGLE_STREAM))
	case sdk.MetricDirection:
		return reflect.ValueOf(pluginpb.Better(max(0, slices.Index(metricDirections, of))))
	case pluginpb.Better:
		if of < 0 || int(of) >= len(metricDirections) {
			of = pluginpb.Better_BETTER_HIGHER
		}
		return reflect.ValueOf(metricDirections[of])
	}
	return v
}

// Entry returns an entry of a Score stream. It refers to e's bytes.
func Entry(e mllog.AccuracyEntry) *pluginpb.AccuracyEntry {
	m := &pluginpb.AccuracyEntry{SeqId: e.SeqID, QslIndex: e.QSLIndex, Data: e.Data, TokenData: e.TokenData}
	if e.TokenCount >= 0 {
		m.TokenCount = &e.TokenCount
	}
	return m
}

// EntryOf returns the content of an entry of a Score stream. It refers to m's bytes.
func EntryOf(m *pluginpb.AccuracyEntry) mllog.AccuracyEntry {
	e := mllog.AccuracyEntry{
		SeqID: m.GetSeqId(), QSLIndex: m.GetQslIndex(), Data: m.GetData(), TokenData: m.GetTokenData(), TokenCount: -1,
	}
	if m.TokenCount != nil {
		e.TokenCount = m.GetTokenCount()
	}
	return e
}
