package openaitest

import (
	"slices"
	"strings"
	"testing"
)

func TestScript(t *testing.T) {
	s, err := ReadScript(strings.NewReader(`{"prompt":[1, 2],"ids":[7]}
		{"prompt":"a","ids":[8,9],"texts":["x","y"]} {"prompt":[{"role":"user","content":"b"}],"ids":[9]}`))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{AnswerTokens: []int32{1}}
	s.Configure(&o)
	for body, want := range map[string][]int32{
		`{"prompt":[1,2]}`: {7}, `{"input_ids":[1,2]}`: {7}, `{"prompt":"a"}`: {8, 9}, `{"prompt":"c"}`: {1},
		`{"messages":[{"role":"user", "content":"b"}]}`: {9},
	} {
		ask, err := read(strings.NewReader(body), false)
		if got := o.Answer(&ask); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", body, got, err, want)
		}
	}
	if o.Spell(9) != "y" || o.Spell(7) != "" {
		t.Errorf("%q, %q", o.Spell(9), o.Spell(7))
	}
	for _, bad := range []string{`{"ids":[1]}`, `{"prompt":"a"}`, `{"prompt":"a","ids":[1],"texts":["x","y"]}`, `{`} {
		if _, err := ReadScript(strings.NewReader(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}
