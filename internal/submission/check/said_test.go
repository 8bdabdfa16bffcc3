package check

import "testing"

// TestSaidNumbers: a text shows a number if both are equal to a thousandth, or as far as its decimals go.
func TestSaidNumbers(t *testing.T) {
	for _, c := range []struct {
		text string
		v    float64
		want bool
	}{
		{"0.81", 0.81492, true}, {"0.81", 0.80501, true}, {"0.81", 0.8155, false}, {"0.81", 0.8045, false},
		{"0.81", 0.815, true}, // logged with six digits: 0.814999 is 0.815, too
		{"0.54", 0.534999, true}, {"0.54", 0.5349, false}, {"0.53", 0.534999, true},
		{"5.37", 5.36501, true}, {"5.37", 7.82647, false}, {"5.37", 5.3, false},
		{"2.0", 2.04, true}, {"2.0", 2.06, false}, {"2.00", 2.04, false}, {"2", 2.04, false}, {"2.", 2.04, false},
		{"0.00", 0.004, true}, {"0.00", 0.006, false}, {"0", 0.3, false},
		{"458.511", 458.511, true}, {"458.511", 458.9, true}, {"454.058", 458.511, false},
		{"1.2e-1", 0.124, true}, {"1.2e-1", 0.127, false}, {"8.15e-2", 0.08154, true}, {"1.2e3", 1249, true},
		{"1.2e3", 1251, false}, {" 0.81\t", 0.81492, true}, {"-0.81", 0.81, false}, {"+0.81", 0.81492, true},
		{"0.814920000000001", 0.81492, true},
	} {
		said, ok := parsePrinted(c.text)
		if !ok || said.canShow(c.v) != c.want {
			t.Errorf("%q for %v: got %t (read: %t), want %t", c.text, c.v, said.canShow(c.v), ok, c.want)
		}
	}
	for _, text := range []string{"", "x", "1.2.3", "1e", "0.5 s", "--1"} {
		if _, ok := parsePrinted(text); ok {
			t.Errorf("%q was read", text)
		}
	}
}

// TestRoundedNumbersOfVerdicts: a mean that is printed with two decimals keeps a bound that lies below its last one.
func TestRoundedNumbersOfVerdicts(t *testing.T) {
	for _, c := range []struct {
		key, text string
		most      float64
		want      bool
	}{
		{"mean output tokens", "283.64", 283.636, true}, {"mean output tokens", "283.64", 283.6, false},
		{"mean output tokens", "283.64", 283.64, true}, {"accuracy score", "0.79", 0.786, false},
	} {
		said, _ := parsePrinted(c.text)
		if got := said.value-said.roundingSlack(c.key) <= c.most; got != c.want {
			t.Errorf("%s %s at most %v: got %t", c.key, c.text, c.most, got)
		}
	}
}
