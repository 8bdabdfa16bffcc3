package cli

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/plugin/plugintest"
)

// TestControlCharactersAreShown lets a plugin speak in control sequences: on standard output and standard
// error they stand as escapes.
func TestControlCharactersAreShown(t *testing.T) {
	f := plugintest.Classifier()
	f.Description.Models[0].Summary = "image\x1b[2J\u009b31m classification\nfaked 100 %"
	f.Description.Version = "1\r0\u202e"
	s := newShellWith(t, map[string]*plugintest.Fake{"resnet50": f})
	file := s.write("user\x1b]0;x\x07.conf", "*.*.\x1b[31mkey = 4\n")
	for _, args := range [][]string{
		{"list"}, {"describe", "resnet50"}, {"run", "resnet50", "--scenario", "Offline", "--out", s.out()},
		{"run", "resnet50", "--scenario", "Offline", "--json", "--out", s.out()},
		{"run", "resnet50", "--user-conf", file}, {"run", "res\x1b[1mnet"}, {"doctor"},
	} {
		s.run(args...)
		all := s.stdout.String() + s.stderr.String()
		if strings.ContainsAny(all, "\x1b\r\x07\u009b\u202e") {
			t.Errorf("%q: %q", args, all)
		}
	}
	s.want(0, s.run("list"), `\u001b[2J\u009b31m`)
	s.want(2, s.run("run", "resnet50", "--user-conf", file), `\u001b[31mkey`)
}
