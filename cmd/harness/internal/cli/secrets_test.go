package cli_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

func TestSecretsStayOutOfResults(t *testing.T) {
	s := clitest.New(t)
	args, secrets := s.Secrets()
	f := s.Fakes["resnet50"]
	f.Info.BackendInfo = map[string]string{"connected": "with " + strings.Join(secrets, " ")}
	run := append([]string{"run", "resnet50", "--scenario", "Offline", "--backend-opt", "threads=2",
		"--out", s.Out()}, args...)
	s.Want(0, s.Run(append(run, "--dry-run")...), "token=(secret)", "licence=(secret)", "threads=2",
		"url=https://(secret)@host")
	s.WantHidden(secrets)
	s.Want(0, s.Run(append(run, "--json")...), `"licence": "(secret)"`, `"threads": "2"`, "licence=env:MY_LICENCE",
		"url=https://(secret)@host")
	s.WantHidden(secrets, s.Out())
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
	args, secrets := s.Secrets()
	s.Fakes["resnet50"].OpenErr = errors.New("refused: " + strings.Join(secrets, ", "))
	run := append([]string{"run", "resnet50", "--scenario", "Offline", "--out", s.Out()}, args...)
	s.File("out/notes.txt", "a folder that is there keeps what is written of runs that fail at once")
	s.Want(6, s.Run(run...), "refused: (secret), (secret)")
	s.WantHidden(secrets, s.Out())
	s.Want(6, s.Run(append(run, "--json", "--force")...), "refused: (secret), (secret)")
	s.WantHidden(secrets, s.Out())
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
	s.WantHidden([]string{"sesame-itself", "sesame-alone"})
	s.Env["PIN"] = "sesame-1"
	s.Want(2, s.Run("run", "resnet50", "--backend-secret", "pin=env:PIN", "--backend-opt", "pin=sesame-2"),
		"both give pin")
	s.WantHidden([]string{"sesame-1", "sesame-2"})
	if n := len(s.Fakes["resnet50"].Opened()); n != 0 {
		t.Errorf("%d workloads were opened", n)
	}
}
