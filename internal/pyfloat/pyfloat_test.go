package pyfloat

import (
	"math"
	"testing"
)

func TestRepr(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0.0", math.Copysign(0, -1): "-0.0", 1: "1.0", 20000000: "20000000.0", 1e15: "1000000000000000.0", 1e16: "1e+16",
		9999999999999998: "9999999999999998.0", 1e-4: "0.0001", 9.99e-5: "9.99e-05", 1.5e300: "1.5e+300", 1e22: "1e+22",
		100:                "100.0",
		42.016806722689076: "42.016806722689076", math.Inf(1): "inf", math.Inf(-1): "-inf", math.NaN(): "nan",
	} {
		if got := Repr(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

func TestRound(t *testing.T) {
	cases := []struct {
		v      float64
		digits int
		want   float64
	}{
		{2.675, 2, 2.67}, {0.125, 2, 0.12}, {0.375, 2, 0.38}, {67.99004297311981, 4, 67.99}, {1e300, 4, 1e300},
		{math.MaxFloat64, 1, math.MaxFloat64}, {math.Inf(-1), 4, math.Inf(-1)},
	}
	for _, c := range cases {
		if got := Round(c.v, c.digits); got != c.want {
			t.Errorf("%v to %d digits: got %v, want %v", c.v, c.digits, got, c.want)
		}
	}
	if got := Round(math.NaN(), 4); !math.IsNaN(got) {
		t.Errorf("not a number gives %v", got)
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]float64{
		" 1_0 ": 10, "\x1c٣.１\u00a0": 3.1, ".5": 0.5, "5.": 5, "1e5": 1e5,
		"+inf": math.Inf(1), "-Infinity": math.Inf(-1), "1e999": math.Inf(1),
		"-nan": math.NaN(), "NAN\n": math.NaN(), "-0": math.Copysign(0, -1),
	} {
		if got, ok := Parse(text); !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "0x10", "1__0", "_1", "--5", "76.4.6", "1 2", "infin", "nan1", "1e", "76,4"} {
		if got, ok := Parse(text); ok {
			t.Errorf("%q: %v, want none", text, got)
		}
	}
}

func TestDigits(t *testing.T) {
	for text, want := range map[string]string{
		"７６.4٣": "76.43", "𝟗𝟎": "90", "²": "²", "\U00011f57": "\U00011f57", "1x": "1x",
	} {
		if got := ToASCIIDigits(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("1_0.5e-3")
	f.Add("-nan")
	f.Fuzz(func(t *testing.T, text string) {
		v, ok := Parse(text)
		if again, whole := Parse(Repr(v)); ok && (!whole || again != v && !math.IsNaN(v)) {
			t.Errorf("%q: %v, again %v", text, v, again)
		}
	})
}
