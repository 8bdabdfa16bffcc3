package system

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

var some = []Field{{"name", true, "a name"}, {"count", true, "a number"}, {"notes", false, "remarks"}}

func read(t *testing.T, text string) *Sheet {
	t.Helper()
	s, err := ReadSheet([]byte(text), some)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func asked(s *Sheet) string {
	var names []string
	for _, o := range s.OpenFields() {
		names = append(names, o.Field)
	}
	return strings.Join(names, " ")
}

func TestSheetMarksWhatIsOpen(t *testing.T) {
	s := NewSheet(some)
	if filled := s.Complete(map[string]string{"count": "2"}); !slices.Equal(filled, []string{"count"}) {
		t.Errorf("filled %q", filled)
	}
	const want = "{\n  \"name\": \"FILL IN: a name\",\n  \"count\": \"2\",\n  \"notes\": \"\"\n}\n"
	if got := string(s.JSON()); got != want {
		t.Errorf("got %s", got)
	}
	if got := asked(s); got != "name" {
		t.Errorf("open: %s", got)
	}
}

func TestSheetKeepsWhatAPersonWrote(t *testing.T) {
	const text = "{\n  \"name\": \"Ä & Ö\",\n  \"count\": 3,\n  \"notes\": \"\",\n  \"own\": [1, {\"a\": null}]\n}\n"
	s := read(t, text)
	if filled := s.Complete(map[string]string{"name": "x", "count": "2", "notes": "y"}); len(filled) > 0 {
		t.Errorf("filled %q", filled)
	}
	if got := string(s.JSON()); got != text {
		t.Errorf("got %s", got)
	}
	if len(s.OpenFields()) > 0 || s.Text("count") != "3" {
		t.Errorf("open %v, count %q", s.OpenFields(), s.Text("count"))
	}
}

func TestSheetFindsWhatIsKnownLater(t *testing.T) {
	s := read(t, `{"name": "FILL IN: a name", "extra": "FILL IN: more", "notes": "FILL IN:"}`)
	if got := asked(s); got != "name count notes extra" {
		t.Errorf("open: %s", got)
	}
	s.Complete(map[string]string{"name": "box"})
	if s.Text("name") != "box" || asked(s) != "count extra" {
		t.Errorf("name %q, open: %s", s.Text("name"), asked(s))
	}
}

func TestReadSheetFaults(t *testing.T) {
	for _, text := range []string{
		"", "[]", "\ufeff{}", `{"a": 1`, `{"a": 1} {}`, `{"a": 1, "a": 2}`, `{"a": x}`, "{}x", "null",
	} {
		if _, err := ReadSheet([]byte(text), some); !errors.Is(err, ErrSheet) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzReadSheet(f *testing.F) {
	f.Add([]byte(`{"name": "FILL IN: a name", "count": 3, "own": [1, {"a": null}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ReadSheet(text, some)
		if err != nil {
			return
		}
		s.Complete(map[string]string{"count": "2"})
		again, err := ReadSheet(s.JSON(), some)
		if err != nil || !json.Valid(s.JSON()) || len(again.OpenFields()) != len(s.OpenFields()) {
			t.Errorf("%s becomes %s: %v", text, s.JSON(), err)
		}
	})
}
