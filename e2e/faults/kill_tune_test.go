package faults

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tuneKills is the number of moments at which the plugin of a search is killed.
const tuneKills = 10

// TestPluginKilledInTune kills the plugin of a search at moments from its start to its end. The search never hangs: it
// continues with the next setting, or ends with the reason, and no process remains.
func TestPluginKilledInTune(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are found by their environment, in the proc file system")
	}
	t.Parallel()
	c := campaigns[slices.IndexFunc(campaigns, func(c campaign) bool { return c.name == "tune" })]
	_, took := c.whole(t)
	ends := newTally()
	t.Run("group", func(t *testing.T) {
		for n := range tuneKills {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				s := c.scene(t, c.prepared(t), fmt.Sprintf("plugin-%d", n))
				s.start(t)
				time.Sleep(took * time.Duration(2*n+1) / (2 * tuneKills))
				ends.note(endOfTune(t, s))
			})
		}
	})
	t.Logf("%v:\n%v", took, ends)
}

// endOfTune kills the plugin, and returns how the search ended.
func endOfTune(t *testing.T, s *scene) string {
	t.Helper()
	hit := kill{victim: victim{who: "plugin", signal: syscall.SIGKILL}}.hit(s)
	code := s.wait(t)
	s.wantNothingLeft(t, false)
	printed := s.printed.String()
	switch {
	case strings.Contains(printed, "goroutine "):
		t.Errorf("a stack trace reached the user:\n%s", printed)
	case !hit:
		return "it was over"
	case code == 0 || code == 3: // no rate of Server was VALID
		return "it went on"
	case code != 5 || !strings.Contains(printed, "killed by signal 9"):
		t.Errorf("exit code %d; it printed:\n%s", code, printed)
	}
	return "it ended with the reason"
}
