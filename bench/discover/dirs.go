package discover

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// EnvPlugins is the environment variable that lists plugin directories.
const EnvPlugins = "PLUMBLINE_PLUGINS"

// HowToGet says how plugins get where they are looked for.
const HowToGet = "build the plugins with `make build`; or install them beside the harness with\n" +
	"`go install github.com/plumbline-ml/plumbline/cmd/plugins/plumbline-plugin-...@VERSION`, of its own version;\n" +
	"or name their directory with --plugin-dir or " + EnvPlugins

// Beside is the source of the directories that need no flag.
const Beside = "beside the harness"

// Dir is a directory that is searched, and why.
type Dir struct {
	Path   string
	Source string // "--plugin-dir", "PLUMBLINE_PLUGINS", "beside the harness"
}

// installed is where a package of the system or of Python, or an archive, has the plugins: from the folder above bin/.
var installed = filepath.Join("libexec", "plumbline", "plugins")

// Dirs lists where plugins are looked for, first place first: the --plugin-dir flags, the directories of
// PLUMBLINE_PLUGINS, plugins/ beside the harness binary, the binary's own directory, and where that is called bin,
// libexec/plumbline/plugins beside it.
func Dirs(flags []string, env, executable string) []Dir {
	dirs := lists.Map(flags, func(d string) Dir { return Dir{d, "--plugin-dir"} })
	for _, d := range filepath.SplitList(env) {
		if d != "" {
			dirs = append(dirs, Dir{d, EnvPlugins})
		}
	}
	if executable == "" {
		return dirs
	}
	beside := filepath.Dir(executable)
	dirs = append(dirs, Dir{filepath.Join(beside, "plugins"), Beside}, Dir{beside, Beside})
	if filepath.Base(beside) == "bin" {
		dirs = append(dirs, Dir{filepath.Join(filepath.Dir(beside), installed), Beside})
	}
	return dirs
}

// whereToLook says which of the directories that the user named have no plugin in them; where none was named, how to
// name one. Empty: each has one.
func whereToLook(dirs []Dir) string {
	var hints []string
	named := false
	for _, d := range dirs {
		if d.Source == Beside {
			continue
		}
		named = true
		if fault := explainEmptyDir(d.Path); fault != "" {
			hints = append(hints, fmt.Sprintf("%s %s: %s", d.Source, d.Path, fault))
		}
	}
	if !named {
		return "a plugin of your own is found with --plugin-dir DIR or " + EnvPlugins
	}
	return strings.Join(hints, "\n")
}

// explainEmptyDir says why there is no plugin in a directory; empty: there is one.
func explainEmptyDir(dir string) string {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "no such directory"
	}
	if err != nil {
		return err.Error()
	}
	if !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), host.BinaryPrefix) }) {
		return "no file in it is named " + host.BinaryPrefix + "NAME"
	}
	return ""
}
