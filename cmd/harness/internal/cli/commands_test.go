package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

// Commands whose output is the same on every machine.
func TestTexts(t *testing.T) {
	cases := []struct {
		name string
		args []string
		code int
	}{
		{"list", []string{"list"}, 0},
		{"describe", []string{"describe", "resnet50"}, 0},
		{"settings", []string{"settings", "resnet50", "--scenario", "Server,Offline"}, 0},
		{"settings-official", []string{"settings", "resnet50", "--scenario", "MultiStream", "--official"}, 0},
		{"settings-v0.5", []string{"settings", "resnet50", "--scenario", "MultiStream", "--rules", "v0.5", "--official"}, 0},
		{"settings-v0.7", []string{"settings", "resnet50", "--scenario", "MultiStream", "--rules", "v0.7", "--official"}, 0},
		{"settings-tokens", []string{"settings", "resnet50", "--scenario", "Server",
			"--official", "--set", "use_token_latencies=1", "--set", "server_num_issue_query_threads=2"}, 0},
		{"dry-run-findpeak", []string{"run", "resnet50", "--dry-run", "--mode", "findpeak", "--out", "results"}, 0},
		{"findpeak-offline", []string{"run", "resnet50", "--mode", "findpeak", "--scenario", "Offline"}, 2},
		{"settings-set", []string{"settings", "resnet50", "--scenario", "SingleStream",
			"--official", "--set", "min_duration=2000"}, 0},
		{"settings-explain", []string{"settings", "resnet50", "--scenario", "SingleStream", "--explain"}, 0},
		{"dry-run", []string{"run", "resnet50", "--dry-run", "--scenario", "SingleStream", "--out", "results",
			"--threads", "2"}, 0},
		{"help", []string{"--help"}, 0},
		{"help-run", []string{"run", "--help"}, 0},
		{"unknown-model", []string{"run", "resnet5"}, 2},
		{"unknown-command", []string{"rum", "resnet50"}, 2},
		{"unknown-flag", []string{"run", "resnet50", "--senario", "Offline"}, 2},
		{"no-model", []string{"run"}, 2},
		{"many-faults", []string{"run", "resnet50", "--scenario", "Ofline", "--backend", "otr",
			"--precision", "int4", "--mode", "fast",
			"--count", "-1", "--set", "nonsense", "--param", "dtyp=1", "--dataset", "/no/such/folder",
			"--official", "--smoke"}, 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := clitest.New(t)
			s.Want(c.code, s.Run(c.args...))
			s.Golden(c.name)
		})
	}
}

func TestVersion(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("version"), "harness ", "go1")
	text := s.Stdout.String()
	s.Want(0, s.Run("--version"), text)
}

func TestLimitFlag(t *testing.T) {
	s := clitest.New(t)
	if !host.LimitsSupported {
		s.Want(2, s.Run("list", "--limit", "files=100"), "on this system")
		return
	}
	s.Want(2, s.Run("run", "resnet50", "--limit", "memory=much,proceses=3", "--limit", "cpu=10"), "--limit", `"much"`,
		"8GiB", `"proceses"`, `cpu: "10"`)
	s.Want(2, s.Run("run", "resnet50", "--limit", "memory=8"), `"8", want a number with its unit, such as 8GiB`)
	s.Want(2, s.Run("run", "resnet50", "--limit", "memory=8Gi"), `"8Gi", want a number with its unit, such as 8GiB`)
	s.Want(2, s.Run("verify", "resnet50", "--limit", "files=100"), "verify takes none")
	s.Want(0, s.Run("list", "--limit", "memory=8GiB,files=1024"))
	s.Want(2, s.Run("dataset", "verify", "resnet50", s.Out("none"), "--limit", "files=1024"), "resnet50 has none")
}

func TestVerifyFlags(t *testing.T) {
	s := clitest.New(t)
	s.Want(2, s.Run("verify", "resnet50", "--only", "colour", "--patience", "0s", "--memory-time", "-1s"),
		`unknown check "colour"`, "--patience 0s: want", "--memory-time -1s: want")
	if s.Stdout.String() != "" {
		t.Errorf("checks were made:\n%s", s.Stdout.String())
	}
}

// What Ctrl-C cuts off is not to be mended.
func TestInterruptedDoctor(t *testing.T) {
	t.Parallel() // it mostly waits
	null := plugintest.Classifier()
	s := clitest.NewWith(t, map[string]*plugintest.Fake{"null": null})
	null.HoldAfter, null.OnHold = 10, func() { s.Signals <- syscall.SIGINT }
	s.Want(130, s.Run("doctor"), "called off", "interrupted by signal")
	if strings.Contains(s.Stdout.String(), "to mend") {
		t.Errorf("something is to be mended:\n%s", s.Stdout.String())
	}
}

func TestNoPlugin(t *testing.T) {
	for _, args := range [][]string{{"list"}, {"run", "resnet50"}, {"describe", "x"}} {
		s := clitest.NewWith(t, nil)
		s.Want(2, s.Run(args...), "no plugin found", s.Plugins, "PLUMBLINE_PLUGINS", "make build")
	}
}

func TestBrokenPlugins(t *testing.T) {
	broken := func() *plugintest.Fake {
		return &plugintest.Fake{LaunchErr: &host.PluginError{Kind: host.KindStart, Plugin: "broken", Path: "p",
			Found: "it exited with status 3",
			Hint:  "run it by hand", Stderr: []string{"no licence"}}}
	}
	t.Run("one of two", func(t *testing.T) {
		s := clitest.NewWith(t, map[string]*plugintest.Fake{"broken": broken(), "resnet50": plugintest.Classifier()})
		s.Want(0, s.Run("list"), "mobilenet", "plugin broken is left out", "no licence")
		s.Want(5, s.Run("run", "broken"), "status 3")
		s.Want(5, s.Run("run", "bert"), "unknown model", "plugin broken serves it, which did not answer", "status 3")
	})
	t.Run("all", func(t *testing.T) {
		s := clitest.NewWith(t, map[string]*plugintest.Fake{"broken": broken()})
		s.Want(5, s.Run("list"), "status 3", "no licence", "run it by hand")
		s.Want(5, s.Run("run", "resnet50"), "status 3")
	})
	t.Run("describe fails", func(t *testing.T) {
		s := clitest.NewWith(t, map[string]*plugintest.Fake{
			"x": {DescribeErr: &host.PluginError{Kind: host.KindDied, Found: "it died"}},
		})
		s.Want(5, s.Run("describe", "x"), "it died")
	})
}

func TestTwoPluginsOfOneModel(t *testing.T) {
	s := clitest.NewWith(t, map[string]*plugintest.Fake{
		"resnet50": plugintest.Classifier(), "resnet50-acme": plugintest.Classifier(),
	})
	s.Want(2, s.Run("describe", "resnet50"), "2 plugins serve resnet50",
		filepath.Join(s.Plugins, "plumbline-plugin-resnet50-acme"), "--plugin")
	s.Want(0, s.Run("describe", "resnet50", "--plugin", "resnet50-acme"), "plumbline-plugin-resnet50-acme")
	s.Want(0, s.Run("describe", "resnet50", "--plugin", filepath.Join(s.Plugins, "plumbline-plugin-resnet50")),
		"mobilenet")
	s.Want(2, s.Run("describe", "resnet50", "--plugin", "acme"), "unknown plugin")
	s.Want(2, s.Run("describe", "resnet50", "--plugin", "./acme"), "no such file")
}

func TestPluginDirectories(t *testing.T) {
	s := clitest.New(t)
	s.Env["PLUMBLINE_PLUGINS"] = ""
	s.Want(2, s.Run("list"), "no plugin found")
	s.Want(0, s.Run("list", "--plugin-dir", s.Plugins), "mobilenet")
}

func TestSettingsFromUserConf(t *testing.T) {
	s := clitest.New(t)
	conf := s.File("user.conf", "*.Server.target_qps = 123\nresnet50.*.min_duration = 700\n")
	code := s.Run("settings", "resnet50", "--scenario", "Server", "--user-conf", conf)
	s.Want(0, code, "user.conf:1 (*.Server.target_qps)", "123", "user.conf:2 (resnet50.*.min_duration)", "700")
	if strings.Contains(s.Stdout.String(), "40000") {
		t.Error("smoke settings override what the user wrote in user.conf")
	}
	code = s.Run("settings", "resnet50", "--scenario", "Server", "--user-conf", conf, "--set", "Server.target_qps=9",
		"--set", "Offline.target_qps=8")
	s.Want(0, code, "  9  queries/s  flag --set")
}

func TestBadUserConf(t *testing.T) {
	s := clitest.New(t)
	conf := s.File("user.conf", "*.Server.target_qpz = 123\nresnet5.*.min_duration = 700\n")
	other := s.File("other.conf", "resnet5.*.min_duration = 700\nbert.Sometimes.no_such_key = 1\n")
	s.Want(2, s.Run("run", "resnet50", "--user-conf", conf), "user.conf", "target_qpz", "target_qps")
	code := s.Run("settings", "resnet50", "--scenario", "Server", "--user-conf", conf, "--ignore-unknown-keys")
	s.Want(0, code, "note: "+conf+": line 1: LoadGen does not know target_qpz: ignored",
		"line 2: of resnet5, which is not resnet50")
	s.Want(0, s.Run("settings", "resnet50", "--scenario", "Server", "--user-conf", other),
		"line 2: of other models (bert)")
	many := s.File("many.conf", strings.Repeat("*.Server.target_qpz = "+strings.Repeat("1", 300)+"\n", 3000))
	s.Want(2, s.Run("run", "resnet50", "--user-conf", many), "and 2952 more")
	if lines := strings.Count(s.Stderr.String(), "\n"); lines > 50 {
		t.Errorf("%d lines of faults", lines)
	}
	s.Want(2, s.Run("settings", "resnet50", "--user-conf", "/no/such/user.conf"), "/no/such/user.conf")
	s.Want(2, s.Run("settings", "resnet50", "--rules", "v9.9"), "v9.9", "v6.1")
}

func TestDoctor(t *testing.T) {
	null := plugintest.Classifier()
	null.Description.Name, null.Description.Models = "null", null.Description.Models[:1]
	null.Description.Models[0].Name = "null"
	broken := &plugintest.Fake{
		LaunchErr: &host.PluginError{Kind: host.KindVersion, Found: "it speaks protocol 7", Hint: "rebuild it"},
	}
	s := clitest.NewWith(t, map[string]*plugintest.Fake{"null": null, "resnet50": plugintest.Classifier()})
	s.Want(0, s.Run("doctor"), "Example CPU @ 2.00GHz", "16.8 GB", "ONNX Runtime 1.28.2", "/usr/lib/libonnxruntime.so",
		"per query to a plugin and back")
	s.Fakes["broken"] = broken
	if err := plugintest.New(s.Fakes).Install(s.Plugins); err != nil {
		t.Fatal(err)
	}
	s.Want(5, s.Run("doctor"), "it speaks protocol 7", "-> rebuild it", "1 to mend")
}

func TestDoctorWithoutPlugins(t *testing.T) {
	s := clitest.NewWith(t, nil)
	s.Want(2, s.Run("doctor"), "none found", "make build", "not measured: there is no plugin null")
}

func TestDoctorFindsModelThatDoesNotOpen(t *testing.T) {
	s := clitest.New(t)
	s.Fakes["resnet50"].OpenErr = errors.New("libonnxruntime.so: no such file")
	s.Want(1, s.Run("doctor"), "resnet50 on ort", "libonnxruntime.so: no such file")
}

func TestCacheFolderThatCannotBeWritten(t *testing.T) {
	s := clitest.New(t)
	s.Env["PLUMBLINE_CACHE"] = filepath.Join(s.File("file", ""), "cache")
	s.Want(0, s.Run("doctor"), "not a directory", "PLUMBLINE_CACHE")
	if _, err := os.Stat(s.Dir); err != nil {
		t.Fatal(err)
	}
}

func TestArgumentsThatCannotBeRead(t *testing.T) {
	s := clitest.NewWith(t, map[string]*plugintest.Fake{"resnet50": plugintest.Classifier()})
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "resnet50", "--sessions", "x"}, `--sessions "x": want a whole number; see harness run --help`},
		{[]string{"tune", "resnet50", "--try-batch", "1,b"},
			`--try-batch "1,b": want whole numbers with commas between them`},
		{[]string{"run", "resnet50", "--heartbeat-timeout", "5"}, `--heartbeat-timeout "5": want a duration such as 90s`},
		{[]string{"run", "resnet50", "--plugin-start-timeout", "0s"}, `--plugin-start-timeout 0s: want a duration above 0`},
		{[]string{"run", "resnet50", "--quiet=perhaps"}, `--quiet "perhaps": want true or false`},
		{[]string{"describe", "resnet50", "extra"}, `["resnet50" "extra"] are 2 arguments, want one: a model's name`},
	} {
		s.Want(2, s.Run(c.args...), c.want)
	}
	if text := s.Stderr.String(); strings.Contains(text, "strconv") {
		t.Errorf("a function of Go is named:\n%s", text)
	}
}
