package golden

import (
	"os"
	"testing"
)

// Unpack writes the files of an archive of a case, *.tar.gz, into a folder. It creates the folder if necessary.
func Unpack(t testing.TB, archive, dir string) {
	t.Helper()
	packed, err := os.ReadFile(archive)
	if err == nil {
		err = extractFiles(packed, dir)
	}
	if err != nil {
		t.Fatal(err)
	}
}
