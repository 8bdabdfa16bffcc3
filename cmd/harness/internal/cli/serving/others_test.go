package serving_test

import (
	"fmt"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/plumbline-ml/plumbline/backends/openai/openaitest"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/clitest"
)

// crowded is a machine of one processor on which other programs take all the time that passes between two looks.
type crowded struct {
	fstest.MapFS
	ticks int
}

// Open implements fs.FS.
func (c *crowded) Open(name string) (fs.File, error) {
	if name == "proc/stat" {
		c.ticks += 1000
		c.MapFS[name] = &fstest.MapFile{Data: fmt.Appendf(nil, "cpu %d 0 0 0\ncpu0 1 0 0 0\n", c.ticks)}
	}
	return c.MapFS.Open(name)
}

// TestOtherProgramsBesideAPoint: a point says when other programs used the client's processors, and that the server may
// be one of them.
func TestOtherProgramsBesideAPoint(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	m := &crowded{MapFS: clitest.Machine()}
	m.MapFS[fmt.Sprintf("proc/%d/stat", os.Getpid())] = &fstest.MapFile{Data: []byte(
		"1 (harness) S 1 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 5\n")}
	s.Root = m
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	s.Want(0, bench(s, url, "--concurrency", "1,2"), "1 user: programs other than the harness, the server on this "+
		"machine among them, used 100 % of the processors during this run (and so at 1 other point)")
	for _, r := range readSweep(t, "bench-1").Points {
		if r.OtherPrograms == nil || r.OtherPrograms.Share != 1 {
			t.Errorf("%s: %+v", r.Name(), r.OtherPrograms)
		}
	}
}
