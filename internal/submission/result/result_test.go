package result

import (
	"math"
	"strconv"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestGoldenAccuracyLines(t *testing.T) {
	golden.Each(t, "submission/tables/accuracy_lines.json", func(t *testing.T, path string) {
		var cases []struct {
			Metric, Line string
			Captured     *string
		}
		golden.ReadJSON(t, path, &cases)
		for _, c := range cases {
			got, ok := ParseAccuracy(c.Metric, c.Line)
			if ok != (c.Captured != nil) || ok && got != *c.Captured {
				t.Errorf("%s: %q is %q, %t", c.Metric, c.Line, got, ok)
			}
		}
	})
}

func TestGoldenPrivateIDs(t *testing.T) {
	golden.Each(t, "submission/tables/private_ids.json", func(t *testing.T, path string) {
		var cases []struct{ System, ID string }
		golden.ReadJSON(t, path, &cases)
		for _, c := range cases {
			if got := PrivateID(c.System); got != c.ID {
				t.Errorf("%q: %s, want %s", c.System, got, c.ID)
			}
		}
	})
}

func TestGoldenResultStrings(t *testing.T) {
	golden.Each(t, "submission/tables/result_strings.json", func(t *testing.T, path string) {
		var cases []struct {
			Value  float64 `json:"log_value"`
			Divide float64 `json:"divide_by"`
			CSV    string
		}
		golden.ReadJSON(t, path, &cases)
		for _, c := range cases {
			if got := FormatNumber(c.Value / c.Divide); got != c.CSV {
				t.Errorf("%+v: %s", c, got)
			}
		}
	})
}

func TestText(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0.0", math.Copysign(0, -1): "-0.0", 1e15: "1000000000000000.0", 1e16: "1e+16", 1e-4: "0.0001", 1e-5: "1e-05",
		-1.5: "-1.5", math.Inf(1): "inf", math.Inf(-1): "-inf", 1e100: "1e+100",
	} {
		if v == 0 && math.Signbit(v) != (want[0] == '-') {
			continue // a map has one zero
		}
		if got := FormatNumber(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

func TestRounded(t *testing.T) {
	for text, want := range map[string]string{
		"98.9995": "99.000", "98.9985": "98.998", "76.460": "76.460", "99.99951": "100.00", "0.8617": "0.86170",
		"8167644": "8167600", "0.000123455": "0.00012346", "0.000123445": "0.00012344", "12": "12.000", "1e3": "1000.0",
		"0": "0", "1e-99999999": "0", "0e99999999": "0", "-1.234565": "-1.2346", "999995": "1000000", ".5": "0.50000",
	} {
		if got, ok := RoundText(text); !ok || got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", ".", "1.2.3", "nan", "inf", "0x10", "1_0", "76%"} {
		if got, ok := RoundText(text); ok {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestHash(t *testing.T) {
	for line, want := range map[string]string{
		"hash=abc\n": "abc", "hash=": "", "hash=a-b": "", " hash=a": "", "hash=a b": "", "hash=a_1": "a_1", "hash=a\n\n": "",
	} {
		if got, ok := ParseHash(line); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %t", line, got, ok)
		}
	}
}

// FuzzRounded: what is rounded is near what was given, and rounding it again changes nothing.
func FuzzRounded(f *testing.F) {
	for _, text := range []string{"98.9995", "0.000123455", "1e300", "-5e-324", "00012.50", "."} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 400 {
			return
		}
		got, ok := RoundText(text)
		if !ok {
			return
		}
		before, _ := strconv.ParseFloat(text, 64)
		after, err := strconv.ParseFloat(got, 64)
		if err != nil || math.Abs(after-before) > 6e-5*math.Abs(before)+5e-324 {
			t.Errorf("%q became %q (%v)", text, got, err)
		}
		if again, ok := RoundText(got); !ok || again != got && after != 0 {
			t.Errorf("%q became %q, then %q", text, got, again)
		}
	})
}

// TestGoldenVideoScores reads lines of accuracy.txt as the official checker does.
func TestGoldenVideoScores(t *testing.T) {
	golden.Each(t, "wan/score*.json", func(t *testing.T, path string) {
		var all struct {
			Lines [][3]any `json:"checker_lines"`
		}
		golden.ReadJSON(t, path, &all)
		if len(all.Lines) == 0 {
			t.Fatal("no lines")
		}
		for _, c := range all.Lines {
			line, _ := c[0].(string)
			want, read := c[1].(string)
			if got, ok := ParseAccuracy("vbench_score", line); ok != read || got != want {
				t.Errorf("%s: %q, %v, want %q", line, got, ok, want)
			}
		}
	})
}
