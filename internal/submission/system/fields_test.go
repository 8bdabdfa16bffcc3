package system

import "testing"

func TestFieldsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{IsNetwork: true}
	for _, list := range [][]Field{Fields(), NetworkFields(), Measurements()} {
		for _, f := range list {
			if f.Name == "" || f.Ask == "" || seen[f.Name] {
				t.Errorf("field %+v", f)
			}
			seen[f.Name] = true
		}
	}
	if n := len(Fields()); n != 35 {
		t.Errorf("%d fields, want 35", n)
	}
}
