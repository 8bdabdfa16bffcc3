package record

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

func TestHide(t *testing.T) {
	const secret = "sesame"
	info := map[string]string{"url": "http://" + secret}
	r := Run{
		Error: &Failure{Message: secret, Stderr: []string{"a", secret}}, Reasons: []Reason{{Measured: secret, Hint: secret}},
		Notes: []Finding{{Text: secret}}, Messages: []Message{{Text: secret}}, DivisionReasons: []string{secret},
		Command: []string{secret}, Estimates: []string{secret},
		Network: &Network{Nodes: []Node{{Address: secret, Name: secret}}, ClientWork: []string{secret}},
	}
	r.FromWorkload(sdk.WorkloadInfo{BackendInfo: info}, secret, secret)
	r.Workload.Shares = []Share{{Name: secret}}
	r.Hide(nil)
	r.Hide(func(text string) string { return strings.ReplaceAll(text, secret, "***") })
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), secret) || strings.Count(string(text), "***") != 16 {
		t.Errorf("%s, %v", text, err)
	}
	if info["url"] != "http://"+secret {
		t.Error("the plugin's own map is changed")
	}
	(&Run{}).Hide(strings.ToUpper)
}
