package schema

import (
	"math"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/yaml11"
)

// TestBool: a truth is what the official checker takes for one, of YAML and of JSON.
func TestBool(t *testing.T) {
	for text, want := range map[string]any{"true": true, "yes": true, "0": false, "1": true, "-0": false, "0.0": false,
		"1.0": true, `"Off"`: false, `"t"`: true, `"0"`: false, "2": nil, "-1": nil, "0.5": nil, ".nan": nil, `"1.0"`: nil,
		`" 1"`: nil, "null": nil, "[1]": nil, "{}": nil, "1000000000000000000000000000000": nil} {
		v, err := yaml11.Decode([]byte("a: "+text), 100)
		if err != nil {
			t.Fatal(err)
		}
		inner, _ := FromYAML(v).(*pyvalue.Dict).Get("a")
		var f Faults
		if got := Bool(inner, "a", &f); got != want || (got == nil) != (len(f) == 1) {
			t.Errorf("%s: %v, want %v (%v)", text, got, want, f)
		}
	}
	var f Faults
	if Bool(int64(1), "a", &f) != true || Bool(int64(2), "a", &f) != nil || Bool(math.Inf(1), "a", &f) != nil ||
		len(f) != 2 {
		t.Errorf("%v", f)
	}
}
