package coco

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

const licensed = `{"licenses": [{"id": 1, "url": "http://creativecommons.org/licenses/by-nc/2.0/"},
	{"id": 2},
	{"id": 4, "url": "HTTP://CreativeCommons.org/licenses/BY/2.0/"}],
	"images": [{"id": 7, "file_name": "a.jpg", "license": 4, "height": 2.50},
	{"id": 8, "file_name": "b.jpg", "license": 1},
	{"id": 9, "file_name": "c.jpg", "license": 2}, {"id": 5, "file_name": "d.jpg", "license": 3}],
	"annotations": [{"id": 1, "image_id": 8}, {"id": 2, "image_id": 7, "segmentation": [[1e0]]}],
	"categories": [{"id": 90}], "other": 1}`

func TestReadSafe(t *testing.T) {
	var faults fault.FaultList
	safe, err := readSafe(strings.NewReader(licensed), &faults)
	if err != nil || faults.Len() > 0 {
		t.Fatal(err, faults.Err(ErrDataset, ""))
	}
	if !slices.Equal(safe.Names, []string{"a.jpg"}) || safe.Images != 4 || safe.Annotations() != 1 {
		t.Errorf("%v of %d, %d annotations", safe.Names, safe.Images, safe.Annotations())
	}
	var text bytes.Buffer
	if _, err := safe.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`{"info": {}, "licenses": [{"id": 1`, `"height": 2.50}], "annotations": [{"id": 2`,
		`[[1e0]]`, `"categories": [{"id": 90}]}`} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("%s lacks %s", text.String(), part)
		}
	}
}

func TestReadSafeReportsEveryFault(t *testing.T) {
	dir := folder(t, map[string][]byte{
		"a.json": []byte(`{"licenses": [{"url": "x"}], "images": [{"id": 1, "file_name": "a"}, {"id": 2}, 3,
			{"id": 4, "file_name": "../b", "license": 1}], "annotations": [{"id": 1}], "categories": 4}`),
		"b.json": []byte(`{"images": []} {}`), "c.json": []byte(`[]`), "d.json": []byte(`{"images": [`),
	})
	for file, parts := range map[string][]string{
		"a.json": {"licenses[0]", "id 1 has no license", "images[1]", "images[2]", `"../b" is no path inside`,
			"annotations[0]", `"categories" is missing or no list`},
		"b.json": {"more text"}, "c.json": {"c.json"}, "d.json": {"truncated"}, "none.json": {"none.json"},
	} {
		_, err := ReadSafe(filepath.Join(dir, file))
		if !errors.Is(err, ErrDataset) {
			t.Errorf("%s: %v is not %v", file, err, ErrDataset)
			continue
		}
		for _, part := range parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v does not say %q", file, err, part)
			}
		}
	}
}

// FuzzReadSafe writes what it reads and reads that again: all of it is safe.
func FuzzReadSafe(f *testing.F) {
	f.Add(licensed)
	f.Add(`{"licenses": [], "images": [], "annotations": [], "categories": []}`)
	f.Fuzz(func(t *testing.T, text string) {
		var faults fault.FaultList
		safe, err := readSafe(strings.NewReader(text), &faults)
		if err != nil || faults.Len() > 0 {
			return
		}
		var written bytes.Buffer
		if _, err := safe.WriteTo(&written); err != nil {
			t.Fatal(err)
		}
		again, err := readSafe(&written, &faults)
		if err != nil || faults.Len() > 0 {
			t.Fatalf("%v, %v", err, faults.Err(ErrDataset, ""))
		}
		if !slices.Equal(again.Names, safe.Names) || again.Images != len(safe.Names) ||
			again.Annotations() != safe.Annotations() {
			t.Errorf("%v of %d images, want all of %v", again.Names, again.Images, safe.Names)
		}
	})
}
