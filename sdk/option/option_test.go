package option

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// settings has a variable of each type.
type settings struct {
	name     string
	count    int
	on       bool
	wait     time.Duration
	total    time.Duration
	colour   int
	password string
	headers  map[string]string
}

func (s *settings) options() List {
	return List{
		Text("name", &s.name, "a name"),
		Int("count", &s.count, 1, 8, "how many"),
		Bool("on", &s.on, "whether"),
		Duration("wait", &s.wait, "how long"),
		OrWord("none", &s.total, Duration("total", &s.total, "how long in all")),
		Choice("colour", &s.colour, map[string]int{"red": 1, "green": 2}, "which"),
		Text("password", &s.password, "of the server").AsSecret(),
		Func("even", "2", "an even number", func(value string) error {
			if !strings.Contains("02468", value[len(value)-1:]) {
				return errors.New("want an even number")
			}
			return nil
		}).AsSecret(),
		Prefix("header.", "NAME", "a header", func(name, value string) error {
			s.headers[name] = value
			return nil
		}),
	}
}

func fresh() *settings {
	return &settings{name: "n", count: 3, wait: time.Second, total: time.Minute, colour: 2, headers: map[string]string{}}
}

func TestDocs(t *testing.T) {
	want := []backend.Option{
		{Name: "name", Default: "n", Help: "a name"}, {Name: "count", Default: "3", Help: "how many"},
		{Name: "on", Default: "false", Help: "whether"}, {Name: "wait", Default: "1s", Help: "how long"},
		{Name: "total", Default: "none", Help: "how long in all"}, {Name: "colour", Default: "green", Help: "which"},
		{Name: "password", Help: "of the server"}, {Name: "even", Default: "2", Help: "an even number"},
		{Name: "header.NAME", Help: "a header"},
	}
	if got := fresh().options().Docs(); !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestRead(t *testing.T) {
	s := fresh()
	given := map[string]string{
		"name": "x=y", "count": "8", "on": "true", "wait": "2m", "total": "none", "colour": "red", "password": "p",
		"header.a.b": "1", "header.name": "2",
	}
	if err := s.options().Read(given); err != nil {
		t.Fatal(err)
	}
	if s.name != "x=y" || s.count != 8 || !s.on || s.wait != 2*time.Minute || s.total != 0 ||
		s.colour != 1 || s.password != "p" {
		t.Errorf("got %+v", s)
	}
	if want := (map[string]string{"a.b": "1", "name": "2"}); !maps.Equal(s.headers, want) {
		t.Errorf("headers %v, want %v", s.headers, want)
	}
}

func TestReadNothing(t *testing.T) {
	s := fresh()
	if err := s.options().Read(nil); err != nil || s.count != 3 || s.colour != 2 || s.total != time.Minute {
		t.Errorf("%v, %+v", err, s)
	}
}

// TestReadReportsEveryFault also checks that a faulty value changes nothing and that secrets are not shown.
func TestReadReportsEveryFault(t *testing.T) {
	s := fresh()
	err := s.options().Read(map[string]string{
		"nam": "x", "count": "9", "on": "maybe", "wait": "5", "total": "-1s", "colour": "blue",
		"even": "hunter1", "header.": "x",
	})
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		"option colour=blue: want one of green, red", "option count=9: want a number from 1 to 8",
		"option even: want an even number", `unknown option "header."`,
		`unknown option "nam"; the known ones are name, count`,
		"option on=maybe: want true or false", "option total=-1s: want a time above 0 such as 30s, or none",
		"option wait=5: want a time above 0",
	}
	for i, line := range strings.Split(err.Error(), "\n") {
		if i >= len(want) || !strings.HasPrefix(line, want[i]) {
			t.Errorf("line %d is %q", i, line)
		}
	}
	if strings.Contains(err.Error(), "hunter") || s.count != 3 || s.on || s.wait != time.Second || s.colour != 2 {
		t.Errorf("%v; %+v", err, s)
	}
}

func TestKnown(t *testing.T) {
	l := fresh().options()
	if !l.Known("count") || !l.Known("header.x") || l.Known("header.") || l.Known("") || l.Known("other") {
		t.Error("known keys")
	}
}

func TestRest(t *testing.T) {
	var name string
	own := map[string]string{}
	l := List{
		OtherKeys("KEY", "any other", func(key, value string) error {
			own[key] = value
			return nil
		}),
		Text("name", &name, "a name"),
	}
	if err := l.Read(map[string]string{"name": "n", "other": "1"}); err != nil || name != "n" || len(own) != 1 ||
		own["other"] != "1" {
		t.Errorf("%v, name %q, the rest %v", err, name, own)
	}
}
