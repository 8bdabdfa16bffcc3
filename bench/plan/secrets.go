package plan

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/secret"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/internal/flagtext"
)

// Secrets removes the secrets that it knows from texts. The zero value knows none. It is safe for concurrent use.
type Secrets = secret.Keeper

// The flags for options of the backend.
const (
	backendOpt    = "--backend-opt"
	backendSecret = "--backend-secret"
)

// maxSecret is the maximum size of a secret file, in bytes. Larger files are not secrets.
const maxSecret = 64 << 10

// readSecrets reads the secret options of a model. It registers all texts that must not be shown: these options, the
// secrets in the other options, and the values of the variables that the plugin inherits for its backend.
func (m *Model) readSecrets() error {
	given, _ := flagtext.ParsePairs(backendOpt, m.BackendOptions) // resolve reports the faults
	for name, value := range given {
		_, secrets := secret.HideOption(name, value)
		m.Secrets.Add(secrets...)
	}
	for _, name := range append(namedVariables(given), "OPENAI_API_KEY") {
		m.Secrets.Add(m.getenv(name))
	}
	params, _ := flagtext.ParsePairs("--param", m.Params) // resolve reports the faults
	for _, value := range params {
		if isPostgres(value) {
			for _, name := range postgresSecrets {
				m.Secrets.Add(m.getenv(name))
			}
		}
	}
	for _, value := range m.BackendSecrets {
		m.Secrets.Add(value)
	}
	for _, text := range m.SecretSources {
		if !strings.Contains(text, "=") { // the text may be the secret itself
			m.Secrets.Add(text)
		}
	}
	return m.readSources()
}

// readSources adds the values of SecretSources to BackendSecrets.
func (m *Model) readSources() error {
	sources, faults := flagtext.ParsePairs(backendSecret, m.SecretSources)
	all := make(map[string]string, len(m.BackendSecrets)+len(sources))
	maps.Copy(all, m.BackendSecrets)
	for name, source := range sources {
		value, err := m.readSecret(source)
		if _, twice := all[name]; twice && err == nil {
			err = errors.New("it is given twice")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s %s: %w", backendSecret, name, err))
		}
		m.Secrets.Add(value)
		all[name] = value
	}
	m.BackendSecrets = all
	slices.SortFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(faults...)
}

// readSecret reads env:NAME or file:PATH. It removes a file's final end of line.
func (m *Model) readSecret(source string) (value string, err error) {
	kind, where, _ := strings.Cut(source, ":")
	switch {
	case kind == "env" && where != "":
		value = m.getenv(where)
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

// ServerOptions returns the options of a backend that is opened without a plugin: BackendOptions, BackendSecrets and
// the values of SecretSources. It registers all secrets among them in Secrets, which must not be nil. The error lists
// all faults.
func (r *Request) ServerOptions() (map[string]string, error) {
	err := r.Model.readSecrets()
	options, faults := r.Model.allOptions()
	return options, sdk.Usage(errors.Join(append(faults, err)...))
}

func (m *Model) getenv(name string) string {
	if m.Env == nil {
		return ""
	}
	return m.Env(name)
}

// Env returns the environment variables that the options name and the plugin inherits, as NAME=VALUE, if they are set.
func (p *Plan) Env() []string {
	var env []string
	for _, name := range optionVariables(p.Options) {
		if value := p.Request.Model.getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func readBounded(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // opened only for reading
	text, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if len(text) > maxSecret {
		return "", fmt.Errorf("%s has more than %d bytes: no secret is so long", path, maxSecret)
	}
	return string(text), err
}

// Inherit makes the plugin inherit the variables that options of its backend name, and the variables of PostgreSQL
// clients if a parameter of the benchmark is the address of a PostgreSQL server.
func Inherit(launch host.LaunchOptions, o sdk.Options) host.LaunchOptions {
	launch.Inherit = slices.Concat(launch.Inherit, optionVariables(o))
	return launch
}

// optionVariables returns the variables that options refer to.
func optionVariables(o sdk.Options) []string {
	names := namedVariables(o.BackendOptions)
	if slices.ContainsFunc(slices.Collect(maps.Values(o.Params)), isPostgres) {
		names = slices.Concat(names, postgres, postgresSecrets)
	}
	return names
}

// isPostgres reports whether a text is the address of a PostgreSQL server: a URL, or host=... dbname=...
func isPostgres(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://") ||
		strings.Contains(text, "host=") || strings.Contains(text, "dbname=")
}

// The variables that PostgreSQL clients read in addition to an address, according to their documentation. The values of
// postgresSecrets are never shown.
var (
	postgres = []string{
		"PGAPPNAME", "PGCHANNELBINDING", "PGCONNECT_TIMEOUT", "PGDATABASE", "PGHOST", "PGMAXPROTOCOLVERSION",
		"PGMINPROTOCOLVERSION", "PGOPTIONS", "PGPASSFILE", "PGPORT", "PGREQUIREAUTH", "PGSERVICE", "PGSERVICEFILE",
		"PGSSLCERT", "PGSSLCERTMODE", "PGSSLKEY", "PGSSLMODE", "PGSSLNEGOTIATION", "PGSSLROOTCERT", "PGSSLSNI",
		"PGTARGETSESSIONATTRS", "PGTZ", "PGUSER",
	}
	postgresSecrets = []string{"PGPASSWORD", "PGSSLPASSWORD"}
)

// namedVariables returns the variables that options name: the values of options whose names end in _env.
func namedVariables(options map[string]string) []string {
	var names []string
	for _, option := range slices.Sorted(maps.Keys(options)) {
		if name := options[option]; strings.HasSuffix(option, "_env") && name != "" {
			names = append(names, name)
		}
	}
	return names
}
