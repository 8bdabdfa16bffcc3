package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/explain"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

// TestExplain: as text, in each meaning of a word; as JSON; and the list of all words.
func TestExplain(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("explain", "min_duration"), "min_duration: rule of a VALID run\n",
		"code        loadgen, durationReason\n", "page        docs/verdict.md\n", "min_duration: setting of LoadGen\n")
	s = clitest.New(t)
	s.Want(0, s.Run("explain", "slo", "--json"))
	var found []explain.WordEntry
	if err := json.Unmarshal([]byte(s.Stdout.String()), &found); err != nil || len(found) != 1 ||
		found[0].Kind != explain.Flag || !strings.Contains(found[0].Meaning, "p99 ttft < 500ms") {
		t.Errorf("%+v, %v", found, err)
	}
	s = clitest.New(t)
	s.Want(0, s.Run("explain"), "early_stopping", "run-filed-twice", "ROUGE1", "goodput", "scenario", "130")
	s = clitest.New(t)
	s.Want(0, s.Run("__complete", "explain", "min_dur"), "min_duration\trule of a VALID run\n",
		"min_duration\tsetting of LoadGen\n")
}
