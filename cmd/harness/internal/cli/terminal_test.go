package cli_test

import (
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

// TestTerminalsWithoutUTF8 asks for text in locales of all kinds: it is ASCII where these have no UTF-8, down to its
// errors, and JSON and files stay as they are.
func TestTerminalsWithoutUTF8(t *testing.T) {
	s := clitest.New(t)
	s.Env["COLUMNS"] = "200"
	run := []string{"run", "resnet50", "--scenario", "Server", "--mode", "performance", "--label", "Zürich → 漢", "--force",
		"--out", s.Out()}
	for locale, plain := range map[string]bool{
		"LANG=C": true, "LC_ALL=POSIX": true, "LC_CTYPE=de_DE.ISO-8859-1": true, "LANG=C.UTF-8": false, "": false,
	} {
		for _, name := range []string{"LANG", "LC_ALL", "LC_CTYPE"} {
			delete(s.Env, name)
		}
		if name, value, ok := strings.Cut(locale, "="); ok {
			s.Env[name] = value
		}
		s.Want(0, s.Run(run...))
		all := s.Stdout.String() + s.Stderr.String()
		s.Want(0, s.Run("report", s.Out()))
		report := s.Stdout.String()
		s.Run("compare", s.Out(), s.Out())
		all += report + s.Stdout.String()
		s.Want(2, s.Run("run", "resnet50", "--scenario", "Größe"))
		all += s.Stderr.String()
		beyond := strings.IndexFunc(all, func(r rune) bool { return r > '~' })
		if plain != (beyond < 0) {
			t.Errorf("%s: %.100q", locale, all[max(0, beyond):])
		}
		if marks := [2]string{"█", "#"}; !strings.Contains(report, marks[map[bool]int{true: 1}[plain]]) {
			t.Errorf("%s: the report has no lines over time:\n%s", locale, report)
		}
		s.Want(0, s.Run(append(run, "--json")...))
		if !strings.Contains(s.Stdout.String(), "Zürich → 漢") {
			t.Errorf("%s: JSON is not what it was:\n%s", locale, s.Stdout.String())
		}
		text, err := os.ReadFile(s.Out("result.json"))
		if err != nil || !strings.Contains(string(text), "Zürich → 漢") {
			t.Errorf("%s: %v: the file has no label", locale, err)
		}
	}
}

// TestControlCharactersAreShown lets a plugin speak in control sequences: on standard output and standard
// error they stand as escapes.
func TestControlCharactersAreShown(t *testing.T) {
	f := plugintest.Classifier()
	f.Description.Models[0].Summary = "image\x1b[2J\u009b31m classification\nfaked 100 %"
	f.Description.Version = "1\r0\u202e"
	s := clitest.NewWith(t, map[string]*plugintest.Fake{"resnet50": f})
	file := s.File("user\x1b]0;x\x07.conf", "*.*.\x1b[31mkey = 4\n")
	for _, args := range [][]string{
		{"list"}, {"describe", "resnet50"}, {"run", "resnet50", "--scenario", "Offline", "--out", s.Out()},
		{"run", "resnet50", "--scenario", "Offline", "--json", "--out", s.Out()},
		{"run", "resnet50", "--user-conf", file}, {"run", "res\x1b[1mnet"}, {"doctor"},
	} {
		s.Run(args...)
		all := s.Stdout.String() + s.Stderr.String()
		if strings.ContainsAny(all, "\x1b\r\x07\u009b\u202e") {
			t.Errorf("%q: %q", args, all)
		}
	}
	s.Want(0, s.Run("list"), `\u001b[2J\u009b31m`)
	s.Want(2, s.Run("run", "resnet50", "--user-conf", file), `\u001b[31mkey`)
}
