package option

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

type kind uint8

// inner is a struct inside the bound struct.
type inner struct {
	Kind kind `param:"kind" choices:"bags,stacked,lists"`
}

// everything is a struct with a parameter of each form.
type everything struct {
	inner
	Text    string  `param:"text"`
	Count   int     `param:"count" min:"1" max:"1<<10"`
	Bytes   int64   `param:"mb" min:"1" max:"8" times:"1<<20"`
	Seed    uint32  `param:"seed" min:"0" max:"uint32"`
	Offset  int64   `param:"offset" min:"int16" max:"int16"`
	Share   float32 `param:"share" min:"0" max:"1"`
	Weak    bool    `param:"weak"`
	Copies  bool    `param:"copies" choices:"no,yes"`
	Case    string  `param:"case" choices:",lower,upper"`
	Size    int     `param:"size,optional" min:"1" max:"64"`
	Even    int     `param:"even"`
	Ignored string
	Nested  struct {
		Deep string `param:"deep"`
	}
}

func even(text string) (int, error) {
	if len(text)%2 != 0 {
		return 0, errors.New("want an even length")
	}
	return len(text), nil
}

func values(changes ...string) *Params {
	all := map[string]string{
		"kind": "stacked", "text": "t", "count": "1024", "mb": "2", "seed": "4294967295", "offset": "-32768", "share": "0.5",
		"weak": "true", "copies": "yes", "case": "", "size": "", "even": "abcd", "deep": "d",
	}
	for i := 0; i < len(changes); i += 2 {
		all[changes[i]] = changes[i+1]
	}
	return NewParams(all)
}

func TestBind(t *testing.T) {
	got, want := everything{Size: 7, Ignored: "as it was"}, everything{
		inner: inner{1}, Text: "t", Count: 1024, Bytes: 2 << 20, Seed: math.MaxUint32, Offset: math.MinInt16, Share: 0.5,
		Weak: true, Copies: true, Size: 7, Even: 4, Ignored: "as it was",
	}
	want.Nested.Deep = "d"
	p := values()
	Bind(p, &got, ReaderFunc("even", even))
	if err := p.Err(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// A faulty value causes the same fault as when it is read by name, and leaves the zero value.
func TestBindKeepsFaults(t *testing.T) {
	for _, c := range [][3]string{
		{"kind", "none", `parameter kind = "none": want one of bags, lists, stacked`},
		{"count", "0", `parameter count = "0": want a number from 1 to 1024`},
		{"count", "1025", "want a number from 1 to 1024"}, {"count", "", "want a number"}, {"count", "1.5", "want a number"},
		{"mb", "9", "want a number from 1 to 8"}, {"seed", "-1", "want a number from 0 to 4294967295"},
		{"offset", "32768", "want a number from -32768 to 32767"},
		{"share", "1.01", "want a number from 0 to 1"}, {"share", "NaN", "want a number from 0 to 1"},
		{"weak", "maybe", "want true or false"}, {"copies", "true", "want one of no, yes"},
		{"case", "title", "want one of lower, upper"}, {"size", "65", "want a number from 1 to 64"},
		{"even", "abc", `parameter even = "abc": want an even length`},
	} {
		p, got := values(c[0], c[1]), everything{}
		Bind(p, &got, ReaderFunc("even", even))
		if err := p.Err(); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s=%s: error %v, want %q", c[0], c[1], err, c[2])
		}
	}
	p, got := values("count", "0", "share", "2", "even", "a"), everything{}
	Bind(p, &got, ReaderFunc("even", even))
	if got.Count != 0 || got.Share != 0 || got.Even != 0 || len(strings.Split(p.Err().Error(), "\n")) != 3 {
		t.Errorf("%+v, %v: want zeros and three faults", got, p.Err())
	}
}

func TestWords(t *testing.T) {
	var s struct {
		Rule string `param:"rule"`
	}
	Bind(NewParams(map[string]string{"rule": "a"}), &s, WordReader("rule", map[string]string{"a": "first", "": "none"}))
	if s.Rule != "first" {
		t.Errorf("%+v", s)
	}
	p := NewParams(map[string]string{"rule": "c"})
	if Bind(p, &s, WordReader("rule", map[string]string{"b": "", "a": "first", "": "none"})); p.Err() == nil ||
		!strings.HasSuffix(p.Err().Error(), "want one of a, b") {
		t.Error(p.Err())
	}
}

func TestTensors(t *testing.T) {
	read := TensorNames("in", "ids and mask", 2)
	for text, want := range map[string]string{"a,b": "a/ b/", "a|c,b|d|e": "a/c b/d/e", "": "/ /"} {
		all, err := read(text)
		var got []string
		for _, x := range all {
			got = append(got, x.Name+"/"+strings.Join(x.Aliases, "/"))
		}
		if err != nil || strings.Join(got, " ") != want || all[0].Chosen != "--param in=NAME,..." {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"a", "a,b,c"} {
		if _, err := read(text); err == nil ||
			!strings.Contains(err.Error(), "want 2 names with commas between them, of ids and mask") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFields(t *testing.T) {
	got, err := Fields(struct {
		A string `param:"a" help:"what a is" default:"" roles:"element"`
		B int    `param:"b" min:"0" max:"int32"`
	}{})
	want := []ParamField{{Name: "a", Help: "what a is", Roles: "element", HasDefault: true}, {Name: "b"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if all, err := Fields(everything{}); err != nil || len(all) != 13 || all[0].Name != "kind" || all[12].Name != "deep" {
		t.Errorf("got %+v, %v", all, err)
	}
}

// A struct that cannot be bound is a fault of the build. Fields reports it before there are values.
func TestFieldsRefuses(t *testing.T) {
	for want, of := range map[string]any{
		"exported": struct {
			a string `param:"a"`
		}{},
		`min:""`: struct {
			A int `param:"a" max:"3"`
		}{},
		`max:"three"`: struct {
			A int `param:"a" min:"0" max:"three"`
		}{},
		`max:"1<<64"`: struct {
			A int `param:"a" min:"0" max:"1<<64"`
		}{},
		`times:"x"`: struct {
			A int `param:"a" min:"0" max:"1" times:"x"`
		}{},
		"bool of 3 words": struct {
			A bool `param:"a" choices:"x,y,z"`
		}{},
		"want a text": struct {
			A []string `param:"a" choices:"x,y"`
		}{},
		"want a reader": struct {
			A []string `param:"a" min:"1" max:"2"`
		}{},
	} {
		if _, err := Fields(of); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: error %v, want one with %q", of, err, want)
		}
	}
}

// A reader without a field, and a target that is not a struct, are also faults of the build.
func TestBindPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"reader":  func() { Bind(values(), &struct{}{}, ReaderFunc("even", even)) },
		"pointer": func() { Bind(values(), everything{}) },
		"slice": func() {
			Bind(values(), &struct {
				A []int `param:"text"`
			}{})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
