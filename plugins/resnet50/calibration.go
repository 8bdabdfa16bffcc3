package resnet50

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/imagenet"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// listParam is the parameter of the conversion that contains the path of the list of pictures.
const listParam = "list"

// maxListBytes limits the size of a list in bytes; the official ones have 500 names.
const maxListBytes = 64 << 20

// exportCalibration copies the pictures in a list from a data set to a new data set in the same layout.
func exportCalibration(ctx context.Context, r sdk.DatasetRequest, progress func(line string)) (string, error) {
	wanted, err := readPictureList(r.Params[listParam])
	if err != nil {
		return "", sdk.Data(err)
	}
	set, err := imagenet.Open(r.Input, imagenet.PictureOptions{LabelsOnly: true})
	if err != nil {
		return "", sdk.Data(err)
	}
	at := map[string]int{}
	for i := range set.Len() {
		at[set.Name(i)] = i
	}
	var lines strings.Builder
	var faults []error
	for n, name := range wanted {
		i, known := at[name]
		if !known {
			faults = append(faults, fmt.Errorf("%s is not in %s", name, r.Input))
			continue
		}
		faults = append(faults, copyPicture(ctx, set.Path(i), filepath.Join(r.Output, filepath.FromSlash(name))))
		fmt.Fprintf(&lines, "%s %d\n", name, set.Label(i))
		if n%100 == 99 {
			progress(fmt.Sprintf("%d of %d pictures", n+1, len(wanted)))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return "", sdk.Data(err)
	}
	err = os.WriteFile(filepath.Join(r.Output, imagenet.MapName), []byte(lines.String()), 0o666)
	return fmt.Sprintf("%d of %d pictures, with their labels in %s", len(wanted), set.Len(), imagenet.MapName), err
}

// readPictureList reads a list of unique names, one per line.
func readPictureList(path string) (names []string, err error) {
	if path == "" {
		return nil, errors.New("which pictures? give the calibration list with --param list=FILE, a name in each line")
	}
	text, err := backend.ReadFile(path, maxListBytes)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		name := strings.TrimSpace(line)
		switch {
		case name == "":
		case seen[name]:
			return nil, fmt.Errorf("%s: %q is there twice", path, name)
		default:
			seen[name] = true
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s names no picture", path)
	}
	return names, nil
}

// copyPicture copies a picture file.
func copyPicture(ctx context.Context, from, to string) (err error) {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	in, err := bounded.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
