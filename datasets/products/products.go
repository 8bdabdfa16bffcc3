package products

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("product catalogue")

// FaultError contains all faults of a data set; errors.As finds it.
type FaultError = fault.DatasetError

// FileForm is the form of the files, named after their source.
type FileForm int

const (
	// Hub is the form published on the hub: pictures as bytes, categories as lists.
	Hub FileForm = iota
	// Endpoints is the form of the endpoints harness: re-encoded pictures in base64, categories as JSON.
	Endpoints
)

// ProductRow is a product. The caller owns the texts. Picture is valid until the next row is read.
type ProductRow struct {
	Title, Description string
	OfferedText        string // offered categories as JSON, from the file or as Python writes them
	Picture            []byte // content of the picture file
	Encoded            bool   // Picture is in base64
	Format             string // picture format by Pillow's name: "JPEG", "PNG"
	ProductTruth
}

// ProductTruth is the ground truth of a product.
type ProductTruth struct {
	Category   string // levels separated by " > "
	Brand      string
	SecondHand bool
	Offered    []string // offered categories
}

// ProductSet is a catalogue on disk.
type ProductSet struct {
	Form      FileForm
	Path      string   // path passed to Open
	Files     []string // in the order of the rows
	rowCounts []int    // number of rows of each file
}

// Open finds the files of a catalogue. path is a Parquet file; a folder that contains train-*.parquet and
// test-*.parquet, directly or in its folder data; or a folder with the endpoints harness's file
// shopify_product_catalogue*. The error lists every fault that can be found without reading rows.
func Open(path string) (*ProductSet, error) {
	files, err := findFiles(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, err)
	}
	s := &ProductSet{Path: path, Files: files}
	var faults fault.FaultList
	for i, file := range files {
		form, rows, err := inspectFile(file)
		switch {
		case err != nil:
			faults.Addf(filepath.Base(file), "%v", err)
		case i > 0 && form != s.Form:
			faults.Addf(filepath.Base(file), "it is of the hub, and others of the endpoints harness: name one of them")
		}
		s.Form = form
		s.rowCounts = append(s.rowCounts, rows)
	}
	return s, faults.Err(ErrDataset, path)
}

// Len returns the number of rows.
func (s *ProductSet) Len() int {
	n := 0
	for _, rows := range s.rowCounts {
		n += rows
	}
	return n
}

// findFiles returns the files of a catalogue.
func findFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return []string{path}, nil
	case !info.IsDir():
		return nil, fmt.Errorf("it is neither a file nor a folder: %w", fs.ErrInvalid)
	}
	for _, folder := range []string{path, filepath.Join(path, "data")} {
		var files []string
		for _, pattern := range []string{"train-*.parquet", "test-*.parquet"} { // in this order
			found, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil {
				return nil, err
			}
			files = append(files, found...) // already sorted
		}
		if len(files) > 0 {
			return files, nil
		}
	}
	files, err := filepath.Glob(filepath.Join(path, "shopify_product_catalogue*.parquet"))
	switch {
	case err != nil:
		return nil, err
	case len(files) > 1:
		names := make([]string, len(files))
		for i, file := range files {
			names[i] = filepath.Base(file)
		}
		return nil, fmt.Errorf("it has %s: name the one to read", strings.Join(names, " and "))
	case len(files) == 0:
		return nil, fmt.Errorf("it has neither train-*.parquet and test-*.parquet of the hub, in it or in data, nor "+
			"shopify_product_catalogue*.parquet of the endpoints harness: %w", fs.ErrNotExist)
	}
	return files, nil
}

// Each calls do for the first count rows in order, or for all if count is 0. It skips invalid rows, and the error lists
// their faults.
func (s *ProductSet) Each(ctx context.Context, count int, do func(i int, row *ProductRow) error) error {
	if count == 0 {
		count = s.Len()
	}
	var faults fault.FaultList
	first := 0
	for i, path := range s.Files {
		if first >= count {
			break
		}
		r := rowReader{set: s, ctx: ctx, faults: &faults, first: first, maxRows: min(s.rowCounts[i], count-first), do: do}
		if err := r.readFile(path); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrDataset, path, err)
		}
		first += s.rowCounts[i]
	}
	return faults.Err(ErrDataset, s.Path)
}

// pictureFormat returns Pillow's name for the format of a picture, determined by its first bytes, or "" if it is
// unknown.
func pictureFormat(picture []byte) string {
	has := func(at int, text string) bool {
		return len(picture) >= at+len(text) && string(picture[at:at+len(text)]) == text
	}
	switch {
	case has(0, "\xff\xd8\xff"):
		return "JPEG"
	case has(0, "\x89PNG\r\n\x1a\n"):
		return "PNG"
	case has(0, "GIF87a"), has(0, "GIF89a"):
		return "GIF"
	case has(0, "RIFF") && has(8, "WEBP"):
		return "WEBP"
	case has(0, "BM"):
		return "BMP"
	case has(0, "II*\x00"), has(0, "MM\x00*"):
		return "TIFF"
	}
	return ""
}

// PictureFile returns the content of the picture file. If the picture is not in base64, this is Picture itself.
func (r *ProductRow) PictureFile() ([]byte, error) {
	if !r.Encoded {
		return r.Picture, nil
	}
	return base64.StdEncoding.AppendDecode(nil, r.Picture)
}

// OffersTruth reports whether the true category is among the offered ones.
func (r *ProductRow) OffersTruth() bool { return slices.Contains(r.Offered, r.Category) }

// pythonJSON returns a list of texts in the form of Python's json.dumps: ASCII, with a blank after each comma.
func pythonJSON(texts []string) string {
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = text
	}
	return pyvalue.JSON(values)
}

// parseCategories parses a JSON list of categories.
func parseCategories(text string) ([]string, error) {
	var all []string
	if err := json.Unmarshal([]byte(text), &all); err != nil || all == nil {
		return nil, fmt.Errorf("found %.60q, want a JSON list of texts", text)
	}
	return all, nil
}
