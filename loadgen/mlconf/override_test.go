package mlconf_test

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

func TestBadOverrides(t *testing.T) {
	for text, want := range map[string]string{
		"min_duratoin=3":     `unknown setting "min_duratoin", did you mean "min_duration"?`,
		"min_duration":       "want key=value",
		"=3":                 "want key=value",
		"min_duration=":      "want key=value",
		"Sever.target_qps=1": "unknown scenario",
	} {
		if _, err := mlconf.ParseOverride(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestOverridesMeanSomethingInSomeScenarios(t *testing.T) {
	some := []loadgen.Scenario{loadgen.SingleStream, loadgen.Offline}
	for text, want := range map[string]struct{ everywhere, some bool }{
		"target_qps=5":                {true, true},
		"Server.max_async_queries=3":  {true, true}, // only its own scenario counts
		"samples_per_query=4":         {true, false},
		"Offline.max_async_queries=3": {false, false},
	} {
		o, err := mlconf.ParseOverride(text)
		if err != nil {
			t.Fatal(err)
		}
		if o.String() != text {
			t.Errorf("%s is written %s", text, o)
		}
		if all, few := o.Means(loadgen.Scenarios()...), o.Means(some...); all != want.everywhere || few != want.some {
			t.Errorf("%s: in all %v, in %v %v", text, all, some, few)
		}
	}
}

func FuzzParseOverride(f *testing.F) {
	f.Add("min_duration=5000")
	f.Add("Server.target_qps=1")
	f.Add("Sever.target_qps=1")
	f.Add("=")
	f.Add("a=b=c")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := mlconf.ParseOverride(text)
		if err != nil {
			return
		}
		if o.Key == "" || o.Value == "" || o.All && strings.Contains(o.Key, ".") {
			t.Errorf("%q is taken as %+v", text, o)
		}
		if again, err := mlconf.ParseOverride(o.String()); err != nil || again != o {
			t.Errorf("%q is written %q, which is %+v: %v", text, o, again, err)
		}
	})
}
