package discover

import (
	"path/filepath"
)

// EnvPlugins is the environment variable that lists plugin directories.
const EnvPlugins = "PLUMBLINE_PLUGINS"

// Beside is the source of the directories that need no flag.
const Beside = "beside the harness"

// Dir is a directory that is searched, and why.
type Dir struct {
	Path   string
	Source string // "--plugin-dir", "PLUMBLINE_PLUGINS", "beside the harness"
}

// Dirs lists where plugins are looked for, first place first: the --plugin-dir flags, the directories of
// PLUMBLINE_PLUGINS, plugins/ beside the harness binary, and the binary's own directory.
func Dirs(flags []string, env, executable string) []Dir {
	var dirs []Dir
	for _, d := range flags {
		dirs = append(dirs, Dir{d, "--plugin-dir"})
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
	return append(dirs, Dir{filepath.Join(beside, "plugins"), Beside}, Dir{beside, Beside})
}

func paths(dirs []Dir) []string {
	p := make([]string, len(dirs))
	for i, d := range dirs {
		p[i] = d.Path
	}
	return p
}
