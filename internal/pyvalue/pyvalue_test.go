package pyvalue

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
)

func decoded(t *testing.T, text string) any {
	t.Helper()
	v, err := Decode(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// TestText compares with texts that Python 3.11 printed.
func TestText(t *testing.T) {
	for text, want := range map[string][2]string{
		`{"b": 1, "a": [1.0, "x", null], "b": true}`: {
			`{'b': True, 'a': [1.0, 'x', None]}`, `{"b": true, "a": [1.0, "x", null]}`},
		`["it's", "a\"b", "it's \"", "\n\\\u0007é\u200b"]`: {`["it's", 'a"b', 'it\'s "', '\n\\\x07é\u200b']`,
			`["it's", "a\"b", "it's \"", "\n\\\u0007\u00e9\u200b"]`},
		`123456789012345678901234567890`: {"123456789012345678901234567890", "123456789012345678901234567890"},
		`-0`:                             {"0", "0"},
		`1e5`:                            {"100000.0", "100000.0"},
		`NaN`:                            {"nan", "NaN"},
		`-Infinity`:                      {"-inf", "-Infinity"},
		`"\ud83d\ude00"`:                 {"😀", `"\ud83d\ude00"`},
		`[]`:                             {"[]", "[]"},
		` {} `:                           {"{}", "{}"},
	} {
		v := decoded(t, text)
		if Text(v) != want[0] || JSON(v) != want[1] {
			t.Errorf("%s: %s and %s, want %s", text, Text(v), JSON(v), want)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{"", "\ufeff{}", "{", "[1,]", "[,1]", `{"a":1,}`, `{"a"}`, `{1:2}`,
		"01", "1 2", "+1", ".5", "nan", "tru",
		"\"\n\"", `"\x"`, `"\u12"`, "-", `"`, strings.Repeat("[", 2000), strings.Repeat("1", 5000)} {
		if v, err := Decode(text); err == nil {
			t.Errorf("%.20q is %v", text, v)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		a, b string
		less bool
	}{
		{"1", "2", true}, {"2", "1.5", false}, {"9007199254740993", "9007199254740992.0", false}, {"true", "2", true},
		{"NaN", "1", false}, {"1", "NaN", false}, {"1", "Infinity", true}, {"-Infinity", "18446744073709551616", true},
	} {
		if less, err := Less(decoded(t, c.a), decoded(t, c.b)); less != c.less || err != nil {
			t.Errorf("%+v: %t, %v", c, less, err)
		}
	}
	for _, text := range []string{"null", `"5"`, "[]", "{}"} {
		if _, err := Less(decoded(t, text), int64(5)); !errors.Is(err, ErrType) {
			t.Errorf("%s: %v", text, err)
		}
	}
	const seed = 16159082839903944936
	if !Equal(decoded(t, "16159082839903944936"), seed) || Equal(1.6159082839903945e19, seed) ||
		!Equal(true, 1) || Equal("1", 1) {
		t.Error("equal")
	}
}

func TestConversions(t *testing.T) {
	for text, want := range map[string]string{
		`"2"`: "2", `" +1_0 "`: "10", "2.9": "2", "true": "1",
		`"2.0"`: "", `"N/A"`: "", `"one"`: "", "null": "", "NaN": "", "[]": "",
		`"1__0"`: "", `"_1"`: "", `"--1"`: "", `""`: "",
	} {
		n, err := Int(decoded(t, text))
		if (err == nil) != (want != "") || err == nil && n.String() != want {
			t.Errorf("%s: %v, %v", text, n, err)
		}
	}
	if f, err := Float("1_0.5"); f != 10.5 || err != nil {
		t.Error(f, err)
	}
	if _, err := Float(decoded(t, "1"+strings.Repeat("0", 400))); err == nil {
		t.Error("a double of 10^400")
	}
	if q, err := Divide(decoded(t, "9007199254740993"), int64(1)); q != 9007199254740992 || err != nil {
		t.Error(q, err)
	}
	if _, err := Divide("8", int64(2)); err == nil {
		t.Error("a quotient of a text")
	}
	if _, err := Divide(int64(1), int64(0)); err == nil {
		t.Error("a quotient by zero")
	}
	if v, err := Times(decoded(t, "263229323"), 8); v != int64(2105834584) || err != nil {
		t.Error(v, err)
	}
	for _, v := range []any{int64(0), new(big.Int), "", nil, []any{}, NewDict(), 0.0, false} {
		if IsTrue(v) {
			t.Errorf("%v is true", v)
		}
	}
	for _, v := range []any{int64(1), big.NewInt(-1), "false", []any{nil}, math.NaN(), true} {
		if !IsTrue(v) {
			t.Errorf("%v is not true", v)
		}
	}
}

// FuzzDecode checks that values of encoding/json are read equally, and that written JSON is read again.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5e-3,"\u00e9\ud800"],"b":null}`, `[NaN]`, `"\ud83d\ude00"`, "-0.0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Decode(text)
		if _, errShort := DecodeShort(text); (errShort == nil) != (err == nil) {
			t.Errorf("%q: %v, and short %v", text, err, errShort)
		}
		var want any
		if json.Unmarshal([]byte(text), &want) == nil && err != nil && len(text) < 900 {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil || strings.Contains(text, `\u`) || strings.ToValidUTF8(text, "") != text {
			return
		}
		if again, err := Decode(JSON(v)); err != nil || JSON(again) != JSON(v) {
			t.Errorf("%q became %s, then %v (%v)", text, JSON(v), again, err)
		}
		Text(v)
	})
}
