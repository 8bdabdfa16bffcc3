// Package secret keeps the secrets of backend options out of everything that the harness writes: results, logs,
// reports, errors.
//
// In scope: the options that contain secrets, their display, removal from texts. Out of scope: access to a process's
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

// minHiddenLength is the minimum length of a secret that is replaced in texts. Shorter secrets, and words such as none
// and EMPTY that stand for no key, would match unrelated text.
const minHiddenLength = 6

// Keeper hides the secrets of one command. The zero value hides nothing. Its methods are safe for concurrent use.
type Keeper struct {
	mu           sync.Mutex
	known        []string
	replacements *strings.Replacer // of known; nil: to be made
} // replaces known; nil: not yet built

// Add adds secrets.
func (k *Keeper) Add(secrets ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range secrets {
		if len(s) < minHiddenLength || strings.Contains(Shown, s) || slices.Contains(k.known, s) {
			continue
		}
		k.known, k.replacements = append(k.known, s), nil
	}
}

// Hide returns a text in which Shown replaces every secret, in its plain form and in the forms of JSON and URLs.
func (k *Keeper) Hide(text string) string {
	if r := k.replacer(); r != nil {
		return r.Replace(text)
	}
	return text
}

// replacer returns nil if there are no secrets.
func (k *Keeper) replacer() *strings.Replacer {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.replacements == nil && len(k.known) > 0 {
		k.replacements = strings.NewReplacer(replacementPairs(k.known)...)
	}
	return k.replacements
}

// replacementPairs returns the forms of the secrets, each with its replacement. The longest come first, because a form
// may be part of another.
func replacementPairs(secrets []string) []string {
	var forms []string
	for _, s := range secrets {
		quoted, _ := json.Marshal(s) // a string can always be encoded
		forms = append(forms, s, string(quoted[1:len(quoted)-1]), url.QueryEscape(s), url.PathEscape(s))
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, Shown)
	}
	return pairs
}

// HideOptions returns options without their secrets. The options in always are secret, whatever their names are.
func HideOptions(options map[string]string, always map[string]string) map[string]string {
	shown := make(map[string]string, len(options))
	for name, value := range options {
		if _, is := always[name]; is {
			shown[name] = Shown
			continue
		}
		shown[name], _ = HideOption(name, value)
	}
	return shown
}

// HideArgs returns a command line without the secrets in the values of flags. Values have the form NAME=VALUE. flags
// maps a flag to the prefix of its options: for the flag --header, NAME becomes the option header.NAME.
func HideArgs(args []string, flags map[string]string) []string {
	shown := slices.Clone(args)
	for i, arg := range args {
		if prefix, is := flags[arg]; is && i+1 < len(args) {
			shown[i+1] = hidePair(prefix, args[i+1])
			continue
		}
		flag, value, ok := strings.Cut(arg, "=")
		if prefix, is := flags[flag]; is && ok {
			shown[i] = flag + "=" + hidePair(prefix, value)
		}
	}
	return shown
}

// hidePair returns NAME=VALUE, or BACKEND:NAME=VALUE, without the secret.
func hidePair(prefix, text string) string {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return text
	}
	_, own, of := strings.Cut(name, ":")
	if !of {
		own = name
	}
	value, _ = HideOption(prefix+own, value)
	return name + "=" + value
}
