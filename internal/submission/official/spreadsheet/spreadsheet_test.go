package spreadsheet

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

type reportCase struct {
	CSV    string
	Args   []string
	Before json.RawMessage `json:"ids_before"`
	Expect struct {
		Exit    int
		Crash   string
		Results json.RawMessage `json:"results_json"`
		IDs     json.RawMessage
		Sheets  map[string][][]any
	}
}

// TestGoldenReport compares the list, the numbers and the cells with those of the official tool.
func TestGoldenReport(t *testing.T) {
	golden.Each(t, "submission/report/*/case.json", func(t *testing.T, path string) {
		var c reportCase
		golden.ReadJSON(t, path, &c)
		var o Options
		for i := 0; i+1 < len(c.Args); i += 2 {
			switch c.Args[i] {
			case "--version":
				o.Version = c.Args[i+1]
			case "--repository":
				o.Repository = c.Args[i+1]
			case "--repository-owner":
				o.Owner = c.Args[i+1]
			case "--repository-branch":
				o.Branch = c.Args[i+1]
			}
		}
		if string(c.Before) != "null" {
			o.IDs = c.Before
		}
		r, err := MakeReport(strings.NewReader(c.CSV), o)
		if c.Expect.IDs == nil && c.Expect.Exit != 0 {
			if err == nil {
				t.Errorf("want an error like %s", c.Expect.Crash)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.Expect.Exit != 0 { // the official tool ends at a sheet whose models have no column
			if len(r.Unknown) == 0 {
				t.Errorf("want a sheet without columns: %s", c.Expect.Crash)
			}
			return
		}
		if c.Expect.IDs == nil {
			return // nothing is written of an empty summary
		}
		same(t, "results", r.Results, c.Expect.Results)
		same(t, "numbers", r.IDs, c.Expect.IDs)
		sheets := map[string][][]any{}
		for _, s := range r.Sheets {
			sheets[s.Name] = s.Cells
		}
		text, err := json.Marshal(sheets)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(c.Expect.Sheets)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "sheets", text, want)
	})
}

func same(t *testing.T, what string, got, want []byte) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("%s: %v in %s", what, err, got)
	}
	if err := json.Unmarshal(want, &b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
	}
}

func TestTyped(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  []any
	}{
		{[]string{"1", "2"}, []any{int64(1), int64(2)}},
		{[]string{"1", "N/A"}, []any{1.0, ""}},
		{[]string{"1", "x"}, []any{"1", "x"}},
		{[]string{"True", "false"}, []any{true, false}},
		{[]string{"", "None"}, []any{"", ""}},
		{[]string{"1.5", "1e3"}, []any{1.5, 1000.0}},
	} {
		if got := typeColumn(c.texts); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %#v", c.texts, got)
		}
	}
}

// FuzzMake: any summary is read or refused.
func FuzzMake(f *testing.F) {
	f.Add("Organization,Division\n\"a\",\"b\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := MakeReport(strings.NewReader(text), Options{Version: "6.1"}); err == nil &&
			!strings.Contains(text, "Units") {
			t.Error("a summary without units was read")
		}
	})
}
