package option

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestParams(t *testing.T) {
	p := NewParams(map[string]string{
		"name": "n", "count": "3", "share": "0.5", "any": "-1e9", "on": "true", "colour": "red", "word": "ab", "none": "",
	})
	if p.Text("name") != "n" || p.Text("absent") != "" || p.Int("count", 1, 3) != 3 || p.Float("share", 0, 1) != 0.5 ||
		p.Float("any", math.Inf(-1), math.Inf(1)) != -1e9 || !p.Bool("on") ||
		Pick(p, "colour", map[string]int{"red": 1}) != 1 ||
		Parse(p, "word", func(s string) (int, error) { return len(s), nil }) != 2 ||
		Pick(p, "none", map[string]int{"": 7}) != 7 {
		t.Error("other values")
	}
	if err := p.Err(); err != nil {
		t.Error(err)
	}
}

func TestParamsReportEveryFault(t *testing.T) {
	p := NewParams(map[string]string{"count": "0", "share": "nan", "on": "maybe", "colour": "blue", "word": "ab"})
	if p.Int("count", 1, 3) != 0 || p.Float("share", 0, 1) != 0 || p.Bool("on") ||
		Pick(p, "colour", map[string]int{"red": 1, "green": 2}) != 0 {
		t.Error("a value that cannot be read is not zero")
	}
	p.Int("absent", 1, 3)
	Pick(p, "on", map[string]int{"": 1, "off": 2})
	Parse(p, "word", func(string) (int, error) { return 7, errors.New("want another") })
	p.AddFault("word", nil)
	want := []string{
		`parameter count = "0": want a number from 1 to 3`, `parameter share = "nan": want a number from 0 to 1`,
		`parameter on = "maybe": want true or false`, `parameter colour = "blue": want one of green, red`,
		`parameter absent = "": want a number from 1 to 3`, `parameter on = "maybe": want one of off`,
		`parameter word = "ab": want another`,
	}
	if err := p.Err(); err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("got\n%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
}

func FuzzParams(f *testing.F) {
	f.Add("1")
	f.Add("-0x1p-2")
	f.Add("true")
	f.Fuzz(func(t *testing.T, value string) {
		p := NewParams(map[string]string{"p": value})
		if n := p.Int("p", -5, 5); n < -5 || n > 5 {
			t.Errorf("%q is %d", value, n)
		}
		if v := p.Float("p", 0, 1); !(v >= 0 && v <= 1) {
			t.Errorf("%q is %v", value, v)
		}
	})
}
