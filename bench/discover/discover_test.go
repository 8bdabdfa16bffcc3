package discover

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

func TestDirs(t *testing.T) {
	list := string(os.PathListSeparator)
	got := Dirs([]string{"a", "b"}, "c"+list+list+"d", "/opt/bin/harness")
	want := []Dir{{"a", "--plugin-dir"}, {"b", "--plugin-dir"}, {"c", "PLUMBLINE_PLUGINS"}, {"d", "PLUMBLINE_PLUGINS"},
		{"/opt/bin/plugins", Beside}, {"/opt/bin", Beside}, {"/opt/libexec/plumbline/plugins", Beside}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	want = []Dir{{"/opt/plugins", Beside}, {"/opt", Beside}}
	if got := Dirs(nil, "", "/opt/harness"); !slices.Equal(got, want) {
		t.Errorf("not in a folder called bin: got %v, want %v", got, want)
	}
	if got := Dirs(nil, "", ""); len(got) != 0 {
		t.Errorf("where nothing is known: %v", got)
	}
}

// find installs fake plugins in each directory and asks all of them.
func find(t *testing.T, choice string, installed ...map[string]*plugintest.Fake) (*Catalog, error) {
	t.Helper()
	all := map[string]*plugintest.Fake{}
	var dirs []Dir
	for _, fakes := range installed {
		dir := t.TempDir()
		if err := plugintest.New(fakes).Install(dir); err != nil {
			t.Fatal(err)
		}
		for name, f := range fakes {
			all[name] = f
		}
		dirs = append(dirs, Dir{dir, "test"})
	}
	return Find(t.Context(), plugintest.New(all), dirs, choice, host.LaunchOptions{})
}

func TestFindOrder(t *testing.T) {
	c, err := find(t, "", map[string]*plugintest.Fake{"b": plugintest.Classifier()},
		map[string]*plugintest.Fake{"a": plugintest.Classifier(), "b": plugintest.Classifier()})
	if err != nil || len(c.Entries) != 2 || c.Entries[0].Name != "b" || c.Entries[1].Name != "a" {
		t.Fatalf("%+v, %v: want b of the first directory, then a", c, err)
	}
	if filepath.Dir(c.Entries[0].Path) != c.Dirs[0].Path {
		t.Errorf("b is taken from %s, want the first directory", c.Entries[0].Path)
	}
}

func TestFindManyAtOnce(t *testing.T) {
	fakes := map[string]*plugintest.Fake{}
	for _, name := range strings.Split("abcdefghijklmnopqrst", "") {
		fakes[name] = plugintest.Classifier()
	}
	c, err := find(t, "", fakes)
	if err != nil || len(c.Entries) != len(fakes) {
		t.Fatalf("%v", err)
	}
	for name, f := range fakes {
		if f.Running() != 0 {
			t.Errorf("plugin %s is left running", name)
		}
	}
}

func TestFindInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stop"))
	if _, err := Find(ctx, plugintest.New(nil), nil, "", host.LaunchOptions{}); err == nil || err.Error() != "stop" {
		t.Errorf("got %v, want the cause", err)
	}
}

func TestResolve(t *testing.T) {
	broken := &plugintest.Fake{
		LaunchErr: &host.PluginError{Kind: host.KindStart, Plugin: "x", Found: "it is for another machine"},
	}
	good := func() map[string]*plugintest.Fake {
		return map[string]*plugintest.Fake{"good": plugintest.Classifier()}
	}
	cases := []struct {
		name      string
		installed map[string]*plugintest.Fake
		model     string
		code      exitcode.Code
		want      string
	}{
		{"a model", good(), "mobilenet", 0, "mobilenet"},
		{"a benchmark's own name", good(), "resnet50", 0, "resnet50"},
		{"unknown", good(), "mobilnet", exitcode.Usage, `did you mean "mobilenet"`},
		{"ambiguous", map[string]*plugintest.Fake{"one": plugintest.Classifier(), "two": plugintest.Classifier()},
			"mobilenet", exitcode.Usage, "2 plugins serve mobilenet"},
		{"broken", map[string]*plugintest.Fake{"good": plugintest.Classifier(), "x": broken},
			"x", exitcode.Plugin, "another machine"},
		{"perhaps broken", map[string]*plugintest.Fake{"good": plugintest.Classifier(), "x": broken}, "bert", exitcode.Plugin,
			"unless plugin x serves it, which did not answer"},
		{"all broken", map[string]*plugintest.Fake{"x": broken}, "bert", exitcode.Plugin, "no plugin answers"},
		{"none", nil, "bert", exitcode.Usage, "no plugin found"},
	}
	for _, c := range cases {
		catalog, err := find(t, "", c.installed)
		if err != nil {
			t.Fatal(err)
		}
		served, err := catalog.Resolve(c.model)
		text := served.Model.Name
		if err != nil {
			text = err.Error()
		}
		if exitcode.Of(err) != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%s: code %d, %s; want %d, %s", c.name, exitcode.Of(err), text, c.code, c.want)
		}
	}
}

func TestBenchmarkNameStandsForItsDefaultModel(t *testing.T) {
	f := plugintest.Classifier()
	f.Description.Name = "vision"
	catalog, err := find(t, "", map[string]*plugintest.Fake{"vision": f})
	if err != nil {
		t.Fatal(err)
	}
	if served, err := catalog.Resolve("vision"); err != nil || served.Model.Name != "resnet50" {
		t.Errorf("got %s, %v; want the first model", served.Model.Name, err)
	}
}

func TestChoice(t *testing.T) {
	fakes := map[string]*plugintest.Fake{"one": plugintest.Classifier(), "two": plugintest.Classifier()}
	for _, choice := range []string{"two", "plumbline-plugin-two"} {
		if c, err := find(t, choice, fakes); err != nil || len(c.Entries) != 1 || c.Entries[0].Name != "two" {
			t.Errorf("--plugin %s: %+v, %v", choice, c, err)
		}
	}
	if _, err := find(t, "tow", fakes); exitcode.Of(err) != exitcode.Usage ||
		!strings.Contains(err.Error(), `unknown plugin "tow"`) {
		t.Errorf("an unknown name: %v", err)
	}
	if _, err := find(t, t.TempDir()+"/", fakes); exitcode.Of(err) != exitcode.Usage ||
		!strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
}

func TestWhereToLook(t *testing.T) {
	empty, full := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(full, host.BinaryPrefix+"x"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(empty, "none")
	for _, c := range []struct {
		name string
		dirs []Dir
		want string
	}{
		{"nothing named", []Dir{{none, Beside}}, "a plugin of your own is found with --plugin-dir DIR or PLUMBLINE_PLUGINS"},
		{"a good one", []Dir{{full, "--plugin-dir"}, {none, Beside}}, ""},
		{"missing", []Dir{{none, "--plugin-dir"}, {full, EnvPlugins}}, "--plugin-dir " + none + ": no such directory"},
		{"empty", []Dir{{full, "--plugin-dir"}, {empty, EnvPlugins}},
			EnvPlugins + " " + empty + ": no file in it is named plumbline-plugin-NAME"},
		{"both", []Dir{{none, "--plugin-dir"}, {empty, EnvPlugins}}, "--plugin-dir " + none + ": no such directory\n" +
			EnvPlugins + " " + empty + ": no file in it is named plumbline-plugin-NAME"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := whereToLook(c.dirs); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
