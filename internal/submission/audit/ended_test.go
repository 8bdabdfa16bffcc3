package audit

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// TestEndAtQueryCount: an audit's run may end at its max_query_count when all its queries are answered, and no other
// error is forgiven beside.
func TestEndAtQueryCount(t *testing.T) {
	const ended = "IssueQueryThread 0 Ending early: Max query count reached. query_count 40"
	for name, c := range map[string]struct {
		generated uint64
		messages  []string
		pass      bool
	}{
		"no error":     {samplesMade, nil, true},
		"all answered": {samplesMade, []string{ended}, true},
		"two threads": {samplesMade, []string{ended,
			"IssueQueryThread 1 Ending early: Max query count reached. query_count 5"}, true},
		"more were generated":  {samplesMade + 1, []string{ended}, false},
		"another error":        {samplesMade, []string{"something else"}, false},
		"another error beside": {samplesMade, []string{ended, "something else"}, false},
	} {
		m := good(t, "TEST06", "Server")
		m.audit.detail["generated_query_count"] = c.generated
		m.audit.detail["num_errors"] = uint64(len(c.messages))
		for _, message := range c.messages {
			m.audit.tail += string(mllog.AppendDetail(nil, mllog.DetailEntry{Key: "error_runtime", Value: message, Error: true}))
		}
		if test01 := good(t, "TEST01", "Server"); len(c.messages) > 0 {
			test01.audit.detail, test01.audit.tail = m.audit.detail, m.audit.tail
			if test01.verify(t).Pass {
				t.Errorf("%s: TEST01, whose official script dies of errors, passes", name)
			}
		}
		v := m.verify(t)
		if v.Pass != c.pass {
			t.Errorf("%s: pass: %t\n%v", name, v.Pass, fmt.Sprint(v.Reasons))
		}
	}
}
