package convert_test

import (
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/convert"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// fill sets every field below v to a non-zero value that differs from field to field.
func fill(v reflect.Value, next *int) {
	*next++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), next)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), next)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, next)
		fill(value, next)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		if v.Type() == reflect.TypeFor[sdk.MetricDirection]() {
			ways := []sdk.MetricDirection{sdk.HigherBetter, sdk.LowerBetter, sdk.NeitherBetter}
			v.SetString(string(ways[*next%len(ways)]))
			return
		}
		v.SetString("text" + string(rune('a'+*next%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(float64(*next) + 0.5)
	case reflect.Uint8:
		v.SetUint(uint64(*next % 256))
	case reflect.Uint64:
		v.SetUint(uint64(*next))
	case reflect.Func: // functions are not sent
	default:
		if v.Type() == reflect.TypeFor[loadgen.Scenario]() {
			v.SetInt(int64(*next % len(loadgen.Scenarios())))
			return
		}
		v.SetInt(int64(*next))
	}
}

func filled[T any]() T {
	var v T
	next := 0
	fill(reflect.ValueOf(&v).Elem(), &next)
	return v
}

// overWire encodes and decodes a message.
func overWire[M proto.Message](t *testing.T, m M) M {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	back := m.ProtoReflect().New().Interface().(M)
	if err := proto.Unmarshal(b, back); err != nil {
		t.Fatal(err)
	}
	return back
}

// crosses returns a value after conversion to a message, transport and conversion back, and the original value.
func crosses[M proto.Message, T any](t *testing.T, v T) (got, want any) {
	t.Helper()
	return convert.To[T](overWire(t, convert.To[M](v))), v
}

// Every field of every type must be preserved. A new field that is not converted fails here.
func TestConversionsKeepEveryField(t *testing.T) {
	for name, pair := range map[string]func() (got, want any){
		"description": func() (any, any) { return crosses[*pluginpb.Description](t, filled[sdk.Description]()) },
		"workload info": func() (any, any) {
			i := filled[sdk.WorkloadInfo]()
			i.Shares, i.RunNotes, i.Batching = nil, sdk.RunNotes{}, sdk.BatchingReport{} // set at the end of a run
			return crosses[*pluginpb.WorkloadInfo](t, i)
		},
		"shares": func() (any, any) {
			s := filled[[]backend.WorkShare]()
			r := overWire(t, &pluginpb.CloseResponse{Shares: convert.To[[]*pluginpb.Share](s)})
			return convert.To[[]backend.WorkShare](r.Shares), s
		},
		"batching":    func() (any, any) { return crosses[*pluginpb.Batching](t, filled[sdk.BatchingReport]()) },
		"no batching": func() (any, any) { return crosses[*pluginpb.Batching](t, sdk.BatchingReport{}) },
		"no message": func() (any, any) {
			return convert.To[sdk.BatchingReport]((*pluginpb.Batching)(nil)), sdk.BatchingReport{}
		},
		"backends": func() (any, any) {
			b := filled[[]sdk.BackendInfo]()
			for i := range b {
				b[i].Shares = nil // only sessions have them
			}
			r := overWire(t, &pluginpb.DescribeResponse{Backends: convert.To[[]*pluginpb.BackendInfo](b)})
			return convert.To[[]sdk.BackendInfo](r.Backends), b
		},
		"score":           func() (any, any) { return crosses[*pluginpb.Score](t, filled[sdk.Score]()) },
		"options":         func() (any, any) { return crosses[*pluginpb.OpenRequest](t, filled[sdk.Options]()) },
		"score options":   func() (any, any) { return crosses[*pluginpb.ScoreOptions](t, filled[sdk.ScoreOptions]()) },
		"dataset request": func() (any, any) { return crosses[*pluginpb.DatasetRequest](t, filled[sdk.DatasetRequest]()) },
		"entry": func() (any, any) {
			e := filled[mllog.AccuracyEntry]()
			return convert.EntryOf(overWire(t, convert.Entry(e))), e
		},
		"entry without tokens": func() (any, any) {
			e := mllog.AccuracyEntry{Data: []byte{1}, TokenCount: -1}
			return convert.EntryOf(overWire(t, convert.Entry(e))), e
		},
		"entry with no token bytes and no tokens": func() (any, any) {
			e := mllog.AccuracyEntry{Data: []byte{1}, TokenData: []byte{}, TokenCount: 0}
			return convert.EntryOf(overWire(t, convert.Entry(e))), e
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, want := pair(); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestAnEmptyDescription(t *testing.T) {
	if got, want := crosses[*pluginpb.Description](t, sdk.Description{}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	for _, s := range loadgen.Scenarios() {
		if got := convert.To[sdk.Options](convert.To[*pluginpb.OpenRequest](sdk.Options{Scenario: s})).Scenario; got != s {
			t.Errorf("%v became %v", s, got)
		}
	}
}
