package trust

import (
	"maps"
	"slices"
	"strings"
)

// loaderVariables are the variables that make a program loader, or Python, load other code than the pinned files.
var loaderVariables = [...]string{
	"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "GLIBC_TUNABLES",
	"DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "DYLD_FALLBACK_LIBRARY_PATH",
	"DYLD_FALLBACK_FRAMEWORK_PATH",
	"DYLD_ROOT_PATH", "DYLD_VERSIONED_LIBRARY_PATH", "DYLD_VERSIONED_FRAMEWORK_PATH", "DYLD_IMAGE_SUFFIX",
	"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE",
}

// LoaderVariables returns the variables that pinned plugins do not inherit unless the lock file allows it.
func LoaderVariables() []string { return slices.Clone(loaderVariables[:]) }

// IsLoaderVariable reports whether a variable is one of LoaderVariables.
func IsLoaderVariable(name string) bool { return slices.Contains(loaderVariables[:], name) }

// envPrefix begins the line of an allowed variable in a lock file. For sha256sum the line is a comment.
const envPrefix = "#env "

// Allow allows plugins to inherit a variable of loaders, or forbids it.
func (l *Lock) Allow(name string, yes bool) {
	if !yes {
		delete(l.env, name)
		return
	}
	if l.env == nil {
		l.env = map[string]bool{}
	}
	l.env[name] = true
}

// Env returns the variables of loaders that plugins may inherit, in order.
func (l *Lock) Env() []string { return slices.Sorted(maps.Keys(l.env)) }

// Withheld returns the variables of loaders that are set but not inherited.
func (l *Lock) Withheld(env func(string) string) []string {
	var names []string
	for _, name := range loaderVariables[:] {
		if !l.env[name] && env(name) != "" {
			names = append(names, name)
		}
	}
	return names
}

// droppedVariables returns all variables of loaders that are not inherited, whether set or not.
func (l *Lock) droppedVariables() []string { return l.Withheld(func(string) string { return "set" }) }

// readEnv returns the allowed variables in a lock file's lines.
func readEnv(text string) map[string]bool {
	env := map[string]bool{}
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), envPrefix); ok &&
			IsLoaderVariable(strings.TrimSpace(name)) {
			env[strings.TrimSpace(name)] = true
		}
	}
	return env
}
