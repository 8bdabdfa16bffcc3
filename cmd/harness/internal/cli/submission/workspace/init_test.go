package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestInitThroughSSH: nodes are described through ssh, with their number; one that ssh does not reach, or that is of
// another kind, is refused.
func TestInitThroughSSH(t *testing.T) {
	programs := t.TempDir()
	ssh := `#!/bin/sh
[ "$1 $2 $3" = "-o BatchMode=yes --" ] || exit 9
case "$4" in
node1|node2) echo "proc/cpuinfo $(printf 'model name : Example CPU\n' | base64)" ;;
node3) echo "proc/cpuinfo $(printf 'model name : Other CPU\n' | base64)" ;;
*) echo "$4: no route" >&2; exit 255 ;;
esac
`
	if err := os.WriteFile(filepath.Join(programs, "ssh"), []byte(ssh), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	s, dir := clitest.New(t), filepath.Join(t.TempDir(), "submission")
	run := func(hosts string) int {
		return s.Run("submission", "init", "--rules", "endpoints-1.0", "--submitter", "Lab", "--system", "box", "--node",
			"decode", "--workspace", dir, "--ssh", hosts)
	}
	s.Want(2, run("node1,away"), "ssh away: ", "away: no route")
	s.Want(2, run("node1,node3"), `host_processor_model_name is "Example CPU" on node1 and "Other CPU" on node3`)
	if _, err := os.Stat(dir); err == nil {
		t.Error("a workspace was made of nodes that were refused")
	}
	s.Want(0, run("node1,node2"), filepath.Join("nodes", "decode.json"))
	text := testfile.Read(t, filepath.Join(dir, "systems", "box", "nodes", "decode.json"))
	for _, want := range []string{`"number_of_nodes": "2"`, `"host_processor_model_name": "Example CPU"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the sheet lacks %s:\n%s", want, text)
		}
	}
	s.Want(2, s.Run("submission", "init", "--submitter", "Lab", "--workspace", t.TempDir(), "--ssh", "node1"),
		"--ssh goes with --rules endpoints-1.0 only")
}
