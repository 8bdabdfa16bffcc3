package audit

import (
	"strings"
	"testing"
)

// TestInferredResults: the audit of a result that is inferred from another scenario's run is of that scenario.
func TestInferredResults(t *testing.T) {
	for _, c := range []struct {
		folder, reference, run string // scenarios
		pass                   bool
	}{
		{"SingleStream", "SingleStream", "SingleStream", true},
		{"MultiStream", "SingleStream", "SingleStream", true},
		{"Offline", "SingleStream", "SingleStream", true},
		{"Offline", "MultiStream", "MultiStream", true},
		{"MultiStream", "MultiStream", "MultiStream", true},
		{"Interactive", "Server", "Server", true},
		{"", "SingleStream", "SingleStream", true},
		{"SingleStream", "MultiStream", "MultiStream", false},
		{"SingleStream", "Offline", "Offline", false},
		{"Server", "SingleStream", "SingleStream", false},
		{"Offline", "Server", "Server", false},
		{"MultiStream", "SingleStream", "MultiStream", false},
		{"MultiStream", "MultiStream", "SingleStream", false},
		{"Offline", "SingleStream", "MultiStream", false},
		{"Offline", "Offline", "SingleStream", false},
	} {
		m := makeAudit(t, "TEST01", "resnet", c.run)
		m.performance = performed(c.reference)
		m.request.Scenario = c.folder
		v := m.verify(t)
		if v.Pass != c.pass {
			t.Errorf("%+v: pass: %t\n%v", c, v.Pass, v.Reasons)
		}
		inferred := strings.Contains(strings.Join(v.Notes, "\n"), "is inferred")
		if c.pass && inferred != (c.folder != "" && c.folder != "Interactive" && c.folder != c.run) {
			t.Errorf("%+v: notes %q", c, v.Notes)
		}
	}
}
