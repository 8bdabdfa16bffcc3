// Package secret keeps the secrets of backend options out of everything that the harness writes: results, logs,
// reports, errors.
//
// In scope: which options contain secrets, their display, removal from texts. Out of scope: access to a process's
// arguments or environment (the system).
package secret

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// shortest is the least length of a secret that is looked for in texts: shorter ones, and words such as none and EMPTY
// that stand for no key, are found by chance.
const shortest = 6

// Keeper knows the secrets of one command. The zero value knows none. Its methods may be called from any goroutine.
type Keeper struct {
	mu     sync.Mutex
	known  []string
	hiding *strings.Replacer // of known; nil: to be made
}

// Add makes secrets known.
func (k *Keeper) Add(secrets ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range secrets {
		if len(s) < shortest || strings.Contains(Shown, s) || slices.Contains(k.known, s) {
			continue
		}
		k.known, k.hiding = append(k.known, s), nil
	}
}

// Hide is a text with Shown in the place of every secret, as it is and as JSON and URLs write it.
func (k *Keeper) Hide(text string) string {
	if r := k.replacer(); r != nil {
		return r.Replace(text)
	}
	return text
}

// replacer is nil where no secret is known.
func (k *Keeper) replacer() *strings.Replacer {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.hiding == nil && len(k.known) > 0 {
		k.hiding = strings.NewReplacer(pairs(k.known)...)
	}
	return k.hiding
}

// pairs are the forms of secrets, each with what is shown, the longest first: one may be part of another.
func pairs(secrets []string) []string {
	var forms []string
	for _, s := range secrets {
		quoted, _ := json.Marshal(s) // no text fails
		forms = append(forms, s, string(quoted[1:len(quoted)-1]), url.QueryEscape(s), url.PathEscape(s))
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, Shown)
	}
	return pairs
}

// Options are options as they may be written down. Those that always names are secrets whatever they are called.
func Options(options map[string]string, always map[string]string) map[string]string {
	shown := make(map[string]string, len(options))
	for name, value := range options {
		if _, is := always[name]; is {
			shown[name] = Shown
			continue
		}
		shown[name], _ = Option(name, value)
	}
	return shown
}

// Args is a command line as it may be written down: the values of flags, which are NAME=VALUE, without their secrets.
// Each flag has what its names are called as options: a flag --header, say, gives options header.NAME.
func Args(args []string, flags map[string]string) []string {
	shown := slices.Clone(args)
	for i, arg := range args {
		if prefix, is := flags[arg]; is && i+1 < len(args) {
			shown[i+1] = pair(prefix, args[i+1])
			continue
		}
		flag, value, ok := strings.Cut(arg, "=")
		if prefix, is := flags[flag]; is && ok {
			shown[i] = flag + "=" + pair(prefix, value)
		}
	}
	return shown
}

// pair is NAME=VALUE, or BACKEND:NAME=VALUE, as it may be written down.
func pair(prefix, text string) string {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return text
	}
	_, own, of := strings.Cut(name, ":")
	if !of {
		own = name
	}
	value, _ = Option(prefix+own, value)
	return name + "=" + value
}
