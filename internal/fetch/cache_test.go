package fetch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func place(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFileFaultsAtOnce(t *testing.T) {
	c := open(t, t.TempDir(), Options{})
	_, err := c.Get(t.Context(), File{Name: "../m", URL: "ftp://host/m", SHA256: "ABC", Size: -1})
	wantKind(t, err, ErrBadFile, `"../m"`, `"ftp://host/m"`, `"ABC"`, "-1")
	for _, name := range []string{"", ".", "/m", "a/../m", "a//m", "./m", "..", ".state/m", ".state"} {
		if _, err := c.Locate(t.Context(), File{Name: name, URL: "http://host/"}); !errors.Is(err, ErrBadFile) {
			t.Errorf("name %q: %v", name, err)
		}
	}
	for _, url := range []string{"", "host/m", "file:///m", "http://", "http://a b/", "//host/m"} {
		if _, err := c.Locate(t.Context(), File{Name: "m", URL: url}); !errors.Is(err, ErrBadFile) {
			t.Errorf("url %q: %v", url, err)
		}
	}
}

func TestOpenWantsAFolder(t *testing.T) {
	if _, err := Open("", Options{}); err == nil {
		t.Error("the cache without a folder opened")
	}
}

func TestOffline(t *testing.T) {
	c := open(t, t.TempDir(), Options{Offline: true})
	f := File{Name: "resnet50/resnet50_v1.onnx", URL: "https://example.com/resnet50_v1.onnx", SHA256: sumOf(nil)}
	_, err := c.Get(t.Context(), f)
	wantKind(t, err, ErrOffline, f.Name, f.URL, f.SHA256, "save it as "+c.Path(f))
	f = File{Name: "imagenet", URL: "https://example.com/val.tar", Unpack: true}
	_, err = c.Get(t.Context(), f)
	wantKind(t, err, ErrOffline, f.URL, "unpack it into the folder "+c.Path(f), "sha256 unknown")

	place(t, c.Path(File{Name: "here"}), []byte("data"))
	if _, err := c.Get(t.Context(), File{Name: "here", URL: "https://example.com/here"}); err != nil {
		t.Errorf("a file that is here: %v", err)
	}
}

func TestLocatePlaced(t *testing.T) {
	data := bytesOf(100, 0)
	cases := []struct {
		name     string
		file     File
		data     []byte
		want     error
		verified bool
	}{
		{"right", File{SHA256: sumOf(data), Size: 100}, data, nil, true},
		{"unknown", File{}, data, nil, false},
		{"wrong contents", File{SHA256: sumOf(nil)}, data, ErrChecksum, false},
		{"wrong size", File{Size: 99}, data, ErrChecksum, false},
		{"empty", File{}, nil, ErrChecksum, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			cache := open(t, t.TempDir(), Options{Offline: true})
			c.file.Name, c.file.URL = "m", "https://example.com/m"
			place(t, cache.Path(c.file), c.data)
			for range 2 { // hashed, then by its receipt
				item, err := cache.Get(t.Context(), c.file)
				if c.want != nil {
					wantKind(t, err, c.want, cache.Path(c.file), "delete or replace")
					continue
				}
				wantFile(t, item, err, c.data)
				if !item.Placed || item.Verified != c.verified {
					t.Errorf("%+v, want it placed by hand and verified %v", item, c.verified)
				}
			}
		})
	}
}

func TestLocatePlacedIsHashedOnce(t *testing.T) {
	hashed := 0
	c := open(t, t.TempDir(), Options{Progress: func(p Progress) { hashed++ }})
	f := File{Name: "m", URL: "https://example.com/m"}
	place(t, c.Path(f), []byte("data"))
	for range 3 {
		if _, err := c.Locate(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	if hashed != 1 {
		t.Errorf("progress told %d times, want once", hashed)
	}
}

func TestLocateSeesChanges(t *testing.T) {
	data := bytesOf(100, 0)
	o := serve(t, data)
	c := open(t, t.TempDir(), Options{})
	f := File{Name: "m", URL: o.URL, SHA256: sumOf(data)}
	if _, err := c.Get(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	place(t, c.Path(f), bytesOf(101, 1))
	_, err := c.Get(t.Context(), f)
	wantKind(t, err, ErrChecksum, c.Path(f), "delete or replace")

	place(t, c.Path(f), data)
	if err := os.Chtimes(c.Path(f), time.Time{}, time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	item, err := c.Get(t.Context(), f)
	wantFile(t, item, err, data)
}

func TestGetReplacesOlderVersions(t *testing.T) {
	before, after := bytesOf(100, 0), bytesOf(200, 1)
	cases := []struct {
		name     string
		old, new File
	}{
		{"another sha256", File{SHA256: sumOf(before)}, File{SHA256: sumOf(after)}},
		{"another address", File{URL: "/old"}, File{URL: "/new"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := serve(t, before)
			cache := open(t, t.TempDir(), Options{})
			for _, f := range []*File{&c.old, &c.new} {
				f.Name, f.URL = "m", o.URL+f.URL
			}
			if _, err := cache.Get(t.Context(), c.old); err != nil {
				t.Fatal(err)
			}
			o.set(func() { o.data = after })
			if _, err := cache.Locate(t.Context(), c.new); !errors.Is(err, ErrMissing) {
				t.Fatalf("the old version is taken for the new: %v", err)
			}
			item, err := cache.Get(t.Context(), c.new)
			wantFile(t, item, err, after)
		})
	}
}

func TestLocateByKind(t *testing.T) {
	c := open(t, t.TempDir(), Options{Offline: true})
	folder, file := File{Name: "set", URL: "https://example.com/set.tar", Unpack: true},
		File{Name: "m", URL: "https://example.com/m"}
	if err := os.MkdirAll(c.Path(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := c.Locate(t.Context(), folder)
	wantKind(t, err, ErrMissing, "empty folder")
	place(t, filepath.Join(c.Path(folder), "val_map.txt"), []byte("a 1\n"))
	item, err := c.Get(t.Context(), folder)
	if err != nil || !item.Placed || item.Verified || !strings.Contains(item.Warning(), "by hand") {
		t.Errorf("%+v, %v, warning %q", item, err, item.Warning())
	}
	place(t, c.Path(file), []byte("data"))
	folder.Name, file.Name = file.Name, folder.Name
	_, err = c.Locate(t.Context(), folder)
	wantKind(t, err, ErrChecksum, "is a file")
	_, err = c.Locate(t.Context(), file)
	wantKind(t, err, ErrChecksum, "want a file")
}

func TestReceiptsMayBeDamaged(t *testing.T) {
	data := bytesOf(100, 0)
	o := serve(t, data)
	c := open(t, t.TempDir(), Options{})
	f := File{Name: "m", URL: o.URL, SHA256: sumOf(data)}
	if _, err := c.Get(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	place(t, c.cachePaths(f).receipt, []byte("{"))
	item, err := c.Get(t.Context(), f)
	wantFile(t, item, err, data)
}
