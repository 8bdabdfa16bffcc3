package discover

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/host"
)

// EnvPlugins is the environment variable that lists plugin directories.
const EnvPlugins = "PLUMBLINE_PLUGINS"

// HowToGet explains how to install plugins in the folders that the harness searches.
const HowToGet = "build the plugins with `make build`; or install them beside the harness with\n" +
	"`go install github.com/plumbline-ml/plumbline/cmd/plugins/plumbline-plugin-...@VERSION`, of its own version;\n" +
	"or name their directory with --plugin-dir or " + EnvPlugins

// Beside is the source of the directories that the harness always searches.
const Beside = "beside the harness"

// Dir is a directory to search, with its source.
type Dir struct {
	Path   string
	Source string // "--plugin-dir", "PLUMBLINE_PLUGINS" or "beside the harness"
}

// installed is the plugin folder of system packages, Python packages and archives, relative to the parent of bin/.
var installed = filepath.Join("libexec", "plumbline", "plugins")

// Dirs lists the directories to search, in order: those of the --plugin-dir flags, those of PLUMBLINE_PLUGINS, plugins/
// in the folder of the harness binary, that folder itself, and, if that folder is called bin, libexec/plumbline/plugins
// in its parent.
func Dirs(flags []string, env, executable string) []Dir {
	dirs := make([]Dir, len(flags))
	for i, d := range flags {
		dirs[i] = Dir{d, "--plugin-dir"}
	}
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

// whereToLook lists the directories given by the user that contain no plugin. If the user gave none, it explains how to
// give one. It returns "" if each directory contains a plugin.
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

// explainEmptyDir explains why a directory contains no plugin, or returns "" if it contains one.
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
