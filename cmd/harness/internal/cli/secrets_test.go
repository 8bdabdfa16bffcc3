package cli_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/clitest"
)

// secretsOf are options with secrets that a command is given, and the secrets.
func secretsOf(s *clitest.Shell) (args, secrets []string) {
	s.Env["MY_LICENCE"], s.Env["MY_TOKEN"], s.Env["OPENAI_API_KEY"] = "sesame-env", "sesame-named", "sesame-default"
	return []string{
			"--backend-secret", "licence=env:MY_LICENCE", "--backend-secret=pin=file:" + s.File("pin", "sesame-file\n"),
			"--backend-opt", "token=sesame-token", "--backend-opt=body.options={\"api_key\": \"sesame-json\"}",
			"--backend-opt", "header.x-tenant=sesame-header",
			"--backend-opt", "url=https://me:sesame-url@host", "--backend-opt", "command=python3 b.py --password sesame-command",
			"--backend-opt", "token_env=MY_TOKEN",
		}, []string{"sesame-env", "sesame-named", "sesame-default", "sesame-file", "sesame-token", "sesame-json",
			"sesame-header", "me:sesame-url", "sesame-url", "sesame-command"}
}

// wantHidden looks for secrets in what was printed and in every file below folders.
func wantHidden(s *clitest.Shell, secrets []string, folders ...string) {
	s.T.Helper()
	texts := map[string]string{"what is printed": s.Stdout.String() + s.Stderr.String()}
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
			s.T.Error(err)
		}
	}
	for where, text := range texts {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				s.T.Errorf("%s holds the secret %q:\n%s", where, secret, text)
			}
		}
	}
}

func TestSecretsStayOutOfResults(t *testing.T) {
	s := clitest.New(t)
	args, secrets := secretsOf(s)
	f := s.Fakes["resnet50"]
	f.Info.BackendInfo = map[string]string{"connected": "with " + strings.Join(secrets, " ")}
	run := append([]string{"run", "resnet50", "--scenario", "Offline", "--backend-opt", "threads=2",
		"--out", s.Out()}, args...)
	s.Want(0, s.Run(append(run, "--dry-run")...), "token=(secret)", "licence=(secret)", "threads=2",
		"url=https://(secret)@host")
	wantHidden(s, secrets)
	s.Want(0, s.Run(append(run, "--json")...), `"licence": "(secret)"`, `"threads": "2"`, "licence=env:MY_LICENCE",
		"url=https://(secret)@host")
	wantHidden(s, secrets, s.Out())
	r := s.Result().Runs[0]
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
	s := clitest.New(t)
	args, secrets := secretsOf(s)
	s.Fakes["resnet50"].OpenErr = errors.New("refused: " + strings.Join(secrets, ", "))
	run := append([]string{"run", "resnet50", "--scenario", "Offline", "--out", s.Out()}, args...)
	s.Want(6, s.Run(run...), "refused: (secret), (secret)")
	wantHidden(s, secrets, s.Out())
	s.Want(6, s.Run(append(run, "--json", "--force")...), "refused: (secret), (secret)")
	wantHidden(s, secrets, s.Out())
}

// A profile tells nothing of secrets, and runs with others use it: they do the same work.
func TestSecretsStayOutOfProfiles(t *testing.T) {
	s := newTuner(t)
	args, secrets := secretsOf(s)
	s.Want(0, s.Run(append(tuneArgs("--json", "--scenario", "Offline"), args...)...), `"licence": "(secret)"`)
	wantHidden(s, secrets, filepath.Join(s.Dir, "settings"))
	path := certain(s)
	args[slices.Index(args, "token=sesame-token")] = "token=sesame-other"
	// What was measured in milliseconds may be too little for a run of its duration.
	run := append([]string{"run", "resnet50", "--scenario", "Offline", "--mode", "performance",
		"--set", "target_qps=100000000", "--out", s.Out()}, args...)
	s.Want(0, s.Run(run...), path)
	if r := s.Result().Runs[0]; r.Tuning != path {
		t.Errorf("the run used the profile %q: %s", r.Tuning, r.TuningNote)
	}
	wantHidden(s, append(secrets, "sesame-other"), s.Out())
	s.Want(0, s.Run(append(run, "--force", "--backend-opt", "other=1")...))
	if r := s.Result().Runs[0]; r.Tuning != "" {
		t.Errorf("a run with another option uses the profile %s", r.Tuning)
	}
}

func TestSecretsThatCannotBeRead(t *testing.T) {
	s := clitest.New(t)
	s.Env["EMPTY"] = ""
	long := s.File("long", strings.Repeat("x", 65537))
	s.Want(2, s.Run("run", "resnet50", "--backend-secret", "a=env:EMPTY",
		"--backend-secret", "b=file:"+filepath.Join(s.Dir, "none"), "--backend-secret", "c=file:"+long,
		"--backend-secret", "d=sesame-itself", "--backend-secret", "e=env:", "--backend-secret", "sesame-alone"),
		"--backend-secret a: env:EMPTY is empty or not there", "no such file", "more than 65536 bytes",
		"--backend-secret d: want env:NAME", "--backend-secret e: want env:NAME", "want key=value")
	wantHidden(s, []string{"sesame-itself", "sesame-alone"})
	s.Env["PIN"] = "sesame-1"
	s.Want(2, s.Run("run", "resnet50", "--backend-secret", "pin=env:PIN", "--backend-opt", "pin=sesame-2"),
		"both give pin")
	wantHidden(s, []string{"sesame-1", "sesame-2"})
	if n := len(s.Fakes["resnet50"].Opened()); n != 0 {
		t.Errorf("%d workloads were opened", n)
	}
}
