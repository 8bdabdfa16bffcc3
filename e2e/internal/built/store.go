package built

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// store is bin/e2e of a workspace:
//
//	lock             held by the process that builds
//	VARIANT/         what the go command builds; it links again only what has changed
//	KEY/, KEY.lock   a build: hard links to VARIANT's files. Held, shared, by the processes that use it
//	run-PID-START    the key that a go test uses
//	tmp/             the go command's own, on the same file system, so that it renames and never writes over a link
type store struct {
	root, dir string
	variant   variant
	lock      *os.File
}

// variant is a way of building: its name and additional flags of the go command.
type variant struct {
	name     string
	tags     string
	official string // sources of the official LoadGen: make test-official OF=loadgen
}

// OfficialSource is the environment variable that names the official LoadGen's sources.
const OfficialSource = "PLUMBLINE_OFFICIAL_LOADGEN"

func chosen() variant {
	v := variant{name: "plain", official: os.Getenv(OfficialSource)}
	if os.Getenv("PLUMBLINE_PACE") != "" { // as on a faster or slower machine: make test-extra OF=pace
		v.name, v.tags = "pace", "pace"
	}
	if v.official != "" {
		v.name += "-official"
	}
	return v
}

// open builds the binaries and returns their folder, which exists until release.
func open(root string) (dir string, release func(), err error) {
	s := &store{root: root, dir: filepath.Join(root, "bin", "e2e"), variant: chosen()}
	if err := os.MkdirAll(filepath.Join(s.dir, "tmp"), 0o755); err != nil {
		return "", nil, err
	}
	if s.lock, err = locked(filepath.Join(s.dir, "lock"), unix.LOCK_EX); err != nil {
		return "", nil, err
	}
	defer s.lock.Close()
	run := goTest()
	if run != "" {
		run = filepath.Join(s.dir, run+"-"+s.variant.name)
	}
	key, used := s.keyOf(run)
	if !used {
		if key, err = s.build(); err != nil {
			return "", nil, err
		}
	}
	use, err := locked(filepath.Join(s.dir, key+".lock"), unix.LOCK_SH)
	if err != nil {
		return "", nil, err
	}
	if !used {
		if err := s.prune(); err != nil {
			return "", nil, err
		}
		if run != "" {
			if err := os.WriteFile(run, []byte(key), 0o644); err != nil {
				return "", nil, err
			}
		}
	}
	return filepath.Join(s.dir, key), func() { _ = use.Close() }, nil
}

// locked opens the lock file at path and waits for the lock. Closing the file, or the end of the process, ends it.
func locked(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// keyOf returns the key that another package of the same go test uses.
func (s *store) keyOf(run string) (key string, used bool) {
	text, err := os.ReadFile(run)
	if err != nil {
		return "", false
	}
	_, err = os.Stat(filepath.Join(s.dir, string(text)))
	return string(text), err == nil
}

// folders are the binaries of each folder of a build, by the packages they are built from.
func (s *store) folders() (map[string][]string, error) {
	plugins, err := filepath.Glob(filepath.Join(s.root, "cmd", "plugins", "plumbline-plugin-*"))
	if err != nil || len(plugins) == 0 {
		return nil, fmt.Errorf("no plugins below %s: %w", s.root, err)
	}
	all := map[string][]string{
		".":           {"cmd/harness", "backends/kserve/cmd/oip-mock", "backends/openai/cmd/openai-mock"},
		"plugins":     {"cmd/plugins/internal/ortlib", "cmd/plugins/testdata/ortprocess"},
		"faulty":      {"sdk/internal/testkit/faultyplugin", "sdk/conformance/testdata/plumbline-plugin-broken"},
		"cheater":     {"e2e/testdata/plumbline-plugin-cheater"},
		"translation": {"e2e/testdata/plumbline-plugin-translation"},
		"pair":        {"e2e/testdata/pair"},
	}
	for _, dir := range plugins {
		all["plugins"] = append(all["plugins"], "cmd/plugins/"+filepath.Base(dir))
	}
	return all, nil
}

// names are the names of binaries that differ from their packages' names.
var names = map[string]string{"faultyplugin": "plumbline-plugin-faulty", "pair": "plumbline-plugin-pair"}

// build builds everything and returns its key.
func (s *store) build() (string, error) {
	folders, err := s.folders()
	if err != nil {
		return "", err
	}
	stage := filepath.Join(s.dir, s.variant.name)
	args := []string{"build", "-ldflags=-w", "-tags", s.variant.tags, "-o", stage + "/"}
	for _, packages := range folders {
		for _, pkg := range packages {
			args = append(args, "./"+pkg)
		}
	}
	slices.Sort(args[6:])
	tmp := filepath.Join(s.dir, "tmp")
	if err := s.clear("tmp", "new"); err != nil {
		return "", err
	}
	if err := os.Mkdir(tmp, 0o755); err != nil {
		return "", err
	}
	if err := goTool(s.root, []string{"GOTMPDIR=" + tmp}, s.lock, args...); err != nil {
		return "", err
	}
	if s.variant.official != "" {
		if err := s.buildOfficial(tmp, stage); err != nil {
			return "", err
		}
	}
	return s.keep(stage, folders)
}

// buildOfficial builds the official LoadGen and the harness that drives it.
func (s *store) buildOfficial(tmp, stage string) error {
	err := goTool(s.root, nil, s.lock, "run", "./tools/officialloadgen", "-o", stage, s.variant.official)
	if err != nil {
		return err
	}
	return goTool(s.root, []string{"CGO_ENABLED=1", "GOTMPDIR=" + tmp}, s.lock, "build", "-tags", "officialloadgen",
		"-o", filepath.Join(stage, "harness-official"), "./cmd/harness")
}

// keep links the built files into the folder of its key, which appears complete.
func (s *store) keep(stage string, folders map[string][]string) (key string, err error) {
	links := map[string]string{} // targets by path below the folder
	for folder, packages := range folders {
		for _, pkg := range packages {
			name := filepath.Base(pkg)
			as := name
			if names[name] != "" {
				as = names[name]
			}
			links[filepath.Join(folder, as)] = filepath.Join(stage, name)
		}
	}
	if s.variant.official != "" {
		for _, name := range []string{"harness-official", "plumbline-official-loadgen.so"} {
			links[name] = filepath.Join(stage, name)
		}
	}
	if key, err = hash(links); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(s.dir, key)); err == nil {
		return key, nil
	}
	fresh := filepath.Join(s.dir, "new")
	for place, path := range links {
		target := filepath.Join(fresh, place)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return "", err
		}
		if err := os.Link(path, target); err != nil {
			return "", err
		}
	}
	if err := s.addLibrary(fresh); err != nil {
		return "", err
	}
	if err := addAlone(fresh); err != nil {
		return "", err
	}
	return key, os.Rename(fresh, filepath.Join(s.dir, key))
}

// addLibrary puts ONNX Runtime's library beside the plugins that open it.
func (s *store) addLibrary(fresh string) error {
	plugins := filepath.Join(fresh, "plugins")
	out, err := exec.Command(filepath.Join(plugins, "ortlib"), "-o", plugins).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ortlib: %w\n%s", err, out)
	}
	libraries, err := filepath.Glob(filepath.Join(plugins, "libonnxruntime*"))
	if err != nil {
		return err
	}
	for _, path := range libraries {
		target := filepath.Join("..", "plugins", filepath.Base(path))
		if err := os.Symlink(target, filepath.Join(fresh, "pair", filepath.Base(path))); err != nil {
			return err
		}
	}
	return nil
}

// layout changes when keep arranges the files differently.
const layout = "2"

// hash returns the key of files: a hash of their places and contents.
func hash(links map[string]string) (string, error) {
	all := sha256.New()
	fmt.Fprintln(all, layout)
	places := make([]string, 0, len(links))
	for place := range links {
		places = append(places, place)
	}
	slices.Sort(places)
	for _, place := range places {
		f, err := os.Open(links[place])
		if err != nil {
			return "", err
		}
		one := sha256.New()
		_, err = io.Copy(one, f)
		_ = f.Close()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%s %x\n", place, one.Sum(nil))
	}
	return fmt.Sprintf("%x", all.Sum(nil)[:10]), nil
}

// prune removes builds that no process uses, and the remains of ended runs of go test.
func (s *store) prune() error {
	locks, err := filepath.Glob(filepath.Join(s.dir, "*.lock"))
	if err != nil {
		return err
	}
	for _, path := range locks {
		f, err := locked(path, unix.LOCK_EX|unix.LOCK_NB)
		if err != nil {
			continue // in use
		}
		err = s.clear(strings.TrimSuffix(filepath.Base(path), ".lock"), filepath.Base(path))
		_ = f.Close()
		if err != nil {
			return err
		}
	}
	runs, err := filepath.Glob(filepath.Join(s.dir, "run-*"))
	if err != nil {
		return err
	}
	for _, path := range runs {
		pid := strings.Split(filepath.Base(path), "-")[1]
		if _, err := os.Stat(filepath.Join("/proc", pid)); err != nil {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// clear removes folders and files of the store.
func (s *store) clear(names ...string) error {
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	return nil
}
