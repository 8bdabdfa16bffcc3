package plan

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// The plugins of harness verify inherit the same variables as those of a run: the variables that options of the backend
// name.
func TestNamedVariables(t *testing.T) {
	env := map[string]string{"A": "sesame-a", "B": "sesame-b"}
	p := &Plan{
		Options: sdk.Options{
			BackendOptions: map[string]string{"token_env": "B", "key_env": "A", "other_env": "NONE", "threads": "A"},
		},
		Request: Request{Model: Model{Env: func(name string) string { return env[name] }}},
	}
	if got := p.Env(); !slices.Equal(got, []string{"A=sesame-a", "B=sesame-b"}) {
		t.Errorf("%q", got)
	}
}

// Options of a server are parsed like those of a plugin's backend, and their secrets are never shown.
func TestServerOptions(t *testing.T) {
	r := Request{
		Model: Model{
			BackendOptions: []string{"ca=a.pem", "header.x-tenant=sesame-header"},
			SecretSources:  []string{"body.key=env:KEY"},
			Env:            func(name string) string { return map[string]string{"KEY": "sesame-env"}[name] },
			Secrets:        new(Secrets),
		},
	}
	got, err := r.ServerOptions()
	want := map[string]string{"ca": "a.pem", "header.x-tenant": "sesame-header", "body.key": "sesame-env"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if text := r.Model.Secrets.Hide("sesame-header sesame-env a.pem"); text != "(secret) (secret) a.pem" {
		t.Errorf("hidden are %q", text)
	}
	r.Model.BackendOptions = append(r.Model.BackendOptions, "none", "body.key=1")
	r.Model.SecretSources = append(r.Model.SecretSources, "x=env:NONE")
	_, err = r.ServerOptions()
	for _, text := range []string{`"none": want key=value`, "both give body.key", "env:NONE is empty"} {
		if !errors.Is(err, sdk.ErrUsage) || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
}

// The address of a PostgreSQL server makes the plugin inherit the variables of its clients and hides the secret ones.
// Other parameters do not.
func TestVariablesOfPostgreSQL(t *testing.T) {
	env := map[string]string{"PGPASSWORD": "sesame-one", "PGSSLPASSWORD": "sesame-two", "PGSSLMODE": "require",
		"PGP_KEY": "sesame-three", "PGPASSFILE": "/x"}
	getenv := func(name string) string { return env[name] }
	for param, want := range map[string]bool{
		"index=postgres://a@b/c": true, "index=postgresql://a@b/c?sslmode=require": true, "index=host=b dbname=c": true,
		"index=dbname=c": true, "database=/postgres": false, "index=": false, "rounds=2": false, "llm=http://postgres": false,
	} {
		name, value, _ := strings.Cut(param, "=")
		o := sdk.Options{Params: map[string]string{name: value}}
		got := Inherit(host.LaunchOptions{Inherit: []string{"OWN"}}, o).Inherit
		if slices.Contains(got, "PGPASSWORD") != want || slices.Contains(got, "PGSSLROOTCERT") != want ||
			!slices.Contains(got, "OWN") || slices.Contains(got, "PGP_KEY") {
			t.Errorf("%s: %q are inherited", param, got)
		}
		p := Plan{Options: o, Request: Request{Model: Model{Env: getenv}}}
		if slices.Contains(p.Env(), "PGPASSWORD=sesame-one") != want {
			t.Errorf("%s: %q", param, p.Env())
		}
		r := Request{Model: Model{Params: []string{param}, Env: getenv, Secrets: new(Secrets)}}
		if err := r.Model.readSecrets(); err != nil {
			t.Fatal(err)
		}
		text := r.Model.Secrets.Hide("sesame-one sesame-two require")
		if (text == "(secret) (secret) require") != want {
			t.Errorf("%s: %q", param, text)
		}
	}
}
