package fetch

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var goodEntries = []entry{
	{name: "./", kind: tar.TypeDir, mode: 0o755},
	{name: "set/", kind: tar.TypeDir, mode: 0o000},
	{name: "set/val_map.txt", data: "a.JPEG 1\n"},
	{name: "./set/deep/er/a.JPEG", data: strings.Repeat("picture", 1000)},
	{name: "run.sh", data: "#!", mode: 0o4755},
	{name: "set/latest", kind: tar.TypeSymlink, target: "deep/er"},
	{name: "set/deep/up", kind: tar.TypeSymlink, target: "../val_map.txt"},
	{name: "set/deep/er/top", kind: tar.TypeSymlink, target: "../../.."},
	{name: "empty", data: ""},
}

func TestUnpack(t *testing.T) {
	want := map[string]string{
		"set/": "", "set/val_map.txt": "a.JPEG 1\n", "set/deep/": "", "set/deep/er/": "",
		"set/deep/er/a.JPEG": strings.Repeat("picture", 1000), "run.sh": "#!", "set/latest": "-> deep/er",
		"set/deep/up": "-> ../val_map.txt", "set/deep/er/top": "-> ../../..", "empty": "",
	}
	archives := map[string][]byte{
		"tar": tarOf(t, goodEntries...), "tar.gz": gzipOf(t, tarOf(t, goodEntries...)), "zip": zipOf(t, goodEntries...),
	}
	for name, archive := range archives {
		t.Run(name, func(t *testing.T) {
			dir, err := unpackTest(t, archive, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := listing(t, dir); !maps.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			info, err := os.Stat(filepath.Join(dir, "run.sh"))
			if err != nil || info.Mode()&0o100 == 0 || info.Mode()&fs.ModeSetuid != 0 {
				t.Errorf("run.sh: %v, %v; want it executable, without setuid", info.Mode(), err)
			}
		})
	}
}

func TestUnpackHardLink(t *testing.T) {
	dir, err := unpackTest(t, tarOf(t, entry{name: "d/a", data: "x"},
		entry{name: "e/b", kind: tar.TypeLink, target: "d/a"}), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got := listing(t, dir); got["e/b"] != "x" {
		t.Errorf("got %v, want e/b to be d/a", got)
	}
}

// TestUnpackRefusesUnsafe runs each trick in all formats that know its kind of entry.
func TestUnpackRefusesUnsafe(t *testing.T) {
	link := func(name, target string) entry { return entry{name: name, kind: tar.TypeSymlink, target: target} }
	hard := func(name, target string) entry { return entry{name: name, kind: tar.TypeLink, target: target} }
	file := func(name string) entry { return entry{name: name, data: "x"} }
	cases := []struct {
		name    string
		tarOnly bool
		entries []entry
	}{
		{"absolute path", false, []entry{file("/tmp/x")}},
		{"parent", false, []entry{file("../x")}},
		{"parent in the middle", false, []entry{file("a/../../x")}},
		{"parent folder", false, []entry{{name: "../d/", kind: tar.TypeDir}}},
		{"backslashes", false, []entry{file(`..\x`)}},
		{"no name", true, []entry{file("")}},
		{"too deep", false, []entry{file(strings.Repeat("d/", maxDepth) + "x")}},
		{"absolute link", false, []entry{link("l", "/etc/passwd")}},
		{"link outside", false, []entry{link("d/l", "../../x")}},
		{"link that climbs after descending", false, []entry{link("d/l", "e/../../../x")}},
		{"link that climbs at all after descending", false, []entry{link("d/l", "e/..")}},
		{"link to nothing", false, []entry{link("l", "")}},
		{"link by backslashes", false, []entry{link("l", `..\..\x`)}},
		{"file through a link", false, []entry{link("l", "."), file("l/x")}},
		{"file onto a link", false, []entry{link("l", "x"), file("l")}},
		{"folder through a link", false, []entry{link("l", "."), {name: "l/d/", kind: tar.TypeDir}}},
		{"link that climbs from a linked folder", false, []entry{link("l", "."), link("l/l/l/m", "../../..")}},
		{"hard link outside", true, []entry{hard("l", "../x")}},
		{"absolute hard link", true, []entry{hard("l", "/etc/passwd")}},
		{"hard link to a link", true, []entry{link("l", "x"), hard("m", "l")}},
		{"hard link by backslashes", true, []entry{hard("l", `a\b`)}},
		{"character device", false, []entry{{name: "null", kind: tar.TypeChar}}},
		{"block device", true, []entry{{name: "sda", kind: tar.TypeBlock}}},
		{"pipe", false, []entry{{name: "p", kind: tar.TypeFifo}}},
	}
	for _, c := range cases {
		archives := map[string][]byte{"tar": tarOf(t, c.entries...), "tar.gz": gzipOf(t, tarOf(t, c.entries...))}
		if !c.tarOnly {
			archives["zip"] = zipOf(t, c.entries...)
		}
		for format, archive := range archives {
			t.Run(c.name+"/"+format, func(t *testing.T) {
				_, err := unpackTest(t, archive, Limits{})
				wantKind(t, err, ErrUnsafe)
			})
		}
	}
}

func TestUnpackLimits(t *testing.T) {
	three := []entry{{name: "a", data: "1234"}, {name: "b", data: "5678"}, {name: "c", data: ""}}
	cases := []struct {
		name   string
		limits Limits
		want   error
	}{
		{"enough", Limits{Bytes: 8, Files: 3}, nil},
		{"a byte too many", Limits{Bytes: 7}, ErrUnsafe},
		{"a file too many", Limits{Files: 2}, ErrUnsafe},
	}
	for _, c := range cases {
		for format, archive := range map[string][]byte{
			"tar": tarOf(t, three...), "tar.gz": gzipOf(t, tarOf(t, three...)), "zip": zipOf(t, three...),
		} {
			t.Run(c.name+"/"+format, func(t *testing.T) {
				if _, err := unpackTest(t, archive, c.limits); !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
			})
		}
	}
	bomb := gzipOf(t, tarOf(t, entry{name: "zeros", data: strings.Repeat("\x00", 1<<24)}))
	for limit, written := range map[int64]string{1 << 20: "", 1 << 24: strings.Repeat("\x00", 1<<24)} {
		dir, err := unpackTest(t, bomb, Limits{Bytes: limit})
		if (err != nil) != (written == "") || err != nil && !errors.Is(err, ErrUnsafe) {
			t.Errorf("a bomb of %d bytes, a limit of %d: %v", len(bomb), limit, err)
		}
		if got := listing(t, dir); got["zeros"] != written { // what is too large by its own words is not begun
			t.Errorf("%d bytes were written, want %d", len(got["zeros"]), len(written))
		}
	}
}

func TestUnpackRefusesDamaged(t *testing.T) {
	good := tarOf(t, entry{name: "a", data: strings.Repeat("x", 5000)})
	zipped, gzipped := zipOf(t, entry{name: "a", data: strings.Repeat("x", 5000)}), gzipOf(t, good)
	wrong := slices.Clone(gzipped)
	wrong[len(wrong)-5] ^= 1 // in the checksum
	locked := bytes.Replace(zipped, []byte("PK\x01\x02\x14\x03\x14\x00\x08"), []byte("PK\x01\x02\x14\x03\x14\x00\x09"), 1)
	cases := map[string][]byte{
		"no bytes":              nil,
		"a text":                []byte("<html>"),
		"an empty tar":          tarOf(t),
		"an empty zip":          zipOf(t),
		"a tar cut":             good[:3000],
		"a tar.gz cut":          gzipped[:len(gzipped)-9],
		"a tar.gz gone wrong":   wrong,
		"a gzip of a text":      gzipOf(t, []byte(strings.Repeat("text", 500))),
		"a gzip header":         {0x1f, 0x8b},
		"a zip cut":             zipped[:len(zipped)-10],
		"a zip's beginning":     []byte("PK"),
		"an encrypted zip":      locked,
		"a file twice":          tarOf(t, entry{name: "a"}, entry{name: "a"}),
		"a file for a folder":   tarOf(t, entry{name: "a"}, entry{name: "a/b"}),
		"a hard link to no one": tarOf(t, entry{name: "a", kind: tar.TypeLink, target: "b"}),
		"much behind the end":   gzipOf(t, append(slices.Clone(good), make([]byte, maxPadding+10000)...)),
	}
	for name, archive := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := unpackTest(t, archive, Limits{})
			wantKind(t, err, ErrArchive)
		})
	}
}

func TestUnpackEndsWithItsContext(t *testing.T) {
	for format, archive := range map[string][]byte{"tar": tarOf(t, goodEntries...), "zip": zipOf(t, goodEntries...)} {
		path := filepath.Join(t.TempDir(), "archive")
		if err := os.WriteFile(path, archive, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := unpackArchive(ctx, path, t.TempDir(), Limits{}, func(int64) {}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want %v", format, err, context.Canceled)
		}
	}
}

func TestGetUnpacks(t *testing.T) {
	for format, archive := range map[string][]byte{
		"tar.gz": gzipOf(t, tarOf(t, goodEntries...)), "zip": zipOf(t, goodEntries...),
	} {
		t.Run(format, func(t *testing.T) {
			o := serve(t, archive)
			var unpacked int64
			c := open(t, t.TempDir(), Options{Progress: func(p Progress) {
				if p.Phase == Unpacking {
					unpacked = p.Done
				}
			}})
			f := File{Name: "data/set", URL: o.URL, SHA256: sumOf(archive), Unpack: true}
			leaveRubbish(t, c.cachePaths(f))
			item, err := c.Get(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			if got := listing(t, item.Path); got["set/val_map.txt"] != "a.JPEG 1\n" || len(got) != 10 {
				t.Errorf("got %v", got)
			}
			if !item.Verified || item.SHA256 != sumOf(archive) || unpacked != 7011 {
				t.Errorf("%+v, %d bytes unpacked; want it verified, and 7011", item, unpacked)
			}
			wantClean(t, c)
		})
	}
}

// leaveRubbish puts there what a process that was killed while it unpacked leaves.
func leaveRubbish(t *testing.T, p cachePaths) {
	t.Helper()
	place(t, filepath.Join(p.staging, "half"), []byte("x"))
	place(t, filepath.Join(p.replaced, "half"), []byte("x"))
}

func TestGetReplacesAFolder(t *testing.T) {
	before, after := tarOf(t, entry{name: "old", data: "1"}), tarOf(t, entry{name: "new", data: "2"})
	o := serve(t, before)
	c := open(t, t.TempDir(), Options{})
	f := File{Name: "set", URL: o.URL, SHA256: sumOf(before), Unpack: true}
	if _, err := c.Get(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	o.set(func() { o.data = after })
	f.SHA256 = sumOf(after)
	item, err := c.Get(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if got := listing(t, item.Path); !maps.Equal(got, map[string]string{"new": "2"}) {
		t.Errorf("got %v, want the new contents alone", got)
	}
	wantClean(t, c)
}

func TestGetOfABadArchive(t *testing.T) {
	bad := tarOf(t, entry{name: "../x", data: "1"})
	o := serve(t, bad)
	c := open(t, t.TempDir(), Options{})
	for _, sum := range []string{"", sumOf(bad)} {
		f := File{Name: "set", URL: o.URL, SHA256: sum, Unpack: true}
		_, err := c.Get(t.Context(), f)
		wantKind(t, err, ErrUnsafe, o.URL, `"../x"`)
		if _, err := os.Stat(c.Path(f)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("it has its name: %v", err)
		}
		if n, err := partSize(c.cachePaths(f)); err != nil || (n > 0) != (sum != "") {
			t.Errorf("sha256 %q: %d bytes kept, %v; want them kept only if they are known to be right", sum, n, err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	few := []entry{{name: "d/", kind: tar.TypeDir}, {name: "d/a", data: "1"},
		{name: "d/l", kind: tar.TypeSymlink, target: "../d"}}
	f.Add(tarOf(f, few...))
	f.Add(gzipOf(f, tarOf(f, few...)))
	f.Add(zipOf(f, few...))
	f.Add(tarOf(f, entry{name: "../x"}, entry{name: "l", kind: tar.TypeSymlink, target: "/"},
		entry{name: "h", kind: tar.TypeLink, target: "l"}))
	f.Add(zipOf(f, entry{name: "l", kind: tar.TypeSymlink, target: "."}, entry{name: "l/x"}))
	f.Fuzz(func(t *testing.T, archive []byte) {
		const most = 1 << 20
		dir, err := unpackTest(t, archive, Limits{Bytes: most, Files: 100})
		if err != nil {
			return
		}
		size := 0
		for _, data := range listing(t, dir) {
			size += len(data)
		}
		if size > 101*most { // a hard link lists its file again
			t.Errorf("%d bytes, want at most %d", size, most)
		}
	})
}

// FuzzPointsInside builds the link for real: what pointsInside allows must not resolve to a place outside.
func FuzzPointsInside(f *testing.F) {
	for _, c := range [][2]string{{"l", "x"}, {"d/e/l", "../.."}, {"d/l", "../../x"}, {"l", "a/../../x"}, {"d/l", ".."},
		{"l", "./."}, {"d/l", "..//.."}} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, name, target string) {
		if !filepath.IsLocal(name) || filepath.Clean(name) != name || name == "." || !pointsInside(name, target) {
			return
		}
		if joined := filepath.Join(filepath.Dir(name), target); filepath.IsAbs(target) || !filepath.IsLocal(joined) {
			t.Errorf("the link %q may point to %q, which is %q", name, target, joined)
		}
	})
}

func BenchmarkUnpackTar(b *testing.B) {
	var entries []entry
	for i := range 100 {
		entries = append(entries, entry{name: fmt.Sprintf("set/%d.JPEG", i), data: strings.Repeat("x", 100_000)})
	}
	path := filepath.Join(b.TempDir(), "archive")
	if err := os.WriteFile(path, tarOf(b, entries...), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(100 * 100_000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		dir := filepath.Join(b.TempDir(), fmt.Sprint(i))
		if err := unpackArchive(b.Context(), path, dir, Limits{}, func(int64) {}); err != nil {
			b.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
	}
}
