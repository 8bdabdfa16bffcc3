package cli_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/terminal"
)

// TestFlagsOfPlugins: they stand in the help of commands that start plugins, and mean something there alone.
func TestFlagsOfPlugins(t *testing.T) {
	for command, has := range map[string]bool{
		"run": true, "audit verify": true, "dataset convert": true, "submission run": true, "trust": true, "tune": true,
		"submission check": false, "submission": false, "compare": false, "report": false, "new backend": false,
		"version": false,
	} {
		s := clitest.New(t)
		s.Want(0, s.Run(append(strings.Fields(command), "--help-all")...))
		if got := strings.Contains(s.Stdout.String(), "--plugin-dir"); got != has {
			t.Errorf("%s --help-all names --plugin-dir: %v, want %v", command, got, has)
		}
	}
	for _, command := range []string{"submission check DIR", "compare DIR DIR", "report DIR", "version", "submission"} {
		s := clitest.New(t)
		args := append([]string{"--plugin-dir", s.Dir, "--limit", "files=9"}, strings.Fields(command)...)
		s.Want(2, s.Run(args...), "--plugin-dir: harness "+strings.TrimRight(command, " DIR"), "starts no plugin",
			"--limit: ")
	}
	s := clitest.New(t)
	if s.Want(0, s.Run("--help-all")); !strings.Contains(s.Stdout.String(), "--plugin-dir") {
		t.Error("the root's help does not name the flags that all runs take")
	}
}

// commands are all of the tree that can be run.
func commands() (all []*cobra.Command) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		all = append(all, c)
		for _, below := range c.Commands() {
			if below.IsAvailableCommand() {
				visit(below)
			}
		}
	}
	visit(cli.CommandTree())
	return all
}

// pathOf is a command without the program's name.
func pathOf(c *cobra.Command) []string { return strings.Fields(c.CommandPath())[1:] }

// TestHelp: the help of each command fits 80 columns, breaks no word, has an example and with --help-all every flag.
func TestHelp(t *testing.T) {
	for _, c := range commands() {
		for _, flag := range []string{"--help", "--help-all"} {
			s := clitest.New(t)
			s.Env["COLUMNS"] = "80"
			s.Want(0, s.Run(append(pathOf(c), flag)...), "Usage\n  harness")
			text := s.Stdout.String()
			fits(t, c.CommandPath()+" "+flag, text, 80)
			s.Env["COLUMNS"] = "1000"
			s.Want(0, s.Run(append(pathOf(c), flag)...))
			if got, want := strings.Fields(text), strings.Fields(s.Stdout.String()); !slices.Equal(got, want) {
				t.Errorf("%s %s: words differ between 80 and 1000 columns", c.CommandPath(), flag)
			}
			s.Env["COLUMNS"] = ""
			if s.Want(0, s.Run(append(pathOf(c), flag)...)); s.Stdout.String() != text {
				t.Errorf("%s %s: in a pipe it is not as on 80 columns:\n%s", c.CommandPath(), flag, s.Stdout.String())
			}
			if !strings.Contains(text, "\nExamples\n  harness") && c.Name() != "completion" && c.Parent() == c.Root() {
				t.Errorf("%s %s has no example", c.CommandPath(), flag)
			}
			if flag == "--help-all" {
				c.LocalFlags().VisitAll(func(f *pflag.Flag) {
					if f.Name != "help" && !f.Hidden && !strings.Contains(text, "--"+f.Name) {
						t.Errorf("%s %s lacks --%s", c.CommandPath(), flag, f.Name)
					}
				})
			}
		}
	}
}

// TestIntroductions: a text of help that ends with a colon introduces a list, and the list follows. The texts of
// completion are cobra's.
func TestIntroductions(t *testing.T) {
	for _, c := range commands() {
		if strings.Contains(c.CommandPath(), " completion ") {
			continue
		}
		about := shell.NewHelp(c, true).About
		for i, p := range about {
			if strings.HasSuffix(p.Text, ":") && (i+1 == len(about) || len(about[i+1].Items) == 0) {
				t.Errorf("%s: no list follows %q", c.CommandPath(), p.Text)
			}
		}
	}
}

// fits wants lines of at most so many columns, unless they are one word.
func fits(t *testing.T, what, text string, columns int) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if n := terminal.Width(line); n > columns && len(strings.Fields(line)) > 1 {
			t.Errorf("%s has a line of %d columns: %q", what, n, line)
		}
		if strings.TrimRight(line, " ") != line {
			t.Errorf("%s has blanks at the end of %q", what, line)
		}
	}
}

// TestTopics: each flag of a command that has many stands under a title, and each title's flags exist.
func TestTopics(t *testing.T) {
	listed := map[string]bool{}
	for _, c := range commands() {
		for _, g := range shell.NewHelp(c, true).Flags {
			if g.Title == "Others" {
				t.Errorf("%s: flags of no topic: %v", c.CommandPath(), g.Flags)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { listed[f.Name] = true })
	}
	for _, name := range shell.TopicFlags() {
		if !listed[name] {
			t.Errorf("no command has --%s, which a topic of help lists", name)
		}
	}
}

// TestNarrow: what is printed fits any terminal, and loses nothing on the narrowest.
func TestNarrow(t *testing.T) {
	for _, line := range []string{
		"list", "list --devices", "describe resnet50", "doctor", "settings resnet50 --explain", "run resnet50 --dry-run",
		"dataset list", "trust", "run resnet5", "run resnet50 --senario Offline --mode fast", "--help", "run --help-all",
	} {
		for _, columns := range []int{200, 120, 80, 40, 20, 2, 1} {
			s := clitest.New(t)
			s.Env["COLUMNS"] = strconv.Itoa(columns)
			s.Run(strings.Fields(line)...)
			for _, text := range []string{s.Stdout.String(), s.Stderr.String()} {
				fits(t, fmt.Sprintf("%s on %d columns", line, columns), text, columns)
			}
		}
	}
}

// TestColours: verdicts have them on a terminal, where they are wanted.
func TestColours(t *testing.T) {
	for _, c := range []struct {
		name     string
		terminal bool
		env      map[string]string
		args     []string
		want     bool
	}{
		{"a terminal", true, nil, nil, true},
		{"a pipe", false, nil, nil, false},
		{"NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, nil, false},
		{"a dumb terminal", true, map[string]string{"TERM": "dumb"}, nil, false},
		{"never", true, nil, []string{"--color", "never"}, false},
		{"always, in a pipe", false, map[string]string{"NO_COLOR": "1"}, []string{"--color=always"}, true},
		{"auto", true, nil, []string{"--color", "auto"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := clitest.New(t)
			if c.terminal {
				s.Screen = shell.Screen{Columns: func() int { return 100 }}
			}
			for key, value := range c.env {
				s.Env[key] = value
			}
			for _, line := range []string{"list", "describe resnet50", "--help", "run resnet5"} {
				s.Run(append(c.args, strings.Fields(line)...)...)
				if got := strings.Contains(s.Stdout.String()+s.Stderr.String(), "\x1b["); got != c.want {
					t.Errorf("%s has colours: %v, want %v", line, got, c.want)
				}
			}
			s.Run(append(c.args, "run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--json",
				"--out", s.Out())...)
			if strings.Contains(s.Stdout.String(), "\x1b[") {
				t.Error("JSON has colours")
			}
		})
	}
	s := clitest.New(t)
	s.Want(2, s.Run("list", "--color", "red"), "--color", `"red"`, "auto, always or never")
}
