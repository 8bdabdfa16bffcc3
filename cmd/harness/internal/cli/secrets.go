package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/secret"
)

// The flags with options of the backend.
const (
	backendOpt    = "--backend-opt"
	backendSecret = "--backend-secret"
)

// mostSecret bounds a file with a secret, in bytes: more is another file.
const mostSecret = 64 << 10

// readSecrets reads the options of a request that are secret, and learns what no text may show: them, the secrets in the
// other options, and the values of the variables that the plugin inherits for its backend.
func (a *app) readSecrets(r *bench.Request) error {
	given, _ := bench.Pairs(backendOpt, r.BackendOptions) // Build says what is wrong with them
	for name, value := range given {
		_, secrets := secret.Option(name, value)
		a.secrets.Add(secrets...)
	}
	for _, name := range append(bench.Named(given), "OPENAI_API_KEY") {
		a.secrets.Add(a.Env(name))
	}
	for _, text := range r.SecretSources {
		if !strings.Contains(text, "=") { // it may be the secret itself
			a.secrets.Add(text)
		}
	}
	sources, faults := bench.Pairs(backendSecret, r.SecretSources)
	r.BackendSecrets = make(map[string]string, len(sources))
	for name, source := range sources {
		value, err := a.readSecret(source)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s %s: %w", backendSecret, name, err))
		}
		a.secrets.Add(value)
		r.BackendSecrets[name] = value
	}
	slices.SortFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(faults...)
}

// readSecret reads env:NAME or file:PATH, without the end of line that a file's last line has.
func (a *app) readSecret(source string) (value string, err error) {
	kind, where, _ := strings.Cut(source, ":")
	switch {
	case kind == "env" && where != "":
		value = a.Env(where)
	case kind == "file" && where != "":
		value, err = readBounded(where)
	default: // the value may be the secret itself
		return "", errors.New("want env:NAME, an environment variable, or file:PATH")
	}
	if value = strings.TrimRight(value, "\r\n"); value == "" && err == nil {
		err = fmt.Errorf("%s is empty or not there", source)
	}
	return value, err
}

func readBounded(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // opened for reading
	text, err := io.ReadAll(io.LimitReader(f, mostSecret+1))
	if len(text) > mostSecret {
		return "", fmt.Errorf("%s has more than %d bytes: no secret is so long", path, mostSecret)
	}
	return string(text), err
}

// named are the variables that options of the backend name, as NAME=VALUE.
func (a *app) named(options map[string]string) []string {
	var env []string
	for _, name := range bench.Named(options) {
		if value := a.Env(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
