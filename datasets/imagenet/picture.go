package imagenet

import (
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/internal/picture"
)

// checkPictures reads the header of each picture and returns the faults, in the order of the entries.
func checkPictures(dir string, entries []mapEntry, o PictureOptions) []Fault {
	problems := make([]string, len(entries))
	picture.ForEach(len(entries), func(i int) {
		_, _, problems[i] = picture.CheckFile(filepath.Join(dir, filepath.FromSlash(entries[i].name)), o.MaxPixels)
	})
	var faults []Fault
	for i, problem := range problems {
		if problem != "" {
			faults = append(faults, Fault{entries[i].line, entries[i].name, problem})
		}
	}
	return faults
}
