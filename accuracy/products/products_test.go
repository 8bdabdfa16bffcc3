package products

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// answered returns a valid answer. It contains category twice, and the second value replaces the first.
func answered(value string) string {
	return fmt.Sprintf(`{"category": %s, "category": "A", "brand": "b", "is_secondhand": true}`, value)
}

// TestParseAtItsLimits compares results with those of pydantic 2.14.4.
func TestParseAtItsLimits(t *testing.T) {
	nested := func(n int, open, inner, end string) string {
		return answered(strings.Repeat(open, n) + inner + strings.Repeat(end, n))
	}
	for text, ok := range map[string]bool{
		nested(200, "[", "", "]"):                                     true, // empty lists do not count as nested
		nested(201, "[", "", "]"):                                     false,
		nested(199, `{"a":`, "1", "}"):                                true,
		nested(200, `{"a":`, "1", "}"):                                false,
		nested(1000000, "[", "", "]"):                                 false,
		nested(1000000, `{"a":`, "1", "}"):                            false,
		strings.Repeat("{", 1000000):                                  false,
		"```json\n" + answered("1") + "\n```":                         false,
		"Sure: " + answered("1"):                                      false,
		`{"category":"a","brand":"b","is_secondhand":true,"price":1}`: false,
		answered(strings.Repeat("1", 4300)):                           true,
		answered(strings.Repeat("1", 4301)):                           false,
		answered("1e999"):                                             true,
		answered("-Infinity"):                                         true,
		answered("-NaN"):                                              false,
		answered("0."):                                                false,
		answered("1e"):                                                false,
		answered("-"):                                                 false,
		answered("1E+5"):                                              true,
		answered(`"\ud83d\ude00"`):                                    true,
		answered(`"\ud83dx"`):                                         false,
		answered(`"\ude00"`):                                          false,
		answered(`"\u+123"`):                                          false,
		answered("\"\x7f\""):                                          true,
		answered("\"\x1f\""):                                          false,
		answered(`"\v"`):                                              false,
		answered("[1,]"):                                              false,
		answered(`{"a":1,}`):                                          false,
		answered("[1 2]"):                                             false,
		answered("nul"):                                               false,
		answered("1") + "\f":                                          false,
		"\ufeff" + answered("1"):                                      false,
		`{"category":"a","brand":"b"}`:                                false,
		`{"category":"a","brand":"b","is_secondhand":`:                false,
		`{"categor\u0079":"a","brand":"b","is_secondhand":0e99999}`: true,
		`{"category":"a","brand":"b","is_secondhand":NaN}`:          false,
		`{"category":"a","brand":"b","is_secondhand":[]}`:           false,
		`[]`: false, `"a"`: false, ``: false, ` `: false,
	} {
		a, err := Parse(text)
		if (err == nil) != ok || err != nil && !errors.Is(err, ErrAnswer) {
			t.Errorf("%.80q: %+v, %v", text, a, err)
		}
	}
}

func TestParseSecondHand(t *testing.T) {
	for value, want := range map[string]bool{
		"1.0000000000000000001": true, "10e-1": true, `"Yes"`: true, `"ON"`: true,
		"-0": false, "-0.0": false, "1e-400": false,
	} {
		a, err := Parse(`{"category":"a","brand":"b","is_secondhand":` + value + `}`)
		if err != nil || a.SecondHand != want {
			t.Errorf("%s: %v, %v", value, a.SecondHand, err)
		}
	}
	for _, value := range []string{"2", "-1", `"ｙ"`, `" yes"`, `"\u212a"`, "1e400", "null"} {
		if a, err := Parse(`{"category":"a","brand":"b","is_secondhand":` + value + `}`); err == nil {
			t.Errorf("%s: %+v, want an error", value, a)
		}
	}
}

func TestLogsThatDoNotFit(t *testing.T) {
	s := New(make([]Product, 2), LoadGen)
	if _, err := s.Result(); !errors.Is(err, ErrLog) {
		t.Errorf("no answers: %v", err)
	}
	for _, err := range []error{s.Add(2, nil), s.Add(-3, nil), s.Add(0, []byte{0xff})} {
		if !errors.Is(err, ErrLog) {
			t.Errorf("%v, want an error of the log", err)
		}
	}
	if err := errors.Join(s.Add(-1, nil), s.Add(1, nil)); err != nil {
		t.Error(err)
	}
	if r, err := s.Result(); err != nil || r.Entries != 2 || r.Products != 1 || r.Unparsable != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"1", "[[],{}]", `"\ud83d\ude00"`, "-1.5e+3", "NaN"} {
		f.Add(answered(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(text)
		if err == nil && (!utf8.ValidString(a.Category) || !utf8.ValidString(a.Brand)) {
			t.Errorf("%q: %+v", text, a)
		}
		s := New([]Product{{Category: "A > B", Brand: "b"}}, Endpoints)
		if err := s.Add(0, []byte(text)); (err == nil) != utf8.ValidString(text) {
			t.Error(err)
		}
	})
}

// BenchmarkScore scores an answer of the usual length.
func BenchmarkScore(b *testing.B) {
	s := New([]Product{{Category: "Home & Garden > Kitchen & Dining > Tableware > Mugs", Brand: "Brand X"}}, LoadGen)
	answer := []byte(`{"category": "Home & Garden > Kitchen & Dining > Tableware > Cups", "brand": "Brand", ` +
		`"is_secondhand": false}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(answer)))
	for b.Loop() {
		if err := s.Add(0, answer); err != nil {
			b.Fatal(err)
		}
	}
}
