package option_test

import (
	"maps"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/option"
)

func TestOfPart(t *testing.T) {
	given := map[string]string{
		"threads": "2", "encoder.threads": "1", "decoder.model": "dec", "config.session.x": "1",
		"joint.threads": "3", "encoder.": "x",
	}
	parts := []string{"encoder", "decoder"}
	common := map[string]string{"config.session.x": "1", "joint.threads": "3", "encoder.": "x"}
	for part, own := range map[string]map[string]string{
		"encoder": {"threads": "1"}, "decoder": {"threads": "2", "model": "dec"}, "": {"threads": "2"},
	} {
		want := maps.Clone(common)
		maps.Copy(want, own)
		if got := option.OfPart(given, part, parts); !maps.Equal(got, want) {
			t.Errorf("part %q: %v, want %v", part, got, want)
		}
	}
	if got := option.OfPart(given, "", []string{""}); !maps.Equal(got, given) {
		t.Errorf("one part without a name: %v, want %v", got, given)
	}
}
