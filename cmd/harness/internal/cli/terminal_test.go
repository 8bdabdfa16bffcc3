package cli_test

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/plugin/plugintest"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/clitest"
)

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
