package exhibits

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

const png = "\x89PNG\r\n\x1a\n"

func TestWriteAndRead(t *testing.T) {
	dir := t.TempDir()
	all := []sdk.Exhibit{
		{Caption: "sample 3:\n wrong", PNG: []byte(png + "3")}, {Caption: "bad", PNG: []byte("no picture")},
		{Caption: strings.Repeat("ä", 400), Text: "a\xff\n<b>"},
	}
	notes, err := Write(dir, "abc", all)
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "exhibit 2 is left out: the picture is no PNG") {
		t.Fatal(notes, err)
	}
	got, err := Read(dir, "abc")
	want := []sdk.Exhibit{{Caption: "sample 3: wrong", PNG: []byte(png + "3")},
		{Caption: strings.Repeat("ä", 250), Text: "a\uFFFD\n<b>"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := Read(dir, "other"); got != nil || err != nil {
		t.Errorf("of another log: %v, %v", got, err)
	}
	if notes, err := Write(dir, "abc", nil); notes != nil || err != nil {
		t.Error(notes, err)
	}
	if got, err := Read(dir, "abc"); got != nil || err != nil {
		t.Errorf("after none were written: %v, %v", got, err)
	}
}

func TestTooMany(t *testing.T) {
	dir := t.TempDir()
	notes, err := Write(dir, "", make([]sdk.Exhibit, 30))
	if err != nil || len(notes) != 25 {
		t.Errorf("%d notes, %v", len(notes), err)
	}
}

// An index cannot refer to files outside of its folder, and an invalid exhibit is an error.
func TestReadHostile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, Folder), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, index := range []string{
		`{"exhibits": [{"file": "../../etc/passwd"}]}`, `{"exhibits": [{"file": ".."}]}`, `{"exhibits": [{}]}`, `{`,
		`{"exhibits": [{"text": "` + strings.Repeat("x", 50_000) + `"}]}`, strings.Repeat(" ", 9<<20),
	} {
		if err := os.WriteFile(filepath.Join(dir, Folder, IndexName), []byte(index), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(dir, ""); err == nil {
			t.Errorf("%.60s: %+v", index, got)
		}
	}
}
