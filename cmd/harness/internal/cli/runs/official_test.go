package runs_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

// TestTheOfficialLoadGenIsAnotherProgram: the harness that can drive it takes over, with the arguments as they are.
func TestTheOfficialLoadGenIsAnotherProgram(t *testing.T) {
	s := clitest.New(t)
	s.Program = filepath.Join(s.Dir, "harness")
	args := []string{"run", "resnet50", "--loadgen", "official", "--scenario", "Offline"}
	s.Want(2, s.Run(args...), "make official-loadgen LOADGEN=DIR", filepath.Join(s.Dir, "harness-official"))

	path := filepath.Join(s.Dir, "harness-official")
	if err := os.WriteFile(path, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	var ran []string
	s.Exec = func(program string, args []string) error {
		ran = append([]string{program}, args...)
		return errors.New("no second process in a test")
	}
	s.Want(1, s.Run(args...), "starting "+path, "no second process in a test")
	if want := append([]string{path, path}, args...); !slices.Equal(ran, want) {
		t.Errorf("%q took over, want %q", ran, want)
	}
}

func TestUnknownLoadGen(t *testing.T) {
	s := clitest.New(t)
	s.Want(2, s.Run("run", "resnet50", "--loadgen", "offical"), `--loadgen: unknown LoadGen "offical"`, "official")
}
