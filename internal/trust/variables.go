package trust

import (
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/lists"
)

// loaders are the variables by which a loader of programs, or Python, takes other code than that of
// the files that are pinned.
var loaders = [...]string{
	"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "GLIBC_TUNABLES",
	"DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "DYLD_FALLBACK_LIBRARY_PATH",
	"DYLD_FALLBACK_FRAMEWORK_PATH",
	"DYLD_ROOT_PATH", "DYLD_VERSIONED_LIBRARY_PATH", "DYLD_VERSIONED_FRAMEWORK_PATH", "DYLD_IMAGE_SUFFIX",
	"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE",
}

// LoaderVariables lists the variables that pinned plugins do not inherit unless the lock file passes them on.
func LoaderVariables() []string { return slices.Clone(loaders[:]) }

// OfLoaders says whether a variable is one of them.
func OfLoaders(name string) bool { return slices.Contains(loaders[:], name) }

// envMark begins the line of a variable in a lock file: a comment to sha256sum.
const envMark = "#env "

// Allow passes a variable of loaders on, or no longer.
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

// Env lists the variables of loaders that are passed on, in order.
func (l *Lock) Env() []string { return slices.Sorted(maps.Keys(l.env)) }

// Withheld lists the variables of loaders that are set and not passed on.
func (l *Lock) Withheld(env func(string) string) []string {
	return lists.Filter(loaders[:], func(name string) bool { return !l.env[name] && env(name) != "" })
}

// droppedVariables lists those that are not passed on, set or not.
func (l *Lock) droppedVariables() []string { return l.Withheld(func(string) string { return "set" }) }

// readEnv takes the variables of a lock file's lines.
func readEnv(text string) map[string]bool {
	env := map[string]bool{}
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), envMark); ok && OfLoaders(strings.TrimSpace(name)) {
			env[strings.TrimSpace(name)] = true
		}
	}
	return env
}
