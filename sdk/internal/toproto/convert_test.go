package toproto_test

import (
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/fromproto"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/toproto"
)

// fill sets every field below v to a value that is not its zero, different from field to field.
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
		if v.Type() == reflect.TypeFor[sdk.Better]() {
			ways := []sdk.Better{sdk.HigherBetter, sdk.LowerBetter, sdk.NeitherBetter}
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
	case reflect.Func: // does not cross the wire
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

// Every field of every type makes the way from one half to the other: a field that is added and not converted fails
// here.
func TestConversionsKeepEveryField(t *testing.T) {
	for name, pair := range map[string]func() (got, want any){
		"description": func() (any, any) {
			d := filled[sdk.Description]()
			return fromproto.Description(overWire(t, toproto.Description(d))), d
		},
		"workload info": func() (any, any) {
			i := filled[sdk.WorkloadInfo]()
			i.Shares, i.Remarks, i.Batching = nil, sdk.Remarks{}, sdk.Batching{} // they come with the end
			return fromproto.Info(overWire(t, toproto.Info(i))), i
		},
		"shares": func() (any, any) {
			s := filled[[]backend.Share]()
			return fromproto.Shares(overWire(t, &pluginpb.CloseResponse{Shares: toproto.Shares(s)}).Shares), s
		},
		"batching": func() (any, any) {
			b := filled[sdk.Batching]()
			return fromproto.Batching(overWire(t, &pluginpb.CloseResponse{Batching: toproto.Batching(b)}).Batching), b
		},
		"no batching": func() (any, any) {
			return fromproto.Batching(overWire(t, &pluginpb.CloseResponse{Batching: toproto.Batching(sdk.Batching{})}).Batching),
				sdk.Batching{}
		},
		"backends": func() (any, any) {
			b := filled[[]sdk.BackendInfo]()
			for i := range b {
				b[i].Shares = nil // sessions have them
			}
			return fromproto.Backends(overWire(t, &pluginpb.DescribeResponse{Backends: toproto.Backends(b)}).Backends), b
		},
		"score": func() (any, any) {
			s := filled[sdk.Score]()
			return fromproto.Score(overWire(t, toproto.Score(s))), s
		},
		"options": func() (any, any) {
			o := filled[sdk.Options]()
			return fromproto.Options(overWire(t, toproto.Options(o))), o
		},
		"score options": func() (any, any) {
			o := filled[sdk.ScoreOptions]()
			return fromproto.ScoreOptions(overWire(t, toproto.ScoreOptions(o))), o
		},
		"dataset request": func() (any, any) {
			r := filled[sdk.DatasetRequest]()
			return fromproto.DatasetRequest(overWire(t, toproto.DatasetRequest(r))), r
		},
		"entry": func() (any, any) {
			e := filled[mllog.AccuracyEntry]()
			return fromproto.Entry(overWire(t, toproto.Entry(e))), e
		},
		"entry without tokens": func() (any, any) {
			e := mllog.AccuracyEntry{Data: []byte{1}, TokenCount: -1}
			return fromproto.Entry(overWire(t, toproto.Entry(e))), e
		},
		"entry with no token bytes and no tokens": func() (any, any) {
			e := mllog.AccuracyEntry{Data: []byte{1}, TokenData: []byte{}, TokenCount: 0}
			return fromproto.Entry(overWire(t, toproto.Entry(e))), e
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
	if got := fromproto.Description(overWire(t, toproto.Description(sdk.Description{}))); !reflect.DeepEqual(got,
		sdk.Description{}) {
		t.Errorf("%+v", got)
	}
	for _, s := range loadgen.Scenarios() {
		if got := fromproto.Options(toproto.Options(sdk.Options{Scenario: s})).Scenario; got != s {
			t.Errorf("%v became %v", s, got)
		}
	}
}
