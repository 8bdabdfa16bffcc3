package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestTheOfficialLoadGenIsAnotherProgram: the harness that can drive it takes over, with the arguments as they are.
func TestTheOfficialLoadGenIsAnotherProgram(t *testing.T) {
	s := newShell(t)
	s.program = filepath.Join(s.dir, "harness")
	args := []string{"run", "resnet50", "--loadgen", "official", "--scenario", "Offline"}
	s.want(2, s.run(args...), "make official-loadgen LOADGEN=DIR", filepath.Join(s.dir, officialName))

	path := filepath.Join(s.dir, officialName)
	if err := os.WriteFile(path, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	var ran []string
	s.exec = func(program string, args []string) error {
		ran = append([]string{program}, args...)
		return errors.New("no second process in a test")
	}
	s.want(1, s.run(args...), "starting "+path, "no second process in a test")
	if want := append([]string{path, path}, args...); !slices.Equal(ran, want) {
		t.Errorf("%q took over, want %q", ran, want)
	}
}

func TestUnknownLoadGen(t *testing.T) {
	s := newShell(t)
	s.want(2, s.run("run", "resnet50", "--loadgen", "offical"), `--loadgen: unknown LoadGen "offical"`, "official")
}
