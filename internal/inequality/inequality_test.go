package inequality

import "testing"

func TestCut(t *testing.T) {
	for text, want := range map[string][3]string{
		"p99 < 12ms": {"p99", "<", "12ms"}, "a>=b": {"a", ">=", "b"}, " x == 1 ": {"x", "==", "1"},
		"x!=1": {"x", "!=", "1"}, "a < b > c": {"a", "<", "b > c"}, "<=": {"", "<=", ""},
	} {
		left, op, right, ok := CutOperator(text)
		if got := [3]string{left, string(op), right}; !ok || got != want {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "p99 12ms", "a = b", "a ! b"} {
		if left, op, _, ok := CutOperator(text); ok || left != text {
			t.Errorf("%q: %q %q", text, left, op)
		}
	}
}

func TestHolds(t *testing.T) {
	for op, want := range map[Operator][3]bool{ // 1, 2 and 3 against 2
		Greater: {false, false, true}, GreaterOrEqual: {false, true, true}, Less: {true, false, false}, LessOrEqual: {true,
			true, false},
		Equal: {false, true, false}, NotEqual: {true, false, true},
	} {
		for i, v := range []float64{1, 2, 3} {
			if op.Holds(v, 2) != want[i] {
				t.Errorf("%v %s 2 is %v", v, op, !want[i])
			}
		}
	}
}

func TestParseQuantity(t *testing.T) {
	for text, want := range map[string]Quantity{
		"12ms": {Value: 12, Unit: "ms"}, "0.25 s": {Value: 0.25, Unit: "s"}, "+5%": {Value: 5, Unit: "%", Signed: true},
		"-1": {Value: -1, Signed: true}, "3e2 tokens/s": {Value: 300, Unit: "tokens/s"}, "99.9 %": {Value: 99.9, Unit: "%"},
	} {
		got, ok := ParseQuantity(text)
		got.digits = ""
		if !ok || got != want {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "fast", "ms", "1e999", "NaN", "Inf", "+", "1 2"} {
		if got, ok := ParseQuantity(text); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for text, want := range map[string]float64{"99.9": 0.999, "0.1": 0.001, "1e2": 1, "7": 0.07} {
		if q, _ := ParseQuantity(text); q.ScaledValue(-2) != want {
			t.Errorf("%s %% is %v, want %v", text, q.ScaledValue(-2), want)
		}
	}
}
