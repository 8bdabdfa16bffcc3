package retinanet

import "testing"

func TestClientWork(t *testing.T) {
	for name, want := range map[string]int{"retinanet": 4, "ssd-mobilenet": 2, "ssd-resnet34": 3, "ssd-resnet34-tf": 2} {
		form, ok := forms()[name]
		if !ok {
			t.Fatalf("no form %s", name)
		}
		if work := (&workload{binding: binding{form: form}}).ClientWork(nil, nil, 1); len(work) != want {
			t.Errorf("%s: %q, want %d", name, work, want)
		}
	}
}
