package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sources returns a tree with the files that a LoadGen requires.
func sources() map[string]string {
	return map[string]string{
		"loadgen.cc": "// cc\n", "loadgen.h": "// h\n", "test_settings.h": "", "version.cc": "", "VERSION.txt": "6.0.17\n",
		"mlperf.conf": "# \"quoted\" \\ and ??= é\n*.*.mode = 2", "bindings/c_api.cc": "// api\n", "README.md": "read\n",
		"mlperf_conf.h": "made by another build", "version_generated.cc": "made by another build",
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTreesAreFoundAndHashed(t *testing.T) {
	folder, checkout := t.TempDir(), t.TempDir()
	write(t, folder, sources())
	write(t, filepath.Join(checkout, "loadgen"), sources())
	a, err := readTree(folder)
	if err != nil {
		t.Fatal(err)
	}
	b, err := readTree(checkout)
	if err != nil {
		t.Fatal(err)
	}
	if a.build.Version != "6.0.17" || a.build.SHA256 != b.build.SHA256 || a.build.Unmodified() || len(a.build.Files) != 6 {
		t.Errorf("%+v and %+v, want 6 equal files of no known release", a.build, b.build)
	}
	write(t, folder, map[string]string{"loadgen.cc": "// changed\n"})
	if c, err := readTree(folder); err != nil || c.build.SHA256 == a.build.SHA256 {
		t.Errorf("%v: a changed file leaves the checksum", err)
	}
}

func TestWholeIsThatOfSha256sum(t *testing.T) {
	got := treeSum(map[string]string{"b": checksum([]byte("2")), "a": checksum([]byte("1"))})
	if want := checksum([]byte(checksum([]byte("1")) + "  a\n" + checksum([]byte("2")) + "  b\n")); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestWhatIsNoTreeOfALoadGen(t *testing.T) {
	empty, odd, short := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, odd, map[string]string{"VERSION.txt": "new"})
	files := sources()
	delete(files, "version.cc")
	delete(files, "mlperf.conf")
	write(t, short, files)
	files = sources()
	files["VERSION.txt"] = "new"
	write(t, odd, files)
	for dir, want := range map[string]string{
		empty: "loadgen.cc", filepath.Join(empty, "not there"): "no such file", odd: `version "new"`,
		short: "version.cc",
	} {
		if _, err := readTree(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", dir, err, want)
		}
	}
	if _, err := readTree(short); err == nil || !strings.Contains(err.Error(), "mlperf.conf") {
		t.Errorf("%v: not all that is missing is told", err)
	}
	err := run(library, t.TempDir(), "shim", nil)
	if err == nil || !strings.Contains(err.Error(), "make official-loadgen LOADGEN=DIR") {
		t.Errorf("without a folder: %v", err)
	}
}

func TestKnownReleases(t *testing.T) {
	const newest = "88892e150f5afcc3b0779c789fe8d74a830e04727aa3d5bf7b4b38dd726ee72d"
	if r := releases[newest]; !strings.HasPrefix(r, "6.0.17") {
		t.Errorf("the checksum of 6.0.17 is of %q", r)
	}
	for sum, name := range releases {
		if len(sum) != 64 || !versionForm.MatchString(strings.Split(name, ",")[0]) {
			t.Errorf("%s: %s", sum, name)
		}
	}
}

func TestGeneratedSources(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, sources())
	tr, err := readTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	conf := confText(tr.sources[confFile])
	for _, want := range []string{
		"const char* mlperf_conf =\n", `"# \"quoted\" \\ and \077\077= \303\251\012"`, `"*.*.mode = 2";`,
	} {
		if !strings.Contains(conf, want) {
			t.Errorf("no %q in\n%s", want, conf)
		}
	}
	version, err := tr.versionText(time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"LoadgenVersion()", "LoadgenBuildDateUtc()", "1970-01-01T00:00:00.000000", "LoadgenGitRevision()",
		`/bindings/c_api.cc\012"`, " /README.md",
	} {
		if !strings.Contains(version, want) {
			t.Errorf("no %q in\n%s", want, version)
		}
	}
	build, err := tr.buildText()
	if err != nil || !strings.Contains(build, tr.build.SHA256) {
		t.Errorf("%v, the build is\n%s", err, build)
	}
}

func TestCopiesAreWhatIsCompiled(t *testing.T) {
	from, to, shim := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, from, sources())
	write(t, shim, map[string]string{"shim.cc": "// shim\n", "shim.h": "// shim\n"})
	tr, err := readTree(from)
	if err != nil {
		t.Fatal(err)
	}
	before := maps.Clone(tr.build.Files)
	units, err := tr.writeSources(to, shim)
	if err != nil {
		t.Fatal(err)
	}
	if len(units) != 5 { // loadgen.cc, version.cc, the two that are generated, ours
		t.Errorf("%v are compiled", units)
	}
	for name, want := range before {
		text, err := os.ReadFile(filepath.Join(to, name))
		if err != nil || checksum(text) != want {
			t.Errorf("%s: %v, or another checksum", name, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(to, confHeader))
	if err != nil || strings.Contains(string(text), "another build") {
		t.Errorf("%v: the tree's generated file is compiled", err)
	}
}
