package measure

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
)

// TestEveryMeasureIsDocumented in docs/live.md, once under each name.
func TestEveryMeasureIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/live.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range AllMeasures() {
		name := m.PrometheusName()
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/live.md does not say what %s is", name)
		}
		for _, label := range m.LabelNames() {
			if !strings.Contains(string(text), "`"+label+"`") {
				t.Errorf("docs/live.md does not say what the label %s of %s is", label, name)
			}
		}
	}
}

// TestInfoNamesTheModelAtAServer beside the name of the run.
func TestInfoNamesTheModelAtAServer(t *testing.T) {
	r := &feed.Run{Workload: &record.Workload{Backend: "openai", BackendInfo: map[string]string{"model": "their-8b"}}}
	at := slices.IndexFunc(AllMeasures(), func(m Measure) bool { return m.Name == "plumbline.run.info" })
	var labels []string
	m := AllMeasures()[at]
	m.EachPoint(r, func(p MeasurePoint) { labels = p.Labels })
	i := slices.Index(m.LabelNames(), "server_model")
	if len(labels) != len(m.LabelNames()) || labels[i] != "their-8b" {
		t.Errorf("%q are %q", m.LabelNames(), labels)
	}
}
