package officialdata

import (
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/imagenet"
)

// TestWholeImageNet counts the pictures like the plugin. With one picture less, no target applies.
func TestWholeImageNet(t *testing.T) {
	dir := t.TempDir()
	if err := WholeImageNet(dir); err != nil {
		t.Fatal(err)
	}
	set, err := imagenet.Open(dir, imagenet.PictureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := set.Len(); n != imageNetSize {
		t.Errorf("it has %d pictures, want %d", n, imageNetSize)
	}
}
