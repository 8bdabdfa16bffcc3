package plan

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record/export"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// TestEveryFlagFillsOneField checks that each flag has a text, a group and its own field, and that a value of the flag
// sets the field.
func TestEveryFlagFillsOneField(t *testing.T) {
	var r Request
	seen := map[any]string{}
	for _, f := range r.Flags() {
		if other, twice := seen[f.Field]; twice {
			t.Errorf("--%s and --%s fill the same field", f.Name, other)
		}
		seen[f.Field] = f.Name
		if f.Help == "" || strings.Contains(f.Help, "[rounds]") {
			t.Errorf("--%s: help %q", f.Name, f.Help)
		}
		if f.Topic == "" {
			t.Errorf("--%s: it stands under no topic", f.Name)
		}
		switch f.Group {
		case SettingFlags, WorkloadFlags, RunFlags, OutputFlags, GoalFlags, PluginFlags:
		default:
			t.Errorf("--%s: unknown group %q", f.Name, f.Group)
		}
		before := r
		fill(t, f)
		if reflect.DeepEqual(before, r) {
			t.Errorf("--%s fills no field of the request", f.Name)
		}
		r = Request{}
	}
	if len(seen) < 40 {
		t.Errorf("%d flags, want those of harness run", len(seen))
	}
}

// fill sets the field of a flag to a value.
func fill(t *testing.T, f Flag) {
	t.Helper()
	switch field := f.Field.(type) {
	case *string:
		*field = "x"
	case *[]string:
		*field = []string{"x"}
	case *int:
		*field = 1
	case *bool:
		*field = true
	case *time.Duration:
		*field = time.Second
	case *mlconf.SystemType:
		*field = mlconf.Edge
	case *[]export.Format:
		*field = []export.Format{export.JSONL()}
	default:
		t.Errorf("--%s: a field of type %T, which no command line can fill", f.Name, field)
	}
}

// TestNumbersAboveZero checks that flags for numbers above 0 reject lower numbers, those of the data first.
func TestNumbersAboveZero(t *testing.T) {
	r := Request{Data: Data{Count: -1}, Model: Model{Batch: -2, Sessions: -3, Threads: -4}}
	want := []string{"--count -1", "--batch -2", "--sessions -3", "--threads -4"}
	got := r.checkNumbers()
	if len(got) != len(want) {
		t.Fatalf("found %v, want %q", got, want)
	}
	for i, err := range got {
		if err.Error() != want[i]+": want a number above 0" {
			t.Errorf("found %v, want %s", err, want[i])
		}
	}
	for _, f := range r.Flags() {
		if _, number := f.Field.(*int); f.Positive && !number {
			t.Errorf("--%s is no number, and is to be above 0", f.Name)
		}
	}
}

// TestSectionsAreSmall limits the number of fields in each section of a request.
func TestSectionsAreSmall(t *testing.T) {
	const most = 25
	sections := reflect.TypeFor[Request]()
	for i := range sections.NumField() {
		if s := sections.Field(i); s.Type.Kind() != reflect.Struct || s.Type.NumField() > most {
			t.Errorf("%s: a %v, want a section of at most %d fields", s.Name, s.Type, most)
		}
	}
}

// TestReadFlags parses groups, names, and help texts of several lines.
func TestReadFlags(t *testing.T) {
	got := readFlags("about the text\n\n# one: a group\n\na: Load\n    `N` of\n    these\n\n" +
		"b: Load, rarely\n    of [rounds]\n\n# two: another\n\nc: Results\n    x")
	if len(got) != 3 {
		t.Fatalf("found %+v, want three flags", got)
	}
	for i, want := range []Flag{
		{Name: "a", Help: "`N` of\nthese", Group: "one", Topic: "Load"},
		{Name: "b", Help: "of v6.1, ", Group: "one", Topic: "Load", Rarely: true},
		{Name: "c", Help: "x", Group: "two", Topic: "Results"},
	} {
		f := got[i]
		begins := strings.HasPrefix(f.Help, want.Help)
		if f.Help = want.Help; f != want || !begins {
			t.Errorf("found %+v, want %+v", got[i], want)
		}
	}
}
