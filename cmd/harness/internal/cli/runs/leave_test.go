package runs_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
	"github.com/plumbline-ml/plumbline/sdk"
)

// tree is all that is below a folder: folders, and files with what is in them.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.IsDir() {
			all[path] = "folder"
			return nil
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFailuresBeforeTheFirstTestLeaveTheFolder: whatever fails before the first test, and whatever the output folder
// was, the error stands alone, and the folder is as it was.
func TestFailuresBeforeTheFirstTestLeaveTheFolder(t *testing.T) {
	conf := func(s *clitest.Shell) []string {
		return []string{"--user-conf", s.File("user.conf", "*.Offline.target_qps=9")}
	}
	folders := map[string]func(s *clitest.Shell) (more []string){
		"not there":       func(*clitest.Shell) []string { return nil },
		"deep, not there": func(s *clitest.Shell) []string { return []string{"--out", s.Out("a", "b")} },
		"empty":           func(s *clitest.Shell) []string { return do(os.Mkdir(s.Out(), 0o755)) },
		"a stranger's file": func(s *clitest.Shell) []string {
			s.File("out/resnet50/notes.txt", "mine")
			return conf(s)
		},
		"empty run folders": func(s *clitest.Shell) []string { return do(os.MkdirAll(s.Out("resnet50/Server"), 0o755)) },
		"other results":     func(s *clitest.Shell) []string { return run(s, "SingleStream") },
		"results to replace": func(s *clitest.Shell) []string {
			return append(run(s, "Offline"), append(conf(s), "--force")...)
		},
	}
	failures := map[string]func(f *plugintest.Fake, s *clitest.Shell) (more []string){
		"the data set": func(f *plugintest.Fake, _ *clitest.Shell) []string {
			f.OpenErr = sdk.Data(errors.New("no val_map.txt"))
			return nil
		},
		"an option": func(f *plugintest.Fake, _ *clitest.Shell) []string {
			f.OpenErr = sdk.Usage(errors.New("device gpu: want one of cpu, cuda"))
			return []string{"--json"}
		},
		"the scorer": func(f *plugintest.Fake, _ *clitest.Shell) []string {
			f.OpenScorerErr = func(sdk.ScoreOptions) error { return errors.New("no tokenizer") }
			return nil
		},
		"the checksum of the data set": func(_ *plugintest.Fake, s *clitest.Shell) []string {
			s.File("data/val_map.txt", "")
			unreadable := filepath.Join(s.Dir, "data", "broken.txt") // the system has nothing at its beginning
			return append(do(os.Symlink("/proc/self/mem", unreadable)), "--dataset", filepath.Join(s.Dir, "data"))
		},
	}
	for folder, before := range folders {
		for failure, fails := range failures {
			for _, rounds := range []string{"1", "2"} {
				if rounds == "2" && (strings.Contains(folder, "results") || failure != "the data set") {
					continue // a folder of runs holds no suite
				}
				t.Run(folder+", "+failure+", "+rounds, func(t *testing.T) {
					s := clitest.New(t)
					if _, err := os.Stat("/proc/self/mem"); err != nil && strings.Contains(failure, "checksum") {
						t.Skip("nothing here that cannot be read")
					}
					args := append([]string{"run", "resnet50", "--scenario", "Offline", "--repeat", rounds, "--out", s.Out()},
						before(s)...)
					args = append(args, fails(s.Fakes["resnet50"], s)...)
					had := tree(t, s.Out())
					if code := s.Run(args...); code != 2 && code != 5 && code != 6 {
						t.Errorf("exit code %d", code)
					}
					if has := tree(t, s.Out()); !maps.Equal(has, had) {
						t.Errorf("the folder has %q, had %q", slices.Sorted(maps.Keys(has)), slices.Sorted(maps.Keys(had)))
					}
					if text := s.Stdout.String(); text != "" && !strings.HasPrefix(text, "{") {
						t.Errorf("beside the error stands:\n%s", text)
					}
				})
			}
		}
	}
}

// do wants that nothing failed, and adds no argument.
func do(faults ...error) []string {
	if err := errors.Join(faults...); err != nil {
		panic(err)
	}
	return nil
}

// run makes a run into the folder.
func run(s *clitest.Shell, scenario string) []string {
	s.Want(0, s.Run("run", "resnet50", "--scenario", scenario, "--out", s.Out()))
	return nil
}
