package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// secretsOf are options with secrets that a command is given, and the secrets.
func (s *shell) secretsOf() (args, secrets []string) {
	s.env["MY_LICENCE"], s.env["MY_TOKEN"], s.env["OPENAI_API_KEY"] = "sesame-env", "sesame-named", "sesame-default"
	return []string{
			"--backend-secret", "licence=env:MY_LICENCE", "--backend-secret=pin=file:" + s.write("pin", "sesame-file\n"),
			"--backend-opt", "token=sesame-token", "--backend-opt=body.options={\"api_key\": \"sesame-json\"}",
			"--backend-opt", "header.x-tenant=sesame-header",
			"--backend-opt", "url=https://me:sesame-url@host", "--backend-opt", "command=python3 b.py --password sesame-command",
			"--backend-opt", "token_env=MY_TOKEN",
		}, []string{"sesame-env", "sesame-named", "sesame-default", "sesame-file", "sesame-token", "sesame-json",
			"sesame-header", "me:sesame-url", "sesame-url", "sesame-command"}
}

// wantHidden looks for secrets in what was printed and in every file below folders.
func (s *shell) wantHidden(secrets []string, folders ...string) {
	s.t.Helper()
	texts := map[string]string{"what is printed": s.stdout.String() + s.stderr.String()}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			texts[path] = string(text)
			return err
		})
		if err != nil {
			s.t.Error(err)
		}
	}
	for where, text := range texts {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				s.t.Errorf("%s holds the secret %q:\n%s", where, secret, text)
			}
		}
	}
}

func TestSecretsStayOutOfResults(t *testing.T) {
	s := newShell(t)
	args, secrets := s.secretsOf()
	f := s.fakes["resnet50"]
	f.Info.BackendInfo = map[string]string{"connected": "with " + strings.Join(secrets, " ")}
	run := append([]string{"run", "resnet50", "--scenario", "Offline", "--backend-opt", "threads=2",
		"--out", s.out()}, args...)
	s.want(0, s.run(append(run, "--dry-run")...), "token=(secret)", "licence=(secret)", "threads=2",
		"url=https://(secret)@host")
	s.wantHidden(secrets)
	s.want(0, s.run(append(run, "--json")...), `"licence": "(secret)"`, `"threads": "2"`, "licence=env:MY_LICENCE",
		"url=https://(secret)@host")
	s.wantHidden(secrets, s.out())
	r := s.result().Runs[0]
	if got := r.Options.BackendOptions; len(got) != 9 || got["command"] != "python3 b.py --password (secret)" ||
		got["token_env"] != "MY_TOKEN" || r.Workload.BackendInfo["connected"] == "" {
		t.Errorf("options %q, backend %q", got, r.Workload.BackendInfo)
	}
	if !slices.Contains(r.Command, "--backend-opt=body.options=(secret)") {
		t.Errorf("the command line is %q", r.Command)
	}
	got := f.Opened()[0].BackendOptions
	for name, want := range map[string]string{"licence": "sesame-env", "pin": "sesame-file", "token": "sesame-token",
		"header.x-tenant": "sesame-header", "url": "https://me:sesame-url@host"} {
		if got[name] != want {
			t.Errorf("the plugin got %s=%q, want %q", name, got[name], want)
		}
	}
}

func TestSecretsStayOutOfErrors(t *testing.T) {
	s := newShell(t)
	args, secrets := s.secretsOf()
	s.fakes["resnet50"].OpenErr = errors.New("refused: " + strings.Join(secrets, ", "))
	run := append([]string{"run", "resnet50", "--scenario", "Offline", "--out", s.out()}, args...)
	s.want(6, s.run(run...), "refused: (secret), (secret)")
	s.wantHidden(secrets, s.out())
	s.want(6, s.run(append(run, "--json", "--force")...), "refused: (secret), (secret)")
	s.wantHidden(secrets, s.out())
}

// A profile tells nothing of secrets, and runs with others use it: they do the same work.
func TestSecretsStayOutOfProfiles(t *testing.T) {
	s := newTuner(t)
	args, secrets := s.secretsOf()
	s.want(0, s.run(append(tuneArgs("--json", "--scenario", "Offline"), args...)...), `"licence": "(secret)"`)
	s.wantHidden(secrets, filepath.Join(s.dir, "settings"))
	path := s.certain()
	args[slices.Index(args, "token=sesame-token")] = "token=sesame-other"
	// What was measured in milliseconds may be too little for a run of its duration.
	run := append([]string{"run", "resnet50", "--scenario", "Offline", "--mode", "performance",
		"--set", "target_qps=100000000", "--out", s.out()}, args...)
	s.want(0, s.run(run...), path)
	if r := s.result().Runs[0]; r.Tuning != path {
		t.Errorf("the run used the profile %q: %s", r.Tuning, r.TuningNote)
	}
	s.wantHidden(append(secrets, "sesame-other"), s.out())
	s.want(0, s.run(append(run, "--force", "--backend-opt", "other=1")...))
	if r := s.result().Runs[0]; r.Tuning != "" {
		t.Errorf("a run with another option uses the profile %s", r.Tuning)
	}
}

func TestSecretsThatCannotBeRead(t *testing.T) {
	s := newShell(t)
	s.env["EMPTY"] = ""
	long := s.write("long", strings.Repeat("x", 65537))
	s.want(2, s.run("run", "resnet50", "--backend-secret", "a=env:EMPTY",
		"--backend-secret", "b=file:"+filepath.Join(s.dir, "none"), "--backend-secret", "c=file:"+long,
		"--backend-secret", "d=sesame-itself", "--backend-secret", "e=env:", "--backend-secret", "sesame-alone"),
		"--backend-secret a: env:EMPTY is empty or not there", "no such file", "more than 65536 bytes",
		"--backend-secret d: want env:NAME", "--backend-secret e: want env:NAME", "want key=value")
	s.wantHidden([]string{"sesame-itself", "sesame-alone"})
	s.env["PIN"] = "sesame-1"
	s.want(2, s.run("run", "resnet50", "--backend-secret", "pin=env:PIN", "--backend-opt", "pin=sesame-2"),
		"both give pin")
	s.wantHidden([]string{"sesame-1", "sesame-2"})
	if n := len(s.fakes["resnet50"].Opened()); n != 0 {
		t.Errorf("%d workloads were opened", n)
	}
}
