package modfiles

import (
	"slices"
	"strings"
	"testing"
)

func TestRelease(t *testing.T) {
	const checkout = "module " + Root + "/tools\n\ngo 1.26.0\n\nrequire (\n\texample.org/a v1.2.3\n\t" + Root +
		"/loadgen v0.0.0\n)\n\nrequire " + Root + " v0.0.0 // indirect\n\nreplace (\n\t" + Root +
		" => ../\n\t" + Root + "/loadgen => ../loadgen\n)\n"
	text, siblings, err := Release([]byte(checkout), "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("v0.0.0", "v1.2.3").Replace(checkout[:strings.Index(checkout, "\nreplace")])
	if string(text) != want || !slices.Equal(siblings, []string{Root + "/loadgen", Root}) {
		t.Errorf("siblings %q, go.mod\n%s\nwant\n%s", siblings, text, want)
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"module":                          "usage",
		"module a\n\nreplace b => c v1\n": "go.mod",
		"module a\n\nrequire b v1.0.0\n\nreplace b => example.org/c v1.0.0\n": "go.mod replaces b",
	} {
		if _, _, err := Release([]byte(text), "v1.2.3"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
