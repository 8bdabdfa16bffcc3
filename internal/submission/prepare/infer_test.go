package prepare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/prepare"
)

func TestInfer(t *testing.T) {
	const edge, both, datacenter = mlconf.Edge, mlconf.DatacenterEdge, mlconf.Datacenter
	rules, err := mlconf.Round("v6.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model    string
		kind     mlconf.SystemType
		measured string
		want     string // SCENARIO<-FROM
	}{
		{"resnet50", edge, "SingleStream", "MultiStream<-SingleStream Offline<-SingleStream"},
		{"resnet50", edge, "SingleStream MultiStream", "Offline<-MultiStream"},
		{"resnet50", edge, "SingleStream Offline", "MultiStream<-SingleStream"},
		{"resnet50", edge, "SingleStream MultiStream Offline", ""},
		{"resnet50", edge, "MultiStream", "SingleStream<- Offline<-MultiStream"},
		{"resnet50", edge, "Offline", "SingleStream<- MultiStream<-"},
		{"resnet50", both, "SingleStream", "MultiStream<-SingleStream Offline<-SingleStream Server<-"},
		{"bert-99", edge, "SingleStream", "Offline<-SingleStream"},
		{"3d-unet-99", datacenter, "SingleStream", "Offline<-"},
		{"llama3.1-8b-edge", edge, "SingleStream", "Offline<-"},
		{"resnet50", datacenter, "SingleStream", ""}, // not for this type
		{"foonet", edge, "SingleStream", ""},
	} {
		var got []string
		for _, m := range prepare.InferMissing(rules, c.model, c.kind, strings.Fields(c.measured)) {
			got = append(got, fmt.Sprintf("%s<-%s", m.Scenario, m.From))
			if m.Why == "" {
				t.Errorf("%+v says not why", m)
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s, %s, %s: got %q, want %q", c.model, c.kind, c.measured, got, c.want)
		}
	}
}
