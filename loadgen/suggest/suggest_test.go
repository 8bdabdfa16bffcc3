package suggest

import (
	"fmt"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"resnet50", "mobilenet", "Offline", "performance_sample_count_override", "ort",
		strings.Repeat("resnet50", 13) + "s"}
	cases := map[string]string{
		"resnet": "resnet50", "resnt50": "resnet50", "OFFLINE": "Offline", "ofline": "Offline", "bert": "", "": "", "x": "",
		"ofrfline": "Offline", "otr": "ort",
		"performance_sample_count": "performance_sample_count_override", strings.Repeat("resnet50", 13): "",
	}
	for name, want := range cases {
		if got := Nearest(name, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprintf("ttft.number%02d", i))
	}
	cases := []struct {
		name  string
		known []string
		want  string
	}{
		{"ort2", []string{"ort", "null"}, `unknown backend "ort2"; did you mean "ort"? (known: ort, null)`},
		{"x", []string{"ort", "null"}, `unknown backend "x" (known: ort, null)`},
		{"x", nil, `unknown backend "x"`},
		{"p99", []string{"ttft.p99", "x", "e2e.P99"},
			`unknown backend "p99"; did you mean "ttft.p99" or "e2e.P99"? (known: ttft.p99, x, e2e.P99)`},
		{"number07", many, `unknown backend "number07"; did you mean "ttft.number07"?`},
		{"ttft.nunber07", many, `unknown backend "ttft.nunber07"; did you mean "ttft.number07"?`},
		{"x", many, `unknown backend "x" (known: ` + strings.Join(many[:12], ", ") + `, and 18 more)`},
	}
	for _, c := range cases {
		if got := Unknown("backend", c.name, c.known).Error(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func FuzzDistance(f *testing.F) {
	f.Add("resnet50", "resnet")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, a, b string) {
		d := editDistance(a, b)
		if d != editDistance(b, a) || d > max(len(a), len(b)) || d < max(len(a)-len(b), len(b)-len(a)) ||
			(d == 0) != (a == b) {
			t.Errorf("distance(%q, %q) = %d", a, b, d)
		}
	})
}
