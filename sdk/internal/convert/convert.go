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

// To makes a T of v: a message, or a list of them, of plain Go, or the other way. It refers to v's bytes and maps. A
// list that is nil stays so, and a part of a message that would be empty is left out. TestConversionsKeepEveryField has
// every type that it is used for.
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

// fieldKey is the form that both names of a field have in common.
func fieldKey(name string) string {
	if name == "Ns" { // of a percentile, whose time is At
		return "at"
	}
	return strings.ToLower(strings.TrimSuffix(name, "Ns"))
}

// betters are the directions of metrics, by their numbers in messages; one that is not said is the first.
var betters = []sdk.MetricDirection{
	pluginpb.Better_BETTER_HIGHER: sdk.HigherBetter, pluginpb.Better_BETTER_LOWER: sdk.LowerBetter,
	pluginpb.Better_BETTER_NEITHER: sdk.NeitherBetter,
}

// enumValue is what an enum has on the other side, and anything else as it is. Scenarios are numbered from 1 in
// messages.
func enumValue(v reflect.Value) reflect.Value {
	switch of := v.Interface().(type) {
	case loadgen.Scenario:
		return reflect.ValueOf(pluginpb.Scenario(of) + pluginpb.Scenario_SCENARIO_SINGLE_STREAM)
	case pluginpb.Scenario:
		return reflect.ValueOf(loadgen.Scenario(of - pluginpb.Scenario_SCENARIO_SINGLE_STREAM))
	case sdk.MetricDirection:
		return reflect.ValueOf(pluginpb.Better(max(0, slices.Index(betters, of))))
	case pluginpb.Better:
		if of < 0 || int(of) >= len(betters) {
			of = pluginpb.Better_BETTER_HIGHER
		}
		return reflect.ValueOf(betters[of])
	}
	return v
}

// Entry makes an entry of a Score stream, which refers to e's bytes.
func Entry(e mllog.AccuracyEntry) *pluginpb.AccuracyEntry {
	m := &pluginpb.AccuracyEntry{SeqId: e.SeqID, QslIndex: e.QSLIndex, Data: e.Data, TokenData: e.TokenData}
	if e.TokenCount >= 0 {
		m.TokenCount = &e.TokenCount
	}
	return m
}

// EntryOf reads an entry of a Score stream, whose bytes it refers to.
func EntryOf(m *pluginpb.AccuracyEntry) mllog.AccuracyEntry {
	e := mllog.AccuracyEntry{
		SeqID: m.GetSeqId(), QSLIndex: m.GetQslIndex(), Data: m.GetData(), TokenData: m.GetTokenData(), TokenCount: -1,
	}
	if m.TokenCount != nil {
		e.TokenCount = m.GetTokenCount()
	}
	return e
}
