package prepare

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A description whose division is changed is else the same.
func FuzzInOpen(f *testing.F) {
	for _, text := range []string{`{}`, `{"a": 1.50, "division": "closed", "b": ["é", {"c": "<&>"}]}`, `{"b":"💡"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var before map[string]any
		if json.Unmarshal(text, &before) != nil || before == nil {
			return
		}
		changed, err := openDescription(text)
		var after map[string]any
		if err != nil || json.Unmarshal(changed, &after) != nil {
			t.Fatalf("%q became %q, %v", text, changed, err)
		}
		before["division"] = "open"
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%q became %q", text, changed)
		}
	})
}
